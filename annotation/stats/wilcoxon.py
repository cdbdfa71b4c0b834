"""Wilcoxon's tests: the rank-sum of two samples, and the signed rank of paired differences."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.codes import FloatArray

RANK_DECIMALS = 10
"""Decimals kept before ranking, so that floating-point noise breaks no tie."""

EXACT_UP_TO = 50
"""Signed ranks of this many differences are tested exactly, ties included."""

ZERO_METHODS = ("wilcox", "pratt")


class RankSample(NamedTuple):
    """A sample made ready for ranking: distinct values, how often each occurs, Σ (t³ − t) over them, size."""

    values: FloatArray
    times: FloatArray
    ties: float
    n: int


class SignedRank(NamedTuple):
    """P-values of the signed-rank test: the differences tend to be positive, negative, and either."""

    greater: float
    less: float
    two_sided: float


def sorted_sample(values: FloatArray) -> FloatArray:
    """Return the values that are not nan, rounded for ranking, in order [n]."""
    rounded = np.round(values[~np.isnan(values)], RANK_DECIMALS) + 0.0
    rounded.sort()
    return rounded


def rank_sample(ordered: FloatArray) -> RankSample:
    """Make a sample as `sorted_sample` returns it [n] ready for ranking."""
    if not len(ordered):
        return RankSample(ordered, ordered, 0.0, 0)
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    times = np.diff(np.append(first, len(ordered))).astype(np.float64)
    return RankSample(ordered[first], times, float((times**3 - times).sum()), len(ordered))


def greater_counts(first: RankSample, second: RankSample, ordered: FloatArray) -> tuple[float, float]:
    """Return Mann and Whitney's U of `first` (ties count half), and Σ (t³ − t) over both samples together.

    Args:
        first: a sample.
        second: another one.
        ordered: the second one, sorted [n2].
    """
    below = np.searchsorted(ordered, first.values, side="left")
    u = float((first.times * below).sum())
    if not len(ordered):
        return u, first.ties + second.ties
    tied = np.flatnonzero(ordered[np.minimum(below, len(ordered) - 1)] == first.values)
    if not len(tied):
        return u, first.ties + second.ties
    own = first.times[tied]
    other = np.searchsorted(ordered, first.values[tied], side="right") - below[tied].astype(np.float64)
    both = own + other
    more = (both**3 - both) - (own**3 - own) - (other**3 - other)
    return u + float((own * other).sum()) / 2, first.ties + second.ties + float(more.sum())


def rank_sum_p(first: FloatArray, second: FloatArray) -> float:
    """Return the one-sided p that `first` tends to be greater (Wilcoxon rank-sum, unpaired).

    Normal approximation with continuity and tie correction, as R's wilcox.test and scipy's
    mannwhitneyu(alternative="greater", method="asymptotic"). 1.0 when all values are tied.

    Args:
        first: sample [n1], n1 ≥ 1, as `sorted_sample` returns it.
        second: sample [n2], n2 ≥ 1, likewise.
    """
    return ranked_sum_p(rank_sample(first), rank_sample(second), second)


def ranked_sum_p(first: RankSample, second: RankSample, ordered: FloatArray) -> float:
    """Return `rank_sum_p` of samples made ready before; `ordered` is the second one, sorted [n2]."""
    n1, n2 = first.n, second.n
    total = n1 + n2
    u, ties = greater_counts(first, second, ordered)
    variance = n1 * n2 / 12 * ((total + 1) - ties / (total * (total - 1)))
    if ties >= float(total) ** 3 - total or variance <= 0:
        return 1.0
    return min(1.0, float(stats.norm.sf((u - n1 * n2 / 2 - 0.5) / sqrt(variance))))


def same_sample(first: FloatArray, second: FloatArray) -> bool:
    """Return whether two systems have the same z on the same segments, within rounding [S], [S]."""
    if (np.abs(first - second) > 10.0**-RANK_DECIMALS).any():
        return False
    return bool(
        np.array_equal(np.round(first, RANK_DECIMALS), np.round(second, RANK_DECIMALS), equal_nan=True)
    )


def signed_rank(differences: FloatArray, zero_method: str = "wilcox") -> SignedRank:
    """Test whether paired differences tend to one side (Wilcoxon signed-rank).

    The sizes of the differences are ranked, ties sharing their mean rank. Up to 50 differences are tested by
    their exact distribution over all signs, whatever their ties (scipy's method "exact", and its permutations
    where there are ties); more of them by the normal approximation with tie correction and without
    continuity correction (scipy's "asymptotic"). Without any difference every p is 1.

    Args:
        differences: rounded to `RANK_DECIMALS` before ranking; nan is no difference [n].
        zero_method: "wilcox" leaves zeros out; "pratt" ranks them and then leaves them out.

    Raises:
        ValueError: an unknown zero method.
    """
    if zero_method not in ZERO_METHODS:
        raise ValueError(f"unknown zero method {zero_method!r}, expected one of {', '.join(ZERO_METHODS)}")
    ordered = sorted_sample(differences)
    up, down = ordered[ordered > 0], -ordered[ordered < 0][::-1]
    zeros = len(ordered) - len(up) - len(down) if zero_method == "pratt" else 0
    n = len(up) + len(down)
    if n == 0:
        return SignedRank(1.0, 1.0, 1.0)
    if n <= EXACT_UP_TO:
        return _exact(up, down, zeros)
    u, ties = greater_counts(rank_sample(up), rank_sample(down), down)
    positive = u + len(up) * (len(up) + 1) / 2 + zeros * len(up)
    every = n + zeros
    mean = (every * (every + 1) - zeros * (zeros + 1)) / 4
    cubic = every * (every + 1) * (2 * every + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    deviation = (positive - mean) / sqrt((cubic - ties / 2) / 24)
    greater, less = float(stats.norm.sf(deviation)), float(stats.norm.cdf(deviation))
    return SignedRank(greater, less, min(1.0, 2 * min(greater, less)))


def _exact(up: FloatArray, down: FloatArray, zeros: int) -> SignedRank:
    """Sum the distribution of the positive ranks over all signs; ranks are doubled to be whole."""
    doubled = np.rint(2 * (stats.rankdata(np.concatenate([up, down])) + zeros)).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] += ways[:-rank].copy()
    share = ways / 2.0 ** len(doubled)
    positive = int(doubled[: len(up)].sum())
    greater, less = float(share[positive:].sum()), float(share[: positive + 1].sum())
    return SignedRank(min(1.0, greater), min(1.0, less), min(1.0, 2 * min(greater, less)))
