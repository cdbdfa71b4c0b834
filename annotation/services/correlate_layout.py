"""Lay the scores of a metric out beside what people said of the same outputs and segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.services.correlate_metrics import MetricFacts, Side
from annotation.services.correlate_people import Cells, People
from annotation.services.correlate_texts import Texts
from annotation.stats.records import FloatArray, IntArray
from mtcore.metrics.base import total


@dataclass(frozen=True, eq=False)
class Laid:
    """What a metric says of the points of `People`.

    Attributes:
        facts: of the metric.
        values: score of each point as the metric prints it, nan where none [N].
        scores: segment scores where people judged, nan elsewhere [N, S].
        human: score of each point by people over the segments that the metric has too [N].
        n_segments: segments in the metric's score of each point [N].
    """

    facts: MetricFacts
    values: FloatArray
    scores: FloatArray
    human: FloatArray
    n_segments: Sequence[int]

    @property
    def oriented(self) -> FloatArray:
        """Return the scores of points, turned so that higher is better [N]."""
        return self.facts.sign * self.values

    @property
    def oriented_scores(self) -> FloatArray:
        """Return the segment scores, turned so that higher is better [N, S]."""
        return self.facts.sign * self.scores


def metric_lay(people: People, side: Side, texts: Texts, *, whole: bool) -> Laid:
    """Lay a metric out beside people.

    Args:
        people: what people said.
        side: the metric.
        texts: of the test sets.
        whole: score each output on its whole test set (in the direction); else on what people judged of it.
    """
    size = (len(people.points), len(people.segments))
    row_of = np.array([texts.rows[testset].get(key, -1) for testset, key in people.segments], dtype=np.int64)
    added, counts = np.zeros(size), np.zeros(size)
    sums: list[FloatArray | None] = [None] * size[0]
    sizes = [0] * size[0]
    for cells in people.entries:
        stats = side.stats.get(cells.entry)
        if stats is None or side.scorer is None:
            continue
        columns = cells.columns[row_of[cells.columns] >= 0]
        columns = columns[np.isfinite(stats[row_of[columns]]).all(axis=1)]
        own = stats[row_of[columns]]
        if len(own):
            found = side.scorer.segment_scores(own)
            added[cells.point, columns] += found
            counts[cells.point, columns] += 1
        taken = _whole(stats, cells, texts) if whole else own
        if len(taken):
            before = sums[cells.point]
            sums[cells.point] = total(taken) if before is None else before + total(taken)
            sizes[cells.point] += len(taken)
    with np.errstate(invalid="ignore"):
        scores = np.where(counts > 0, added / np.maximum(counts, 1), np.nan)
    scores[~np.isfinite(scores)] = np.nan
    values = np.array(
        [
            np.nan if own is None or side.scorer is None else float(side.scorer.corpus_score(own))
            for own in sums
        ],
        dtype=np.float64,
    )
    values[~np.isfinite(values)] = np.nan
    return Laid(side.facts, values, scores, _human(people, scores, whole=whole), sizes)


def _whole(stats: FloatArray, cells: Cells, texts: Texts) -> FloatArray:
    """Return the statistics of the whole output in the entry's direction."""
    wanted = cells.entry.direction or ""
    own = np.array(texts.directions[cells.entry.testset or ""], dtype=object)
    chosen = np.isfinite(stats).all(axis=1) & ((own == wanted) if wanted else np.ones(len(own), dtype=bool))
    return stats[chosen]


def _human(people: People, scores: FloatArray, *, whole: bool) -> FloatArray:
    """Return people's scores over the segments that the metric has too."""
    if whole or people.preferences is not None:
        return people.human
    both = ~np.isnan(people.cells) & ~np.isnan(scores)
    if (both == ~np.isnan(people.cells)).all():
        return people.human
    n = both.sum(axis=1)
    return np.where(n > 0, np.where(both, people.cells, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def apart(groups: Sequence[str], table: FloatArray) -> FloatArray:
    """Return a table with a segment of each condition by itself [N, S] → [N, G S].

    So points of two conditions never make a pair on one segment.
    """
    named = sorted(set(groups))
    if len(named) < 2:
        return table
    parts = [np.where((np.array(groups) == one)[:, None], table, np.nan) for one in named]
    return np.concatenate(parts, axis=1)


def apart_units(groups: Sequence[str], size: int) -> IntArray:
    """Return the segment of each column of `apart` [G S], so that copies are drawn together."""
    return np.tile(np.arange(size), max(1, len(set(groups))))
