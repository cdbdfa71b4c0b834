"""Metrics against people, and one campaign against another: what is compared, and over which segments."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.stats.correlation import (
    ESTIMATES,
    STATISTICS,
    CorrelationError,
    correlations,
    why_undefined,
)
from annotation.stats.pair_accuracy import pairwise_accuracy
from annotation.stats.records import Entry, FloatArray

SEGMENTS = ("common", "all")
AVERAGES = ("none", "item", "system")
SegmentScores = Mapping[str, Mapping[Hashable, float]]


def system_correlation(human: Mapping[str, float], metric: Mapping[str, float]) -> dict[str, Any]:
    """Return how system scores of a metric and of people correlate, over the systems that have both.

    Returns:
        `{"n", "pearson", "spearman", "kendall", "pairwise_accuracy", "left_out"}`; the coefficients as
        `Estimate.as_dict`, `left_out` the systems only one side has. Strict JSON.
    """
    shared = sorted(set(human) & set(metric))
    h, m = np.array([human[name] for name in shared]), np.array([metric[name] for name in shared])
    return {
        **correlations(h, m),
        "pairwise_accuracy": pairwise_accuracy(h, m).as_dict(),
        "left_out": sorted(set(human) ^ set(metric)),
    }


def metric_correlation(
    human: SegmentScores, metric: SegmentScores, segments: str = "common"
) -> dict[str, Any]:
    """Correlate system means of a metric and of people.

    Args:
        human: system → segment → mean score of its judgements.
        metric: system → segment → score.
        segments: "common" averages, for each system, the segments that both have; "all" averages what each
            has, which compares different texts when people judged a part only.

    Returns:
        What `system_correlation` returns, with `segments` and `systems`: one row a system with its means and
        the number of segments in each. Systems without a segment to average are left out and named.

    Raises:
        CorrelationError: an unknown choice of segments.
    """
    if segments not in SEGMENTS:
        raise CorrelationError(f"segments must be one of {', '.join(SEGMENTS)}; found {segments!r}")
    rows: list[dict[str, Any]] = []
    human_means: dict[str, float] = {}
    metric_means: dict[str, float] = {}
    for system in sorted(set(human) & set(metric)):
        keys = [set(human[system]), set(metric[system])]
        if segments == "common":
            keys = [keys[0] & keys[1]] * 2
        means = [_mean(human[system], keys[0]), _mean(metric[system], keys[1])]
        if means[0] is not None and means[1] is not None:
            human_means[system], metric_means[system] = means[0], means[1]
        rows.append(
            {
                "system": system,
                "human": means[0],
                "metric": means[1],
                "n_human_segments": len(keys[0]),
                "n_metric_segments": len(keys[1]),
            }
        )
    found = system_correlation(human_means, metric_means)
    found["left_out"] = sorted((set(human) | set(metric)) - set(human_means))
    return {"segments": segments, "systems": rows, **found}


def _mean(scores: Mapping[Hashable, float], keys: set[Hashable]) -> float | None:
    """Return the mean of some scores, whatever their order; None without any."""
    return fsum(scores[key] for key in keys) / len(keys) if keys else None


class SegmentCorrelation(NamedTuple):
    """A segment-level coefficient; averaged over `n_groups`, `n_undefined` others had none."""

    value: float | None
    n: int
    n_groups: int
    n_undefined: int
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def segment_correlation(
    human: npt.ArrayLike, metric: npt.ArrayLike, statistic: str = "pearson", average: str = "none"
) -> SegmentCorrelation:
    """Correlate the scores of single segments.

    Args:
        human: segment scores [N systems, S segments], nan where there is none.
        metric: the same of a metric [N, S].
        statistic: "pearson", "spearman" or "kendall".
        average: "none" takes all scores together; "item" averages the coefficients over segments (each over
            systems), "system" over systems (each over segments). Groups without a coefficient are left out.

    Raises:
        CorrelationError: tables of different shape, or an unknown choice.
    """
    h, m = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if h.shape != m.shape or h.ndim != 2:
        raise CorrelationError(f"two tables of systems by segments were expected, found {h.shape}, {m.shape}")
    if statistic not in STATISTICS or average not in AVERAGES:
        raise CorrelationError(
            f"statistic must be one of {', '.join(STATISTICS)} and average one of {', '.join(AVERAGES)}"
        )
    both = ~(np.isnan(h) | np.isnan(m))
    n = int(both.sum())
    if average == "none":
        estimate = ESTIMATES[statistic](h[both], m[both])
        return SegmentCorrelation(estimate.value, n, 1, int(estimate.value is None), estimate.caveat)
    if average == "item":
        h, m, both = h.T, m.T, both.T
    found = [_coefficient(a[where], b[where], statistic) for a, b, where in zip(h, m, both, strict=True)]
    values = [value for value in found if value is not None]
    value = float(np.mean(values)) if values else None
    caveat = "" if values else "no group has a coefficient"
    return SegmentCorrelation(value, n, len(values), len(found) - len(values), caveat)


def _coefficient(x: FloatArray, y: FloatArray, statistic: str) -> float | None:
    if why_undefined(x, y):
        return None
    value = STATISTICS[statistic](x, y)
    return None if np.isnan(value) else value


class EntryScore(NamedTuple):
    """The score of an entry in a campaign; `score` is None when it has none."""

    entry: Entry
    score: float | None


def compare_source_and_reference(
    source: Sequence[EntryScore], reference: Sequence[EntryScore]
) -> dict[str, Any]:
    """Correlate a source-based campaign with a reference-based one, over systems in their conditions.

    A source-based score belongs to an output, a reference-based one to an output and a reference. So an
    output held against two references makes two points with one source-based score; `n_distinct_outputs`
    counts outputs, and the caveat says that the points are not independent.

    Args:
        source: scores whose entries have no reference; at most one an output.
        reference: scores whose entries may have one.

    Returns:
        `{"n", "n_distinct_outputs", "points", "pearson", "spearman", "kendall", "unpaired", "caveat"}`.
        Strict JSON.

    Raises:
        CorrelationError: two source-based scores for one output, or two scores for one entry.
    """
    by_output: dict[tuple[str | None, ...], float | None] = {}
    for entry, score in source:
        if _output(entry) in by_output:
            raise CorrelationError(f"{_label(entry)} has two source-based scores")
        by_output[_output(entry)] = score
    seen: set[Entry] = set()
    points, unpaired = [], []
    for entry, score in reference:
        if entry in seen:
            raise CorrelationError(f"{_label(entry)} has two reference-based scores")
        seen.add(entry)
        other = by_output.get(_output(entry))
        if score is None or other is None:
            unpaired.append(_label(entry))
        else:
            points.append({**entry._asdict(), "source_based": other, "reference_based": score})
    used = {_output(entry) for entry in seen}
    unpaired += [_label(entry) for entry, _ in source if _output(entry) not in used]
    outputs = {(point["system"], point["testset"], point["input"], point["direction"]) for point in points}
    several = len(points) > len(outputs)
    caveat = (
        f"{len(points)} points share {len(outputs)} outputs, so the interval is too narrow" if several else ""
    )
    found = correlations(
        [point["source_based"] for point in points], [point["reference_based"] for point in points]
    )
    return {
        **found,
        "n_distinct_outputs": len(outputs),
        "points": points,
        "unpaired": sorted(unpaired),
        "caveat": caveat,
    }


def _output(entry: Entry) -> tuple[str | None, ...]:
    return entry.system, entry.testset, entry.input, entry.direction


def _label(entry: Entry) -> str:
    return " ".join(part for part in entry if part)
