"""Do two texts differ in diversity? Swap their lines at random and see how often so much comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mtcore.diversity.base import CountMeasure, FloatArray, IntArray, Measure
from mtcore.diversity.profile import Profile
from mtcore.diversity.vocabulary import Vocabulary

MOST_UNITS = 4000
"""Stretches swapped at most; longer texts swap as many lines at once as that takes."""

STREAM_UNIT = 1000
"""Words in the least stretch swapped for measures along the words: many times a factor or window."""

LEAST_UNITS = 6
CELLS = 4_000_000
TIE = 1e-12


@dataclass(frozen=True)
class Comparison:
    """How two texts differ by one measure: a − b, its two-sided p, how it was tested or why it was not."""

    measure: str
    a: str
    b: str
    difference: float | None
    p: float | None
    test: str
    reason: str = ""


def compare(
    measures: Sequence[Measure], a: Profile, b: Profile, resamples: int, rng: np.random.Generator
) -> list[Comparison]:
    """Test two texts whose lines belong together, by every measure of which both have a value.

    p = (#{|D*| ≥ |D|} + 1) / (R + 1); D* is the difference after each pair of lines was swapped or not with
    even chance. Measures along the words (MTLD, windows) swap stretches of about 1,000 words, whose factors
    were counted in place. An undefined D* counts as reaching D.

    Args:
        measures: what to compare by.
        a: the first text.
        b: the second.
        resamples: R, 1 or more.
        rng: the source of chance.
    """
    values = {one.name: (one.compute(a).value, one.compute(b).value) for one in measures}
    both = [one for one in measures if None not in values[one.name]]
    paired = len(a.line_lengths) == len(b.line_lengths)
    p_values: dict[str, tuple[float | None, str, str]] = {}
    if paired and both:
        p_values = _tests(both, a, b, resamples, rng)
    found = []
    for measure in measures:
        first, second = values[measure.name]
        difference = first - second if first is not None and second is not None else None
        p, test, reason = p_values.get(measure.name, (None, "", ""))
        if difference is None:
            reason = "one of the texts has no value"
        elif not paired:
            reason = (
                f"{len(a.line_lengths):,} and {len(b.line_lengths):,} lines: only texts whose lines belong "
                "together are tested"
            )
        found.append(Comparison(measure.name, a.name, b.name, difference, p, test, reason))
    return found


def _tests(
    measures: Sequence[Measure], a: Profile, b: Profile, resamples: int, rng: np.random.Generator
) -> dict[str, tuple[float | None, str, str]]:
    """Return p, the name of the test and a reason for each measure."""
    found: dict[str, tuple[float | None, str, str]] = {}
    for counting in (True, False):
        group = [one for one in measures if isinstance(one, CountMeasure) == counting]
        cuts = _cuts(a, b, 0 if counting else STREAM_UNIT)
        units = len(cuts) - 1
        test = f"swap:{units} units, {resamples:,} resamples"
        if units < LEAST_UNITS:
            reason = f"too few {'lines' if counting else 'stretches of 1,000 words'} to swap: {units}"
            found |= {one.name: (None, "", reason) for one in group}
            continue
        if not group:
            continue
        swaps = rng.integers(0, 2, (resamples, units)).astype(np.float64)
        draw = _swap_counts if counting else _swap_streams
        for name, (seen, drawn) in draw(group, a, b, cuts, swaps).items():
            reached = ~(np.abs(drawn) < abs(seen) - TIE * max(1.0, abs(seen)))
            found[name] = ((int(reached.sum()) + 1) / (resamples + 1), test, "")
    return found


def _cuts(a: Profile, b: Profile, least_words: int) -> IntArray:
    """Return line numbers that cut both texts into stretches of at least so many words each [u + 1]."""
    lines = len(a.line_lengths)
    step = max(1, -(-lines // MOST_UNITS))
    cuts = np.unique(np.append(np.arange(0, lines, step), lines))
    if not least_words:
        return cuts
    fewer = np.minimum(a.line_ends[cuts], b.line_ends[cuts])
    marks = np.arange(0, int(fewer[-1]) // least_words + 1) * least_words
    chosen = cuts[np.unique(np.searchsorted(fewer, marks))]
    chosen[-1] = lines
    return np.unique(np.concatenate([[0], chosen, [lines]]))


def _swap_counts(
    measures: Sequence[Measure], a: Profile, b: Profile, cuts: IntArray, swaps: FloatArray
) -> dict[str, tuple[float, FloatArray]]:
    """Return the difference as it is and after each set of swaps [R], for measures of counts."""
    numbers = {word: place for place, word in enumerate(a.vocabulary.types)}
    columns = [numbers.setdefault(word, len(numbers)) for word in b.vocabulary.types]
    size = len(numbers)
    vocabulary = Vocabulary(list(numbers), a.vocabulary.resources)
    own = np.arange(len(a.counts))
    ours = a.unit_matrix(a.line_ends[cuts], own, size)
    theirs = b.unit_matrix(b.line_ends[cuts], np.array(columns, np.int64), size)
    apart = (ours - theirs).tocsr()
    first, second = np.asarray(ours.sum(axis=0))[0], np.asarray(theirs.sum(axis=0))[0]
    parts: dict[str, list[FloatArray]] = {one.name: [] for one in measures}
    rows = max(1, CELLS // max(1, size))
    for start in range(0, len(swaps), rows):
        moved = np.asarray((apart.T @ swaps[start : start + rows].T).T)
        left, right = first - moved, second + moved
        for one in measures:
            parts[one.name].append(one.of_sums(left, vocabulary) - one.of_sums(right, vocabulary))
    return {
        one.name: (
            float(one.of_sums(first, vocabulary) - one.of_sums(second, vocabulary)),
            np.concatenate(parts[one.name]),
        )
        for one in measures
    }


def _swap_streams(
    measures: Sequence[Measure], a: Profile, b: Profile, cuts: IntArray, swaps: FloatArray
) -> dict[str, tuple[float, FloatArray]]:
    """Return the same for measures along the words, from what each stretch adds."""
    found = {}
    for one in measures:
        ours, theirs = one.units(a, a.line_ends[cuts]), one.units(b, b.line_ends[cuts])
        moved = swaps @ (ours - theirs)
        first, second = ours.sum(axis=0), theirs.sum(axis=0)
        drawn = one.of_sums(first - moved, a.vocabulary) - one.of_sums(second + moved, b.vocabulary)
        found[one.name] = (
            float(one.of_sums(first, a.vocabulary) - one.of_sums(second, b.vocabulary)), drawn
        )  # fmt: skip
    return found
