"""From a campaign's stored answers to the statistical records: ratings or comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from annotation.models import Campaign, CampaignOutput, Item, ItemCandidate, Judgement, Participation
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.records import KINDS, Comparison, Entry, IdenticalPair, RatingTable, Winner
from mtcore.models import Segment, TextVersion

CHUNK = 5000
IntArray = npt.NDArray[np.int64]
Condition = tuple[str | None, str | None, str | None, str | None]


@dataclass(frozen=True)
class Plan:
    """What is needed of a campaign's items to read its answers, by database id.

    Attributes:
        kind: of each item.
        unit: (test set, segment key) of each item.
        document: of each unit that is known to belong to one.
        sides: of each item, the entries credited with its first and its second candidate.
        unshown: items that are counted and never shown (identical outputs).
    """

    kind: dict[int, str]
    unit: dict[int, tuple[str, str]]
    document: dict[tuple[str, str], str]
    sides: dict[int, tuple[tuple[Entry, ...], tuple[Entry, ...]]]
    unshown: list[int]


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of a campaign, and the judgement that each row of the table comes from [n]."""

    table: RatingTable
    judgements: IntArray


@dataclass(frozen=True)
class Comparisons:
    """The comparisons of a campaign by condition, with the pairs that were identical."""

    shown: dict[Condition, list[Comparison]]
    identical: dict[Condition, list[IdenticalPair]]

    def all_shown(self) -> list[Comparison]:
        """Return the comparisons of all conditions."""
        return [one for group in self.shown.values() for one in group]

    def all_identical(self) -> list[IdenticalPair]:
        """Return the identical pairs of all conditions."""
        return [one for group in self.identical.values() for one in group]

    def conditions(self) -> list[Condition]:
        """Return the conditions in order of their names."""
        return sorted({*self.shown, *self.identical}, key=lambda keys: [key or "" for key in keys])


def plan_read(campaign: Campaign) -> Plan:
    """Read the items of a campaign, with whom an answer is credited to."""
    segments = {
        pk: (testset, key, direction or None, document)
        for pk, testset, key, direction, document in Segment.objects.filter(items__campaign=campaign)
        .order_by()
        .distinct()
        .values_list("pk", "testset__name", "key", "direction", "document__name")
    }
    outputs = {
        pk: (system, testset, name)
        for pk, system, testset, name in CampaignOutput.objects.filter(campaign=campaign).values_list(
            "pk", "system__name", "testset__name", "input_version__name"
        )
    }
    versions: dict[int | None, str] = dict(
        TextVersion.objects.filter(testset__campaign_outputs__campaign=campaign)
        .order_by()
        .distinct()
        .values_list("pk", "name")
    )
    credited = _credited(campaign)
    documents = {(testset, key): document for testset, key, _, document in segments.values() if document}
    plan = Plan({}, {}, documents, {}, [])
    rows = Item.objects.filter(campaign=campaign).order_by("pk")
    columns = rows.values_list("pk", "segment_id", "kind", "context_version_id", "wanted")
    by_reference = campaign.protocol == "reference_da"
    for pk, segment_id, kind, context_id, wanted in columns.iterator(CHUNK):
        testset, key, direction, _ = segments[segment_id]
        reference = versions.get(context_id) if by_reference else None
        sides = tuple(
            tuple(Entry(*outputs[output], reference, direction) for output in credited[pk, position])
            for position in (1, 2)
        )
        plan.kind[pk] = kind
        plan.unit[pk] = (testset, key)
        plan.sides[pk] = (sides[0], sides[1])
        if wanted == 0:
            plan.unshown.append(pk)
    return plan


def _credited(campaign: Campaign) -> dict[tuple[int, int], list[int]]:
    """Return the outputs credited with each (item, position), in order of their ids."""
    links = ItemCandidate.outputs.through.objects.filter(itemcandidate__item__campaign=campaign)
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for item, position, output in (
        links.order_by("campaignoutput_id")
        .values_list("itemcandidate__item_id", "itemcandidate__position", "campaignoutput_id")
        .iterator(CHUNK)
    ):
        found[item, position].append(output)
    return found


def raters_read(campaign: Campaign) -> dict[int, tuple[str, str]]:
    """Return name and reason of exclusion ("" when not excluded) of each participation, by its id."""
    rows = Participation.objects.filter(campaign=campaign).order_by("pk")
    return {pk: (name, why) for pk, name, why in rows.values_list("pk", "rater__name", "excluded_by")}


def ratings_read(campaign: Campaign) -> Ratings:
    """Read the current scores of a campaign as columns, by few queries whatever their number."""
    plan, names = plan_read(campaign), raters_read(campaign)
    item_code = {pk: code for code, pk in enumerate(plan.kind)}
    found = list(
        Judgement.objects.current()
        .of_campaign(campaign.pk)
        .filter(score__isnull=False)
        .order_by("pk")
        .values_list(
            "pk", "assignment__participation_id", "assignment__item_id", "score", "assignment__round"
        )
        .iterator(CHUNK)
    )
    raters = {pk: names[pk] for pk in sorted({row[1] for row in found})}
    rater_code = {pk: code for code, pk in enumerate(raters)}
    items = np.array([item_code[row[2]] for row in found], dtype=np.int64)
    units = {unit: code for code, unit in enumerate(dict.fromkeys(plan.unit.values()))}
    kinds = {kind: code for code, kind in enumerate(KINDS)}
    entries: dict[Entry, int] = {}
    credits = [
        [entries.setdefault(entry, len(entries)) for entry in dict.fromkeys(plan.sides[pk][0])]
        for pk in plan.kind
    ]
    credit_rating, credit_entry = _spread(items, credits)
    table = RatingTable(
        rater=np.array([rater_code[row[1]] for row in found], dtype=np.int64),
        segment=np.array([units[plan.unit[pk]] for pk in plan.kind], dtype=np.int64)[items],
        kind=np.array([kinds[kind] for kind in plan.kind.values()], dtype=np.int64)[items],
        score=np.array([row[3] for row in found], dtype=np.float64),
        credit_rating=credit_rating,
        credit_entry=credit_entry,
        raters=tuple(name for name, _ in raters.values()),
        segments=tuple(units),
        entries=tuple(entries),
        excluded_by=tuple(why for _, why in raters.values()),
        round=np.array([row[4] for row in found], dtype=np.int64),
        documents=tuple(plan.document.get(unit) for unit in units),
    )
    return Ratings(table, np.array([row[0] for row in found], dtype=np.int64))


def _spread(items: IntArray, credits: list[list[int]]) -> tuple[IntArray, IntArray]:
    """Return (rating, entry) of each credit, given the item of each rating and the entries of each item."""
    sizes = np.array([len(own) for own in credits], dtype=np.int64)
    flat = np.array([entry for own in credits for entry in own], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    counts = sizes[items]
    rating = np.repeat(np.arange(len(items)), counts)
    within = np.arange(len(rating)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rating, flat[np.repeat(starts[items], counts) + within]


def comparisons_read(campaign: Campaign) -> Comparisons:
    """Read the current choices of a campaign, sides as they stood on the screen."""
    plan, raters = plan_read(campaign), raters_read(campaign)
    shown: dict[Condition, list[Comparison]] = defaultdict(list)
    for item, participation, swap, choice in _choices(campaign):
        if plan.kind[item] not in AVERAGED_KINDS:
            continue
        first, second = plan.sides[item]
        left, right = (second, first) if swap else (first, second)
        testset, key = plan.unit[item]
        name, excluded_by = raters[participation]
        for condition in _conditions(left, right):
            sides = (_names(left, condition), _names(right, condition))
            document = plan.document.get((testset, key))
            shown[condition].append(Comparison(name, *sides, key, testset, choice, excluded_by, document))
    identical: dict[Condition, list[IdenticalPair]] = defaultdict(list)
    for item in plan.unshown:
        testset, key = plan.unit[item]
        for a, b in combinations(dict.fromkeys((*plan.sides[item][0], *plan.sides[item][1])), 2):
            if a.condition == b.condition:
                identical[a.condition].append(IdenticalPair(a.system, b.system, key, testset))
    return Comparisons(shown, identical)


def _choices(campaign: Campaign) -> Iterator[tuple[int, int, bool, Winner]]:
    """Return (item, participation, swap, choice) of each current choice."""
    rows = Judgement.objects.current().of_campaign(campaign.pk).exclude(choice="").order_by("pk")
    return rows.values_list(
        "assignment__item_id", "assignment__participation_id", "assignment__swap", "choice"
    ).iterator(CHUNK)  # type: ignore[return-value]


def _conditions(left: tuple[Entry, ...], right: tuple[Entry, ...]) -> list[Condition]:
    """Return the conditions in which something on the left was compared with something on the right."""
    met = (a.condition for a, b in product(left, right) if a.condition == b.condition)
    return list(dict.fromkeys(met))


def _names(side: tuple[Entry, ...], condition: Condition) -> tuple[str, ...]:
    return tuple(entry.system for entry in side if entry.condition == condition)
