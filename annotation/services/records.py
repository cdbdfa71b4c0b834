"""From a campaign's stored answers to the statistical records: ratings or comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby, product
from operator import itemgetter
from sys import intern
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.models import Campaign, CampaignOutput, Item, ItemCandidate, Judgement, Participation
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.records import KIND_CODES, Comparison, Entry, IdenticalPair, RatingTable, Winner
from mtcore.models import Segment, TextVersion

CHUNK = 5000
IntArray = npt.NDArray[np.int64]
Credits = tuple[tuple[int, int], ...]
"""(position of the candidate, id of the output) of all that an item is credited to."""
Sides = tuple[tuple[Entry, ...], tuple[Entry, ...]]
Condition = tuple[str | None, str | None, str | None, str | None]


@dataclass(frozen=True)
class Plan:
    """What is needed of a campaign's items to read its answers, by database id.

    Attributes:
        kind: of each item.
        unit: (test set, segment key) of each item.
        document: of each unit that is known to belong to one.
        sides: of each item, the entries credited with its first and its second candidate.
        unshown: items that are counted and never shown (identical outputs of systems).
    """

    kind: dict[int, str]
    unit: dict[int, tuple[str, str]]
    document: dict[tuple[str, str], str]
    sides: dict[int, Sides]
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
    units = {pk: (testset, key) for pk, (testset, key, _, _) in segments.items()}
    documents = {(testset, key): document for testset, key, _, document in segments.values() if document}
    plan = Plan({}, {}, documents, {}, [])
    rows = Item.objects.counted().filter(campaign=campaign).order_by("pk")
    columns = rows.values_list("pk", "segment_id", "kind", "context_version_id", "wanted")
    by_reference = campaign.protocol == "reference_da"
    known: dict[tuple[Credits, str | None, str | None], Sides] = {}
    for pk, segment_id, kind, context_id, wanted in columns.iterator(CHUNK):
        reference = versions.get(context_id) if by_reference else None
        own = (credited.get(pk, ()), reference, segments[segment_id][2])
        if own not in known:
            known[own] = _sides(*own, outputs)
        plan.kind[pk] = intern(kind)
        plan.unit[pk] = units[segment_id]
        plan.sides[pk] = known[own]
        if wanted == 0 and kind in AVERAGED_KINDS:
            plan.unshown.append(pk)
    return plan


def _credited(campaign: Campaign) -> dict[int, Credits]:
    """Return (position, output) of all that each item is credited to, in order; equal ones are one object."""
    links = ItemCandidate.outputs.through.objects.filter(itemcandidate__item__campaign=campaign)
    rows = links.order_by("itemcandidate__item_id").values_list(
        "itemcandidate__item_id", "itemcandidate__position", "campaignoutput_id"
    )
    known: dict[Credits, Credits] = {}
    found = {}
    for item, links_of_item in groupby(rows.iterator(CHUNK), key=itemgetter(0)):
        own = tuple(sorted((position, output) for _, position, output in links_of_item))
        found[item] = known.setdefault(own, own)
    return found


def _sides(
    credited: Credits,
    reference: str | None,
    direction: str | None,
    outputs: Mapping[int, tuple[str, str, str | None]],
) -> Sides:
    """Return the entries credited with the first and with the second candidate."""
    first, second = (
        tuple(
            Entry(*outputs[output], reference, direction) for position, output in credited if position == at
        )
        for at in (1, 2)
    )
    return first, second


def raters_read(campaign: Campaign) -> dict[int, tuple[str, str]]:
    """Return name and reason of exclusion ("" when not excluded) of each participation, by its id."""
    rows = Participation.objects.filter(campaign=campaign).order_by("pk")
    return {pk: (name, why) for pk, name, why in rows.values_list("pk", "rater__name", "excluded_by")}


def ratings_read(campaign: Campaign) -> Ratings:
    """Read the current scores of a campaign as columns, by few queries whatever their number."""
    plan, names = plan_read(campaign), raters_read(campaign)
    found = _scores(campaign)
    items = np.searchsorted(np.fromiter(plan.kind, dtype=np.int64), found["item"])
    participations, rater = np.unique(found["participation"], return_inverse=True)
    raters = [names[pk] for pk in participations.tolist()]
    units = {unit: code for code, unit in enumerate(dict.fromkeys(plan.unit.values()))}
    firsts = dict.fromkeys(first for first, _ in plan.sides.values())
    entries: dict[Entry, int] = {}
    credits = {
        first: [entries.setdefault(entry, len(entries)) for entry in dict.fromkeys(first)] for first in firsts
    }
    credit_rating, credit_entry = _spread(items, [credits[first] for first, _ in plan.sides.values()])
    table = RatingTable(
        rater=rater,
        segment=np.array([units[unit] for unit in plan.unit.values()], dtype=np.int64)[items],
        kind=np.array([KIND_CODES[kind] for kind in plan.kind.values()], dtype=np.int64)[items],
        score=found["score"],
        credit_rating=credit_rating,
        credit_entry=credit_entry,
        raters=tuple(name for name, _ in raters),
        segments=tuple(units),
        entries=tuple(entries),
        excluded_by=tuple(why for _, why in raters),
        round=found["round"],
        documents=tuple(plan.document.get(unit) for unit in units),
        origin=found["judgement"],
    )
    return Ratings(table, found["judgement"])


def _scores(campaign: Campaign) -> dict[str, npt.NDArray[Any]]:
    """Return the current scores as columns, in order of their making."""
    rows = Judgement.objects.current().of_campaign(campaign.pk).filter(score__isnull=False).order_by("pk")
    columns = rows.values_list(
        "pk", "assignment__participation_id", "assignment__item_id", "score", "assignment__round"
    )
    fields = [
        ("judgement", np.int64), ("participation", np.int64), ("item", np.int64), ("score", np.float64),
        ("round", np.int64),
    ]  # fmt: skip
    read = np.fromiter(columns.iterator(CHUNK), dtype=fields)
    return {name: np.ascontiguousarray(read[name]) for name, _ in fields}


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
