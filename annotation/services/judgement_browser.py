"""Judgements beside their texts: what was judged, held against what, by whom, and what was said before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, zip_longest
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User

from annotation.formats.columns import COLUMNS
from annotation.formats.write import Stream, Value, write_csv
from annotation.models import AuditEvent, Campaign, CampaignOutput, Item, ItemCandidate, Judgement
from annotation.services.answers import Answer
from annotation.services.item_facts import CHUNK
from annotation.services.judgement_export import JudgementPages
from annotation.services.judgement_filter import JudgementFilter, spreads_of_items
from annotation.services.remarks import PROBLEM
from annotation.services.sealing import is_sealed, seal_check
from annotation.services.spreads import Spreads, spreads_read
from evalplatform.errors import BadInput
from mtcore.corpora.spreadsheets import FLAVOURS
from mtcore.models import SegmentText

TEXT_COLUMNS = ("source_text", "reference_text", "left_text", "right_text", "corrections", "problems")
"""What the file of the browser has beside our columns."""


class Earlier(NamedTuple):
    """An answer that was corrected later: score or preferred systems, and when it was given."""

    value: float | str | None
    at: datetime | None


@dataclass(frozen=True)
class Judged:
    """A judgement with everything known of it.

    Attributes:
        answer: the answer and its place.
        z: None where it has none.
        item: database id of what was judged, for judgements of one item to stand together.
        source: text on the source side, "" when unknown.
        reference: text on the target side, "" when unknown.
        texts: (systems, text) of what was judged, in an order that is the same for every rater.
        swapped: the second text stood on the left.
        earlier: answers that this one corrects, the first one first.
        problems: what the rater reported of it.
        spread: how far the answers to the item lie apart.
    """

    answer: Answer
    z: float | None
    item: int
    source: str
    reference: str
    texts: Sequence[tuple[Sequence[str], str]]
    swapped: bool
    earlier: Sequence[Earlier]
    problems: Sequence[str]
    spread: float


class Choices(NamedTuple):
    """What a campaign's judgements can be chosen by."""

    raters: Sequence[str]
    systems: Sequence[str]
    kinds: Sequence[str]
    testsets: Sequence[str]


class JudgementBrowser:
    """The judgements of a campaign that are wanted, counted and read in slices, with their texts.

    While the campaign is sealed they come without what was answered.
    """

    def __init__(self, campaign: Campaign, wanted: JudgementFilter) -> None:
        """Make ready to read.

        Raises:
            Sealed: answers decide what is wanted, and nobody sees them yet.
        """
        self.campaign = campaign
        self.is_sealed = is_sealed(campaign)
        if wanted.asks_answers:
            seal_check(campaign)
        self.pages = JudgementPages(campaign, "all", wanted)

    def count(self) -> int:
        """Return their number."""
        return self.pages.count()

    def __getitem__(self, part: slice) -> list[Judged]:
        """Return those of a slice."""
        return self._beside(list(self.pages.answers(part.start or 0, part.stop)))

    def all(self) -> Iterator[Judged]:
        """Read all of them, some at a time."""
        source = self.pages.answers()
        spreads = spreads_read(self.campaign)
        while some := list(islice(source, CHUNK)):
            yield from self._beside(some, spreads)

    def _beside(self, answers: Sequence[Answer], with_z: Spreads | None = None) -> list[Judged]:
        """Put the texts, earlier answers and problems beside some answers, by few queries."""
        if not answers:
            return []
        places = _places([answer.pk for answer in answers])
        items = list({place.item for place in places.values()})
        texts = _Texts(places.values())
        earlier = _earlier(list(places))
        problems = _problems(self.campaign, [answer.key for answer in answers])
        spreads = spreads_of_items(self.campaign, items)
        found = []
        for answer, z in self.pages.with_z(answers, with_z):
            place = places[answer.pk]
            source, reference = texts.beside(place)
            found.append(
                Judged(
                    answer, z, place.item, source, reference, texts.judged(answer, place), place.swap,
                    [_as_earlier(answer, row) for row in earlier.get(place.assignment, ())],
                    problems.get(answer.key, ()), spreads.get(place.item, 0.0),
                )
            )  # fmt: skip
        return [_hidden(one) for one in found] if self.is_sealed else found


def _hidden(one: Judged) -> Judged:
    """Return a judgement without what was answered, now and before."""
    return replace(one, answer=one.answer._replace(score=None, choice=""), z=None, earlier=(), spread=0.0)


def browser_choices(campaign: Campaign) -> Choices:
    """Return the raters, systems, kinds of items and test sets of a campaign."""
    outputs = CampaignOutput.objects.filter(campaign=campaign).order_by()
    named = set(outputs.values_list("system__name", "testset__name"))
    raters = campaign.participations.order_by("rater__name").values_list("rater__name", flat=True)
    kinds = set(
        Item.objects.counted().filter(campaign=campaign).order_by().values_list("kind", flat=True).distinct()
    )
    return Choices(
        raters=list(raters),
        systems=sorted({system for system, _ in named}),
        kinds=[kind for kind in Item.Kind.values if kind in kinds],
        testsets=sorted({testset for _, testset in named}),
    )


def browser_file(
    *,
    campaign: Campaign,
    wanted: JudgementFilter,
    stream: Stream,
    flavour: str = "exact",
    user: User | AnonymousUser | None = None,
) -> int:
    """Write the wanted judgements with their texts as CSV; return their number.

    Args:
        campaign: the campaign.
        wanted: which ones, in which order.
        stream: takes text, opened with `newline=""`.
        flavour: "exact", or "spreadsheet", in which no cell is a formula (see `write_csv`).
        user: who takes the data out, for the audit trail.

    Raises:
        BadInput: there is no such flavour.
        Sealed: nobody sees answers before the campaign is closed.
    """
    seal_check(campaign)
    if flavour not in FLAVOURS:
        raise BadInput(f"flavour must be one of {', '.join(FLAVOURS)}; found {flavour!r}.")
    browser = JudgementBrowser(campaign, wanted)
    n = write_csv(
        (_cells(browser.pages, one) for one in browser.all()),
        (*COLUMNS, *TEXT_COLUMNS),
        stream,
        spreadsheet=flavour == "spreadsheet",
    )
    AuditEvent.note(
        "judgements.exported",
        actor=user if isinstance(user, User) else None,
        study=campaign.study,
        campaign=campaign,
        format="csv",
        judgements=n,
        chosen={name: value for name, value in vars(wanted).items() if value not in ("", None)},
    )
    return n


def _cells(pages: JudgementPages, one: Judged) -> tuple[Value, ...]:
    shown = one.texts[::-1] if one.swapped else one.texts
    left, right = [*(text for _, text in shown), None, None][:2]
    earlier = "; ".join(str(row.value) for row in one.earlier)
    return (
        *pages.row(one.answer, one.z), one.source or None, one.reference or None, left, right,
        earlier or None, " / ".join(one.problems) or None,
    )  # fmt: skip


class _Place(NamedTuple):
    """Where a judgement belongs, in database ids."""

    assignment: int
    swap: bool
    item: int
    segment: int
    input_version: int | None
    context_version: int | None


def _places(judgements: Sequence[int]) -> dict[int, _Place]:
    """Return the places of judgements by their ids."""
    rows = Judgement.objects.filter(pk__in=judgements).order_by()
    columns = (
        "assignment_id", "assignment__swap", "assignment__item_id", "assignment__item__segment_id",
        "assignment__item__input_version_id", "assignment__item__context_version_id",
    )  # fmt: skip
    return {pk: _Place(*row) for pk, *row in rows.values_list("pk", *columns)}


class _Texts:
    """The texts that some judgements are about."""

    def __init__(self, places: Iterable[_Place]) -> None:
        own = list(places)
        candidates = ItemCandidate.objects.filter(item__in={place.item for place in own})
        self._candidates: dict[int, list[str]] = defaultdict(list)
        for item, text in candidates.order_by("item_id", "position").values_list("item_id", "text"):
            self._candidates[item].append(text)
        rows = SegmentText.objects.filter(segment__in={place.segment for place in own}).order_by()
        self._versions: dict[int, dict[int, str]] = defaultdict(dict)
        self._originals: dict[tuple[int, str], str] = {}
        self._sides: dict[int, str] = {}
        for segment, version, side, kind, text in rows.values_list(
            "segment_id", "version_id", "version__side", "version__kind", "text"
        ):
            self._versions[segment][version] = text
            self._sides[version] = side
            if kind == "original":
                self._originals[segment, side] = text

    def beside(self, place: _Place) -> tuple[str, str]:
        """Return source and reference: the versions it was made from or held against, else the originals."""
        found = []
        for side, first in (("source", place.input_version), ("target", None)):
            named = (first, place.context_version)
            version = next((one for one in named if one and self._sides.get(one) == side), None)
            text = self._versions[place.segment].get(version) if version else None
            found.append(self._originals.get((place.segment, side), "") if text is None else text)
        return found[0], found[1]

    def judged(self, answer: Answer, place: _Place) -> list[tuple[Sequence[str], str]]:
        """Return systems and text of each candidate, in their own order."""
        sides = answer.sides[::-1] if place.swap else answer.sides
        texts = self._candidates.get(place.item, [])
        return [(systems or (), text or "") for systems, text in zip_longest(sides, texts)]


def _earlier(judgements: Sequence[int]) -> Mapping[int, Sequence[tuple[float | None, str, datetime | None]]]:
    """Return, by assignment, the answers that these judgements supersede."""
    rows = Judgement.objects.filter(assignment__judgements__in=judgements, is_current=False).order_by("pk")
    found: dict[int, list[tuple[float | None, str, datetime | None]]] = defaultdict(list)
    for assignment, score, choice, at in rows.values_list("assignment_id", "score", "choice", "submitted_at"):
        found[assignment].append((score, choice, at))
    return found


def _as_earlier(answer: Answer, row: tuple[float | None, str, datetime | None]) -> Earlier:
    score, choice, at = row
    value = answer._replace(score=score, choice=choice).value
    return Earlier(" | ".join(value) if isinstance(value, tuple) else value, at)


def _problems(campaign: Campaign, keys: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return what raters reported of assignments, by their keys."""
    events = AuditEvent.objects.filter(campaign=campaign, action=PROBLEM, data__assignment__in=keys)
    found: dict[str, list[str]] = defaultdict(list)
    for data in events.order_by("pk").values_list("data", flat=True):
        found[data["assignment"]].append(str(data.get("text", "")))
    return found
