"""Who works, on which machines, and what lies on the disk."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from mtcore.models import Run
from mtcore.services.disk import DRAFTS, DiskUse, Folder, disk_use
from mtcore.services.run_presence import workers_alive
from mtcore.views.access import admin_page
from mtcore.views.run_rows import queues_panel
from mtcore.views.words import kind_words, percent, size, state_of


@require_safe
@admin_page
def machine(request: HttpRequest) -> HttpResponse:
    """Show queues, workers and the disk."""
    workers = workers_alive()
    doing = {
        one.worker.rpartition(" ")[0]: one
        for one in Run.objects.filter(state=Run.State.RUNNING).defer("history", "result", "options")
    }
    use = disk_use()
    context = {
        "section": "runs",
        "queues": queues_panel(),
        "workers": [
            {
                "worker": one,
                "seen": datetime.fromtimestamp(one.at, tz=UTC),
                "run": doing.get(one.name),
            }
            for one in workers
        ],
        "disk": use,
        "free": size(use.free),
        "total": size(use.total),
        "used_part": percent(1 - use.free / use.total if use.total else 0.0),
        "is_full": use.total and use.free / use.total < 0.05,
        "folders": [_folder(one) for one in use.folders],
        "runs": _runs(use),
    }
    return render(request, "mtcore/machine.html", context)


def _folder(folder: Folder) -> dict[str, str]:
    meanings = {
        "corpora": _("texts of corpora"),
        DRAFTS: _("corpora that are being written, or were left half written"),
        "runs": _("folders of runs: logs, checkpoints, results"),
        "files": _("files that belong to the database"),
        "uploads": _("texts on their way in"),
        "queue": _("messages to workers"),
        "workers": _("notes of workers"),
        "static": _("styles and scripts"),
        "secret_key": _("what signs sessions and links; keep it"),
    }
    words = meanings.get(folder.name, _("the database") if ".sqlite3" in folder.name else "")
    return {"name": folder.name, "words": words} | _counted(folder)


def _counted(folder: Folder) -> dict[str, str]:
    at_least = "" if folder.whole else _("at least ")
    return {"size": at_least + size(folder.n_bytes), "files": f"{folder.n_files:,}"}


def _runs(use: DiskUse) -> list[dict[str, object]]:
    """Return the runs with the largest folders."""
    numbers = [int(one.name) for one in use.runs if one.name.isdecimal()]
    found = Run.objects.defer("history", "result", "options").in_bulk(numbers)
    rows: list[dict[str, object]] = []
    for folder in use.runs:
        one = found.get(int(folder.name)) if folder.name.isdecimal() else None
        about: dict[str, object] = {"kind": kind_words(one.kind), "state": state_of(one)} if one else {}
        rows.append({"name": folder.name, "run": one} | about | _counted(folder))
    return rows
