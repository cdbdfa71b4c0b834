"""Items: one thing to judge, with its candidate translations."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotation.models.campaign import Campaign, CampaignOutput
from mtcore.models.fields import hash_field


class ItemQuerySet(models.QuerySet["Item"]):
    """Reading of items."""

    def counted(self) -> ItemQuerySet:
        """Leave out our own practice items: nobody needs their answers, and no system made them."""
        return self.exclude(kind=Item.Kind.PRACTICE, wanted=0)


class Item(models.Model):
    """A segment, what it is held against (`context_version`) and its candidates.

    `wanted` judgements come from different raters; `given` counts live assignments and never exceeds it.
    `wanted` is 0 for a pair of identical outputs, which is counted and never shown, and for practice.
    """

    class Kind(models.TextChoices):
        SYSTEM = "system", "system"
        REFERENCE = "reference", "reference"
        BAD_REFERENCE = "bad_reference", "bad reference"
        REPEAT = "repeat", "repeat"
        PRACTICE = "practice", "practice"
        ATTENTION = "attention", "attention"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="items")
    segment = models.ForeignKey("mtcore.Segment", on_delete=models.PROTECT, related_name="items")
    kind = models.CharField(max_length=13, choices=Kind.choices, default=Kind.SYSTEM)
    input_version = models.ForeignKey(
        "mtcore.TextVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    context_version = models.ForeignKey(
        "mtcore.TextVersion", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    repeat_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="repeats"
    )
    paired_with = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="paired"
    )
    group = models.CharField(max_length=200, blank=True, default="")
    occurrence = models.PositiveIntegerField(default=1)
    wanted = models.PositiveIntegerField(default=0)
    given = models.PositiveIntegerField(default=0)

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(given__lte=F("wanted")), name="item_never_over_assigned"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=["system", "reference", "bad_reference", "repeat", "practice", "attention"]
                ),
                name="item_kind_known",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"


class ItemCandidate(models.Model):
    """A text to judge and the outputs it is credited to (several when they are identical)."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveSmallIntegerField(default=1)
    text = models.TextField(blank=True)
    sha256 = hash_field()
    outputs = models.ManyToManyField(CampaignOutput, related_name="candidates", blank=True)

    class Meta:
        ordering = ["item_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["item", "position"], name="candidate_position_once"),
        ]

    def __str__(self) -> str:
        return self.text[:60]
