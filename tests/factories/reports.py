"""Campaigns for reports: usual ones and the smallest that exist."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Campaign, Judgement
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign


def rated(owner: User | None = None, **more: Any) -> Campaign:
    """Make a finished direct assessment of two systems."""
    campaign = make_campaign(**{"name": "harbour", "n_segments": 8, "judgements": 2, **more}, owner=owner)
    answer_all(campaign)
    return campaign


def level(campaign: Campaign, score: float) -> Campaign:
    """Give every judgement the same score."""
    Judgement.objects.filter(assignment__item__campaign=campaign).update(score=score)
    return campaign


def small_campaigns() -> Sequence[tuple[str, Callable[[User], Campaign]]]:
    """Return makers of campaigns of which little can be said, by name."""
    return [
        ("one rater", lambda ann: rated(ann, raters=1, judgements=1)),
        ("one segment", lambda ann: rated(ann, n_segments=1)),
        ("one system", lambda ann: rated(ann, systems=("OP",))),
        ("one judgement", lambda ann: rated(ann, systems=("OP",), n_segments=1, raters=1, judgements=1)),
        ("all scores equal", lambda ann: level(rated(ann), 50)),
        ("all outputs identical", lambda ann: rated(ann, identical=range(8))),
        ("preferences of one", lambda ann: rated(ann, protocol="pairwise_fluency", raters=1, judgements=1)),
        (
            "one preference",
            lambda ann: rated(ann, protocol="pairwise_fluency", raters=1, judgements=1, n_segments=1),
        ),
        (
            "three systems preferred",
            lambda ann: rated(ann, protocol="pairwise_fluency", systems=("A", "B", "C")),
        ),
        (
            "preferences, some identical",
            lambda ann: rated(ann, protocol="pairwise_fluency", identical=(0, 1)),
        ),
        ("three systems, holm", lambda ann: rated(ann, systems=("A", "B", "C"))),
    ]
