"""Raters who had finished are called back when there is more for them."""

from __future__ import annotations

from typing import Any

from annotation.models import Participation
from annotation.services.participation import Progress

MORE_AFTER = "more_after"
"""Where a participation keeps how much was done when a finished rater got more."""


def was_called_back(participation: Participation, progress: Progress) -> bool:
    """Tell whether a rater had finished and has not answered anything since there is more."""
    return bool(progress.left) and participation.settings.get(MORE_AFTER) == progress.done


def rater_call_back(participations: Any) -> None:
    """Let those of some raters who have finished go on, and remember when, so that their page can say so."""
    for row in participations.filter(state=Participation.State.FINISHED):
        done = row.assignments.live().done().count()
        Participation.objects.filter(pk=row.pk, state=Participation.State.FINISHED).update(
            state=Participation.State.ACTIVE, settings=row.settings | {MORE_AFTER: done}
        )
