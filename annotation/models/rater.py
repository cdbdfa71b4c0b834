"""Raters and their participation in campaigns."""

from __future__ import annotations

from django.db import models
from django.db.models import Count, Q

from annotation.models.campaign import Campaign
from annotation.models.keys import public_key
from annotation.models.study import Study
from mtcore.models.fields import name_field


class Rater(models.Model):
    """One person judging in a study, known by a pseudonym."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="raters")
    name = name_field()
    profile = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="rater_name_once_in_study"),
        ]

    def __str__(self) -> str:
        return self.name


class ParticipationQuerySet(models.QuerySet["Participation"]):
    """Reading of participations."""

    def available(self) -> ParticipationQuerySet:
        """Keep those who can be given work: not who has left, was refused, or waits for a place."""
        is_in = Q(eligibility__state__isnull=True) | ~Q(eligibility__state="refused")
        has_place = ~Q(settings__has_key="joined") | Q(settings__has_key="placed")
        planned = Q(campaign__mode=Campaign.Mode.PLANNED)
        return self.exclude(state=Participation.State.LEFT).filter(is_in & (has_place | ~planned))

    def with_progress(self) -> ParticipationQuerySet:
        """Add `n_assigned` and `n_done`, counted over distinct live assignments (round 0 is practice)."""
        counted = Q(assignments__round__gt=0)
        return self.annotate(
            n_assigned=Count("assignments", filter=counted & ~Q(assignments__state="released")),
            n_done=Count("assignments", filter=counted & Q(assignments__state="done")),
        )


class Participation(models.Model):
    """A rater in a campaign: the link, eligibility, consent and state."""

    class State(models.TextChoices):
        INVITED = "invited", "invited"
        ACTIVE = "active", "active"
        FINISHED = "finished", "finished"
        LEFT = "left", "left"

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="participations")
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="participations")
    key = models.CharField(max_length=40, unique=True, default=public_key, editable=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.INVITED)
    link_version = models.PositiveIntegerField(default=1)
    link_expires_at = models.DateTimeField(null=True, blank=True)
    eligibility = models.JSONField(default=dict, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    excluded_by = models.CharField(max_length=300, blank=True, default="")
    excluded_at = models.DateTimeField(null=True, blank=True)
    settings = models.JSONField(default=dict, blank=True)

    objects = ParticipationQuerySet.as_manager()

    class Meta:
        ordering = ["campaign_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["rater", "campaign"], name="participation_once"),
            models.CheckConstraint(
                condition=Q(state__in=["invited", "active", "finished", "left"]),
                name="participation_state_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} in {self.campaign_id}"
