"""Corpora: parallel or monolingual text to train on, kept as files under DATA_DIR."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from mtcore.models.fields import LANGUAGE_LENGTH, hash_field, name_field
from mtcore.models.run import Run


class Corpus(models.Model):
    """Text to train on: where it lies, what it holds, where it comes from."""

    class Kind(models.TextChoices):
        PARALLEL = "parallel", "parallel"
        MONOLINGUAL = "monolingual", "monolingual"
        SYNTHETIC = "synthetic", "synthetic (back-translated)"

    name = name_field(unique=True)
    kind = models.CharField(max_length=11, choices=Kind.choices)
    source_language = models.CharField(max_length=LANGUAGE_LENGTH)
    target_language = models.CharField(max_length=LANGUAGE_LENGTH, blank=True)
    path = models.CharField(max_length=1000)
    n_lines = models.PositiveBigIntegerField(default=0)
    sha256 = hash_field()
    report = models.JSONField(default=dict, blank=True)
    derived_from = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="derived")
    run = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, blank=True, related_name="corpora")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["parallel", "monolingual", "synthetic"]), name="corpus_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name
