"""Runs as rows of a list, and who works on which queue: in a fixed number of questions to the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from mtcore.models import Run
from mtcore.services.run_claim import QUEUES
from mtcore.services.run_effort import run_elapsed
from mtcore.services.run_presence import workers_alive
from mtcore.services.runs import run_pace
from mtcore.views.words import duration, kind_words, percent, state_of

NOTE_LENGTH = 160


def run_rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return runs ready for a table."""
    running = [one.pk for one in runs if one.state == Run.State.RUNNING]
    paces = {one.pk: run_pace(one) for one in Run.objects.filter(pk__in=running)} if running else {}
    waits = _waits([one for one in runs if one.state == Run.State.QUEUED])
    rows = []
    for one in runs:
        pace = paces.get(one.pk)
        took = run_elapsed(one) if one.is_finished else None
        note = waits.get(one.pk) or one.message or (one.progress_note if one.pk in paces else "")
        rows.append(
            {
                "run": one,
                "kind": kind_words(one.kind),
                "state": state_of(one),
                "done": percent(one.progress),
                "left": duration(pace.remaining) if pace and pace.remaining is not None else "",
                "took": duration(took) if took is not None else "",
                "note": note if len(note) <= NOTE_LENGTH else f"{note[: NOTE_LENGTH - 1]}…",
            }
        )
    return rows


def queues_panel() -> list[dict[str, Any]]:
    """Return each queue with what waits and runs on it, who serves it, and whether anybody does."""
    workers = workers_alive()
    alive = Run.objects.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING]).order_by()
    counts = {
        (row["queue"], row["state"]): row["n"]
        for row in alive.values("queue", "state").annotate(n=Count("pk"))
    }
    held = set(Run.objects.held(timezone.now()).order_by().values_list("queue", flat=True).distinct())
    panel = []
    for queue in dict.fromkeys([*QUEUES, *(name for name, _state in counts)]):
        serving = [worker for worker in workers if queue in worker.queues]
        waiting = counts.get((queue, Run.State.QUEUED), 0)
        panel.append(
            {
                "name": queue,
                "waiting": waiting,
                "running": counts.get((queue, Run.State.RUNNING), 0),
                "workers": serving,
                "nobody": bool(waiting) and not serving and queue not in held,
                "command": f"manage.py work --queue {queue}",
            }
        )
    return panel


def _waits(queued: Sequence[Run]) -> dict[int, str]:
    """Say of each waiting run what it waits for: another run, or a worker."""
    if not queued:
        return {}
    through = Run.parents.through.objects.filter(from_run_id__in=[one.pk for one in queued])
    unfinished = through.exclude(to_run__state=Run.State.SUCCEEDED).order_by("to_run_id")
    before: dict[int, int] = {}
    for child, parent in unfinished.values_list("from_run_id", "to_run_id"):
        before.setdefault(child, parent)
    served = {queue for worker in workers_alive() for queue in worker.queues}
    found = {}
    for one in queued:
        if one.pk in before:
            found[one.pk] = _("Waits for run %(n)s.") % {"n": before[one.pk]}
        elif one.queue not in served:
            found[one.pk] = _("Nobody is working on the queue “%(queue)s”.") % {"queue": one.queue}
    return found
