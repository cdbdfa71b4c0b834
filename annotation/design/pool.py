"""Deal items to raters who come and go: segment by segment, laid out on the rater's own line of places.

There is no plan to keep to, so each rule holds for what has been dealt so far:

- a rater who begins a segment gets all items of it that are left, so that its outputs have the same raters;
- a segment that others have begun comes before a new one;
- two items of one segment lie `gap` places apart: the first takes the first free place, each further one the
  first free place at that distance; the places between are filled by the segments that follow;
- an item for quality control is dealt together with the one it is held against, before or after it alike;
- the first items of a rater's segments take turns over the systems, so do the second ones …: whenever the
  rater stops, the systems are about even in what was judged, and in what is left of the segments;
- sides even out each system's left and right for the rater.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.design.items import GAP_PART_OF_LOAD, LONGEST_GAP
from annotation.design.sides import SideBalancer

#: From here on the places of a segment's items take turns over the systems together.
MOST_TURNS = 11
#: What is expected of a rater while nobody has shown how long raters stay.
USUAL_STAY = 40
#: Places ahead of a rater that are filled once fewer than ENOUGH are: the next items are there at once.
AHEAD, ENOUGH = 10, 4


@dataclass(frozen=True, slots=True)
class PoolItem:
    """An item that a rater may take.

    Attributes:
        key: the caller's name of it.
        sides: systems credited with each text: one text, or two that are compared.
        pairs: keys of items it is held against: who takes them takes it along.
    """

    key: Hashable
    sides: tuple[tuple[int, ...], ...]
    pairs: frozenset[Hashable] = frozenset()

    @property
    def systems(self) -> tuple[int, ...]:
        """Return each system once."""
        return tuple(dict.fromkeys(system for side in self.sides for system in side))


@dataclass(frozen=True, slots=True)
class Dealt:
    """An item at a rater's place; `swap` shows the second text on the left."""

    key: Hashable
    position: int
    swap: bool


@dataclass
class Line:
    """A rater's line of places.

    Attributes:
        head: the first free place.
        taken: places behind `head` that are taken.
        shown: times each system has been dealt.
        turns: times each system came first, second … in its segment.
        excess: times left less times right of each system.
    """

    head: int = 1
    taken: set[int] = field(default_factory=set)
    shown: Counter[int] = field(default_factory=Counter)
    turns: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    excess: Counter[int] = field(default_factory=Counter)

    def take(self, place: int) -> None:
        """Fill a place."""
        self.taken.add(place)
        while self.head in self.taken:
            self.taken.discard(self.head)
            self.head += 1

    def skip_to(self, place: int) -> None:
        """Leave everything before a place alone: the rater has passed it."""
        self.head = max(self.head, place)

    def free_from(self, place: int) -> int:
        """Return the first free place at or behind one."""
        place = max(place, self.head)
        while place in self.taken:
            place += 1
        return place


def pool_gap(expected_load: float) -> int:
    """Return the distance wanted between items of one segment for who may judge so many items."""
    return max(1, min(LONGEST_GAP, int(np.ceil(expected_load / GAP_PART_OF_LOAD))))


def segments_in_order(
    segments: Mapping[Hashable, bool], first: Hashable, rng: np.random.Generator
) -> list[Hashable]:
    """Order segments to take up: those that others have begun first, else at random.

    Args:
        segments: whether each was begun.
        first: the one that has waited longest; it stands before others like it, so that none waits for ever.
        rng: source of the order.
    """
    names = list(segments)
    shuffled = [names[place] for place in rng.permutation(len(names)).tolist()]
    return sorted(shuffled, key=lambda name: (not segments[name], name != first))


def deal_segment(
    items: Sequence[PoolItem],
    line: Line,
    gap: int,
    most: int,
    rng: np.random.Generator,
) -> list[Dealt]:
    """Lay the items of one segment on a rater's line; `line` changes.

    Args:
        items: what is left of the segment.
        line: the rater's line.
        gap: distance wanted between them.
        most: deal no more than so many.
        rng: source of all randomness.

    Returns:
        What was dealt, in order of position.
    """
    base, checks = _in_turn(items, line, rng, most)
    order = _mixed(base, checks, rng)
    swaps = _swaps(order, line, rng)
    for turn, item in enumerate(base):
        line.turns[min(turn, MOST_TURNS)].update(item.systems)
    dealt = []
    place = line.head
    for item, swap in zip(order, swaps, strict=True):
        place = line.free_from(place)
        dealt.append(Dealt(item.key, place, swap))
        line.take(place)
        line.shown.update(item.systems)
        place += gap
    return dealt


def _in_turn(
    items: Sequence[PoolItem], line: Line, rng: np.random.Generator, most: int
) -> tuple[list[PoolItem], list[PoolItem]]:
    """Choose up to so many items: by the turns of their systems, and beside each what is held against it."""
    left = [items[place] for place in rng.permutation(len(items)).tolist()]
    present = {item.key for item in items}
    waiting = [item for item in left if item.pairs & present]
    left = [item for item in left if not item.pairs & present]
    base: list[PoolItem] = []
    checks: list[PoolItem] = []
    while left and len(base) + len(checks) < most:
        turns = line.turns[min(len(base), MOST_TURNS)]
        least = left.pop(int(np.argmin([_rank(item, turns) for item in left])))
        base.append(least)
        own = [item for item in waiting if least.key in item.pairs]
        checks += own[: most - len(base) - len(checks)]
    return base, checks


def _mixed(base: Sequence[PoolItem], checks: Sequence[PoolItem], rng: np.random.Generator) -> list[PoolItem]:
    """Put checks at random places among the other items, whose order stays."""
    order = list(base)
    for check in checks:
        order.insert(int(rng.integers(len(order) + 1)), check)
    return order


def _rank(item: PoolItem, turns: Mapping[int, int]) -> float:
    """Return how often the systems of an item have had this turn, on average; items of none come anywhere."""
    return sum(turns[system] for system in item.systems) / len(item.systems) if item.systems else 0.0


def unevenness(items: Sequence[PoolItem], shown: Mapping[int, int]) -> float:
    """Return how uneven the systems of a rater would be with these items: the variance of their counts."""
    counts = Counter(shown)
    for item in items:
        counts.update(item.systems)
    return float(np.var(list(counts.values()))) if counts else 0.0


def _swaps(items: Sequence[PoolItem], line: Line, rng: np.random.Generator) -> list[bool]:
    if not items or any(len(item.sides) != 2 for item in items):
        return [False] * len(items)
    systems = sorted({system for item in items for system in item.systems})
    number = {system: place for place, system in enumerate(systems)}
    pairs = [
        (tuple(number[one] for one in item.sides[0]), tuple(number[one] for one in item.sides[1]))
        for item in items
    ]
    balancer = SideBalancer(len(systems), rng)
    swaps = balancer.choose(pairs, [line.excess[system] for system in systems])
    for system in systems:
        line.excess[system] = balancer.last[number[system]]
    return swaps


def allowed(items: Sequence[PoolItem], had: Collection[Hashable]) -> list[PoolItem]:
    """Keep the items whose pairs are among them or were had before."""
    kept = list(items)
    while True:
        present = {item.key for item in kept}
        found = [item for item in kept if all(key in present or key in had for key in item.pairs)]
        if len(found) == len(kept):
            return kept
        kept = found
