"""Links on pages and in answers of the API begin with the address that serves."""

import pytest

from annotation.management import serving
from tests.factories.commands import run

pytestmark = pytest.mark.django_db


class Served:
    """A process that only says with which environment it was started."""

    started: list[dict[str, str]] = []

    def __init__(self, command, *, env, **kwargs):  # type: ignore[no-untyped-def]
        self.started.append(env)

    def terminate(self) -> None:
        """End."""

    def wait(self, timeout=None) -> int:  # type: ignore[no-untyped-def]
        """Have ended."""
        return 0


@pytest.fixture
def started(monkeypatch, settings, tmp_path):
    """The environments of the processes that would have been started."""
    settings.DATA_DIR = tmp_path
    found: list[dict[str, str]] = []
    monkeypatch.setattr(Served, "started", found)
    monkeypatch.setattr(serving.subprocess, "Popen", Served)
    monkeypatch.setattr(serving.signal, "signal", lambda *args: None)
    return found


@pytest.mark.parametrize(
    ("base_url", "address", "expected"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8731", "http://127.0.0.1:8731"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://rate.example.org", "http://127.0.0.1:8731", "https://rate.example.org"),
    ],
)
def test_links_begin_with_what_was_set_or_the_address_that_serves(settings, base_url, address, expected):
    settings.BASE_URL = base_url
    assert serving.links_begin(address) == expected


@pytest.mark.parametrize("command", ["demo", "serve"])
def test_server_and_worker_know_the_port_that_serves(settings, started, monkeypatch, command):
    settings.BASE_URL = "http://127.0.0.1:8000"
    for name in ("demo", "serve"):
        module = __import__(f"annotation.management.commands.{name}", fromlist=["free_port"])
        monkeypatch.setattr(module, "free_port", lambda wanted, host="": wanted)
    run(command, "--port", "8731")
    assert [one["BASE_URL"] for one in started] == ["http://127.0.0.1:8731"] * 2
    assert all("PATH" in one for one in started)
