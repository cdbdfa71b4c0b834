"""Find the factors of MTLD fast: follow many chains of factors at once, then join them to the one true chain.

A word is new in a factor that begins at s when its previous occurrence lies before s; so one array of
previous places serves every possible beginning. Chains begun at different places soon end a factor at one
word and are the same from there on; hence the text is cut, all cuts advance together in numpy, and the true
chain runs word by word only until it meets the chain of the next cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import FloatArray, IntArray

THRESHOLD = 0.72
"""Types over tokens at which a factor ends (McCarthy 2005; Vanmassenhove et al. 2021, footnote 7)."""

LANE = 8_192
"""Words between the beginnings of chains."""

FACTORS_SEEN = 3
"""Width of what is first looked at for the end of a factor, in mean factors."""

Places = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Chain:
    """The factors of a stream in one direction.

    Attributes:
        ends: where each full factor ends, in words from the beginning of that direction [f].
        words: length of the stream.
        partial: what the rest after the last full factor counts for, 0 to 1.
    """

    ends: IntArray
    words: int
    partial: float

    @property
    def total(self) -> float:
        """Return the number of factors, the partial one included."""
        return len(self.ends) + self.partial

    def at(self, places: IntArray) -> FloatArray:
        """Return how many factors lie before each place, a factor being spread evenly over its words."""
        x = np.concatenate([[0], self.ends])
        y = np.arange(len(x), dtype=np.float64)
        if x[-1] < self.words:
            x, y = np.append(x, self.words), np.append(y, y[-1] + self.partial)
        return np.interp(places, x, y)


@dataclass(frozen=True, eq=False)
class Factors:
    """The factors of a stream of words in both directions."""

    words: int
    forward: Chain
    backward: Chain

    def units(self, edges: IntArray) -> FloatArray:
        """Return words, factors forwards and factors backwards between edges of the stream [u, 3]."""
        before = self.forward.at(edges)
        after = self.backward.at(self.words - edges)
        return np.column_stack([np.diff(edges), np.diff(before), -np.diff(after)])


class FactorCounter:
    """Count factors of a stream that comes in pieces."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self.threshold = threshold
        self._pending = np.empty(0, np.int32)
        self._ends: list[IntArray] = []
        self._begin = 0

    def feed(self, ids: npt.NDArray[np.int32], previous: Places | None = None) -> None:
        """Take the next words, as numbers of types; of the first, previous places may be known."""
        joined = np.concatenate([self._pending, ids]) if len(self._pending) else ids
        ends = factor_ends(previous_places(joined) if previous is None else previous, self.threshold)
        last = int(ends[-1]) if len(ends) else 0
        self._ends.append(ends + self._begin)
        self._pending = joined[last:]
        self._begin += last

    def finish(self) -> Chain:
        """Return the factors; what is left after the last counts (1 − V/N) / (1 − threshold)."""
        rest = len(self._pending)
        partial = (1 - len(np.unique(self._pending)) / rest) / (1 - self.threshold) if rest else 0.0
        ends = np.concatenate(self._ends) if self._ends else np.empty(0, np.int64)
        return Chain(ends, self._begin + rest, partial)


def previous_places(ids: npt.NDArray[np.int32]) -> Places:
    """Return where each word occurred before, −1 where it did not [n]."""
    earlier, later = _pairs(ids)
    previous = np.full(len(ids), -1, np.int32)
    previous[later] = earlier
    return previous


def places_both_ways(ids: npt.NDArray[np.int32]) -> tuple[Places, Places]:
    """Return the previous places of a stream and of the same stream read from its end, from one sorting."""
    earlier, later = _pairs(ids)
    n = len(ids)
    forward, backward = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    forward[later] = earlier
    backward[n - 1 - earlier] = n - 1 - later
    return forward, backward


def _pairs(ids: npt.NDArray[np.int32]) -> tuple[Places, Places]:
    """Return all places of neighbouring occurrences of one word, the earlier and the later.

    Sorting by two halves of 16 bits is what numpy does by counting, several times faster than at once.
    """
    order = np.argsort((ids & 0xFFFF).astype(np.uint16), kind="stable").astype(np.int32)
    if len(ids) and int(ids.max()) > 0xFFFF:
        high = (ids >> 16).astype(np.uint16)[order]
        order = order[np.argsort(high, kind="stable")]
    ranked = ids[order]
    same = ranked[1:] == ranked[:-1]
    return order[:-1][same], order[1:][same]


def factor_ends(previous: Places, threshold: float = THRESHOLD) -> IntArray:
    """Return where each factor ends when the first begins at 0 [f]; what is left at the end is none."""
    walk = _Walk(previous, threshold)
    n = len(previous)
    if n < 4 * LANE:
        return np.array(walk.on(0, n), np.int64)
    begins = np.arange(0, n, LANE)
    lanes = walk.lanes(begins, np.append(begins[1:], n))
    true: list[int] = lanes[0].tolist()
    for lane, begin in zip(lanes[1:], begins[1:], strict=True):
        limit = int(begin) + LANE
        known = np.concatenate([[begin], lane])
        at = true[-1] if true else 0
        while at < limit:
            place = int(np.searchsorted(known, at))
            if place < len(known) and known[place] == at:
                true.extend(known[place + 1 :].tolist())
                break
            end = walk.end(at)
            if end < 0:
                return np.array(true, np.int64)
            true.append(end)
            at = end
    return np.array(true, np.int64)


class _Walk:
    """Walks along factors of one stream, one after the other or many at once."""

    def __init__(self, previous: Places, threshold: float) -> None:
        self.previous = previous
        self.width = 64
        self._threshold = threshold
        self._limits = np.empty(0, np.int32)
        self._views: dict[int, Places] = {}

    def end(self, begin: int) -> int:
        """Return where the factor that begins here ends, or −1 when the stream ends before."""
        n, width = len(self.previous), self.width
        while True:
            window = self.previous[begin : begin + width]
            types = (window < begin).cumsum(dtype=np.int32)
            closed = types <= self._most(width)[: len(types)]
            first = int(closed.argmax()) if len(closed) else 0
            if len(closed) and closed[first]:
                return begin + first + 1
            if begin + width >= n:
                return -1
            width *= 4

    def on(self, begin: int, limit: int) -> list[int]:
        """Return the ends of factors from here until one ends at or behind the limit."""
        ends: list[int] = []
        while begin < limit:
            begin = self.end(begin)
            if begin < 0:
                break
            ends.append(begin)
        return ends

    def lanes(self, begins: IntArray, limits: IntArray) -> list[IntArray]:
        """Walk from each beginning until a factor ends at or behind its limit, all at once."""
        pilot = self.on(0, min(LANE // 2, len(self.previous)))
        mean = pilot[-1] / len(pilot) if pilot else LANE
        self.width = int(min(max(64, FACTORS_SEEN * mean), LANE))
        steps: list[tuple[IntArray, IntArray]] = []
        active, at = np.arange(len(begins)), begins.copy()
        while len(active):
            ends = self._ends(at)
            steps.append((active, ends))
            going = (ends >= 0) & (ends < limits[active])
            active, at = active[going], ends[going]
        owners = np.concatenate([owner for owner, _ in steps])
        places = np.concatenate([ends for _, ends in steps])
        order = np.argsort(owners, kind="stable")
        owners, places = owners[order], places[order]
        cuts = np.searchsorted(owners, np.arange(len(begins) + 1))
        return [own[own >= 0] for own in (places[a:b] for a, b in pairwise(cuts))]

    def _ends(self, begins: IntArray) -> IntArray:
        """Return where the factors that begin here end, −1 where the stream ends before."""
        ends = np.full(len(begins), -1, np.int64)
        open_rows, at, width = np.arange(len(begins)), begins, self.width
        while len(open_rows):
            windows = self._windows(at, width)
            types = (windows < at[:, None].astype(np.int32)).cumsum(axis=1, dtype=np.int32)
            closed = types <= self._most(width)
            first = closed.argmax(axis=1)
            found = closed[np.arange(len(at)), first]
            ends[open_rows[found]] = at[found] + first[found] + 1
            left = ~found & (at + width < len(self.previous))
            open_rows, at, width = open_rows[left], at[left], width * 4
        return ends

    def _windows(self, begins: IntArray, width: int) -> Places:
        """Return what begins at each place [b, width]; words behind the end are new and close nothing."""
        if width not in self._views:
            padded = np.concatenate([self.previous, np.full(width, -1, np.int32)])
            self._views[width] = np.lib.stride_tricks.sliding_window_view(padded, width)
        return self._views[width][begins]

    def _most(self, width: int) -> Places:
        """Return for factors of 1 … width words the most types at which they end [width]."""
        if len(self._limits) < width:
            sizes = np.arange(1, max(width, 4096) + 1)
            most = np.floor(self._threshold * sizes).astype(np.int32) + 1
            for _ in range(2):
                most -= most / sizes > self._threshold
            self._limits = most
        return self._limits[:width]
