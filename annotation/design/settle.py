"""Settle where in a rater's order quality control comes: anywhere, so that a position tells nothing.

Of two random positions the later one is rarely among the first, so a repeat put at random after its original
would be told by its late position. So what follows another item takes the place of an item drawn among those
that have nothing to do with quality control, and its pair that of one before it (or, but for repeats, after
it), mostly no farther than twice the least distance, so that evidence does not come at the end of a
long campaign only. Places are exchanged between items of the same systems: these stay even.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.design.items import Layout

#: Places tried for a pair.
TRIES = 40
#: Distances of a pair go up to so many times the least, and anywhere in this share of pairs.
NEAR, FAR_SHARE = 2, 0.05


def settle(layout: Layout, order: Sequence[int], gap: int, rng: np.random.Generator) -> list[int]:
    """Return the order with quality control settled in it; the distance `gap` is kept.

    Args:
        layout: the campaign's items.
        order: items of one rater.
        gap: distance between two items of one segment that the order keeps.
        rng: source of randomness.
    """
    followers = [item for item in order if layout.pair_of[item] is not None]
    if not followers:
        return list(order)
    board = _Board(layout, order, gap, rng)
    for place in rng.permutation(len(followers)).tolist():
        board.place_pair(followers[place])
    return repeats_last(layout, board.order)


def repeats_last(layout: Layout, order: Sequence[int]) -> list[int]:
    """Return the order with every repeat after what it repeats; the two look alike and change places."""
    found = list(order)
    place = {item: at for at, item in enumerate(found)}
    for item in order:
        pair = layout.pair_of[item]
        if layout.items[item].kind != "repeat" or pair is None or pair not in place:
            continue
        if place[item] < place[pair]:
            found[place[item]], found[place[pair]] = pair, item
            place[item], place[pair] = place[pair], place[item]
    return found


class _Board:
    def __init__(self, layout: Layout, order: Sequence[int], gap: int, rng: np.random.Generator) -> None:
        self.layout, self.gap, self.order, self._rng = layout, gap, list(order), rng
        self.place = {item: at for at, item in enumerate(self.order)}
        self.members: dict[int, list[int]] = {}
        for item in self.order:
            self.members.setdefault(layout.segment_of[item], []).append(item)
        self.settled: set[int] = set()
        tied = {
            one
            for item in self.order
            if layout.pair_of[item] is not None
            for one in (item, layout.pair_of[item])
        }
        self.plain: dict[tuple[int, ...], list[int]] = {}
        for item in self.order:
            if item not in tied:
                self.plain.setdefault(layout.systems_of[item], []).append(item)
        self.is_plain = {item for own in self.plain.values() for item in own}

    def place_pair(self, item: int) -> None:
        """Put an item somewhere, and its pair near it, unless no place drawn will do."""
        pair = self.layout.pair_of[item]
        plain = self.plain.get(self.layout.systems_of[item], [])
        if pair is None or pair not in self.place or not plain:
            return
        for _ in range(TRIES):
            other = plain[int(self._rng.integers(len(plain)))]
            exchanges = [(item, other)]
            if pair not in self.settled:
                near = self._near(item, self.place[other])
                if not near:
                    continue
                exchanges.append((pair, near[int(self._rng.integers(len(near)))]))
            if self._change(item, pair, exchanges):
                break
        self.settled |= {item, pair}

    def _near(self, item: int, at: int) -> list[int]:
        """List the items whose place the pair of an item at a place may take."""
        longest = len(self.order) if self._rng.random() < FAR_SHARE else NEAR * self.gap
        places = [*range(max(0, at - longest), at - self.gap + 1)]
        if self.layout.items[item].kind != "repeat":
            places += range(at + self.gap, min(len(self.order), at + longest + 1))
        systems = self.layout.systems_of
        near = (self.order[place] for place in places)
        return [one for one in near if one in self.is_plain and systems[one] == systems[item]]

    def _change(self, item: int, pair: int, exchanges: Sequence[tuple[int, int]]) -> bool:
        """Make the exchanges unless they break a rule; say whether they were made."""
        others = [other for _, other in exchanges]
        if len(set(others)) < len(others):
            return False
        for one, other in exchanges:
            self._exchange(one, other)
        late = self.layout.items[item].kind != "repeat" or self.place[item] > self.place[pair]
        if late and all(map(self._fits, (item, pair, *others))):
            return True
        for one, other in exchanges:
            self._exchange(one, other)
        return False

    def _exchange(self, one: int, other: int) -> None:
        self.place[one], self.place[other] = self.place[other], self.place[one]
        self.order[self.place[one]], self.order[self.place[other]] = one, other

    def _fits(self, item: int) -> bool:
        at = self.place[item]
        return all(
            abs(self.place[one] - at) >= self.gap
            for one in self.members[self.layout.segment_of[item]]
            if one != item
        )
