"""Simulated raters of the demo: they see screens like everybody else and answer by habit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from annotation.models import Assignment, Judgement, Participation
from annotation.protocols.base import Screen
from annotation.services.judging import judgement_save
from annotation.services.participation import participation_consent, participation_start
from annotation.services.way import Way
from annotation.stats.simulate import HABITS, Habit, simulate_choice, simulate_scores

Closeness = Mapping[str, float]


@dataclass(frozen=True)
class Person:
    """A simulated rater: a pseudonym, a habit, and the usual seconds for an item."""

    name: str
    habit: Habit
    seconds: float


PEOPLE = (
    Person("Strict 1", HABITS["strict"], 24),
    Person("Strict 2", HABITS["strict"], 27),
    Person("Generous 1", HABITS["generous"], 19),
    Person("Generous 2", HABITS["generous"], 21),
    Person("Noisy", HABITS["noisy"], 22),
    Person("Careless", HABITS["careless"], 4),
)
#: An unremarkable closeness to the reference and one standard deviation of it: the unit of a habit's quality.
MIDDLE, UNIT = 0.75, 0.15


def closeness(reference: str, text: str) -> float:
    """Return how much of a reference a text shares, from 0 to 1: what a simulated rater goes by."""
    return SequenceMatcher(None, reference, text, autojunk=False).ratio()


def answer_by_habit(
    habit: Habit, screen: Screen, quality: Closeness, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the answer to a screen. Only the texts on it are known: the rater is blind as people are."""
    worth = [(quality[text.text] - MIDDLE) / UNIT for text in screen.candidates]
    if screen.question.kind == "choice":
        return {"choice": simulate_choice(rng, habit, worth[0], worth[1])}
    scale = (screen.question.low or 1, screen.question.high or 100)
    return {"score": int(simulate_scores(rng, habit, np.array(worth), scale)[0])}


def rate_by_habit(
    *,
    participation: Participation,
    person: Person,
    quality: Closeness,
    share: float,
    start: datetime,
    rng: np.random.Generator,
) -> int:
    """Let a simulated rater answer a share of what is assigned, through the service real raters use.

    The times of the answers are then spread over an afternoon from `start`, as a person's would be.

    Returns:
        The number of answers given.
    """
    participation_start(participation=participation)
    participation_consent(participation=participation)
    way = Way(participation)
    wanted = round(way.progress.total * share)
    moment = start
    for screen in way.screens_after("", wanted):
        seconds = float(person.seconds * rng.lognormal(0, 0.35))
        saved = judgement_save(
            participation=participation,
            assignment_key=screen.key,
            client_key=screen.client_key,
            answers=answer_by_habit(person.habit, screen, quality, rng),
        )
        _set_times(saved.judgement, moment, seconds)
        moment += timedelta(seconds=seconds + float(rng.exponential(2)))
    # The rest of what was drawn ahead has not been seen yet.
    Assignment.objects.open().filter(participation=participation).update(shown_at=None)
    Participation.objects.filter(pk=participation.pk).update(consented_at=start, last_seen_at=moment)
    return wanted


def _set_times(judgement: Judgement, shown: datetime, seconds: float) -> None:
    Judgement.objects.filter(pk=judgement.pk).update(
        shown_at=shown, submitted_at=shown + timedelta(seconds=seconds), active_ms=int(seconds * 950)
    )
    Assignment.objects.filter(pk=judgement.assignment_id).update(shown_at=shown)
