"""Studies: what belongs together and who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

from mtcore.models.fields import name_field

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class StudyQuerySet(models.QuerySet["Study"]):
    """Reading of studies."""

    def visible_to(self, user: User | AnonymousUser) -> StudyQuerySet:
        """Keep the studies a person owns or researches in; an admin sees all."""
        if not user.is_authenticated:
            return self.none()
        if user.is_staff:
            return self
        return self.filter(Q(owner=user) | Q(researchers=user)).distinct()


class Study(models.Model):
    """Campaigns, test sets, systems and metrics that answer one question together."""

    name = name_field(unique=True)
    description = models.TextField(blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="studies"
    )
    researchers = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="shared_studies")
    testsets = models.ManyToManyField("mtcore.TestSet", blank=True, related_name="studies")
    systems = models.ManyToManyField("mtcore.System", blank=True, related_name="studies")
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name
