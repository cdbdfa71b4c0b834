"""Send a message to workers, and wait for no broker: nothing depends on its arrival."""

from __future__ import annotations

from typing import Any

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError

WAIT_SECONDS: float = 3.0
"""So long a broker that takes the connection, or does not, and then says nothing is waited for."""


def wake(task: str, **options: Any) -> str:
    """Send a message; return why it could not be sent, empty when it could.

    A broker that refuses is not asked again, and one that is silent is left: whoever asks for something does
    not wait for it.

    Args:
        task: the name of the task.
        options: see `celery.Celery.send_task`.
    """
    with current_app.connection_for_write() as connection:
        _patience(connection)
        errors = (OperationalError, OSError, *connection.connection_errors, *connection.channel_errors)
        try:
            current_app.send_task(task, connection=connection, retry=False, ignore_result=True, **options)
        except errors as error:
            return str(error) or type(error).__name__
    return ""


def _patience(connection: Connection) -> None:
    """Set every limit that one transport or another knows (Redis those of sockets, AMQP those of reading)."""
    connection.connect_timeout = WAIT_SECONDS  # type: ignore[assignment]
    names = ("socket_timeout", "socket_connect_timeout", "read_timeout", "write_timeout")
    limits = dict.fromkeys(names, WAIT_SECONDS)
    connection.transport_options = {**(connection.transport_options or {}), "max_retries": 0, **limits}
