"""Tests of a difference: paired bootstrap, rank-sum, exact sign test, and Wilson's interval of a share."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.records import FloatArray

TIE_TOLERANCE = 1e-12
"""A resampled difference this close to 0 is 0."""

RANK_DECIMALS = 10
"""Decimals kept before ranking, so that floating-point noise breaks no tie."""


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


def sorted_sample(values: FloatArray) -> FloatArray:
    """Return the values that are not nan, rounded for ranking, in order [n]."""
    rounded = np.round(values[~np.isnan(values)], RANK_DECIMALS) + 0.0
    rounded.sort()
    return rounded


def rank_sum_p(first: FloatArray, second: FloatArray) -> float:
    """Return the one-sided p that `first` tends to be greater (Wilcoxon rank-sum, unpaired).

    Normal approximation with continuity and tie correction, as R's wilcox.test and scipy's
    mannwhitneyu(alternative="greater", method="asymptotic"). 1.0 when all values are tied.

    Args:
        first: sample [n1], n1 ≥ 1, as `sorted_sample` returns it.
        second: sample [n2], n2 ≥ 1, likewise.
    """
    n1, n2 = len(first), len(second)
    total = n1 + n2
    below = np.searchsorted(second, first, side="left")
    not_above = np.searchsorted(second, first, side="right")
    u = (float(below.sum()) + float(not_above.sum())) / 2
    pooled = np.sort(np.concatenate([first, second]), kind="stable")
    edges = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1], [True]]))
    runs = np.diff(edges).astype(np.float64)
    ties = float((runs**3 - runs).sum())
    variance = n1 * n2 / 12 * ((total + 1) - ties / (total * (total - 1)))
    if len(runs) == 1 or variance <= 0:
        return 1.0
    return min(1.0, float(stats.norm.sf((u - n1 * n2 / 2 - 0.5) / sqrt(variance))))


def same_sample(first: FloatArray, second: FloatArray) -> bool:
    """Return whether two systems have the same z on the same segments, within rounding [S], [S]."""
    return bool(
        np.array_equal(np.round(first, RANK_DECIMALS), np.round(second, RANK_DECIMALS), equal_nan=True)
    )


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


def wilson_interval(count: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of the share count / n, None when n = 0 (Wilson 1927)."""
    if n == 0:
        return None
    quantile = float(stats.norm.ppf((1 + level) / 2))
    share, square = count / n, quantile**2
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == n else min(1.0, centre + half)
    return low, high
