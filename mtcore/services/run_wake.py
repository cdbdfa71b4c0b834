"""Wake a worker by a message. It carries nothing: whoever is woken looks at the table."""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

WAKE = "mtcore.run_wake"
"""The name of the task; see `mtcore/tasks.py`."""


def workers_wake(queue: str) -> bool:
    """Send the message; say whether it could be sent. Without it, workers find the run at their next look."""
    try:
        current_app.send_task(WAKE, queue=queue, retry=False, ignore_result=True, expires=60)
    except (OperationalError, OSError) as error:
        logger.warning("no broker answers, runs wait for the workers' next look: %s", error)
        return False
    return True
