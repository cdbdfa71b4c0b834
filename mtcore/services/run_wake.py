"""Wake a worker by a message. It carries nothing: whoever is woken looks at the table."""

from __future__ import annotations

import logging

from evalplatform.waking import wake

logger = logging.getLogger(__name__)

WAKE = "mtcore.run_wake"
"""The name of the task; see `mtcore/tasks.py`."""


def workers_wake(queue: str) -> bool:
    """Send the message; say whether it could be sent. Without it, workers find the run at their next look.

    Whoever launches a run does not wait for a broker that refuses or is silent.
    """
    why = wake(WAKE, queue=queue, expires=60)
    if why:
        logger.warning("no broker answers, runs wait for the workers' next look: %s", why)
    return not why
