"""Campaigns: one protocol, one language pair, chosen outputs, and who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import apps
from django.db import models
from django.db.models import Case, Count, F, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Coalesce
from django.urls import reverse

from annotation.models.keys import public_key
from annotation.models.study import Study
from mtcore.models.fields import LANGUAGE_LENGTH, name_field

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    """Reading of campaigns."""

    def visible_to(self, user: User | AnonymousUser) -> CampaignQuerySet:
        """Keep the campaigns of the studies a person may see."""
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self
        return self.filter(Q(study__owner=user) | Q(study__researchers=user)).distinct()

    def with_progress(self) -> CampaignQuerySet:
        """Add `n_assigned` and `n_done`: live assignments (in a pool all that are wanted), those answered."""
        items = apps.get_model("annotation", "Item").objects.filter(campaign=OuterRef("pk"))
        # Round 0 is practice. Each number is a question of its own: joined and grouped they are asked again
        # for every assignment.
        given = apps.get_model("annotation", "Assignment").objects.filter(
            item__campaign=OuterRef("pk"), round__gt=0
        )
        wanted = items.order_by().values("campaign").annotate(n=Sum("wanted")).values("n")
        return self.annotate(
            n_assigned=Case(
                When(mode="pool", then=Coalesce(Subquery(wanted), 0)),
                default=_number_of(given.exclude(state="released")),
            ),
            n_done=_number_of(given.filter(state="done")),
        )


def _number_of(rows: models.QuerySet) -> Coalesce:
    """Count the rows of a subquery; none are 0."""
    counted = rows.order_by().values("item__campaign").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


class Campaign(models.Model):
    """One protocol, one language pair, chosen outputs over one or several test sets and input versions."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        PAUSED = "paused", "paused"
        CLOSED = "closed", "closed"

    class Mode(models.TextChoices):
        PLANNED = "planned", "planned"
        POOL = "pool", "pool"
        IMPORTED = "imported", "imported"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="campaigns")
    name = name_field(unique=True)
    key = models.CharField(max_length=40, unique=True, default=public_key, editable=False)
    protocol = models.CharField(max_length=40)
    source_language = models.CharField(max_length=LANGUAGE_LENGTH)
    target_language = models.CharField(max_length=LANGUAGE_LENGTH)
    state = models.CharField(max_length=6, choices=State.choices, default=State.DRAFT)
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.PLANNED)
    judgements = models.PositiveIntegerField(default=3)
    scale_low = models.FloatField(default=1)
    scale_high = models.FloatField(default=100)
    seed = models.BigIntegerField(default=1)
    spread = models.BooleanField(default=False)
    pairs = models.CharField(max_length=140, blank=True, default="all")
    guidelines = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    completion_code = models.CharField(max_length=40, default=public_key)
    settings = models.JSONField(default=dict, blank=True)
    notes = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "open", "paused", "closed"])
                & Q(mode__in=["planned", "pool", "imported"]),
                name="campaign_state_and_mode_known",
            ),
            models.CheckConstraint(
                condition=Q(scale_low__lt=F("scale_high")), name="campaign_scale_in_order"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the campaign's page."""
        return reverse("campaign", args=[self.key])


class CampaignOutput(models.Model):
    """What a campaign judges: a system on a test set from one input version.

    `input_version` and `output` are empty for imported judgements whose texts are unknown.
    """

    class Role(models.TextChoices):
        SYSTEM = "system", "system"
        REFERENCE = "reference", "reference as a hidden system"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="outputs")
    system = models.ForeignKey("mtcore.System", on_delete=models.PROTECT, related_name="campaign_outputs")
    testset = models.ForeignKey("mtcore.TestSet", on_delete=models.PROTECT, related_name="campaign_outputs")
    input_version = models.ForeignKey(
        "mtcore.TextVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="campaign_outputs"
    )
    output = models.ForeignKey(
        "mtcore.SystemOutput",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="campaign_outputs",
    )
    role = models.CharField(max_length=9, choices=Role.choices, default=Role.SYSTEM)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "system", "testset", "input_version"],
                condition=Q(input_version__isnull=False),
                name="campaign_output_once",
            ),
            models.UniqueConstraint(
                fields=["campaign", "system", "testset"],
                condition=Q(input_version__isnull=True),
                name="campaign_output_once_without_input",
            ),
            models.CheckConstraint(
                condition=Q(role__in=["system", "reference"]), name="campaign_output_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_id} in {self.campaign_id}"
