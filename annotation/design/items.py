"""What a plan is made of: items to judge, raters, and who judges what, when and on which side."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray

Rater = str | int

#: Outputs of one segment come to a rater at least this many positions apart …
LONGEST_GAP = 20
#: … or, in a short campaign, this part of the rater's load.
GAP_PART_OF_LOAD = 4


class PlanError(ValueError):
    """A plan cannot be made from what was given; the message says what is short."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One thing to judge.

    Attributes:
        key: the caller's name of the item, unique in the campaign.
        segment: the segment the item belongs to, unique over all test sets (put the test set into it).
        testset: name of the test set.
        candidates: one tuple of system names for each text shown: one text for direct assessment, two for a
            pairwise comparison. Several names in a tuple are systems whose outputs are identical.
        kind: `system`, `reference` (a hidden reference, dealt as a system is), or one that follows its pair:
            `bad_reference`, `repeat`, `attention`.
        pair: key of the item that it follows: the same raters get both. None for what is dealt itself.
    """

    key: Hashable
    segment: Hashable
    testset: str
    candidates: tuple[tuple[str, ...], ...]
    kind: str = "system"
    pair: Hashable | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """Name each system the item is credited to once, in order of appearance."""
        return tuple(dict.fromkeys(name for names in self.candidates for name in names))


@dataclass(frozen=True, slots=True)
class PlannedAssignment:
    """An item given to a rater at a position (from 1); `swap` shows the second candidate on the left."""

    item: Hashable
    rater: Rater
    position: int
    swap: bool = False


@dataclass(frozen=True)
class Plan(Sequence[PlannedAssignment]):
    """All assignments of a campaign, rater by rater and in order of position.

    Attributes:
        assignments: the plan itself; the object is also a sequence of them.
        gaps: least distance between two items of one segment that each rater's order keeps.
        notes: what could only be kept in part, in words for the researcher.
        followers: items for quality control that were drawn into the plan.
    """

    assignments: tuple[PlannedAssignment, ...]
    gaps: Mapping[Rater, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    followers: tuple[PlanItem, ...] = ()

    @overload
    def __getitem__(self, index: int) -> PlannedAssignment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PlannedAssignment, ...]: ...
    def __getitem__(self, index: int | slice) -> PlannedAssignment | tuple[PlannedAssignment, ...]:
        return self.assignments[index]

    def __len__(self) -> int:
        return len(self.assignments)

    def __iter__(self) -> Iterator[PlannedAssignment]:
        return iter(self.assignments)


@dataclass(frozen=True)
class Layout:
    """The items in numbers, for the algorithms.

    Attributes:
        items: as given.
        spread: deal every item on its own instead of a whole segment.
        systems: names in order of first appearance.
        systems_of: indices of systems for each item; those of its pair for an item that follows.
        segment_of: index of the segment of each item.
        pair_of: index of the pair of each item that follows another; None for what is dealt.
        followers: indices of the items that follow an item, by its index.
        units: item indices of everything that is dealt as one: a segment, or an item with `spread`.
        weights: mean number of items of each system in one item of load [n_systems].
        allowed: largest difference between the counts of two systems, each less its fair share of the
            rater's load [n_systems, n_systems].
        merged_slack: number of systems that share merged items.
        width: largest difference between two raters' loads.
    """

    items: tuple[PlanItem, ...]
    spread: bool
    systems: tuple[str, ...]
    systems_of: tuple[tuple[int, ...], ...]
    segment_of: tuple[int, ...]
    pair_of: tuple[int | None, ...]
    followers: Mapping[int, tuple[int, ...]]
    units: tuple[tuple[int, ...], ...]
    weights: NDArray[np.float64]
    allowed: NDArray[np.float64]
    merged_slack: int
    width: int

    @property
    def pairwise(self) -> bool:
        """Say whether items compare two texts."""
        return len(self.items[0].candidates) == 2

    def vector(self, members: Sequence[int]) -> NDArray[np.float64]:
        """Count the systems in some items, without those that follow others [n_systems]."""
        counts = np.zeros(len(self.systems))
        for item in members:
            if self.pair_of[item] is None:
                counts[list(self.systems_of[item])] += 1
        return counts

    def with_followers(self, members: Sequence[int]) -> list[int]:
        """Return some items, each with those that follow it."""
        return [one for item in members for one in (item, *self.followers.get(item, ()))]

    def leaders(self, members: Sequence[int]) -> list[int]:
        """Return those of some items that are dealt themselves."""
        return [item for item in members if self.pair_of[item] is None]


def lay_out(items: Sequence[PlanItem], spread: bool) -> Layout:
    """Check the items and put them into numbers.

    Raises:
        PlanError: no items, a key used twice, a missing or a repeated candidate, two numbers of candidates.
    """
    _check_items(items)
    dealt = [index for index, item in enumerate(items) if item.pair is None]
    systems = tuple(dict.fromkeys(name for index in dealt for name in items[index].systems))
    number = {name: index for index, name in enumerate(systems)}
    pair_of = _pairs(items)
    systems_of = tuple(
        tuple(number[name] for name in items[index if pair is None else pair].systems)
        for index, pair in enumerate(pair_of)
    )
    segments: dict[Hashable, int] = {}
    segment_of = tuple(segments.setdefault(item.segment, len(segments)) for item in items)
    members: list[list[int]] = [[] for _ in segments]
    per_segment = np.zeros((len(segments), len(systems)))
    for index in dealt:
        members[segment_of[index]].append(index)
        per_segment[segment_of[index], list(systems_of[index])] += 1
    merged = {
        name for index in dealt for names in items[index].candidates if len(set(names)) > 1 for name in names
    }
    units = [[index] for index in dealt] if spread else members
    return Layout(
        items=tuple(items),
        spread=spread,
        systems=systems,
        systems_of=systems_of,
        segment_of=segment_of,
        pair_of=pair_of,
        followers=_followers(pair_of),
        units=tuple(tuple(unit) for unit in units),
        weights=per_segment.sum(axis=0) / len(dealt),
        allowed=_allowed_differences(per_segment, spread) + len(merged),
        merged_slack=len(merged),
        width=max(len(unit) for unit in units),
    )


def wanted_gap(load: int) -> int:
    """Give the distance wanted between two items of one segment for a rater with `load` items."""
    return min(LONGEST_GAP, -(-load // GAP_PART_OF_LOAD))


def _pairs(items: Sequence[PlanItem]) -> tuple[int | None, ...]:
    """Return the index of each item's pair.

    Raises:
        PlanError: the pair is not there, follows another item itself, or is of another segment.
    """
    place = {item.key: index for index, item in enumerate(items)}
    found: list[int | None] = []
    for item in items:
        pair = None if item.pair is None else place.get(item.pair)
        if item.pair is not None and (
            pair is None or items[pair].pair is not None or items[pair].segment != item.segment
        ):
            raise PlanError(f"item {item.key!r} follows {item.pair!r}, which it cannot")
        found.append(pair)
    return tuple(found)


def _followers(pair_of: Sequence[int | None]) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for index, pair in enumerate(pair_of):
        if pair is not None:
            found[pair] = (*found.get(pair, ()), index)
    return found


def _check_items(items: Sequence[PlanItem]) -> None:
    if not any(item.pair is None for item in items):
        raise PlanError("there is nothing to judge: no items")
    if len({item.key for item in items}) != len(items):
        raise PlanError("the keys of the items must be unique")
    texts = len(items[0].candidates)
    for item in items:
        if len(item.candidates) != texts or texts not in (1, 2):
            raise PlanError(
                f"item {item.key!r} has {len(item.candidates)} texts; all items need one, or all two"
            )
        if item.pair is not None:
            continue
        if not all(item.candidates):
            raise PlanError(f"item {item.key!r} has a text that belongs to no system")
        if texts == 2 and set(item.candidates[0]) & set(item.candidates[1]):
            raise PlanError(f"item {item.key!r} compares a system with itself")


def _allowed_differences(per_segment: NDArray[np.float64], spread: bool) -> NDArray[np.float64]:
    """Bound the difference between two systems' counts before merged items [n_systems, n_systems].

    One; with whole segments at least what one segment holds of one system more than of the other; and one
    more for two systems with different numbers of items, whose fair shares are no whole numbers.
    """
    totals = per_segment.sum(axis=0)
    allowed = np.ones((len(totals), len(totals)))
    if not spread:
        for system in range(len(totals)):
            allowed[system] = np.maximum(1, np.abs(per_segment - per_segment[:, [system]]).max(axis=0))
    return allowed + (totals[:, None] != totals[None, :])
