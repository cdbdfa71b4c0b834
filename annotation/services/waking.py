"""Wake a worker: a message that something may be computed ahead. Nothing depends on its arrival."""

from __future__ import annotations

import logging

from annotation.models import Campaign
from evalplatform.waking import wake

logger = logging.getLogger(__name__)

SCORE_TASK = "annotation.campaign_score"


def scores_wake(*, campaign: Campaign) -> bool:
    """Ask a worker to compute the standard scores of a campaign; say whether the message could be sent.

    Without a broker nothing is lost: the results page computes what is not there. Whoever closes a campaign
    does not wait for a broker that refuses or is silent.
    """
    why = wake(SCORE_TASK, args=[campaign.key])
    if why:
        logger.warning("no broker answers, scores of %s wait for their page: %s", campaign.key, why)
    return not why
