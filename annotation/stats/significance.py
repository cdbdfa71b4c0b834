"""Tests of a difference: paired bootstrap, exact sign test, Holm's correction, Wilson's interval of a share.

Wilcoxon's tests are in `wilcoxon`, the randomisation test in `randomisation`.
"""

from __future__ import annotations

from math import frexp, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.codes import FloatArray, IntArray
from annotation.stats.wilcoxon import RANK_DECIMALS, rank_sum_p, same_sample, sorted_sample

__all__ = [
    "RANK_DECIMALS", "TIE_TOLERANCE", "BootstrapP", "SignTest", "bootstrap_p_values", "bounded", "holm",
    "is_bound", "rank_sum_p", "same_sample", "sign_test", "sorted_sample", "wilson_interval",
]  # fmt: skip

TIE_TOLERANCE = 1e-12
"""A resampled difference this close to 0 is 0."""


class BootstrapP(NamedTuple):
    """P-values of the paired bootstrap [P]: a better than b, b better than a, and either."""

    greater: FloatArray
    less: FloatArray
    two_sided: FloatArray


def bootstrap_p_values(differences: FloatArray) -> BootstrapP:
    """Return the p-values of resampled differences a − b (Koehn 2004; ties count against the claim).

    One-sided p = (#{D* ≤ 0} + 1) / (B + 1); two-sided p = min(1, 2 · the smaller of both directions).

    Args:
        differences: D* [B, P].
    """
    resamples = len(differences)
    greater = (np.count_nonzero(differences <= TIE_TOLERANCE, axis=0) + 1) / (resamples + 1)
    less = (np.count_nonzero(differences >= -TIE_TOLERANCE, axis=0) + 1) / (resamples + 1)
    return BootstrapP(greater, less, np.minimum(1.0, 2 * np.minimum(greater, less)))


def bounded(p_values: BootstrapP, differing: IntArray) -> BootstrapP:
    """Return the p-values, none below what turning signs could give: 2⁻ⁿ, two-sided min(1, 2 · 2⁻ⁿ).

    A resample of few units repeats them, and the bootstrap alone would call two of them significant.

    Args:
        p_values: of P pairs.
        differing: n, the units (segments, documents) in which the two differ [P].
    """
    least = 0.5 ** np.asarray(differing, dtype=np.float64)
    return BootstrapP(
        np.maximum(p_values.greater, least),
        np.maximum(p_values.less, least),
        np.maximum(p_values.two_sided, np.minimum(1.0, 2 * least)),
    )


def is_bound(p_value: float | None, n: int) -> bool:
    """Tell whether a bootstrap p of n units (at most) is the bound of `bounded`: a power of ½."""
    return p_value is not None and 0.5**n <= p_value < 1 and frexp(p_value)[0] == 0.5


def holm(p_values: FloatArray) -> FloatArray:
    """Return Holm's adjusted p-values (Holm 1979): rejecting those below α keeps the family's error at α [P].

    Args:
        p_values: nan is no test: it stays nan and does not count in the family [P].
    """
    adjusted = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


class SignTest(NamedTuple):
    """P-values of the exact sign test: wins outnumber losses, and either outnumbers the other."""

    one_sided: float
    two_sided: float


def sign_test(wins: int, losses: int) -> SignTest:
    """Test exactly whether wins outnumber losses; ties are left out, and without any count p = 1."""
    n = wins + losses
    if n == 0:
        return SignTest(1.0, 1.0)
    greater = stats.binomtest(wins, n, 0.5, alternative="greater").pvalue
    return SignTest(min(1.0, float(greater)), min(1.0, float(stats.binomtest(wins, n, 0.5).pvalue)))


def wilson_interval(count: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of the share count / n, None when n = 0 (Wilson 1927).

    Neither need be whole: n may be what comparisons that resemble each other are worth.
    """
    if n == 0:
        return None
    quantile = float(stats.norm.ppf((1 + level) / 2))
    share, square = count / n, quantile**2
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == n else min(1.0, centre + half)
    return low, high
