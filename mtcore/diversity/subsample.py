"""Texts of equal length: measures of as many words of each, drawn line by line without replacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mtcore.diversity.base import IntArray, Measure, Value
from mtcore.diversity.counting import Counted, TokenStore
from mtcore.diversity.intervals import Interval
from mtcore.diversity.profile import PIECE, Profile

LEAST_WORDS = 50


@dataclass(frozen=True)
class EqualLength:
    """How texts are made equally long: words of each, how many draws, seed."""

    tokens: int
    draws: int
    seed: int

    @property
    def how(self) -> str:
        """Return what the signature says of it."""
        return f"equal-length:{self.tokens}|draws:{self.draws}|seed:{self.seed}"


def subsample(profile: Profile, tokens: int, rng: np.random.Generator) -> Profile:
    """Return so many words of a text: whole lines drawn at random, in their order; the last drawn is cut.

    Args:
        profile: a text of at least so many words.
        tokens: how many.
        rng: the source of chance.
    """
    lengths = profile.line_lengths.astype(np.int64)
    drawn = rng.permutation(len(lengths))
    ends = np.cumsum(lengths[drawn])
    last = int(np.searchsorted(ends, tokens))
    kept = np.zeros(len(lengths), np.int64)
    kept[drawn[:last]] = lengths[drawn[:last]]
    kept[drawn[last]] = tokens - (int(ends[last - 1]) if last else 0)
    store = TokenStore()
    counts = np.zeros(len(profile.counts), np.int64)
    for begin, ids in profile.store.pieces(PIECE):
        chosen = ids[_inside(profile.line_ends, kept, begin, len(ids))]
        counts += np.bincount(chosen, minlength=len(counts))
        store.append(chosen)
    counted = Counted([], counts, kept[kept > 0].astype(np.int32), store)
    return profile.part(counted)


def _inside(line_ends: IntArray, kept: IntArray, begin: int, size: int) -> np.ndarray:
    """Tell which of the words from an offset on are among those kept of their line [size]."""
    at = np.arange(begin, begin + size)
    line = np.searchsorted(line_ends, at, side="right") - 1
    return np.asarray(at - line_ends[line] < kept[line])


def equal_values(
    measures: Sequence[Measure], profile: Profile, equal: EqualLength, number: int
) -> dict[str, tuple[Value, Interval | None]]:
    """Return the mean of each measure over equally long draws of a text, and where 95 % of the draws lie.

    A text of just so many words is taken as it is, without an interval.

    Args:
        measures: which.
        profile: the text.
        equal: how long, how often.
        number: of the text; every text has draws of its own.
    """
    whole = profile.tokens == equal.tokens
    parts = [profile]
    if not whole:
        rng = np.random.default_rng([equal.seed, number])
        parts = [subsample(profile, equal.tokens, rng) for _ in range(equal.draws)]
    drawn: dict[str, list[Value]] = {one.name: [] for one in measures}
    for part in parts:
        for one in measures:
            drawn[one.name].append(one.compute(part))
    return {name: _summary(values, equal, whole) for name, values in drawn.items()}


def _summary(values: Sequence[Value], equal: EqualLength, whole: bool) -> tuple[Value, Interval | None]:
    numbers = [one.value for one in values if one.value is not None]
    if len(numbers) < len(values):
        return next(one for one in values if one.value is None), None
    mean = float(np.mean(numbers))
    if whole:
        return Value(mean), Interval(None, equal.how, "the text has just as many words as all are cut to")
    low, high = np.quantile(numbers, [0.025, 0.975])
    return Value(mean), Interval((min(float(low), mean), max(float(high), mean)), equal.how)
