"""Choose which items get a bad reference, come again, or are followed by an attention item.

The choice is made once the items are dealt, so that it is even over raters too: in every system (or pair of
systems) and test set the same share, within one; among the items there, those whose segment has least so far
for its size, so that a source comes as often as any other, within one; among these, those of whose own and
whose raters' there is least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.design.items import Layout, PlanItem

#: Whose output a damaged text counts as where it is compared with what it was made from.
DAMAGED = "bad reference"
#: Shares of bad references and repeats that show who answers carelessly within 60 items.
USUAL_BAD, USUAL_REPEATS = 0.5, 0.3
#: Items looked at before one is chosen.
LOOKS = 60


@dataclass(frozen=True)
class QualityWish:
    """What quality control a plan is to have.

    Attributes:
        bad_references: bad references for each system item, 0 to 1.
        repeats: repeats for each system item, 0 to 1.
        attention: number of attention texts; each rater gets each of them about once.
        may_damage: says whether a bad reference can be made of a candidate (its index) of an item.
    """

    bad_references: float = 0.0
    repeats: float = 0.0
    attention: int = 0
    may_damage: Callable[[PlanItem, int], bool] = lambda item, candidate: True


@dataclass
class _Tally:
    """How much quality control everything has so far."""

    sizes: Counter[Hashable]
    segments: Counter[Hashable] = field(default_factory=Counter)
    raters: Counter[tuple[str, int]] = field(default_factory=Counter)
    systems: Counter[tuple[str, ...]] = field(default_factory=Counter)
    items: set[Hashable] = field(default_factory=set)


def draw_followers(
    layout: Layout,
    work: Sequence[Sequence[int]],
    wish: QualityWish,
    judgements: int,
    rng: np.random.Generator,
) -> tuple[PlanItem, ...]:
    """Draw the items that follow others for quality control.

    Args:
        layout: items that are dealt.
        work: items of each rater.
        wish: what is to be drawn.
        judgements: judgements wanted for an item.
        rng: source of randomness.

    Returns:
        The items; their keys are (kind, key of the pair, number).
    """
    holders: list[list[int]] = [[] for _ in layout.items]
    for rater, own in enumerate(work):
        for place in own:
            holders[place].append(rater)
    tally = _Tally(Counter(item.segment for item in layout.items))
    systems = [index for index, item in enumerate(layout.items) if item.kind == "system"]
    drawn: list[PlanItem] = []
    chosen = _choose(layout, systems, holders, "bad_reference", wish.bad_references, tally, rng, wish)
    for index in [chosen[place] for place in rng.permutation(len(chosen)).tolist()]:
        item = layout.items[index]
        damaged = _candidate(item, wish, tally, rng)
        sides = (item.candidates[damaged], (DAMAGED,))[: len(item.candidates)]
        drawn.append(_follower(item, "bad_reference", sides, damaged))
    for index in _choose(layout, systems, holders, "repeat", wish.repeats, tally, rng):
        item = layout.items[index]
        drawn.append(_follower(item, "repeat", item.candidates, 0))
    times = -(-len(work) // judgements)
    for number in range(wish.attention):
        kind = f"attention {number}"
        share = min(1.0, times / max(1, len(systems)))
        for index in _choose(layout, systems, holders, kind, share, tally, rng):
            item = layout.items[index]
            drawn.append(_follower(item, "attention", ((),) * len(item.candidates), number))
    return tuple(drawn)


def _follower(item: PlanItem, kind: str, candidates: tuple[tuple[str, ...], ...], number: int) -> PlanItem:
    return PlanItem((kind, item.key, number), item.segment, item.testset, candidates, kind, item.key)


def _candidate(item: PlanItem, wish: QualityWish, tally: _Tally, rng: np.random.Generator) -> int:
    """Return which candidate is damaged: one of the systems with fewest bad references."""
    able = [place for place in range(len(item.candidates)) if wish.may_damage(item, place)]
    able = [able[place] for place in rng.permutation(len(able)).tolist()]
    chosen = min(able, key=lambda place: tally.systems[item.candidates[place]])
    tally.systems[item.candidates[chosen]] += 1
    return chosen


def _choose(
    layout: Layout,
    eligible: Sequence[int],
    holders: Sequence[Sequence[int]],
    kind: str,
    share: float,
    tally: _Tally,
    rng: np.random.Generator,
    wish: QualityWish | None = None,
) -> list[int]:
    """Choose a share of the eligible items, the same in each stratum within one."""
    if share <= 0:
        return []
    strata: dict[Hashable, list[int]] = {}
    for index in eligible:
        item = layout.items[index]
        strata.setdefault((item.candidates, item.testset), []).append(index)
    names = list(strata)
    credit = float(rng.random()) if len(names) > 1 else 0.5
    chosen: list[int] = []
    for place in rng.permutation(len(names)).tolist():
        members = strata[names[place]]
        credit += share * len(members)
        wanted = int(credit + 1e-9)
        credit -= wanted
        pool = _Pool(layout, members, kind, tally, rng)
        while wanted > 0 and pool:
            index = pool.draw(lambda one: _cost(layout, one, holders, kind, tally))
            item = layout.items[index]
            if wish and not any(wish.may_damage(item, side) for side in range(len(item.candidates))):
                continue
            wanted -= 1
            chosen.append(index)
            tally.items.add(item.key)
            tally.segments[item.segment] += 1
            tally.raters.update((kind, rater) for rater in holders[index])
        credit += min(wanted, 1)
    return chosen


class _Pool:
    """Items to choose from: those of the segments with least quality control for their size first."""

    def __init__(
        self, layout: Layout, members: Sequence[int], kind: str, tally: _Tally, rng: np.random.Generator
    ) -> None:
        self._rng = rng
        self._groups: dict[float, list[int]] = {}
        for one in [members[place] for place in rng.permutation(len(members)).tolist()]:
            segment = layout.items[one].segment
            level = 0.0 if kind.startswith("attention") else tally.segments[segment] / tally.sizes[segment]
            self._groups.setdefault(level, []).append(one)

    def __bool__(self) -> bool:
        return bool(self._groups)

    def draw(self, cost: Callable[[int], tuple[bool, int, int, int]]) -> int:
        """Take out the cheapest of some items drawn in the lowest group."""
        level = min(self._groups)
        group = self._groups[level]
        places = self._rng.integers(len(group), size=LOOKS).tolist()
        best = min(places, key=lambda at: cost(group[at]))
        group[best], group[-1] = group[-1], group[best]
        index = group.pop()
        if not group:
            del self._groups[level]
        return index


def _cost(
    layout: Layout, index: int, holders: Sequence[Sequence[int]], kind: str, tally: _Tally
) -> tuple[bool, int, int, int]:
    """Say how little an item suits: its own, its segment's and its raters' quality control so far."""
    item = layout.items[index]
    raters = sum(tally.raters[kind, rater] ** 2 for rater in holders[index])
    segment = tally.segments[item.segment]
    if kind.startswith("attention"):  # few: what matters is that each rater gets one
        return (False, raters, int(item.key in tally.items), segment)
    return (item.key in tally.items, segment, raters, 0)
