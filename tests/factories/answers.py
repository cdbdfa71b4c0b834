"""Answers of simulated raters, saved through the real service."""

from __future__ import annotations

import random
import uuid

import numpy as np
from django.utils import timezone

from annotation.models import Campaign
from annotation.services.judging import judgement_save
from annotation.stats.rater_evidence import Answer
from annotation.stats.simulate import Habit, simulate_scores


def answer_all(campaign: Campaign, *, seed: int = 1, better: str = "BT", share: float = 1.0) -> None:
    """Let every rater answer (a share of) the assignments; outputs of `better` are rated higher."""
    rng = random.Random(seed)
    for participation in campaign.participations.select_related("campaign", "rater").order_by("pk"):
        participation.consented_at = timezone.now()
        participation.save(update_fields=["consented_at"])
        own = list(participation.assignments.order_by("position").select_related("item"))
        for assignment in own[: round(len(own) * share)]:
            names = [
                {output.system.name for output in candidate.outputs.all()}
                for candidate in assignment.item.candidates.order_by("position")
            ]
            if assignment.swap:
                names.reverse()
            judgement_save(
                participation=participation,
                assignment_key=assignment.key,
                client_key=uuid.uuid4().hex,
                answers=_answer(names, better, rng),
            )


def _answer(names: list[set[str]], better: str, rng: random.Random) -> dict[str, object]:
    if len(names) == 1:
        return {"score": max(1, min(100, round(rng.gauss(70 if better in names[0] else 55, 15))))}
    choice = rng.choice(["left", "right", "equal"])
    if rng.random() < 0.5:
        choice = "left" if better in names[0] else "right" if better in names[1] else choice
    return {"choice": choice}


def answers_of(
    rng: np.random.Generator,
    habit: Habit,
    *,
    items: int = 60,
    bad: float = 0.3,
    repeats: float = 0.3,
    drop: float = 2.5,
    seconds: float | None = None,
    rater: str = "r1",
) -> list[Answer]:
    """Draw a rater's answers in random order; shares `bad` and `repeats` of the items are quality control.

    Qualities have the sd .86 of `simulate.Truth`; a bad reference is `drop` worse than its pair. `seconds` is
    the median time an item takes, None leaves times out.
    """
    n_bad, n_repeats = round(items * bad), round(items * repeats)
    n = items - n_bad - n_repeats
    quality = rng.normal(0, 0.86, n)
    damaged, repeated = (rng.choice(n, size, replace=size > n) for size in (n_bad, n_repeats))
    seen = np.concatenate([quality, quality[damaged] - drop, quality[repeated]])
    kinds = ["system"] * n + ["bad_reference"] * n_bad + ["repeat"] * n_repeats
    pairs = [*range(n), *damaged.tolist(), *repeated.tolist()]
    scores = simulate_scores(rng, habit, seen)
    times = rng.lognormal(np.log(seconds), 0.8, items).tolist() if seconds else [None] * items
    return [
        Answer(rater, kinds[place], pairs[place], float(scores[place]), times[place], position)
        for position, place in enumerate(rng.permutation(items).tolist())
    ]
