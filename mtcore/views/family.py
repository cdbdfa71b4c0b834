"""The runs that belong together: what a run waits for and what waits for it, as a drawing and a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mtcore.models import Run
from mtcore.services.run_presence import workers_alive
from mtcore.views.words import kind_words, percent, state_of

MOST_RUNS = 60
BOX, ROW, GAP = 206, 46, 40
_PADDING = 6
_LETTERS = 29


@dataclass(frozen=True)
class Family:
    """Runs by number, and who waits for whom (parent, child)."""

    runs: dict[int, Run]
    links: list[tuple[int, int]]
    whole: bool


def family_of(run: Run) -> Family:
    """Find all runs that are tied to this one, directly or not, in as many questions as the chain is long."""
    through = Run.parents.through.objects
    known, links = {run.pk}, set[tuple[int, int]]()
    edge = {run.pk}
    while edge and len(known) <= MOST_RUNS:
        pairs = set(through.filter(from_run_id__in=edge).values_list("to_run_id", "from_run_id")) | set(
            through.filter(to_run_id__in=edge).values_list("to_run_id", "from_run_id")
        )
        links |= pairs
        edge = {pk for pair in pairs for pk in pair} - known
        known |= edge
    whole = not edge
    rows = Run.objects.filter(pk__in=sorted(known)).defer("history", "result", "options").order_by("pk")
    runs = {one.pk: one for one in rows[: 2 * MOST_RUNS]}
    return Family(runs, sorted((a, b) for a, b in links if a in runs and b in runs), whole)


def deserted_queues(family: Family) -> list[dict[str, str]]:
    """Return the queues on which a run of the family could begin now and nobody works."""
    open_ = {pk for pk, one in family.runs.items() if one.state != Run.State.SUCCEEDED}
    held_up = {child for parent, child in family.links if parent in open_}
    ready = [one for pk, one in family.runs.items() if one.state == Run.State.QUEUED and pk not in held_up]
    wanted = dict.fromkeys(one.queue for one in ready)
    if not wanted:
        return []
    served = {queue for worker in workers_alive() for queue in worker.queues}
    served |= set(Run.objects.held(timezone.now()).order_by().values_list("queue", flat=True).distinct())
    return [
        {"name": queue, "command": f"manage.py work --queue {queue}"}
        for queue in wanted
        if queue not in served
    ]


def family_rows(family: Family) -> list[dict[str, Any]]:
    """Return the runs of a family as rows of a table, those that come first first."""
    depths = _depths(family)
    return [
        {
            "run": one,
            "kind": kind_words(one.kind),
            "state": state_of(one),
            "done": percent(one.progress),
            "waits_for": [parent for parent, child in family.links if child == pk],
        }
        for pk, one in sorted(family.runs.items(), key=lambda item: (depths[item[0]], item[0]))
    ]


def family_svg(family: Family, current: int) -> SafeString:
    """Draw a family from the first runs to the last; each box leads to its run."""
    places = _places(family)
    width = max(x for x, _y in places.values()) + BOX + _PADDING
    height = max(y for _x, y in places.values()) + ROW
    lines = format_html_join("", '<path class="g-link" d="{}"/>', _paths(family, places))
    boxes = format_html_join(
        "",
        '<a href="{}"><rect class="g-box {}{}" x="{}" y="{}" width="{}" height="{}" rx="6"/>'
        '<text class="g-name" x="{}" y="{}">{}</text><text x="{}" y="{}">{}</text></a>',
        (
            (
                reverse("run", args=[pk]),
                state_of(one)["style"],
                " g-current" if pk == current else "",
                x,
                y,
                BOX,
                ROW - 8,
                x + 10,
                y + 16,
                _cut(f"{pk} · {kind_words(one.kind)}"),
                x + 10,
                y + 31,
                _cut(f"{state_of(one)['words']} · {one.name}" if one.name else state_of(one)["words"]),
            )
            for pk, (x, y) in places.items()
            for one in [family.runs[pk]]
        ),
    )
    label = _("Runs that belong together; the same is in the table.")
    return format_html(
        '<svg class="graph" width="{}" height="{}" viewBox="0 0 {} {}" role="group" '
        'aria-label="{}">{}{}</svg>',
        width,
        height,
        width,
        height,
        label,
        lines,
        boxes,
    )


def _depths(family: Family) -> dict[int, int]:
    """Return for each run how many runs stand before it at most."""
    depths = dict.fromkeys(family.runs, 0)
    for _round in range(len(family.runs)):
        moved = False
        for parent, child in family.links:
            if depths[child] <= depths[parent] and depths[parent] < len(family.runs):
                depths[child] = depths[parent] + 1
                moved = True
        if not moved:
            break
    return depths


def _places(family: Family) -> dict[int, tuple[int, int]]:
    columns: dict[int, int] = {}
    places = {}
    for pk, depth in sorted(_depths(family).items(), key=lambda item: (item[1], item[0])):
        row = columns.get(depth, 0)
        columns[depth] = row + 1
        places[pk] = (_PADDING + depth * (BOX + GAP), _PADDING + row * ROW)
    return places


def _paths(family: Family, places: dict[int, tuple[int, int]]) -> Iterable[tuple[str]]:
    middle = (ROW - 8) // 2
    for parent, child in family.links:
        (x1, y1), (x2, y2) = places[parent], places[child]
        half = (x1 + BOX + x2) // 2
        yield (f"M{x1 + BOX} {y1 + middle} C{half} {y1 + middle} {half} {y2 + middle} {x2} {y2 + middle}",)


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
