"""Deal items whose raters disagree to raters for an extra round: who, in which order.

New raters, who have not had the item, when there are as many as an item needs judgements; else those who
judged it before, and who is there beside them. Everything else keeps its place: what is dealt comes after it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.design.items import PlannedAssignment, Rater, wanted_gap
from annotation.design.order import OrderTask, order_items


@dataclass(frozen=True, slots=True)
class AgainItem:
    """An item to be judged again.

    Attributes:
        key: the caller's name of the item.
        segment: what it belongs to.
        systems: names it is credited to.
        seen_by: raters who have had it, whether they judged it or not.
        judged_by: those of them whose judgements are in.
    """

    key: Hashable
    segment: Hashable
    systems: tuple[str, ...]
    seen_by: frozenset[Rater]
    judged_by: frozenset[Rater]


@dataclass(frozen=True, slots=True)
class AgainRater:
    """A rater who may get items.

    Attributes:
        name: unique.
        load: live assignments, done or not.
        end: highest position among them, 0 for none.
        last: position of the rater's last item of each segment.
    """

    name: Rater
    load: int = 0
    end: int = 0
    last: Mapping[Hashable, int] = field(default_factory=dict)


@dataclass(frozen=True)
class SecondRound:
    """What is dealt.

    Attributes:
        assignments: rater by rater in order of position.
        renewed: items that go to new raters only.
        same: items for which there are too few new raters.
        short: items that cannot be dealt: fewer raters than judgements.
        close: raters whose items of one segment come closer than wanted.
    """

    assignments: tuple[PlannedAssignment, ...]
    renewed: tuple[Hashable, ...]
    same: tuple[Hashable, ...]
    short: tuple[Hashable, ...]
    close: tuple[Rater, ...]


def deal_again(
    items: Sequence[AgainItem],
    raters: Sequence[AgainRater],
    judgements: int | Mapping[Hashable, int],
    rng: np.random.Generator,
) -> SecondRound:
    """Deal items to raters, each item whole or not at all; least loaded first, ties at random.

    Args:
        items: what is judged again; nothing depends on their order but the draws.
        raters: who may get something.
        judgements: new judgements an item needs, the same number for all or one for each.
        rng: source of all randomness.
    """
    loads = {rater.name: rater.load for rater in raters}
    given: dict[Rater, list[AgainItem]] = {rater.name: [] for rater in raters}
    counts: dict[Rater, dict[str, int]] = {rater.name: {} for rater in raters}
    kinds: dict[str, list[Hashable]] = {"renewed": [], "same": [], "short": []}
    for place in _hardest_first(items, loads, rng):
        item = items[place]
        wanted = judgements if isinstance(judgements, int) else judgements[item.key]
        kind, chosen = _choose(item, wanted, loads, counts, rng)
        kinds[kind].append(item.key)
        for name in chosen:
            given[name].append(item)
            loads[name] += 1
            for system in item.systems:
                counts[name][system] = counts[name].get(system, 0) + 1
    assignments: list[PlannedAssignment] = []
    close: list[Rater] = []
    for rater in raters:
        own, kept = _order(rater, given[rater.name], rng)
        assignments += own
        close += [] if kept else [rater.name]
    return SecondRound(
        tuple(assignments),
        tuple(kinds["renewed"]),
        tuple(kinds["same"]),
        tuple(kinds["short"]),
        tuple(close),
    )


def _hardest_first(
    items: Sequence[AgainItem], loads: Mapping[Rater, int], rng: np.random.Generator
) -> list[int]:
    """Return places of items: those with fewest new raters first, so that loads can still be evened out."""
    shuffled = rng.permutation(len(items)).tolist()
    return sorted(shuffled, key=lambda place: len(loads.keys() - items[place].seen_by))


def _choose(
    item: AgainItem,
    wanted: int,
    loads: Mapping[Rater, int],
    counts: Mapping[Rater, Mapping[str, int]],
    rng: np.random.Generator,
) -> tuple[str, list[Rater]]:
    """Choose the raters of an item; say whether they are new, the same ones, or too few."""
    names = list(loads)
    draw = dict(zip(names, rng.random(len(names)).tolist(), strict=True))

    def rank(name: Rater) -> tuple[int, int, float]:
        own = sum(counts[name].get(system, 0) for system in item.systems)
        return loads[name], own, draw[name]

    new = sorted((name for name in names if name not in item.seen_by), key=rank)
    if len(new) >= wanted:
        return "renewed", new[:wanted]
    before = sorted((name for name in names if name in item.judged_by), key=rank)
    chosen = [*before, *new][:wanted]
    return ("same", chosen) if len(chosen) == wanted else ("short", [])


def _order(
    rater: AgainRater, items: Sequence[AgainItem], rng: np.random.Generator
) -> tuple[list[PlannedAssignment], bool]:
    """Order a rater's new items after everything else; say whether segments come as far apart as wanted."""
    if not items:
        return [], True
    start = rater.end + 1
    systems = list(dict.fromkeys(name for item in items for name in item.systems))
    segments: dict[Hashable, list[int]] = {}
    for index, item in enumerate(items):
        segments.setdefault(item.segment, []).append(index)
    last = [rater.last.get(segment) for segment in segments]
    task = OrderTask(
        segments=list(segments.values()),
        last=[None if position is None else position - start for position in last],
        systems_of=[tuple(systems.index(name) for name in item.systems) for item in items],
        counts=[0] * len(systems),
    )
    wanted = max(1, wanted_gap(rater.load + len(items)))
    queue, gap = order_items(task, wanted, rng)
    planned = [
        PlannedAssignment(items[index].key, rater.name, start + place) for place, index in enumerate(queue)
    ]
    return planned, gap >= wanted
