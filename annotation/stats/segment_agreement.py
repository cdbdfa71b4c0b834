"""How metrics agree with people over single segments: each coefficient with its interval over segments.

A segment has the scores of several systems, which are alike. So intervals come from resampled segments, whole
with all their systems, and every metric has the same resamples: differences of metrics are paired. What is
resampled is written as sums over segments, so that all resamples are one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from annotation.stats.correlation import CERTAIN, CorrelationError, kendall, spearman, why_undefined
from annotation.stats.estimate import Estimate, join_caveats, undefined
from annotation.stats.pair_accuracy import accuracy_with_ties, kendall_like
from annotation.stats.records import FloatArray, IntArray
from annotation.stats.resampling import percentile_interval, resample_counts
from annotation.stats.wilcoxon import RANK_DECIMALS

ALIKE = "its interval takes scores of one segment as independent"


@dataclass(frozen=True, eq=False)
class SegmentAgreement:
    """What one metric and people agree on; `draws` are Pearson's r in each resample, nan where undefined [B].

    `n_segments` counts units with a score of both. `epsilon` is the width of a metric tie that acc_eq chose,
    None without acc_eq.
    """

    n: int
    n_segments: int
    estimates: dict[str, Estimate]
    epsilon: float | None
    draws: FloatArray


def segment_agreement(
    human: npt.ArrayLike,
    metrics: Sequence[npt.ArrayLike],
    strata: IntArray,
    rng: np.random.Generator,
    *,
    units: IntArray | None = None,
    ranked: npt.ArrayLike | None = None,
    threshold: float = 25.0,
    resamples: int = 1000,
) -> list[SegmentAgreement]:
    """Compare the segment scores of each metric with those of people.

    Coefficients are "pearson", "spearman" and "kendall" over all scores together, "kendall_like" (pairs on
    the same segment at least `threshold` apart) and "acc_eq" (with tie calibration).

    Args:
        human: segment scores [N systems, S segments], nan where there is none.
        metrics: the same of each metric [N, S], higher is better.
        strata: test set of each unit, a code [U].
        rng: the source of chance.
        units: what is resampled, a code for each segment [S]; None: the segments (U = S).
        ranked: human scores whose differences `threshold` is about, raw ones beside z [N, S]; None: `human`.
        threshold: in points of `ranked`.
        resamples: B, 0 for no intervals.

    Raises:
        CorrelationError: tables of different shape.
    """
    h = _table(human)
    by_points = h if ranked is None else _table(ranked)
    tables = [_table(metric) for metric in metrics]
    units = np.arange(h.shape[1]) if units is None else units
    if any(table.shape != h.shape for table in (by_points, *tables)) or len(units) != h.shape[1]:
        raise CorrelationError("the tables of human and metric scores have different shapes")
    found = [_one(h, by_points, table, units, threshold) for table in tables]
    sums = [_per_unit(parts, units, len(strata)) for _, parts, _, _ in found]
    drawn = _resampled(sums, strata, rng, resamples) if resamples and h.size else [None] * len(found)
    return [
        _with_intervals(estimates, own, epsilon, counts)
        for (estimates, _, epsilon, counts), own in zip(found, drawn, strict=True)
    ]


def preference_agreement(
    net: npt.ArrayLike,
    metrics: Sequence[npt.ArrayLike],
    units: IntArray,
    strata: IntArray,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> list[SegmentAgreement]:
    """Compare the preferences of people with the differences of metrics, on each pair of outputs.

    Which system stands first is a matter of names, so only what does not depend on it is given:
    "kendall_like" ((agreeing − disagreeing) / both, over pairs that people decided; a metric tie disagrees)
    and "acc_eq" (ties of people counted in, width of a metric tie calibrated), a pair on a segment each.

    Args:
        net: how much more often people preferred the first [P pairs on segments].
        metrics: score of the first minus that of the second, nan where there is none [P], of each metric.
        units: segment of each pair, a code from 0 [P].
        strata: test set of each segment [S].
        rng: the source of chance.
        resamples: B of segments, 0 for no intervals.
    """
    h = _table([np.asarray(net, dtype=np.float64), np.zeros(np.shape(net))])
    found = []
    for metric in metrics:
        m = np.asarray(metric, dtype=np.float64)
        found.append(_preferred(h, _table([m, np.where(np.isnan(m), np.nan, 0.0)])))
    sums = [_per_unit(parts, units, len(strata)) for _, parts, _, _ in found]
    drawn = _resampled(sums, strata, rng, resamples) if resamples and h.size else [None] * len(found)
    return [
        _with_intervals(estimates, own, epsilon, (counts[0], len(np.unique(units[~np.isnan(metric)]))))
        for (estimates, _, epsilon, counts), own, metric in zip(
            found, drawn, map(np.asarray, metrics), strict=True
        )
    ]


Found = tuple[dict[str, Estimate], FloatArray, float | None, tuple[int, int]]
PEARSON, LIKE, TIES = slice(0, 6), slice(6, 8), slice(8, 10)
"""Columns of the sums of a segment: n, Σh, Σm, Σh², Σm², Σhm; agreeing, disagreeing; accuracy, segments."""


def _one(h: FloatArray, by_points: FloatArray, m: FloatArray, units: IntArray, threshold: float) -> Found:
    both = ~(np.isnan(h) | np.isnan(m))
    x, y = h[both], m[both]
    n, reason = len(x), why_undefined(x, y)
    parts = np.zeros((h.shape[1], 10))
    parts[:, LIKE], parts[:, TIES] = _like_parts(by_points, m, threshold), 0.0
    estimates: dict[str, Estimate] = {}
    if reason:
        estimates = {name: undefined(n, reason) for name in ("pearson", "spearman", "kendall")}
    else:
        parts[:, PEARSON] = _pearson_parts(h, m, both)
        estimates["pearson"] = Estimate(float(_pearson(parts[:, PEARSON].sum(axis=0))), n)
        for name, estimate in (("spearman", spearman), ("kendall", kendall)):
            own = estimate(x, y)
            caveat = join_caveats(own.caveat, ALIKE) if own.low is not None else own.caveat
            estimates[name] = own._replace(caveat=caveat)
    _pair_estimates(estimates, by_points, h, m, threshold)
    epsilon = accuracy_with_ties(h, m).epsilon
    if epsilon is not None:
        parts[:, TIES] = _tie_parts(h, m, epsilon)
    return estimates, parts, epsilon, (n, len(np.unique(units[both.any(axis=0)])))


def _preferred(h: FloatArray, m: FloatArray) -> Found:
    estimates: dict[str, Estimate] = {}
    _pair_estimates(estimates, h, h, m, 0.0)
    parts = np.zeros((h.shape[1], 10))
    parts[:, LIKE] = _like_parts(h, m, 0.0)
    epsilon = accuracy_with_ties(h, m).epsilon
    if epsilon is not None:
        parts[:, TIES] = _tie_parts(h, m, epsilon)
    return estimates, parts, epsilon, (int((~np.isnan(m[0])).sum()), 0)


def _pair_estimates(
    estimates: dict[str, Estimate], by_points: FloatArray, h: FloatArray, m: FloatArray, threshold: float
) -> None:
    like = kendall_like(by_points, m, threshold)
    estimates["kendall_like"] = Estimate(like.value, like.concordant + like.discordant, caveat=like.caveat)
    ties = accuracy_with_ties(h, m)
    estimates["acc_eq"] = Estimate(ties.value, ties.n_pairs, caveat=ties.caveat)


def _pearson_parts(h: FloatArray, m: FloatArray, both: npt.NDArray[np.bool_]) -> FloatArray:
    """Return n and the sums of both scores, their squares and products, over the systems of each segment."""
    x, y = (np.where(both, own - own[both].mean(), 0.0) for own in (h, m))
    x, y = (own / max(float(np.abs(own).max()), 1e-300) for own in (x, y))
    columns = [both.astype(np.float64), x, y, x * x, y * y, x * y]
    return np.column_stack([column.sum(axis=0) for column in columns])


def _pearson(sums: FloatArray) -> FloatArray:
    """Return Pearson's r of each row of summed parts [..., 6] → [...]; nan where a series is constant."""
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (xx - x * x / n) * (yy - y * y / n)
        r: FloatArray = (xy - x * y / n) / np.sqrt(np.where(spread > 1e-24, spread, np.nan))
    return np.clip(r, -1.0, 1.0)


def _like_parts(h: FloatArray, m: FloatArray, threshold: float) -> FloatArray:
    """Return how many pairs of systems agree and disagree on each segment [S, 2]."""
    parts = np.zeros((h.shape[1], 2))
    for dh, dm in _pairs(h, m):
        counted = (np.abs(dh) >= round(threshold, RANK_DECIMALS)) & (dh != 0) & ~np.isnan(dm)
        agree = counted & (np.sign(dh) == np.sign(dm))
        parts[:, 0] += agree
        parts[:, 1] += counted & ~agree
    return parts


def _tie_parts(h: FloatArray, m: FloatArray, epsilon: float) -> FloatArray:
    """Return the accuracy on each segment with metric ties of a width, and 1 where there is a pair [S, 2]."""
    right, pairs = np.zeros(h.shape[1]), np.zeros(h.shape[1])
    for dh, dm in _pairs(h, m):
        present = ~(np.isnan(dh) | np.isnan(dm))
        tied = np.abs(dm) <= round(epsilon, RANK_DECIMALS)
        right += present & np.where(tied, dh == 0, (dh != 0) & (np.sign(dh) == np.sign(dm)))
        pairs += present
    return np.column_stack([right / np.maximum(pairs, 1), pairs > 0])


def _pairs(h: FloatArray, m: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    return [
        (np.round(h[a] - h[b], RANK_DECIMALS), np.round(m[a] - m[b], RANK_DECIMALS))
        for a, b in combinations(range(len(h)), 2)
    ]


def _per_unit(parts: FloatArray, units: IntArray, size: int) -> FloatArray:
    columns = [np.bincount(units, weights=column, minlength=size) for column in parts.T]
    return np.column_stack(columns)


def _resampled(
    sums: Sequence[FloatArray], strata: IntArray, rng: np.random.Generator, resamples: int
) -> list[FloatArray | None]:
    """Return the sums of each metric in each resample of segments [B, 10]."""
    drawn: list[list[FloatArray]] = [[] for _ in sums]
    for counts in resample_counts(rng, strata, resamples):
        for own, parts in zip(drawn, sums, strict=True):
            own.append(counts @ parts)
    return [np.concatenate(own) if own else None for own in drawn]


def _with_intervals(
    estimates: dict[str, Estimate], drawn: FloatArray | None, epsilon: float | None, n: tuple[int, int]
) -> SegmentAgreement:
    draws = np.full(0, np.nan)
    if drawn is not None:
        draws = _pearson(drawn[:, PEARSON])
        agree, disagree = drawn[:, LIKE].T
        right, segments = drawn[:, TIES].T
        with np.errstate(divide="ignore", invalid="ignore"):
            likes = (agree - disagree) / (agree + disagree)
            accuracies = right / segments
        named = {"pearson": draws, "kendall_like": likes, "acc_eq": accuracies}
        estimates = estimates | {
            name: _interval(estimates[name], values) for name, values in named.items() if name in estimates
        }
    return SegmentAgreement(n[0], n[1], estimates, epsilon, draws)


def _interval(found: Estimate, draws: FloatArray) -> Estimate:
    """Return an estimate with the percentile interval of its resamples that have a value."""
    kept = draws[np.isfinite(draws)]
    if found.value is None or found.n < 3 or not len(kept):
        return found
    if float(np.ptp(kept)) <= CERTAIN:
        return found._replace(caveat=join_caveats(found.caveat, "all resamples agree, so no interval"))
    low, high = percentile_interval(kept[:, None], np.array([found.value]), 0.95)[0].tolist()
    return found._replace(low=low, high=high)


def difference_p(first: FloatArray, second: FloatArray) -> float | None:
    """Return the two-sided p that two metrics correlate alike, from the same resamples [B], [B].

    p = 2 (min(#{d* ≤ 0}, #{d* ≥ 0}) + 1) / (B + 1), at most 1; None without resamples.
    """
    d = first - second
    d = d[np.isfinite(d)]
    if not len(d):
        return None
    least = min(int((d <= 0).sum()), int((d >= 0).sum()))
    return min(1.0, 2 * (least + 1) / (len(d) + 1))


def _table(values: npt.ArrayLike) -> FloatArray:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise CorrelationError(f"a table of systems by segments was expected, found {table.ndim} dimensions")
    return table
