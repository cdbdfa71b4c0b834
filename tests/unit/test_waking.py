"""A broker that takes the connection and then says nothing holds nobody up."""

import socket
import time

import pytest
from celery import current_app
from kombu import Connection

from evalplatform import waking
from mtcore.services.run_wake import workers_wake


@pytest.mark.parametrize("kind", ["redis", "amqp"])
def test_a_silent_broker_is_left(monkeypatch, caplog, kind):
    monkeypatch.setattr(waking, "WAIT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"{kind}://127.0.0.1:{silent.getsockname()[1]}//"
        monkeypatch.setattr(current_app, "connection_for_write", lambda: Connection(where))
        began = time.monotonic()
        assert not workers_wake("default")
        assert time.monotonic() - began < 20
    assert "no broker answers, runs wait" in caplog.text


def test_a_broker_that_is_not_there_is_not_asked_again(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        where = f"redis://127.0.0.1:{gone.getsockname()[1]}/0"
    monkeypatch.setattr(current_app, "connection_for_write", lambda: Connection(where))
    assert not workers_wake("default")
