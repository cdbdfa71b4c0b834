"""Celery tasks of the human-evaluation wing: wake-ups that look at rows."""

from __future__ import annotations

from celery import shared_task

from annotation.models import Campaign
from annotation.services.scoring import campaign_score, options_read
from annotation.services.waking import SCORE_TASK
from evalplatform.errors import UserError


@shared_task(name=SCORE_TASK)
def campaign_score_task(campaign_key: str) -> str:
    """Compute the standard scores of a campaign, unless they stand already.

    Safe to receive twice, late, or after somebody has opened the results page: scores are stored once for
    the same options and judgements.
    """
    campaign = Campaign.objects.filter(key=campaign_key).first()
    if campaign is None:
        return "the campaign is gone"
    try:
        return campaign_score(campaign=campaign, options=options_read(campaign, {})).signature
    except UserError as error:
        return str(error)
