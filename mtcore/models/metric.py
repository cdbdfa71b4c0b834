"""Automatic scores of an output against a reference, with the statistics they come from."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from mtcore.models.fields import hash_field
from mtcore.models.run import Run
from mtcore.models.system import SystemOutput
from mtcore.models.testset import TextVersion

TOGETHER = "|refs:"
"""In the signature where several references count together; their names follow, joined by +."""


class MetricResult(models.Model):
    """One metric of one output under one signature; segment statistics are kept for re-scoring."""

    output = models.ForeignKey(SystemOutput, on_delete=models.CASCADE, related_name="metrics")
    reference = models.ForeignKey(
        TextVersion, on_delete=models.CASCADE, null=True, blank=True, related_name="metrics"
    )
    metric = models.CharField(max_length=40)
    signature = models.CharField(max_length=500)
    signature_sha256 = hash_field()
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    n_segments = models.PositiveIntegerField(default=0)
    segment_stats = models.BinaryField(null=True, blank=True)
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="metrics")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["output", "reference", "metric", "signature_sha256"],
                condition=Q(reference__isnull=False),
                name="metric_once_per_signature",
            ),
            models.UniqueConstraint(
                fields=["output", "metric", "signature_sha256"],
                condition=Q(reference__isnull=True),
                name="metric_once_without_reference",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.value}"

    @property
    def reference_names(self) -> str | None:
        """Return what the output was compared with: one name, or several that count together."""
        several = self.signature.partition(TOGETHER)[2]
        if several:
            return several.replace("+", " + ")
        return self.reference.name if self.reference else None
