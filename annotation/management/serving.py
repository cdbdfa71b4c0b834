"""Serve the platform and its embedded worker from one command."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Any

from django.conf import settings

from evalplatform.env import LOCAL_URL, environment_with
from evalplatform.errors import BadInput, Conflict

HOST = "127.0.0.1"
TRIES = 50
THREADS = 8
_PR_SET_PDEATHSIG = 1


def free_port(wanted: int, host: str = HOST) -> int:
    """Return the wanted port, or the next one that is free.

    Raises:
        BadInput: the machine has no such address.
        Conflict: none of the next fifty ports is free.
    """
    for port in range(wanted, wanted + TRIES):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
                    raise BadInput(
                        f"This machine has no address “{host}”.", "Use 0.0.0.0 for all addresses it has."
                    ) from error
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                continue
            return port
    raise Conflict(f"No port from {wanted} to {wanted + TRIES - 1} is free.", "Name another with --port.")


def links_begin(address: str) -> str:
    """Return what links on pages begin with: BASE_URL where one was set, else the address that serves."""
    return address if settings.BASE_URL == LOCAL_URL else settings.BASE_URL


def serve(*, port: int, base_url: str, host: str = HOST) -> None:
    """Serve until stopped (Ctrl-C or SIGTERM); the worker ends with the server and writes `worker.log`.

    Args:
        port: a free one.
        base_url: what links on pages and in answers of the API begin with.
        host: address to listen on.
    """
    server = [
        "-m", "gunicorn", "evalplatform.wsgi:application", "--bind", f"{host}:{port}",
        "--worker-class", "gthread", "--workers", "1", "--threads", str(THREADS),
        "--log-level", "warning", "--worker-tmp-dir", str(settings.DATA_DIR),
    ]  # fmt: skip
    worker = ["-m", "celery", "-A", "evalplatform", "worker", "--pool", "solo", "-Q", "default"]
    log = settings.DATA_DIR / "worker.log"
    own = environment_with(BASE_URL=base_url)
    with log.open("ab") as lines, _child(worker, own, lines), _child(server, own) as process:
        for name in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, _stop)
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()


@contextlib.contextmanager
def _child(
    arguments: list[str], environment: dict[str, str], log: IO[bytes] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run Python with these arguments as a process of its own that does not outlive this one."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=_end_with_parent,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _end_with_parent() -> None:
    """Ask Linux to end this process when its parent dies, however it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt
