"""What kept metrics say of single segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.stats.records import FloatArray
from mtcore.metrics import METRICS, Metric, MetricError
from mtcore.metrics.base import MetricSettings
from mtcore.metrics.packing import stats_unpack
from mtcore.models import MetricResult, Segment, SystemOutput


@dataclass(frozen=True)
class SegmentMetric:
    """A metric's score of one segment of an output; `value` is None where it has none."""

    name: str
    title: str
    reference: str
    value: float | None
    digits: int
    higher_is_better: bool
    signature: str


def metrics_of(outputs: Sequence[SystemOutput], segment: Segment) -> dict[int, list[SegmentMetric]]:
    """Return the scores of a segment by output, by its database id; under several signatures the newest.

    Args:
        outputs: of the segment's test set.
        segment: which.
    """
    rows = MetricResult.objects.filter(output__in=[output.pk for output in outputs])
    rows = rows.filter(segment_stats__isnull=False, metric__in=METRICS)
    facts = {
        (row.output_id, row.metric, row.reference_names or ""): (row.pk, row.signature)
        for row in rows.select_related("reference").defer("segment_stats").order_by("pk")
    }
    chosen = {pk for pk, _ in facts.values()}
    blobs = dict(MetricResult.objects.filter(pk__in=chosen).values_list("pk", "segment_stats"))
    row = Segment.objects.filter(testset=segment.testset_id, position__lt=segment.position).count()
    scorers: dict[str, Metric | None] = {}
    found: dict[int, list[SegmentMetric]] = {}
    order = {name: place for place, name in enumerate(METRICS)}
    for (output, name, reference), (pk, signature) in sorted(
        facts.items(), key=lambda one: (order[one[0][1]], one[0][2])
    ):
        stats = _row(blobs[pk], row)
        if stats is None:
            continue
        if name not in scorers:
            scorers[name] = scorer_make(name, segment.testset.target_language, stats)
        kind = METRICS[name]
        found.setdefault(output, []).append(
            SegmentMetric(
                name, kind.title, reference, _score(scorers[name], stats), kind.digits, kind.higher_is_better,
                signature,
            )
        )  # fmt: skip
    return found


def scorer_make(name: str, language: str, stats: FloatArray) -> Metric | None:
    """Return what turns kept statistics into scores, None where that needs something that is not here.

    A metric is tried without its model first, which most do not need any more.

    Args:
        name: in METRICS.
        language: of the target.
        stats: some statistics, to try it on [1, k].
    """
    bare: Metric = object.__new__(METRICS[name])
    try:
        bare.segment_scores(stats)
    except AttributeError:
        try:
            return METRICS[name].of_settings(MetricSettings(language))
        except MetricError:
            return None
    return bare


def _row(blob: Any, row: int) -> FloatArray | None:
    stats = stats_unpack(blob)
    return stats[row : row + 1] if row < len(stats) else None


def _score(scorer: Metric | None, stats: FloatArray) -> float | None:
    if scorer is None:
        return None
    value = float(scorer.segment_scores(stats)[0])
    return value if math.isfinite(value) else None
