"""Settle where in a rater's order quality control comes: anywhere, so that a position tells nothing.

Of two random positions the later one is rarely among the first, so a repeat put at random after its original
would be told by its late position. The order is therefore changed by exchanges of items of the same systems
(nothing else of the order is touched) until a repeat is as likely at any position that leaves room for its
original, which then comes early enough. Exchanges are accepted by Metropolis' rule, and an item mostly stays
within three times the distance of its pair, so that evidence does not come at the end of a campaign only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.design.items import Layout

#: Exchanges proposed for each item that follows another.
PROPOSALS = 80
#: Distances up to so many times the least are usual; larger ones have this weight beside them.
NEAR, FAR_WEIGHT = 3, 0.02


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
    board = _Board(layout, order, gap)
    buckets: dict[tuple[int, ...], list[int]] = {}
    for item in order:
        buckets.setdefault(layout.systems_of[item], []).append(item)
    n = PROPOSALS * len(followers)
    draws = rng.random((n, 4)).tolist()
    for first, second, third, fourth in draws:
        follower = followers[int(first * len(followers))]
        pair = layout.pair_of[follower]
        item = follower if second < 0.5 or pair is None else pair
        bucket = buckets[layout.systems_of[item]]
        board.propose(item, bucket[int(third * len(bucket))], fourth)
    return board.order


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
    def __init__(self, layout: Layout, order: Sequence[int], gap: int) -> None:
        self.layout, self.gap = layout, gap
        self.order = repeats_last(layout, order)
        self.place = {item: at for at, item in enumerate(self.order)}
        self.members: dict[int, list[int]] = {}
        for item in self.order:
            self.members.setdefault(layout.segment_of[item], []).append(item)
        self.ties = self._ties()
        self.weights = [FAR_WEIGHT if at > NEAR * gap else 1.0 for at in range(len(self.order) + 1)]
        self.before = self._sums()

    def _ties(self) -> dict[int, list[tuple[int, int]]]:
        """Return the (follower, pair) that each item is part of."""
        ties: dict[int, list[tuple[int, int]]] = {}
        for item in self.order:
            pair = self.layout.pair_of[item]
            if pair is not None and pair in self.place:
                for one in (item, pair):
                    ties.setdefault(one, []).append((item, pair))
        return ties

    def _sums(self) -> NDArray[np.float64]:
        """Return the sum of the weights of all distances from the least to d, by d."""
        weights = np.array(self.weights)
        weights[: self.gap] = 0
        return np.cumsum(weights)

    def propose(self, item: int, other: int, draw: float) -> None:
        """Exchange two items unless that breaks a distance or makes the order less likely."""
        segments = self.layout.segment_of
        if item == other or segments[item] == segments[other]:
            return
        here, there = self.place[item], self.place[other]
        if not (self._fits(item, there) and self._fits(other, here)):
            return
        ties = {*self.ties.get(item, ()), *self.ties.get(other, ())}
        before = self._weight(ties)
        self._put(item, there, other, here)
        if self._weight(ties) <= draw * before:
            self._put(item, here, other, there)

    def _put(self, item: int, at: int, other: int, other_at: int) -> None:
        self.order[at], self.order[other_at] = item, other
        self.place[item], self.place[other] = at, other_at

    def _fits(self, item: int, at: int) -> bool:
        return all(
            abs(self.place[one] - at) >= self.gap
            for one in self.members[self.layout.segment_of[item]]
            if one != item
        )

    def _weight(self, ties: set[tuple[int, int]]) -> float:
        weight = 1.0
        for item, pair in ties:
            at, distance = self.place[item], self.place[item] - self.place[pair]
            room = self.before[at]
            if self.layout.items[item].kind == "repeat":
                if distance < 0:
                    return 0.0
            else:
                room += self.before[len(self.order) - 1 - at]
            weight *= self.weights[abs(distance)] / max(float(room), 1e-9)
        return weight
