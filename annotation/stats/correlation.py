"""Correlation of two series of scores: coefficients with intervals, and the difference of two of them.

Every function takes points in any order and gives the same digits for each. What is undefined has the value
None and a caveat that says why.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atanh, copysign, sqrt, tanh
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from annotation.stats.estimate import Estimate, undefined
from annotation.stats.records import FloatArray
from annotation.stats.resampling import percentile_interval
from annotation.stats.standardise import CONSTANT_TOLERANCE
from annotation.stats.wilcoxon import RANK_DECIMALS

TWO_POINTS = "two points always correlate perfectly"
PERFECT = "perfect correlation, so no interval"
CERTAIN = 1e-12
"""A coefficient this near to ±1 is ±1; only rounding is between."""

Statistic = Callable[[FloatArray, FloatArray], float]


class CorrelationError(ValueError):
    """Scores that cannot be put side by side."""


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Return Pearson's r with Fisher's interval: tanh(atanh r ± q / √(n − 3)).

    Args:
        x: scores [n], finite.
        y: scores [n], finite.
        level: of the interval, in (0, 1).

    Raises:
        CorrelationError: the series differ in length or hold something that is not finite.
    """
    return _estimate(x, y, _pearson, lambda r, n: 1 / sqrt(n - 3) if n > 3 else None, level)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Return Spearman's ρ; the standard error of atanh ρ is √((1 + ρ²/2) / (n − 3)) (Bonett, Wright 2000).

    Values equal to ten decimals are ties and share their mean rank. Arguments as `pearson`.
    """
    return _estimate(x, y, _spearman, lambda r, n: sqrt((1 + r * r / 2) / (n - 3)) if n > 3 else None, level)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Return Kendall's τ-b in O(n log n); the standard error of atanh τ is √(.437 / (n − 4)) (Fieller 1957).

    Values equal to ten decimals are ties. The interval is made for few ties: `bootstrap_correlation` has one
    for many. Arguments as `pearson`.
    """
    return _estimate(x, y, _kendall, lambda r, n: sqrt(0.437 / (n - 4)) if n > 4 else None, level)


def _pearson(x: FloatArray, y: FloatArray) -> float:
    dx, dy = x - x.mean(), y - y.mean()
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    r = float(dx @ dy) / sqrt(float(dx @ dx) * float(dy @ dy))
    return 1.0 if r > 1 - 1e-15 else -1.0 if r < -1 + 1e-15 else r


def _spearman(x: FloatArray, y: FloatArray) -> float:
    return _pearson(*(stats.rankdata(np.round(values, RANK_DECIMALS)) for values in (x, y)))


def _kendall(x: FloatArray, y: FloatArray) -> float:
    return float(stats.kendalltau(np.round(x, RANK_DECIMALS), np.round(y, RANK_DECIMALS)).statistic)


STATISTICS: dict[str, Statistic] = {"pearson": _pearson, "spearman": _spearman, "kendall": _kendall}
ESTIMATES: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Estimate]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def points(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both series as numbers, sorted by x, then y [n], [n].

    Raises:
        CorrelationError: the series differ in length or hold something that is not finite.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise CorrelationError(f"two series of one length were expected, found {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise CorrelationError("a score is not a finite number")
    order = np.lexsort((b, a))
    return a[order], b[order]


def is_constant(values: FloatArray) -> bool:
    """Return whether the values vary by rounding alone, as a rater's constant scores do [n], n ≥ 1."""
    return float(values.std()) <= CONSTANT_TOLERANCE * max(1.0, abs(float(values.mean())))


def why_undefined(x: FloatArray, y: FloatArray) -> str:
    """Return why two series have no correlation, "" when they have one."""
    if len(x) < 2:
        return "no points" if not len(x) else "one point only"
    flat = [name for name, values in (("first", x), ("second", y)) if is_constant(values)]
    return f"the {' and the '.join(flat)} series {'are' if len(flat) > 1 else 'is'} constant" if flat else ""


def _estimate(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    statistic: Statistic,
    error: Callable[[float, int], float | None],
    level: float,
) -> Estimate:
    a, b = points(x, y)
    n, reason = len(a), why_undefined(a, b)
    if reason:
        return undefined(n, reason)
    r = statistic(a, b)
    if np.isnan(r):  # constant once rounded for ranking
        return undefined(n, "all ranks of a series are tied")
    if n == 2:
        return Estimate(copysign(1.0, r), n, caveat=TWO_POINTS)
    if abs(r) >= 1 - CERTAIN:
        return Estimate(copysign(1.0, r), n, caveat=PERFECT)
    spread = error(r, n)
    if spread is None:
        return Estimate(r, n, caveat=f"{n} points are too few for an interval")
    half = float(stats.norm.ppf((1 + level) / 2)) * spread
    return Estimate(r, n, min(r, tanh(atanh(r) - half)), max(r, tanh(atanh(r) + half)))


def bootstrap_correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    statistic: str,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
) -> Estimate:
    """Return a coefficient with a percentile interval from resampled points.

    Resamples in which a series is constant have no coefficient and are left out, and counted in the caveat.

    Args:
        x: scores [n], finite.
        y: scores [n], finite.
        statistic: "pearson", "spearman" or "kendall".
        rng: the source of chance.
        resamples: B.
        level: of the interval, in (0, 1).

    Raises:
        CorrelationError: series that do not fit, or an unknown statistic.
    """
    if statistic not in STATISTICS:
        raise CorrelationError(f"unknown statistic {statistic!r}, expected one of {', '.join(STATISTICS)}")
    found = ESTIMATES[statistic](x, y)
    if found.value is None or found.n < 3 or found.caveat == PERFECT:
        return found
    a, b = points(x, y)
    draws = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(a), len(a))
        if not why_undefined(a[drawn], b[drawn]):
            draws.append(STATISTICS[statistic](a[drawn], b[drawn]))
    values = np.array(draws)
    values = values[~np.isnan(values)]
    if not len(values):
        return Estimate(found.value, found.n, caveat="every resample was constant, so no interval")
    low, high = percentile_interval(values[:, None], np.array([found.value]), level)[0].tolist()
    left_out = resamples - len(values)
    caveat = f"{left_out} constant resamples left out" if left_out else ""
    return Estimate(found.value, found.n, low, high, caveat)


def correlations(x: npt.ArrayLike, y: npt.ArrayLike) -> dict[str, Any]:
    """Return `{"n", "pearson", "spearman", "kendall"}`, the last three as `Estimate.as_dict`."""
    found = {name: estimate(x, y) for name, estimate in ESTIMATES.items()}
    return {"n": found["pearson"].n, **{name: estimate.as_dict() for name, estimate in found.items()}}


class Williams(NamedTuple):
    """Williams' test that one metric correlates better with people than another.

    `r_first` and `r_second` are the metrics' correlations with the human scores, `r_metrics` the one between
    them. `p_greater` is for the first being better, `p_two_sided` for either. All are None when undefined.
    """

    r_first: float | None
    r_second: float | None
    r_metrics: float | None
    t: float | None
    df: int | None
    p_greater: float | None
    p_two_sided: float | None
    n: int
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def williams_test(human: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> Williams:
    """Test the difference of two dependent correlations (Williams 1959; Graham and Baldwin 2014).

    t = (r12 − r13) √[(n − 1)(1 + r23) / (2K(n − 1)/(n − 3) + r̄²(1 − r23)³)], df = n − 3, with
    K = 1 − r12² − r13² − r23² + 2 r12 r13 r23 and r̄ = (r12 + r13) / 2; 1 is the human score, 2 and 3 the
    metrics. Metrics are oriented alike: for both, higher is better.

    Args:
        human: scores [n], finite.
        first: scores of a metric [n].
        second: scores of the other metric [n].

    Raises:
        CorrelationError: series that do not fit.
    """
    found = pearson(human, first), pearson(human, second), pearson(first, second)
    n = found[0].n
    r12, r13, r23 = (estimate.value for estimate in found)
    if r12 is None or r13 is None or r23 is None:
        return _no_williams(r12, r13, r23, n, "a series is constant" if n > 1 else "too few points")
    if n < 4:
        return _no_williams(r12, r13, r23, n, f"4 points at least are needed, there are {n}")
    if r23 >= 1 - 1e-12:
        return Williams(r12, r13, r23, 0.0, n - 3, 0.5, 1.0, n, "the metrics differ in scale only")
    k = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    below = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if below <= 1e-12:
        return _no_williams(r12, r13, r23, n, "the metrics explain the human scores without error")
    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / below)
    greater = float(stats.t.sf(t, n - 3))
    return Williams(r12, r13, r23, t, n - 3, greater, min(1.0, 2 * min(greater, 1 - greater)), n)


def _no_williams(r12: float | None, r13: float | None, r23: float | None, n: int, caveat: str) -> Williams:
    return Williams(r12, r13, r23, None, None, None, None, n, caveat)
