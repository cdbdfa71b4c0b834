"""Systems, what they made of a version of a test set's source, and the lines of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from mtcore.models.fields import hash_field, name_field
from mtcore.models.run import Run
from mtcore.models.testset import Segment, TestSet, TextVersion

CONTROL = ("reference", "bad reference", "attention", "attention A", "attention B")
"""Names to which texts for quality control are credited."""


class SystemQuerySet(models.QuerySet["System"]):
    """Systems, to be listed."""

    def listed(self) -> SystemQuerySet:
        """Leave out what only stands for quality control: it has no output."""
        own = SystemOutput.objects.filter(system=models.OuterRef("pk"))
        return self.exclude(Q(name__in=CONTROL) & ~models.Exists(own))


class System(models.Model):
    """Something that translates: trained here (OP, BT …), made elsewhere, or a person."""

    class Kind(models.TextChoices):
        OP = "OP", "OP (parallel data only)"
        BT = "BT", "BT (with back-translation)"
        HUMAN = "human", "human"
        OTHER = "other", "other"

    name = name_field(unique=True)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.OTHER)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SystemQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["OP", "BT", "human", "other"]), name="system_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SystemOutput(models.Model):
    """A system's translation of one version of a test set's source."""

    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="outputs")
    testset = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="outputs")
    input_version = models.ForeignKey(TextVersion, on_delete=models.PROTECT, related_name="outputs")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="outputs")
    provenance = models.JSONField(default=dict, blank=True)
    sha256 = hash_field()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "testset", "input_version"], name="output_once_per_input"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_id} on {self.testset_id}"


class OutputSegment(models.Model):
    """One line of an output, with its state."""

    class Status(models.TextChoices):
        OK = "ok", "ok"
        BLANK = "blank", "blank"
        TOO_LONG = "too_long", "too long for the model"
        FAILED = "failed", "failed"

    output = models.ForeignKey(SystemOutput, on_delete=models.CASCADE, related_name="lines")
    segment = models.ForeignKey(Segment, on_delete=models.CASCADE, related_name="outputs")
    text = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OK)
    sha256 = hash_field()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["output", "segment"], name="output_segment_once"),
            models.CheckConstraint(
                condition=Q(status__in=["ok", "blank", "too_long", "failed"]),
                name="output_segment_status_known",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]
