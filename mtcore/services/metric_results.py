"""Keep what metrics found of outputs: once for each output, reference, metric and signature."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.db import IntegrityError, transaction

from evalplatform.errors import Conflict
from mtcore.metrics import Metric
from mtcore.metrics.base import FloatArray, total
from mtcore.metrics.packing import stats_pack, stats_unpack
from mtcore.metrics.scoring import NOT_FINITE, finite
from mtcore.models import MetricResult, Run, SystemOutput, TextVersion


def metric_result_keep(
    *,
    output: SystemOutput,
    reference: TextVersion | None,
    metric: Metric,
    signature: str,
    extract: Callable[[], FloatArray],
    run: Run | None = None,
) -> tuple[MetricResult, FloatArray, bool]:
    """Return what is kept of an output, extracting and keeping it where it is not there yet.

    Args:
        output: whose segments were scored.
        reference: against which version, or None for a metric that needs none.
        metric: which metric.
        signature: one line that states how scores are made.
        extract: takes the statistics of all segments from the texts.
        run: the run that the work is done for.

    Returns:
        The row, its statistics [n, k], and whether they were extracted just now.
    """
    found = metric_result_find(output=output, reference=reference, metric=metric.name, signature=signature)
    if found is not None and found.segment_stats is not None:
        return found, stats_unpack(found.segment_stats), False
    stats = extract()
    value = finite(float(metric.corpus_score(total(stats))))
    try:
        with transaction.atomic():
            row = MetricResult.objects.create(
                output=output, reference=reference, metric=metric.name, signature=signature[:500],
                signature_sha256=_digest(signature), value=value,
                reason="" if value is not None else NOT_FINITE, n_segments=len(stats),
                segment_stats=stats_pack(stats), run=run,
            )  # fmt: skip
    except IntegrityError:
        # Another process kept the same meanwhile: its row is the one.
        kept = metric_result_find(output=output, reference=reference, metric=metric.name, signature=signature)
        if kept is None:
            raise Conflict(
                f"The output of {output.system.name} was removed while it was scored.",
                "Import it again, then score it.",
            ) from None
        return kept, stats, False
    return row, stats, True


def metric_result_find(
    *, output: SystemOutput, reference: TextVersion | None, metric: str, signature: str
) -> MetricResult | None:
    """Return what is kept of an output under a signature, if anything."""
    return MetricResult.objects.filter(
        output=output, reference=reference, metric=metric, signature_sha256=_digest(signature)
    ).first()


def _digest(signature: str) -> str:
    return hashlib.sha256(signature.encode()).hexdigest()
