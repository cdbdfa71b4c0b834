"""Celery tasks of the machine-translation wing: a wake-up, and the worker that it wakes.

A Celery worker does runs in a thread of its own, beside the messages it consumes: a run of days holds no
message and blocks no other task, whatever the pool.
"""

from __future__ import annotations

import threading
from typing import Any

from celery import shared_task, signals
from django.conf import settings

from mtcore.services.run_wake import WAKE
from mtcore.services.run_work import Worker

ENDING_SECONDS = 15

_worker: Worker | None = None
_thread: threading.Thread | None = None


@shared_task(name=WAKE)
def run_wake_task() -> str:
    """Do nothing: that the message has come is all there is to it (see `_message_came`)."""
    return "woken"


@signals.worker_ready.connect
def _worker_ready(sender: Any = None, **_: Any) -> None:
    """Begin to look at the table, for the queues that this Celery worker serves."""
    global _worker, _thread
    _worker = Worker(queues=sorted(sender.app.amqp.queues.consume_from), device=settings.RUN_DEVICE)
    _thread = threading.Thread(target=_worker.work, name="runs", daemon=True)
    _thread.start()


@signals.task_received.connect
def _message_came(request: Any = None, **_: Any) -> None:
    """Look at once. The signal comes in the process that looks; the task itself may run in another."""
    if _worker is not None and request is not None and request.name == WAKE:
        _worker.wake()


@signals.worker_shutting_down.connect
def _worker_ending(**_: Any) -> None:
    """Stop the run that is being done and return it to the queue."""
    if _worker is not None:
        _worker.end()


@signals.worker_shutdown.connect
def _worker_ended(**_: Any) -> None:
    """Give it the time to do so."""
    if _thread is not None:
        _thread.join(ENDING_SECONDS)
