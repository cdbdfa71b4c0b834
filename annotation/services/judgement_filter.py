"""Choose judgements of a campaign: by rater, system, place, answer, remarks and words, in some order."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Campaign, Item, ItemCandidate, Judgement
from annotation.protocols import PROTOCOLS
from annotation.services.answers import ORDER
from annotation.services.remarks import PROBLEM
from evalplatform.errors import BadInput, NotFound
from mtcore.models import Segment, SegmentText

EQUAL = "equal"
SPREAD = "spread"
PLACE = ("assignment__item__segment__testset__name", "assignment__item__segment__position")
ORDERS: Mapping[str, tuple[object, ...]] = {
    "rater": ORDER,
    "newest": (F("submitted_at").desc(nulls_last=True), "-pk"),
    "segment": (*PLACE, "assignment__item_id", *ORDER),
    "lowest": (F("score").asc(nulls_last=True), "pk"),
    "highest": (F("score").desc(nulls_last=True), "pk"),
    SPREAD: ("assignment__item_id", *ORDER),
}
"""Orders by name; that of SPREAD holds within items, which `Chosen` puts in order."""
FLAGS = ("comment", "problem", "corrected")
BATCH = 200
"""Items whose judgements are read together when those far apart come first."""
LONGEST = 200
_RANGE = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class JudgementFilter:
    """Which judgements are wanted, and in which order; what is empty does not matter.

    Attributes:
        rater: name.
        system: one that a judged text is credited to.
        kind: of the item.
        testset: name.
        segment: its key, its number, or a range of numbers as "3-9".
        low: lowest score.
        high: highest score.
        prefers: the system that is better, or "equal".
        excluded: "yes" for raters who are excluded, "no" for the others.
        comment: "yes" for those with a comment.
        problem: "yes" for those with a reported problem.
        corrected: "yes" for those that were given otherwise before.
        q: words in a comment, the judged texts, or the source and reference beside them.
        order: one of ORDERS.
    """

    rater: str = ""
    system: str = ""
    kind: str = ""
    testset: str = ""
    segment: str = ""
    low: float | None = None
    high: float | None = None
    prefers: str = ""
    excluded: str = ""
    comment: str = ""
    problem: str = ""
    corrected: str = ""
    q: str = ""
    order: str = "rater"

    @property
    def asks_answers(self) -> bool:
        """Tell whether it chooses or orders by what was answered."""
        asked = self.low is not None or self.high is not None or bool(self.prefers)
        return asked or self.order in ("lowest", "highest", SPREAD)


NAMES = tuple(one.name for one in fields(JudgementFilter))


def filter_read(given: Mapping[str, str]) -> JudgementFilter:
    """Make a filter from what a person typed; other names are left alone.

    Raises:
        BadInput: a value cannot be used.
    """
    said = {name: given.get(name, "").strip() for name in NAMES}
    values: dict[str, object] = {name: text for name, text in said.items() if text}
    for name in ("low", "high"):
        if name in values:
            values[name] = _score(said[name])
    _check_range(values.get("low"), values.get("high"))
    for name, choices in (
        ("kind", Item.Kind.values), ("excluded", ("yes", "no")), ("order", tuple(ORDERS)),
        *((flag, ("yes",)) for flag in FLAGS),
    ):  # fmt: skip
        if said[name] and said[name] not in choices:
            raise BadInput(
                _("%(name)s is “%(value)s”.") % {"name": name, "value": said[name][:LONGEST]},
                _("Choose one of: %(choices)s.") % {"choices": ", ".join(choices)},
            )
    for name, text in said.items():
        if len(text) > LONGEST or "\0" in text:
            raise BadInput(
                _("%(name)s cannot be looked for.") % {"name": name},
                _("Give up to %(n)d characters.") % {"n": LONGEST},
            )
    return JudgementFilter(**values)  # type: ignore[arg-type]


def _check_range(low: Any, high: Any) -> None:
    if low is not None and high is not None and low > high:
        raise BadInput(
            _("The lowest score, %(low)s, is above the highest, %(high)s.")
            % {"low": f"{low:g}", "high": f"{high:g}"},
            _("Change the two places."),
        )


def names_check(campaign: Campaign, wanted: JudgementFilter) -> None:
    """Make sure that a campaign has the rater, systems and test set that a filter names.

    Raises:
        NotFound: it has no such one.
    """
    systems = campaign.outputs.values_list("system__name", flat=True)
    known = {
        "rater": campaign.participations.values_list("rater__name", flat=True),
        "system": systems,
        "prefers": systems,
        "testset": campaign.outputs.values_list("testset__name", flat=True),
    }
    for name, names in known.items():
        value = getattr(wanted, name)
        if value and not (name == "prefers" and value == EQUAL) and value not in set(names):
            raise NotFound(
                _("%(name)s is “%(value)s”, which “%(campaign)s” does not have.")
                % {"name": name, "value": value, "campaign": campaign.name},
                _("Give a name as the campaign’s page has it."),
            )


def _score(text: str) -> float:
    try:
        score = float(text.replace(",", "."))
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise BadInput(_("“%(text)s” is no score.") % {"text": text[:LONGEST]}, _("Give a number."))
    return score


class Part(NamedTuple):
    """Some judgements to be read: a query, its order, and the slice of it."""

    found: QuerySet[Judgement]
    order: tuple[object, ...]
    start: int
    stop: int | None


class Chosen:
    """The current judgements of a campaign that pass a filter, counted and read in slices."""

    def __init__(self, campaign: Campaign, wanted: JudgementFilter) -> None:
        self.campaign = campaign
        self.wanted = wanted
        self.found = _found(campaign, wanted)

    def count(self) -> int:
        """Return their number."""
        return self.found.count()

    def parts(self, start: int = 0, stop: int | None = None) -> Iterator[Part]:
        """Yield what gives the judgements from `start` to before `stop`, one after the other."""
        if self.wanted.order != SPREAD:
            yield Part(self.found, ORDERS[self.wanted.order], start, stop)
            return
        counts = dict(
            self.found.order_by().values_list("assignment__item").annotate(n=Count("pk")).values_list(
                "assignment__item", "n"
            )
        )  # fmt: skip
        spreads = spreads_of_items(self.campaign)
        items = sorted(counts, key=lambda item: (-spreads.get(item, 0.0), item))
        stop = sum(counts.values()) if stop is None else stop
        at = 0
        for first in range(0, len(items), BATCH):
            some = items[first : first + BATCH]
            n = sum(counts[item] for item in some)
            if at < stop and at + n > start:
                ranked = Case(*(When(assignment__item=item, then=rank) for rank, item in enumerate(some)))
                found = self.found.filter(assignment__item__in=some)
                yield Part(found, (ranked, *ORDERS[SPREAD]), max(0, start - at), min(n, stop - at))
            at += n


def spreads_of_items(campaign: Campaign, only: list[int] | None = None) -> dict[int, float]:
    """Return how far the answers to each item lie apart, by its id; those of excluded raters do not count.

    Of scores it is the highest minus the lowest, of preferences the share that differs from the most
    frequent one. Items with a single answer have 0.
    """
    rows = Judgement.objects.of_campaign(campaign.pk).current().order_by()
    rows = rows.filter(assignment__participation__excluded_by="")
    if only is not None:
        rows = rows.filter(assignment__item__in=only)
    if PROTOCOLS[campaign.protocol].record == "rating":
        by_item = rows.values("assignment__item").annotate(apart=Max("score") - Min("score"))
        return {item: apart or 0.0 for item, apart in by_item.values_list("assignment__item", "apart")}
    counts: dict[int, dict[object, int]] = defaultdict(lambda: defaultdict(int))
    grouped = rows.values("assignment__item", "choice", "assignment__swap").annotate(n=Count("pk"))
    for row in grouped:
        choice = row["choice"]
        side = choice if choice == EQUAL else (choice == "left") != row["assignment__swap"]
        counts[row["assignment__item"]][side] += row["n"]
    return {item: 1 - max(own.values()) / sum(own.values()) for item, own in counts.items()}


def _found(campaign: Campaign, wanted: JudgementFilter) -> QuerySet[Judgement]:
    found = Judgement.objects.of_campaign(campaign.pk).current()
    plain = {
        "assignment__participation__rater__name": wanted.rater,
        "assignment__item__kind": wanted.kind,
        "assignment__item__segment__testset__name": wanted.testset,
        "score__gte": wanted.low,
        "score__lte": wanted.high,
    }
    found = found.filter(**{name: value for name, value in plain.items() if value not in ("", None)})
    if wanted.excluded:
        kept = found.filter if wanted.excluded == "no" else found.exclude
        found = kept(assignment__participation__excluded_by="")
    if wanted.system:
        found = found.filter(assignment__item__in=_credited(campaign, wanted.system))
    if wanted.segment:
        found = found.filter(assignment__item__segment__in=_segments(campaign, wanted.segment))
    if wanted.prefers:
        found = found.filter(_prefers(campaign, wanted.prefers))
    return _remarked(campaign, found, wanted)


def _remarked(campaign: Campaign, found: QuerySet[Judgement], wanted: JudgementFilter) -> QuerySet[Judgement]:
    """Keep those with a comment, a reported problem, an earlier answer, some words."""
    if wanted.comment:
        found = found.exclude(comment="")
    if wanted.problem:
        events = AuditEvent.objects.filter(campaign=campaign, action=PROBLEM).order_by()
        keys = events.annotate(key=Cast(KeyTextTransform("assignment", "data"), CharField()))
        found = found.filter(assignment__key__in=keys.values("key"))
    if wanted.corrected:
        found = found.filter(supersedes__isnull=False)
    if wanted.q:
        found = found.filter(_says(campaign, wanted.q))
    return found


def _credited(campaign: Campaign, system: str, **more: object) -> QuerySet[ItemCandidate, int]:
    """Return the items in which a text is credited to a system."""
    rows = ItemCandidate.objects.filter(item__campaign=campaign, outputs__system__name=system, **more)
    return rows.order_by().values_list("item_id", flat=True)


def _prefers(campaign: Campaign, system: str) -> Q:
    """Choose answers that prefer a system, whichever side it stood on."""
    if system == EQUAL:
        return Q(choice=Judgement.Choice.EQUAL)
    left, right = Q(choice=Judgement.Choice.LEFT), Q(choice=Judgement.Choice.RIGHT)
    swapped = Q(assignment__swap=True)
    first = (left & ~swapped) | (right & swapped)
    second = (right & ~swapped) | (left & swapped)
    one = Q(assignment__item__in=_credited(campaign, system, position=1))
    other = Q(assignment__item__in=_credited(campaign, system, position=2))
    return (first & one) | (second & other)


def _segments(campaign: Campaign, text: str) -> QuerySet[Segment, int]:
    """Return the segments of a key, or of a number or range; what has no number as its key has its place."""
    rows = Segment.objects.filter(testset__campaign_outputs__campaign=campaign)
    number = Case(When(key__regex=r"^[0-9]{1,9}$", then=Cast("key", BigIntegerField())))
    rows = rows.annotate(number=Coalesce(number, F("position"), output_field=BigIntegerField()))
    wanted = Q(key=text)
    match = _RANGE.fullmatch(text)
    if match:
        wanted |= Q(number__range=(int(match[1]), int(match[2] or match[1])))
    return rows.filter(wanted).order_by().values_list("pk", flat=True)


def _says(campaign: Campaign, words: str) -> Q:
    """Look for words, taken as they are, in everything the page shows of a judgement."""
    candidates = ItemCandidate.objects.filter(item__campaign=campaign, text__icontains=words).order_by()
    beside = SegmentText.objects.filter(
        Q(version__kind="original")
        | Q(version=OuterRef("assignment__item__input_version"))
        | Q(version=OuterRef("assignment__item__context_version")),
        segment=OuterRef("assignment__item__segment"),
        text__icontains=words,
    )
    judged = Q(assignment__item__in=Subquery(candidates.values("item_id")))
    return Q(comment__icontains=words) | judged | Q(Exists(beside))
