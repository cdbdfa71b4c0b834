"""The pages of runs: the list, one run while it runs and after, what can be done to it, its files."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import quote, urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evalplatform.errors import BadInput, NotFound
from evalplatform.people import user_of
from evalplatform.words import clock
from mtcore.models import Run
from mtcore.services.run_claim import QUEUES
from mtcore.services.run_context import run_directory
from mtcore.services.run_files import run_file_find
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_once import run_again
from mtcore.services.runs import Change, run_cancel, run_resume
from mtcore.views.access import admin_page
from mtcore.views.family import family_of
from mtcore.views.run_parts import run_context, run_parts
from mtcore.views.run_rows import queues_panel, run_rows
from mtcore.views.words import kind_words, state_of, state_words

ROWS = 50
FILTERS = ("q", "kind", "state", "queue")


@require_safe
@admin_page
def runs(request: HttpRequest) -> HttpResponse:
    """List the runs, the newest first."""
    given = {name: request.GET.get(name, "").strip() for name in FILTERS}
    found = Run.objects.defer("history", "result", "options").order_by("-pk")
    if given["q"]:
        wanted = Q(name__icontains=given["q"])
        number = given["q"].removeprefix("#")
        found = found.filter(wanted | Q(pk=int(number)) if _is_number(number) else wanted)
    for name in FILTERS[1:]:
        if given[name]:
            found = found.filter(**{name: given[name]})
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context = {
        "section": "runs",
        "page": page,
        "rows": run_rows(list(page.object_list)),
        "given": given,
        "is_filtered": any(given.values()),
        "query": urlencode({name: text for name, text in given.items() if text}),
        "choices": [
            ("kind", _("Kind"), [(kind, kind_words(kind)) for kind in RUN_KINDS]),
            ("state", _("State"), [(state, state_words(state)) for state in Run.State.values]),
            ("queue", _("Queue"), [(queue, queue) for queue in QUEUES]),
        ],
        "queues": queues_panel(),
    }
    return render(request, "mtcore/runs.html", context)


@require_safe
@never_cache
@admin_page
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a run."""
    found = get_object_or_404(Run.objects.select_related("requested_by"), pk=pk)
    return render(request, "mtcore/run.html", {"section": "runs"} | run_context(found))


@require_safe
@never_cache
@admin_page
def run_live(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the parts of a run's page as they are now."""
    found = get_object_or_404(Run.objects.select_related("requested_by"), pk=pk)
    return JsonResponse(
        {
            "state": found.state,
            "words": state_of(found)["words"],
            "finished": found.is_finished,
            "looked": clock(timezone.now()),
            "parts": run_parts(request, found),
        }
    )


@require_POST
@admin_page
def run_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel a run, let it go on, or begin it anew; asking twice is asking once."""
    found = get_object_or_404(Run, pk=pk)
    action = request.POST.get("action", "")
    if action == "again":
        if not found.is_finished or found.state == Run.State.SUCCEEDED:
            raise BadInput(_("Only a run that failed or was cancelled is begun anew."), _("Reload its page."))
        new, created = run_again(run=found, requested_by=user_of(request))
        said = _("Run %(n)s does it from the start.") if created else _("Run %(n)s does it already.")
        messages.success(request, said % {"n": new.pk})
        return redirect("run", pk=new.pk)
    change = _changed(found, action)
    messages.success(request, change.message) if change.changed else messages.info(request, change.message)
    return redirect("run", pk=pk)


def _changed(run: Run, action: str) -> Change:
    if action == "cancel_all":
        return _all_cancelled(run)
    if action in ("cancel", "cancel_children"):
        return run_cancel(run=run, children=action == "cancel_children")
    if action == "resume":
        return run_resume(run=run)
    raise BadInput(_("A run can be cancelled, resumed or begun anew."), _("Use the buttons of its page."))


def _all_cancelled(run: Run) -> Change:
    """Cancel every run that is tied to this one and has not ended, the last first."""
    family = family_of(run)
    ended = [
        run_cancel(run=one).changed
        for _pk, one in sorted(family.runs.items(), reverse=True)
        if not one.is_finished
    ]
    if not any(ended):
        return Change(False, _("All of them have ended already; nothing changed."))
    return Change(
        True,
        _("%(n)s runs are cancelled or being stopped; what they have reached is kept.") % {"n": sum(ended)},
    )


@require_safe
@admin_page
def run_file(request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    """Send a file that a run made. Only what the manifest of its folder names can be had."""
    path = run_file_find(get_object_or_404(Run.objects.only("pk"), pk=pk), name)
    return _sent(path.open("rb"), path.name, "application/octet-stream")


@require_safe
@admin_page
def run_log(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send the whole log of a run."""
    found = get_object_or_404(Run.objects.only("pk"), pk=pk)
    try:
        log = run_directory(found.pk).log.open("rb")
    except FileNotFoundError:
        raise NotFound(
            _("Run %(n)s has no log.") % {"n": pk}, _("It is written once a run begins.")
        ) from None
    return _sent(log, f"run-{pk}.log.txt", "text/plain; charset=utf-8")


@require_safe
@admin_page
def run_data(request: HttpRequest, pk: int, what: str) -> HttpResponseBase:
    """Send what a run measured as CSV, or what it was given or made as JSON."""
    found = get_object_or_404(Run, pk=pk)
    if what == "history":
        text, ending, kind = _history_csv(found), "csv", "text/csv; charset=utf-8"
    else:
        value = found.options if what == "options" else found.result
        text, ending, kind = json.dumps(value, ensure_ascii=False, indent=1), "json", "application/json"
    return _sent(io.BytesIO(text.encode("utf-8")), f"run-{pk}.{what}.{ending}", kind)


def _history_csv(run: Run) -> str:
    names = list(dict.fromkeys(name for point in run.history for name in point.get("metrics") or {}))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["at", "attempt", "progress", *names])
    for point in run.history:
        metrics = point.get("metrics") or {}
        known = [point.get("at", ""), point.get("attempt", ""), point.get("progress", "")]
        writer.writerow([*known, *(metrics.get(name, "") for name in names)])
    return out.getvalue()


def _sent(file: io.BufferedReader | io.BytesIO, name: str, content_type: str) -> FileResponse:
    """Send a file to keep; no browser may take it for a page."""
    response = FileResponse(file, content_type=content_type)
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "_" for letter in name
    )
    response.headers["Content-Disposition"] = (
        f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16
