"""One segment of a campaign: its texts, every output, every judgement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Campaign, Item, Judgement
from annotation.services.score_table import number
from annotation.services.sealing import seal_check
from annotation.services.spreads import spreads_read
from evalplatform.errors import NotFound
from mtcore.models import Segment, SegmentText

Row = dict[str, Any]
SIDES = {"source": "source_language", "target": "target_language"}


@dataclass(frozen=True)
class KnownText:
    """A text of the segment: which one, in which language."""

    name: str
    language: str
    text: str


@dataclass(frozen=True)
class Judged:
    """An item of the segment: who is credited, the texts shown, and what raters said.

    `rows` have `rater`, `answer`, `z`, `when`, `comment` and `excluded_by`.
    """

    kind: str
    candidates: Sequence[Row]
    rows: Sequence[Row]


@dataclass(frozen=True)
class SegmentPage:
    """What is known of a segment in a campaign."""

    testset: str
    key: str
    document: str
    texts: Sequence[KnownText]
    items: Sequence[Judged]


def segment_read(campaign: Campaign, testset: str, key: str, population: str = "all") -> SegmentPage:
    """Read a segment.

    Raises:
        NotFound: the campaign does not judge such a segment.
        Sealed: nobody sees its answers before it is closed.
    """
    seal_check(campaign)
    segment = (
        Segment.objects.filter(items__campaign=campaign, testset__name=testset, key=key)
        .select_related("document", "testset")
        .first()
    )
    if segment is None:
        raise NotFound(
            _("The campaign does not judge this segment."), _("Open the segment from a rating of the report.")
        )
    versions = SegmentText.objects.filter(segment=segment).select_related("version")
    texts = [
        KnownText(
            f"{one.version.get_side_display()}: {one.version.name}",
            getattr(campaign, SIDES[one.version.side]),
            one.text,
        )
        for one in versions.order_by("version__side", "version__position")
    ]
    document = segment.document.name if segment.document else ""
    return SegmentPage(testset, key, document, texts, _items(campaign, segment, population))


def _items(campaign: Campaign, segment: Segment, population: str) -> list[Judged]:
    judged = _judgements(campaign, segment, population)
    items = Item.objects.filter(campaign=campaign, segment=segment).order_by("kind", "pk")
    found = []
    for item in items.prefetch_related("candidates__outputs__system", "candidates__outputs__input_version"):
        candidates = [
            {"systems": _credited(candidate), "text": candidate.text} for candidate in item.candidates.all()
        ]
        found.append(Judged(item.get_kind_display(), candidates, judged.get(item.pk, [])))
    return found


def _credited(candidate: Any) -> str:
    names = []
    for output in candidate.outputs.all():
        version = f" ({output.input_version.name})" if output.input_version else ""
        names.append(f"{output.system.name}{version}")
    return " | ".join(names)


def _judgements(campaign: Campaign, segment: Segment, population: str) -> dict[int, list[Row]]:
    rows = list(
        Judgement.objects.current()
        .filter(assignment__item__campaign=campaign, assignment__item__segment=segment)
        .select_related("assignment__participation__rater", "assignment__item")
        .order_by("assignment__participation__rater__name", "pk")
    )
    raters = {row.assignment.participation_id for row in rows}
    spreads = spreads_read(campaign, population, only=raters)
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        participation, item = row.assignment.participation, row.assignment.item
        found[item.pk].append(
            {
                "rater": participation.rater.name,
                "answer": _answer(row),
                "z": number(spreads.z(participation.pk, item.kind, row.score), 3),
                "when": row.submitted_at,
                "comment": row.comment,
                "excluded_by": participation.excluded_by,
            }
        )
    return found


def _answer(judgement: Judgement) -> str:
    if judgement.score is not None:
        return f"{judgement.score:g}"
    if judgement.choice == Judgement.Choice.EQUAL:
        return _("equal")
    first = (judgement.choice == Judgement.Choice.LEFT) != judgement.assignment.swap
    return _("first better") if first else _("second better")
