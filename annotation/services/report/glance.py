"""Agreement at a glance, for the page of a campaign: α and on how many items it rests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.records import comparisons_read
from annotation.services.report.data import rated_read
from annotation.services.report.sections_agreement import alpha_words
from annotation.services.report.store import part_newest, part_ready
from annotation.services.score_table import number
from annotation.services.scoring import options_read
from annotation.services.sealing import is_sealed
from annotation.stats.agreement import Judged, judged_comparisons, judged_ratings
from annotation.stats.options import ScoreOptions

PART = "glance"
QUICK_ANSWERS = 4000
"""Answers up to which the page waits for the figure whenever answers have come in."""
REST = timedelta(hours=1)
"""How long the page of a larger campaign shows what was computed last."""


@dataclass(frozen=True)
class Glance:
    """How far raters agree.

    Attributes:
        value: Krippendorff's α: of ratings on z, of preferences nominal.
        row: the row of the report's table of agreement that has it.
        n_items: items with a judgement that counts.
        n_several: those of them that two raters or more judged, on which α rests.
        at: when it was computed, None where it is true of the judgements of this moment.
    """

    value: float
    row: str
    n_items: int
    n_several: int
    at: datetime | None

    @property
    def shown(self) -> str:
        """Write the value."""
        return number(self.value, 2)

    @property
    def words(self) -> str:
        """Say what the value means."""
        if self.row == "z.alpha":
            return alpha_words(self.value)
        return _(
            "α of %(value)s: it is 1 when raters always choose the same, and 0 when they agree as by chance."
        ) % {"value": self.shown}


def agreement_glance(campaign: Campaign, n_done: int) -> Glance | None:
    """Return how far the raters of a campaign agree, by its standard options.

    It is computed once for the same judgements; for a campaign of more than `QUICK_ANSWERS` answers once in
    `REST` at most, whatever comes in.

    Args:
        campaign: whose raters.
        n_done: answers that are there.

    Returns:
        None while results are sealed, or where no item has several judgements or all are alike.
    """
    if not n_done or is_sealed(campaign):
        return None
    options = options_read(campaign, {})
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    at = None
    newest = part_newest(campaign, options, PART) if n_done > QUICK_ANSWERS else None
    if newest is not None and timezone.now() - newest.created_at < REST:
        found: dict[str, Any] = newest.result or {}
        at = newest.created_at
    else:
        found = part_ready(campaign, options, PART, lambda: _computed(campaign, options, rated=rated))
    if found.get("value") is None:
        return None
    return Glance(found["value"], "z.alpha" if rated else "nominal", found["n_items"], found["n_several"], at)


def _computed(campaign: Campaign, options: ScoreOptions, *, rated: bool) -> dict[str, Any]:
    judged = _judged(campaign, options, rated=rated)
    if not judged.unit.size:
        return {"value": None, "n_items": 0, "n_several": 0}
    raters_of = np.bincount(judged.unit)
    alpha = judged.alpha("interval" if rated else "nominal", None, 0)
    return {
        "value": alpha.value,
        "n_items": int((raters_of > 0).sum()),
        "n_several": int((raters_of > 1).sum()),
    }


def _judged(campaign: Campaign, options: ScoreOptions, *, rated: bool) -> Judged:
    if not rated:
        return judged_comparisons(comparisons_read(campaign).all_shown())
    data = rated_read(campaign, options)
    return judged_ratings(data.ratings.table, data.z)
