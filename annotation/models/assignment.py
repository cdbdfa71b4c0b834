"""Assignments: an item given to a rater."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotation.models.item import Item
from annotation.models.keys import public_key
from annotation.models.rater import Participation

#: The round of practice and calibration: never counted, never scored.
PRACTICE_ROUND = 0


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    """Reading of assignments."""

    def counted(self) -> AssignmentQuerySet:
        """Leave practice out."""
        return self.filter(round__gt=PRACTICE_ROUND)

    def live(self) -> AssignmentQuerySet:
        """Keep those that count: no practice, not released to somebody else."""
        return self.counted().exclude(state=Assignment.State.RELEASED)

    def practice(self) -> AssignmentQuerySet:
        """Keep those of practice and calibration that were not put aside by a repetition."""
        return self.filter(round=PRACTICE_ROUND).exclude(state=Assignment.State.RELEASED)

    def open(self) -> AssignmentQuerySet:
        """Keep those that wait for an answer, in the rater's order."""
        return self.filter(state=Assignment.State.OPEN).order_by("round", "position", "pk")

    def done(self) -> AssignmentQuerySet:
        """Keep the answered ones."""
        return self.filter(state=Assignment.State.DONE)


class Assignment(models.Model):
    """An item given to a rater, at a position; `swap` shows the second candidate on the left."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        DONE = "done", "done"
        RELEASED = "released", "released"

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="assignments")
    key = models.CharField(max_length=40, unique=True, default=public_key, editable=False)
    round = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveIntegerField()
    swap = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    lease_until = models.DateTimeField(null=True, blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["participation_id", "round", "position", "pk"]
        indexes = [
            models.Index(fields=["participation", "state", "round", "position"], name="assignment_next"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "participation", "round"],
                condition=~Q(state="released"),
                name="assignment_one_live",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "done", "released"]), name="assignment_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"assignment {self.pk}"
