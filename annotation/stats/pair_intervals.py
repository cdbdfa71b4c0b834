"""Agreement of two scores over pairs of systems, with intervals over the systems.

What is averaged over pairs of systems is a U-statistic of the systems, so its interval comes from the
jackknife: each system left out in turn (Arvesen 1969). Scores are oriented alike: higher is better.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy import stats

from annotation.stats.correlation import CorrelationError
from annotation.stats.estimate import Estimate, join_caveats, undefined
from annotation.stats.records import FloatArray
from annotation.stats.wilcoxon import RANK_DECIMALS

FEWEST = 4
"""Systems from which an interval is given."""


def pair_mean(agreement: npt.ArrayLike, level: float = 0.95) -> Estimate:
    """Return the mean over pairs of systems with its jackknife interval, cut to [0, 1].

    Args:
        agreement: of systems i and j, in [0, 1] [N, N], symmetric; nan where a pair does not count. The
            diagonal is not looked at.
        level: of the interval, in (0, 1).

    Raises:
        CorrelationError: the table is not square.
    """
    table = np.array(agreement, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise CorrelationError(f"a square table was expected, found {table.shape}")
    np.fill_diagonal(table, np.nan)
    present = ~np.isnan(table)
    sums, counts = np.where(present, table, 0.0).sum(axis=1), present.sum(axis=1)
    pairs = int(counts.sum()) // 2
    if not pairs:
        return undefined(0, "fewer than two systems" if len(table) < 2 else "no pair of systems to compare")
    value = float(sums.sum() / 2 / pairs)
    caught = counts > 0
    n = int(caught.sum())
    if n < FEWEST:
        return Estimate(value, pairs, caveat=f"{n} systems are too few for an interval")
    left = pairs - counts[caught]
    without = (sums.sum() / 2 - sums[caught]) / np.where(left > 0, left, 1)
    if not (left > 0).all():
        return Estimate(value, pairs, caveat="one system is in every pair, so no interval")
    spread = sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    if spread <= 1e-12:
        return Estimate(value, pairs, caveat="all systems agree alike, so no interval")
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * spread
    return Estimate(value, pairs, max(0.0, value - half), min(1.0, value + half))


def order_agreement(human: npt.ArrayLike, metric: npt.ArrayLike, groups: npt.ArrayLike) -> FloatArray:
    """Return 1 where two scores order a pair of systems alike, 0 where not, nan across groups [N, N].

    The mean is pairwise accuracy (Kocmi et al. 2021): a tie of one agrees only with a tie of the other.

    Args:
        human: system scores [N], finite.
        metric: system scores [N], finite.
        groups: condition of each system [N]; only systems of one condition make pairs.
    """
    signs = [
        np.sign(np.round(np.subtract.outer(own, own), RANK_DECIMALS))
        for own in (np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64))
    ]
    return _within(np.where(signs[0] == signs[1], 1.0, 0.0), groups)


def soft_agreement(p_human: npt.ArrayLike, p_metric: npt.ArrayLike, groups: npt.ArrayLike) -> FloatArray:
    """Return 1 − |p_h − p_m| of each pair, nan across groups or without a p-value [N, N].

    The mean is soft pairwise accuracy (Thompson et al. 2024).

    Args:
        p_human: p-values that system i is better than j [N, N], as of `pairwise_p_values`.
        p_metric: the same by the metric [N, N].
        groups: condition of each system [N].
    """
    h, m = np.asarray(p_human, dtype=np.float64), np.asarray(p_metric, dtype=np.float64)
    return _within(1 - np.abs(h - m), groups)


def with_caveat(found: Estimate, *more: str) -> Estimate:
    """Return an estimate that says something more."""
    return found._replace(caveat=join_caveats(found.caveat, *more))


def _within(table: FloatArray, groups: npt.ArrayLike) -> FloatArray:
    group = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
    return np.where(group[:, None] == group[None, :], table, np.nan)
