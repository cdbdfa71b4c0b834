"""Answers of simulated raters, saved through the real service."""

from __future__ import annotations

import random
import uuid

from django.utils import timezone

from annotation.models import Campaign
from annotation.services.judging import judgement_save


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
