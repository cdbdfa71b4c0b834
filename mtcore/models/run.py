"""Runs: one execution of heavy work. The row decides; a Celery message is only a wake-up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from mtcore.models.fields import name_field


class RunQuerySet(models.QuerySet["Run"]):
    """Which runs wait, which may begin, and which have lost their worker."""

    def queued(self) -> Self:
        """Return those that wait for a worker or for other runs."""
        return self.filter(state=Run.State.QUEUED)

    def claimable(self) -> Self:
        """Return those that may begin now, oldest first: not cancelled, and every parent has succeeded."""
        unfinished = [state for state in Run.State.values if state != Run.State.SUCCEEDED]
        waiting = Run.objects.filter(parents__state__in=unfinished)
        return (
            self.queued().filter(cancel_requested=False).exclude(pk__in=waiting).order_by("created_at", "pk")
        )

    def held(self, now: datetime) -> Self:
        """Return those that a worker is doing, as far as its heartbeat tells.

        A lease that reaches further than any could was written before a clock was set back.
        """
        return self.filter(state=Run.State.RUNNING, lease_until__gt=now, lease_until__lte=_furthest(now))

    def lapsed(self, now: datetime) -> Self:
        """Return those whose worker has not been heard from for the length of a lease."""
        return self.filter(state=Run.State.RUNNING).exclude(
            lease_until__gt=now, lease_until__lte=_furthest(now)
        )


def _furthest(now: datetime) -> datetime:
    """Return until when a lease may reach, with a day for clocks and settings that differ."""
    return now + timedelta(days=1, seconds=settings.RUN_LEASE_SECONDS)


class Run(models.Model):
    """One execution of heavy work: its state, lease, progress and result.

    A worker claims a run by conditional update, keeps `heartbeat_at` and `lease_until`, and a reaper
    returns it to the queue when the lease has passed.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        SUCCEEDED = "succeeded", "succeeded"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    kind = models.CharField(max_length=40)
    name = name_field(blank=True, default="")
    queue = models.CharField(max_length=20, default="default")
    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED, db_index=True)
    options = models.JSONField(default=dict, blank=True)
    result = models.JSONField(null=True, blank=True)
    message = models.TextField(blank=True)
    parents = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="children")
    cancel_requested = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=200, blank=True)
    device = models.CharField(max_length=100, blank=True)
    progress = models.FloatField(default=0.0)
    progress_note = models.CharField(max_length=500, blank=True)
    history = models.JSONField(default=list, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    exit_code = models.IntegerField(null=True, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "succeeded", "failed", "cancelled"]),
                name="run_state_known",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0.0) & Q(progress__lte=1.0), name="run_progress_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"

    @property
    def is_finished(self) -> bool:
        """Tell whether it has ended, well or not."""
        return self.state in (self.State.SUCCEEDED, self.State.FAILED, self.State.CANCELLED)
