"""Intervals by a block jackknife: what the measure would be without each fiftieth of a text's lines.

A bootstrap of counts is no use here: drawing lines with replacement removes types, and the interval lies
beside the value. Leaving out stretches of lines in turn removes little each time, and the interval is laid
around the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from mtcore.diversity.base import CountMeasure, FloatArray, IntArray, Measure
from mtcore.diversity.profile import Profile

BLOCKS = 50
"""Stretches of lines that are left out in turn."""

LEAST_BLOCKS = 10
STREAM_BLOCK = 1000
"""Words in a block for measures along the words, many times a factor or window, in texts that are long."""
CELLS = 4_000_000


@dataclass(frozen=True)
class Interval:
    """An interval around a value, or None and the reason; how it was made."""

    ends: tuple[float, float] | None
    how: str
    reason: str = ""


def jackknife(measures: Sequence[Measure], profile: Profile, level: float = 0.95) -> dict[str, Interval]:
    """Return an interval for every measure that has a value.

    value ± t · se, t of B − 1 degrees of freedom, se² = (B − 1)/B · Σ(θ₍b₎ − mean)², for B blocks of lines of
    which one is left out at a time (Quenouille 1949, Tukey 1958). With types it errs on the wide side.

    Args:
        measures: those that have a value for this text.
        profile: the text.
        level: of the interval.
    """
    found: dict[str, Interval] = {}
    for counting in (True, False):
        group = [one for one in measures if isinstance(one, CountMeasure) == counting]
        most = BLOCKS if counting else max(LEAST_BLOCKS, min(BLOCKS, profile.tokens // STREAM_BLOCK))
        edges = np.unique(profile.edges(most))
        found |= _around(group, profile, edges, level) if group else {}
    return found


def _around(
    measures: Sequence[Measure], profile: Profile, edges: IntArray, level: float
) -> dict[str, Interval]:
    """Return the intervals of measures from the same blocks."""
    blocks = len(edges) - 1
    how = f"jackknife:{blocks}"
    if blocks < LEAST_BLOCKS:
        reason = f"fewer than {LEAST_BLOCKS} lines with words"
        return {measure.name: Interval(None, how, reason) for measure in measures}
    left_out = _left_out(measures, profile, edges)
    factor = float(stats.t.ppf((1 + level) / 2, blocks - 1)) * np.sqrt((blocks - 1) / blocks)
    found: dict[str, Interval] = {}
    for measure in measures:
        value = measure.compute(profile).value
        without = left_out[measure.name]
        if value is None or not np.isfinite(without).all():
            found[measure.name] = Interval(None, how, "without some of its lines the text has no value")
            continue
        half = factor * float(np.sqrt(((without - without.mean()) ** 2).sum()))
        found[measure.name] = Interval((max(0.0, value - half), value + half), how)
    return found


def _left_out(measures: Sequence[Measure], profile: Profile, edges: IntArray) -> dict[str, FloatArray]:
    """Return each measure of the text without each stretch [B]."""
    found: dict[str, FloatArray] = {}
    counting = [measure for measure in measures if isinstance(measure, CountMeasure)]
    for measure in measures:
        if measure not in counting:
            units = measure.units(profile, edges)
            found[measure.name] = measure.of_sums(units.sum(axis=0) - units, profile.vocabulary)
    rows = max(1, CELLS // max(1, len(profile.counts)))
    parts: dict[str, list[FloatArray]] = {measure.name: [] for measure in counting}
    for start in range(0, len(edges) - 1, rows) if counting else ():
        left = profile.counts - profile.unit_counts(edges[start : start + rows + 1])
        for measure in counting:
            parts[measure.name].append(measure.of_sums(left, profile.vocabulary))
    return found | {name: np.concatenate(values) for name, values in parts.items()}
