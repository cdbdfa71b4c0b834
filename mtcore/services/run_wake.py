"""Wake a worker by a message. It carries nothing: whoever is woken looks at the table."""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

WAKE = "mtcore.run_wake"
"""The name of the task; see `mtcore/tasks.py`."""


def workers_wake(queue: str) -> bool:
    """Send the message; say whether it could be sent. Without it, workers find the run at their next look.

    A broker that refuses is not asked again: whoever launches a run does not wait for it.
    """
    try:
        with current_app.connection_for_write() as connection:
            connection.transport_options = {**connection.transport_options, "max_retries": 0}
            current_app.send_task(
                WAKE, queue=queue, connection=connection, retry=False, ignore_result=True, expires=60
            )
    except (OperationalError, OSError) as error:
        logger.warning("no broker answers, runs wait for the workers' next look: %s", error)
        return False
    return True
