"""Run management commands in processes of their own without importing Django each time.

A clerk is a process with the platform imported and no connection open, one for each environment. It forks for
every command: the command has a process, an exit status and a fresh state, as it has from a shell.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from tests.paths import ROOT

LONGEST_SECONDS = 600


class Clerk:
    """What is asked of the process of one environment; it starts with the first command."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def run(self, arguments: tuple[str, ...], *, dies_at: int = 0) -> CompletedProcess[str]:
        """Run a command; return its exit status and what it wrote.

        With `dies_at` its process is killed (SIGKILL) before it writes to the database, or commits, for the
        so-manieth time.
        """
        with self._lock, tempfile.TemporaryDirectory() as folder:
            process = self._ready()
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps([folder, arguments, dies_at]) + "\n")
            process.stdin.flush()
            status = process.stdout.readline()
            out, err = ((Path(folder) / name).read_text("utf-8") for name in ("out", "err"))
        return CompletedProcess(arguments, int(status), out, err)

    def _ready(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.clerk"],
                cwd=ROOT, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            atexit.register(self.end)
        return self._process

    def end(self) -> None:
        """Let the process end."""
        if self._process is not None:
            self._process.communicate()
            self._process = None
            atexit.unregister(self.end)


def serve() -> None:
    """Take commands from the standard input until it ends."""
    from evalplatform.env import use_settings

    use_settings()
    import django
    from django.urls import get_resolver

    django.setup()
    _ = get_resolver().url_patterns  # as a command's checks import them
    for line in sys.stdin:
        folder, arguments, dies_at = json.loads(line)
        child = os.fork()
        if child == 0:
            if dies_at:
                _die(dies_at)
            os._exit(_command(folder, arguments))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _die(at: int) -> None:
    """Have this process killed at its so-manieth write."""
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.backends.signals import connection_created

    left = at

    def written() -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(execute: Any, sql: Any, *rest: Any) -> Any:
        if str(sql).lstrip()[:6].upper() in ("INSERT", "UPDATE", "DELETE"):
            written()
        return execute(sql, *rest)

    def commit(self: Any) -> Any:
        written()
        return plain(self)

    plain = BaseDatabaseWrapper._commit
    BaseDatabaseWrapper._commit = commit  # type: ignore[method-assign]
    connection_created.connect(
        lambda connection, **_: connection.execute_wrappers.append(watch), weak=False, dispatch_uid="die"
    )


def _command(folder: str, arguments: list[str]) -> int:
    """Be the command's process; return its exit status."""
    signal.alarm(LONGEST_SECONDS)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as the process
    from django.core.management import execute_from_command_line

    status = 0
    try:
        execute_from_command_line(["manage.py", *arguments])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
        if isinstance(left.code, str):
            print(left.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    serve()
