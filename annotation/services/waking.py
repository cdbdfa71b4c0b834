"""Wake a worker: a message that something may be computed ahead. Nothing depends on its arrival."""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError

from annotation.models import Campaign

logger = logging.getLogger(__name__)

SCORE_TASK = "annotation.campaign_score"


def scores_wake(*, campaign: Campaign) -> bool:
    """Ask a worker to compute the standard scores of a campaign; say whether the message could be sent.

    Without a broker nothing is lost: the results page computes what is not there. A broker that refuses is
    not asked again: whoever closes a campaign does not wait for it.
    """
    try:
        with current_app.connection_for_write() as connection:
            connection.transport_options = {**connection.transport_options, "max_retries": 0}
            current_app.send_task(
                SCORE_TASK, args=[campaign.key], connection=connection, retry=False, ignore_result=True
            )
    except (OperationalError, OSError) as error:
        logger.warning("no broker answers, scores of %s wait for their page: %s", campaign.key, error)
        return False
    return True
