"""Judgements: the stored answers. Append-only: a correction supersedes, nothing is overwritten."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.models.assignment import PRACTICE_ROUND, Assignment


class JudgementQuerySet(models.QuerySet["Judgement"]):
    """Reading of judgements."""

    def current(self) -> JudgementQuerySet:
        """Keep the answer that counts for each assignment."""
        return self.filter(is_current=True)

    def of_campaign(self, campaign_id: int) -> JudgementQuerySet:
        """Keep those of one campaign that count: practice is not among them."""
        return self.filter(assignment__item__campaign_id=campaign_id, assignment__round__gt=PRACTICE_ROUND)


class Judgement(models.Model):
    """One answer to an assignment.

    `score` for scales; `choice` for preferences, as shown on the screen (the assignment's `swap` says
    which candidate stood on the left). Times are the server's.
    """

    class Choice(models.TextChoices):
        LEFT = "left", "left"
        RIGHT = "right", "right"
        EQUAL = "equal", "equal"
        NONE = "", "none"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="judgements")
    client_key = models.CharField(max_length=64, unique=True)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    is_current = models.BooleanField(default=True)
    score = models.FloatField(null=True, blank=True)
    scale_low = models.FloatField(null=True, blank=True)
    scale_high = models.FloatField(null=True, blank=True)
    choice = models.CharField(max_length=5, choices=Choice.choices, blank=True, default="")
    answers = models.JSONField(default=dict, blank=True)
    comment = models.TextField(blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(is_current=True), name="judgement_one_current"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True)
                | (Q(score__gte=F("scale_low")) & Q(score__lte=F("scale_high"))),
                name="judgement_score_inside_scale",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(scale_low__isnull=False, scale_high__isnull=False),
                name="judgement_score_has_scale",
            ),
            models.CheckConstraint(
                condition=Q(choice__in=["left", "right", "equal", ""]), name="judgement_choice_known"
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=False) | ~Q(choice="") | ~Q(answers={}),
                name="judgement_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"judgement {self.pk}"
