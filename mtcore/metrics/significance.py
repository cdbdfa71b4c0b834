"""Are two systems different by a metric? Paired bootstrap from kept statistics of segments.

Koehn (2004), and the test of sacrebleu (after Clark et al. 2011), from one count matrix for all systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mtcore.metrics.base import FloatArray, Metric, MetricError, total

TESTS = ("koehn", "sacrebleu")
SACREBLEU_SEED = 12345
"""The seed of sacrebleu; with it and as many resamples the draws are those of `sacrebleu --paired-bs`."""

TIE_TOLERANCE = 1e-9
"""A resampled difference this close to 0 is 0 (scores are percentages)."""

CHUNK_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Resampled:
    """Scores of N systems on the same B resamples of segments.

    Attributes:
        scores: of the whole corpus [N].
        draws: of each resample [B, N].
        higher_is_better: of the metric.
    """

    scores: FloatArray
    draws: FloatArray
    higher_is_better: bool

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Return percentile intervals, widened where needed to contain the scores [N, 2]."""
        tail = (1 - level) / 2
        low, high = np.quantile(self.draws, [tail, 1 - tail], axis=0)
        return np.column_stack([np.minimum(low, self.scores), np.maximum(high, self.scores)])


class Koehn(NamedTuple):
    """P-values that the first system is better, that it is worse, and that either is."""

    better: float
    worse: float
    two_sided: float


def bootstrap(
    metric: Metric, stats: Sequence[FloatArray], resamples: int, rng: np.random.Generator
) -> Resampled:
    """Score N systems on resamples of segments, the same for all.

    Args:
        metric: whose statistics they are.
        stats: statistics of each system [n, k] for the same n segments (or documents, summed by `by_unit`).
        resamples: B, at least 2.
        rng: the source of chance; `default_rng(SACREBLEU_SEED)` draws what sacrebleu draws.

    Raises:
        MetricError: no system, no segment, numbers of segments that differ, or fewer than two resamples.
    """
    if not stats:
        raise MetricError("there is no system to compare")
    sizes = {len(own) for own in stats}
    if len(sizes) > 1 or 0 in sizes:
        raise MetricError(f"systems must have the same segments; found {sorted(sizes)} of them")
    if resamples < 2:
        raise MetricError(f"resamples must be 2 or more; found {resamples}")
    n, (systems, k) = len(stats[0]), (len(stats), stats[0].shape[1])
    joined = np.hstack(list(stats))
    draws = np.empty((resamples, systems))
    rows = max(1, CHUNK_CELLS // n)
    for start in range(0, resamples, rows):
        counts = _counts(rng, min(rows, resamples - start), n)
        draws[start : start + len(counts)] = metric.corpus_score((counts @ joined).reshape(-1, systems, k))
    scores = np.array([float(metric.corpus_score(total(own))) for own in stats])
    return Resampled(scores, draws, metric.higher_is_better)


def by_unit(stats: FloatArray, units: npt.NDArray[np.int64]) -> FloatArray:
    """Return statistics of documents [u, k] from those of segments [n, k] and their document codes [n]."""
    size = int(units.max()) + 1
    return np.column_stack([np.bincount(units, weights=column, minlength=size) for column in stats.T])


def koehn_p(resampled: Resampled, first: int, second: int) -> Koehn:
    """Test two systems by Koehn's bootstrap; resamples in which they tie count against a difference.

    One-sided p = (#{D* ≤ 0} + 1) / (B + 1), D* being by how much the first is better in a resample; two-sided
    p = min(1, 2 · the smaller of both directions).
    """
    sign = 1 if resampled.higher_is_better else -1
    apart = sign * (resampled.draws[:, first] - resampled.draws[:, second])
    better = (int(np.count_nonzero(apart <= TIE_TOLERANCE)) + 1) / (len(apart) + 1)
    worse = (int(np.count_nonzero(apart >= -TIE_TOLERANCE)) + 1) / (len(apart) + 1)
    return Koehn(better, worse, min(1.0, 2 * min(better, worse)))


def sacrebleu_p(resampled: Resampled, first: int, second: int) -> float:
    """Test two systems as `sacrebleu --paired-bs`.

    p = (#{|D*| − mean |D*| > |D|} + 1) / (B + 1), D being the difference of the corpus scores. It is of the
    absolute difference, so it has no direction; two identical systems have p = 1 / (B + 1), as there, and
    are to be told apart by their scores.
    """
    apart = np.abs(resampled.draws[:, first] - resampled.draws[:, second])
    observed = abs(float(resampled.scores[first] - resampled.scores[second]))
    return (int(np.count_nonzero(apart - apart.mean() > observed)) + 1) / (len(apart) + 1)


def pairwise_p(resampled: Resampled, test: str = "koehn") -> FloatArray:
    """Return the two-sided p of every two systems [N, N]; 1 on the diagonal and for equal outputs.

    Raises:
        MetricError: an unknown test.
    """
    if test not in TESTS:
        raise MetricError(f"unknown test {test!r}, expected one of {', '.join(TESTS)}")
    size = len(resampled.scores)
    result = np.ones((size, size))
    for a in range(size):
        for b in range(a + 1, size):
            if np.array_equal(resampled.draws[:, a], resampled.draws[:, b]):
                continue
            koehn = test == "koehn"
            p_value = koehn_p(resampled, a, b).two_sided if koehn else sacrebleu_p(resampled, a, b)
            result[a, b] = result[b, a] = p_value
    return result


def signature(metric: Metric, references: int, test: str, resamples: int, seed: int) -> str:
    """Return the metric's signature with the test, the resamples and the seed added."""
    return f"{metric.signature(references)}|test:{test}|bs:{resamples}|seed:{seed}"


def _counts(rng: np.random.Generator, rows: int, n: int) -> FloatArray:
    """Draw n of n segments, `rows` times, and count them [rows, n]; drawn as sacrebleu draws them."""
    counts = np.empty((rows, n))
    for place, drawn in enumerate(rng.integers(0, n, size=(rows, n))):
        counts[place] = np.bincount(drawn, minlength=n)
    return counts
