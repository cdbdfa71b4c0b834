"""How often a metric orders pairs as people do: pairwise, soft, Kendall-like, and with ties.

Scores are oriented alike: for human and metric scores, higher is better. Values equal to ten decimals are
ties. Every value is None, with a caveat, when there is no pair to judge by.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.stats.correlation import CorrelationError
from annotation.stats.estimate import Estimate, undefined
from annotation.stats.records import BoolArray, FloatArray, IntArray
from annotation.stats.wilcoxon import RANK_DECIMALS

NO_PAIRS = "no pair has scores of both"
CHUNK_CELLS = 4_000_000


def pairwise_accuracy(
    human: npt.ArrayLike, metric: npt.ArrayLike, groups: npt.ArrayLike | None = None
) -> Estimate:
    """Return the share of system pairs that metric and people order alike (Kocmi et al. 2021).

    A pair counts as ordered alike when the signs of both differences are equal; so a tie of one agrees only
    with a tie of the other. `n` is the number of pairs.

    Args:
        human: system scores [N].
        metric: system scores [N].
        groups: language pair or test set of each system [N]; only systems of one group make pairs.

    Raises:
        CorrelationError: lengths differ or a score is not finite.
    """
    h, m = _same_shape(human, metric, 1)
    if np.isnan(h).any() or np.isnan(m).any():
        raise CorrelationError("a system has no score")
    group = np.zeros(len(h), dtype=np.int64) if groups is None else np.unique(groups, return_inverse=True)[1]
    if len(group) != len(h):
        raise CorrelationError(f"{len(h)} systems, but {len(group)} groups")
    first, second = np.triu_indices(len(h), 1)
    inside = group[first] == group[second]
    alike = np.sign(_difference(h, first, second)) == np.sign(_difference(m, first, second))
    n = int(inside.sum())
    return Estimate(float(alike[inside].mean()), n) if n else undefined(0, "fewer than two systems")


def pairwise_p_values(scores: npt.ArrayLike, rng: np.random.Generator, resamples: int = 1000) -> FloatArray:
    """Return p-values that system i is better than j, by paired sign flips over segments [N, N].

    p = (#{D* > D} + ½ #{D* = D}) / B (mid-p), where the signs of the segments' differences are flipped at
    random; so p_ji = 1 − p_ij, and identical systems have ½. The diagonal is ½; nan marks pairs without a
    common segment.

    Args:
        scores: segment scores [N systems, S segments], nan where there is none.
        rng: the source of chance; the flips are the same for all pairs.
        resamples: B.
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2:
        raise CorrelationError("a table of systems by segments was expected")
    first, second = np.triu_indices(len(x), 1)
    result = np.full((len(x), len(x)), np.nan)
    np.fill_diagonal(result, 0.5)
    width = max(1, CHUNK_CELLS // max(1, x.shape[1]))
    seed = int(rng.integers(2**63))
    for start in range(0, len(first), width):
        a, b = first[start : start + width], second[start : start + width]
        p = _flip(x[a] - x[b], np.random.default_rng(seed), resamples)
        result[a, b], result[b, a] = p, 1 - p
    return result


def _flip(differences: FloatArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Return the mid-p of each row of differences [P, S]."""
    absent = np.isnan(differences)
    d = np.where(absent, 0.0, differences)
    observed = d.sum(axis=1)
    tolerance = 1e-10 * np.maximum(1.0, np.abs(d).sum(axis=1))
    above = np.zeros(len(d))
    rows = max(1, CHUNK_CELLS // max(1, d.shape[1]))
    for start in range(0, resamples, rows):
        flips = rng.integers(0, 2, size=(min(rows, resamples - start), d.shape[1]), dtype=np.int8) * 2.0 - 1.0
        excess = flips @ d.T - observed
        above += (excess > tolerance).sum(axis=0) + 0.5 * (np.abs(excess) <= tolerance).sum(axis=0)
    return np.where(absent.all(axis=1), np.nan, above / resamples)


def soft_pairwise_accuracy(p_human: npt.ArrayLike, p_metric: npt.ArrayLike) -> Estimate:
    """Return 1 − mean |p_h − p_m| over system pairs (Thompson et al. 2024, used at WMT24).

    `n` is the number of pairs; pairs without a p-value (nan) are left out, and counted in the caveat.

    Args:
        p_human: p-values that system i is better than j by human scores [N, N], see `pairwise_p_values`.
        p_metric: the same by metric scores [N, N].

    Raises:
        CorrelationError: the tables differ in shape or hold something outside 0 to 1.
    """
    h, m = _same_shape(p_human, p_metric, 2)
    upper = np.triu_indices(len(h), 1)
    h, m = h[upper], m[upper]
    both = ~(np.isnan(h) | np.isnan(m))
    kept = np.concatenate([h[both], m[both]])
    if kept.size and (kept.min() < 0 or kept.max() > 1):
        raise CorrelationError("a p-value is outside 0 to 1")
    n = int(both.sum())
    if not n:
        return undefined(0, NO_PAIRS)
    lost = len(h) - n
    caveat = f"{lost} pairs without a common segment left out" if lost else ""
    return Estimate(1 - float(np.abs(h - m)[both].mean()), n, caveat=caveat)


class KendallLike(NamedTuple):
    """(concordant − discordant) / (concordant + discordant), metric ties among the discordant."""

    value: float | None
    concordant: int
    discordant: int
    metric_ties: int
    threshold: float
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def kendall_like(human: npt.ArrayLike, metric: npt.ArrayLike, threshold: float = 25.0) -> KendallLike:
    """Return WMT's Kendall-like τ over pairs of systems on the same segment (daRR, WMT17 to WMT21).

    Pairs count when the human scores differ by at least `threshold` (and at all); the metric then agrees or
    not, and a tie of the metric is a disagreement.

    Args:
        human: segment scores [N systems, S segments], nan where there is none.
        metric: the same of a metric [N, S].
        threshold: in points of the human scale, 0 or more (25 raw points at WMT).

    Raises:
        CorrelationError: tables of different shape, or a negative threshold.
    """
    if not threshold >= 0:
        raise CorrelationError(f"the threshold must be 0 or more, found {threshold}")
    concordant = discordant = ties = 0
    for dh, dm, _ in _segment_pairs(*_same_shape(human, metric, 2)):
        counted = (np.abs(dh) >= round(threshold, RANK_DECIMALS)) & (dh != 0)
        agree = int((np.sign(dh) == np.sign(dm))[counted].sum())
        concordant += agree
        discordant += int(counted.sum()) - agree
        ties += int((dm == 0)[counted].sum())
    total = concordant + discordant
    if not total:
        caveat = f"no pair of human scores differs by {threshold:g}"
        return KendallLike(None, 0, 0, 0, threshold, caveat)
    return KendallLike((concordant - discordant) / total, concordant, discordant, ties, threshold)


class TieAccuracy(NamedTuple):
    """acc_eq and the width of a metric tie, `epsilon`, in points of the metric.

    `value_without_ties` is the accuracy at epsilon = 0. `n_segments` have at least one of the `n_pairs`.
    """

    value: float | None
    epsilon: float | None
    value_without_ties: float | None
    n_pairs: int
    n_segments: int
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def accuracy_with_ties(
    human: npt.ArrayLike, metric: npt.ArrayLike, epsilon: float | None = None
) -> TieAccuracy:
    """Return acc_eq with tie calibration, grouped by segment (Deutsch et al. 2023; WMT23).

    On each segment acc = (concordant + tied in both) / pairs of systems; the result is the mean over
    segments. Metric scores that differ by at most ε are tied. Without a given ε the smallest one that makes
    the accuracy greatest is found by sorting all |Δmetric|: one pass, no grid. A calibrated ε is chosen on
    the scores it is judged by, which flatters every metric alike.

    Args:
        human: segment scores [N systems, S segments], nan where there is none.
        metric: the same of a metric [N, S].
        epsilon: width of a metric tie, 0 or more; None calibrates it.

    Raises:
        CorrelationError: tables of different shape, or a negative epsilon.
    """
    if epsilon is not None and not epsilon >= 0:
        raise CorrelationError(f"epsilon must be 0 or more, found {epsilon}")
    pairs = _segment_pairs(*_same_shape(human, metric, 2))
    if not sum(len(dh) for dh, _, _ in pairs):
        return TieAccuracy(None, None, None, 0, 0, NO_PAIRS)
    dh, dm, segment = (np.concatenate(column) for column in zip(*pairs, strict=True))
    size = np.bincount(segment)
    segments = int((size > 0).sum())
    weight = 1 / (size[segment] * segments)
    widths, values = _accuracy_by_width(np.abs(dm), dh == 0, np.sign(dh) == np.sign(dm), weight)
    if epsilon is None:
        # equal but for rounding counts as equal, so that the smallest width is chosen
        best = int(np.flatnonzero(values >= values.max() - 1e-12)[0])
        epsilon, value = float(widths[best]), float(values[best])
    else:
        value = float(values[np.searchsorted(widths, round(epsilon, RANK_DECIMALS), side="right") - 1])
    return TieAccuracy(value, epsilon, float(values[0]), len(dh), segments)


def _accuracy_by_width(
    gap: FloatArray, human_tie: BoolArray, same_sign: BoolArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the widths 0 and every distinct |Δmetric| [W], and the accuracy at each [W]."""
    order = np.argsort(gap, kind="stable")
    gap, tied, apart = gap[order], (weight * human_tie)[order], (weight * same_sign)[order]
    widths = np.unique(np.concatenate([[0.0], gap]))
    inside = np.searchsorted(gap, widths, side="right")
    tied_sum, apart_sum = (np.concatenate([[0.0], np.cumsum(part)]) for part in (tied, apart))
    return widths, tied_sum[inside] + apart_sum[-1] - apart_sum[inside]


def _segment_pairs(human: FloatArray, metric: FloatArray) -> list[tuple[FloatArray, FloatArray, IntArray]]:
    """Return Δhuman, Δmetric and segment of each pair of systems that both scores have."""
    found = []
    for a, b in combinations(range(len(human)), 2):
        dh = np.round(human[a] - human[b], RANK_DECIMALS)
        dm = np.round(metric[a] - metric[b], RANK_DECIMALS)
        where = np.flatnonzero(~(np.isnan(dh) | np.isnan(dm)))
        found.append((dh[where], dm[where], where))
    return found


def _difference(scores: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    return np.round(scores[first] - scores[second], RANK_DECIMALS)


def _same_shape(human: npt.ArrayLike, metric: npt.ArrayLike, ndim: int) -> tuple[FloatArray, FloatArray]:
    h, m = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if h.shape != m.shape or h.ndim != ndim:
        raise CorrelationError(
            f"human and metric scores must have one shape of {ndim} dimensions, found {h.shape} and {m.shape}"
        )
    if np.isinf(h).any() or np.isinf(m).any():
        raise CorrelationError("a score is infinite")
    return h, m
