"""Celery tasks of the human-evaluation wing: wake-ups that look at rows."""

from __future__ import annotations

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from annotation.models import Campaign
from annotation.services.scoring import campaign_score, options_read
from evalplatform.errors import UserError

logger = logging.getLogger(__name__)


@shared_task(name="annotation.campaign_score")
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


def wake_scores(campaign: Campaign) -> bool:
    """Ask a worker to compute the scores ahead; say whether the message could be sent.

    Without a broker nothing is lost: the results page computes what is not there.
    """
    try:
        campaign_score_task.apply_async(args=[campaign.key], retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.warning("no broker answers, scores of %s wait for their page: %s", campaign.key, error)
        return False
    return True
