"""A text as measures see it: counts of types, the words in their order, and the lines they come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mtcore.diversity.base import FloatArray, IntArray
from mtcore.diversity.counting import Counted
from mtcore.diversity.factors import FactorCounter, Factors, places_both_ways, previous_places
from mtcore.diversity.streams import Stream
from mtcore.diversity.vocabulary import Resources, Vocabulary

PIECE = 524_288
"""Words that are looked at at once; more leave the processor's caches."""

BOTH_WAYS = 1_500_000
"""Words up to which one sorting serves MTLD in both directions."""


@dataclass(frozen=True)
class Lengths:
    """The size of a text."""

    lines: int
    tokens: int
    types: int


class Profile:
    """One text, counted."""

    def __init__(self, name: str, counted: Counted, resources: Resources) -> None:
        self.name = name
        self.counts = counted.counts
        self.vocabulary = Vocabulary(counted.types, resources)
        self.store = counted.store
        self.line_lengths = counted.lengths
        self._factors: dict[str, Factors] = {}
        self._streams: dict[str, Stream] = {}

    def part(self, counted: Counted) -> Profile:
        """Return a part of this text, counted over its types; what is known of the types is shared."""
        found = Profile(self.name, counted, self.vocabulary.resources)
        found.vocabulary, found._streams = self.vocabulary, self._streams
        return found

    @property
    def tokens(self) -> int:
        """Return the number of words."""
        return self.store.tokens

    @property
    def size(self) -> Lengths:
        """Return lines, tokens and types."""
        return Lengths(len(self.line_lengths), self.tokens, len(self.counts))

    @cached_property
    def line_ends(self) -> IntArray:
        """Return the token offsets of lines, from 0 on [lines + 1]."""
        return np.concatenate([[0], np.cumsum(self.line_lengths, dtype=np.int64)])

    def edges(self, units: int) -> IntArray:
        """Return token offsets that cut the lines into so many stretches, each of as many lines [u + 1]."""
        lines = len(self.line_lengths)
        at = np.linspace(0, lines, min(units, lines) + 1).round().astype(np.int64)
        return self.line_ends[at]

    def unit_counts(self, edges: IntArray) -> FloatArray:
        """Return the counts of types in each stretch [u, V]."""
        rows = [self.stretch_counts(a, b) for a, b in pairwise(edges)]
        return np.array(rows, np.float64).reshape(len(rows), len(self.counts))

    def stretch_counts(self, begin: int, end: int) -> IntArray:
        """Return the counts of types between two token offsets [V]."""
        return np.bincount(self.store.read(int(begin), int(end)), minlength=len(self.counts))

    def unit_matrix(self, edges: IntArray, columns: npt.NDArray[np.int64], size: int) -> sparse.csr_matrix:
        """Return the counts in each stretch as a sparse matrix, types renumbered by `columns` [u, size]."""
        keys: list[IntArray] = []
        counts: list[IntArray] = []
        for begin, ids in self.store.pieces(PIECE):
            rows = np.searchsorted(edges, np.arange(begin, begin + len(ids)), side="right") - 1
            found, often = np.unique(rows * size + columns[ids], return_counts=True)
            keys.append(found)
            counts.append(often)
        key = np.concatenate(keys) if keys else np.empty(0, np.int64)
        data = np.concatenate(counts).astype(np.float64) if counts else np.empty(0)
        return sparse.coo_matrix((data, (key // size, key % size)), shape=(len(edges) - 1, size)).tocsr()

    def factors(self, stream: str) -> Factors:
        """Return the factors of MTLD of a stream, found once."""
        if stream not in self._factors:
            self._factors[stream] = self._count_factors(self._stream(stream))
        return self._factors[stream]

    def stream_edges(self, stream: str, edges: IntArray) -> IntArray:
        """Turn token offsets into offsets of the stream."""
        found = np.zeros(len(edges), np.int64)
        base = 0
        for begin, ids in self.store.pieces(PIECE):
            before = np.concatenate([[0], np.cumsum(self._stream(stream).lengths(ids))])
            inside = (edges >= begin) & (edges <= begin + len(ids))
            found[inside] = base + before[edges[inside] - begin]
            base += int(before[-1])
        return found

    def windows(self, width: int, *, moving: bool, edges: IntArray) -> FloatArray:
        """Return, for each stretch, the first occurrences in windows and the words of windows [u, 2].

        A word is credited in every window in which it is the first of its type; a moving window begins at
        every word, others stand side by side and the rest of the text is left out.
        """
        total = np.zeros((len(edges) - 1, 2))
        n = self.tokens
        carried = np.empty(0, np.int32)
        for begin, ids in self.store.pieces(PIECE):
            joined = np.concatenate([carried, ids])
            base = begin - len(carried)
            at = np.arange(begin, begin + len(ids))
            previous = previous_places(joined)[len(carried) :].astype(np.int64)
            previous = np.where(previous >= 0, previous + base, -1)
            if moving:
                last = np.minimum(at, n - width)
                seen = np.maximum(last - np.maximum(at - width + 1, previous + 1).clip(0) + 1, 0)
                held = last - np.maximum(at - width + 1, 0) + 1
            else:
                held = (at < n // width * width).astype(np.int64)
                seen = held * (previous < at // width * width)
            rows = np.searchsorted(edges, at, side="right") - 1
            for column, numbers in enumerate((seen, held)):
                total[:, column] += np.bincount(rows, weights=numbers, minlength=len(total))[: len(total)]
            carried = joined[max(0, len(joined) - width) :]
        return total

    def _stream(self, kind: str) -> Stream:
        if kind not in self._streams:
            self._streams[kind] = Stream(self.vocabulary.types, kind)
        return self._streams[kind]

    def _count_factors(self, stream: Stream) -> Factors:
        forward, backward = FactorCounter(), FactorCounter()
        if self.tokens <= BOTH_WAYS:
            words = stream.words(self.store.read(0, self.tokens))
            ahead, behind = places_both_ways(words)
            forward.feed(words, ahead)
            backward.feed(words[::-1], behind)
        else:
            for _, ids in self.store.pieces(PIECE):
                forward.feed(stream.words(ids))
            for ids in self.store.pieces_from_end(PIECE):
                backward.feed(stream.words(ids[::-1])[::-1])
        found = forward.finish()
        return Factors(found.words, found, backward.finish())
