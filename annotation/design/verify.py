"""Check a plan against its own rules before it is used."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.design.balance import Rules
from annotation.design.items import Layout, PlanItem, PlannedAssignment, Rater, lay_out


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a plan breaks: `judgements`, `together`, `pairs`, `loads`, `spacing`, `systems`, `sides`.

    The last two are soft: odd designs (systems present in some segments only) need not have a plan that keeps
    them, and such a plan is usable; the others always can be kept.
    """

    rule: str
    message: str

    @property
    def soft(self) -> bool:
        """Say whether a plan with this violation may be used."""
        return self.rule in ("systems", "sides")


def verify_plan(
    items: Sequence[PlanItem],
    raters: Sequence[Rater],
    judgements: int,
    assignments: Sequence[PlannedAssignment],
    *,
    gaps: Mapping[Rater, int],
    spread: bool = False,
) -> list[Violation]:
    """List every rule that the assignments of a fresh plan break (an empty list is good).

    Args:
        items: the campaign's items.
        raters: the campaign's raters.
        judgements: judgements wanted for an item.
        assignments: the plan.
        gaps: distance between two items of one segment that each rater's order must keep.
        spread: whether items were dealt on their own.
    """
    layout = lay_out(items, spread)
    number = {item.key: index for index, item in enumerate(items)}
    work: dict[Rater, list[tuple[int, int, bool]]] = {rater: [] for rater in raters}
    for given in assignments:
        work[given.rater].append((given.position, number[given.item], given.swap))
    for own in work.values():
        own.sort()
    return [
        *_check_judgements(layout, number, assignments, judgements),
        *_check_together(layout, number, assignments),
        *_check_pairs(layout, work),
        *_check_loads(layout, work),
        *_check_spacing(layout, work, gaps),
        *_check_systems(layout, work),
        *_check_sides(layout, work),
    ]


def _check_judgements(
    layout: Layout,
    number: Mapping[Hashable, int],
    assignments: Sequence[PlannedAssignment],
    judgements: int,
) -> list[Violation]:
    holders: list[list[Rater]] = [[] for _ in layout.items]
    for given in assignments:
        holders[number[given.item]].append(given.rater)
    return [
        Violation("judgements", f"item {item.key!r} has {len(own)} judgements of {len(set(own))} raters")
        for item, own in zip(layout.items, holders, strict=True)
        if len(own) != judgements or len(set(own)) != judgements
    ]


def _check_together(
    layout: Layout, number: Mapping[Hashable, int], assignments: Sequence[PlannedAssignment]
) -> list[Violation]:
    if layout.spread:
        return []
    seen: dict[tuple[int, Rater], int] = {}
    for given in assignments:
        if layout.pair_of[number[given.item]] is not None:
            continue
        pair = layout.segment_of[number[given.item]], given.rater
        seen[pair] = seen.get(pair, 0) + 1
    return [
        Violation("together", f"rater {rater} has {count} of {len(layout.units[segment])} items of a segment")
        for (segment, rater), count in seen.items()
        if count != len(layout.units[segment])
    ]


def _check_pairs(layout: Layout, work: Mapping[Rater, Sequence[tuple[int, int, bool]]]) -> list[Violation]:
    found = []
    for rater, own in work.items():
        held = {item for _, item, _ in own}
        for item in held:
            pair = layout.pair_of[item]
            lonely = [one for one in layout.followers.get(item, ()) if one not in held]
            if lonely or (pair is not None and pair not in held):
                found.append(Violation("pairs", f"rater {rater} has one item of a pair only"))
    return found


def _check_loads(layout: Layout, work: Mapping[Rater, Sequence[tuple[int, int, bool]]]) -> list[Violation]:
    loads = [len(layout.leaders([item for _, item, _ in own])) for own in work.values()]
    if max(loads) - min(loads) <= layout.width:
        return []
    return [
        Violation("loads", f"loads lie between {min(loads)} and {max(loads)}, more than {layout.width} apart")
    ]


def _check_spacing(
    layout: Layout, work: Mapping[Rater, Sequence[tuple[int, int, bool]]], gaps: Mapping[Rater, int]
) -> list[Violation]:
    found = []
    for rater, own in work.items():
        if [position for position, _, _ in own] != list(range(1, len(own) + 1)):
            found.append(Violation("spacing", f"the positions of rater {rater} do not count from 1"))
        last: dict[int, int] = {}
        for position, item, _ in own:
            before = last.get(layout.segment_of[item])
            if before is not None and position - before < gaps[rater]:
                found.append(
                    Violation("spacing", f"rater {rater} sees a segment at {before} and again at {position}")
                )
            last[layout.segment_of[item]] = position
    return found


def _check_systems(layout: Layout, work: Mapping[Rater, Sequence[tuple[int, int, bool]]]) -> list[Violation]:
    rules = Rules(layout.weights, layout.allowed, layout.width, moves=False)
    found = []
    for rater, own in work.items():
        counts = layout.vector([item for _, item, _ in own])
        if rules.excess(counts, len(layout.leaders([item for _, item, _ in own]))) > 1e-9:
            named = ", ".join(f"{s} {int(c)}" for s, c in zip(layout.systems, counts, strict=True))
            found.append(Violation("systems", f"rater {rater} has the systems in uneven numbers: {named}"))
    return found


def _check_sides(layout: Layout, work: Mapping[Rater, Sequence[tuple[int, int, bool]]]) -> list[Violation]:
    if not layout.pairwise:
        return []
    found = []
    number = {name: index for index, name in enumerate(layout.systems)}
    for rater, own in work.items():
        excess = np.zeros(len(layout.systems))
        for _, item, swap in own:
            if layout.pair_of[item] is not None:
                continue
            for side, names in enumerate(layout.items[item].candidates):
                for name in dict.fromkeys(names):
                    excess[number[name]] += 1 if (side == 1) == swap else -1
        if np.abs(excess).max() > 1 + layout.merged_slack:
            found.append(Violation("sides", f"rater {rater} sees a system on one side much more often"))
    return found
