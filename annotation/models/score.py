"""Score runs: a result with everything needed to get it again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.campaign import Campaign
from annotation.models.study import Study
from mtcore.models.fields import hash_field


class ScoreRun(models.Model):
    """Scores of a campaign or study: options, signature, and the result as strict JSON.

    `judgements_sha256` digests the judgements that went in, so a stored result is known to be current
    or not.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, null=True, blank=True, related_name="scores"
    )
    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, blank=True, related_name="scores")
    options = models.JSONField(default=dict)
    options_sha256 = hash_field()
    signature = models.TextField()
    judgements_sha256 = hash_field()
    result = models.JSONField(null=True, blank=True)
    run = models.ForeignKey("mtcore.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["campaign", "options_sha256", "judgements_sha256"], name="score_lookup")
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(campaign__isnull=False) | Q(study__isnull=False), name="score_of_something"
            ),
        ]

    def __str__(self) -> str:
        return self.signature[:80]
