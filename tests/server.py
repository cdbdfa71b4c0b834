"""The real platform in its own processes, with its own data folder and database, for tests over HTTP."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg

from tests.paths import ROOT
from tests.reachable import POSTGRES

START_SECONDS = 60


@dataclass
class Server:
    """A running platform: its address, its folder, the environment and command of its processes."""

    url: str
    folder: Path
    environment: dict[str, str]
    command: list[str]
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start the server's processes and wait until they answer."""
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        _wait(self, self.process)

    def kill(self) -> None:
        """End all processes of the server at once, as a failing machine does (SIGKILL)."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Ask the server to end, and wait."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(timeout=20)

    def processor_seconds(self) -> float:
        """Return the processor time that the server's processes have taken, user and system together."""
        assert self.process is not None
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            if int(fields[2]) == self.process.pid:
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def manage(self, *arguments: str, ok: bool = True) -> str:
        """Run a management command beside the server and return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert not ok or done.returncode == 0, done.stderr
        return done.stdout

    def campaign(self, name: str, *arguments: str, raters: int) -> dict[str, str]:
        """Create a campaign with the command and return its links by rater."""
        printed = self.manage(
            "create_campaign", name, *arguments, "--raters", str(raters), "--base-url", self.url
        )
        lines = [line.split("\t") for line in printed.split("\n") if "/invite/" in line]
        links = dict(lines)
        assert len(links) == raters, printed
        return links

    def complaints(self) -> list[str]:
        """Return what the server wrote about errors; nothing when all went well."""
        lines = (self.folder / "server.log").read_text().split("\n")
        return [line for line in lines if "ERROR" in line or "Traceback" in line]

    def write(self, name: str, lines: list[str]) -> str:
        """Write a text file, one line a segment, and return its path."""
        path = self.folder / name
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return str(path)


@contextmanager
def running(
    folder: Path,
    *,
    database_url: str = "",
    threads: int = 16,
    workers: int = 2,
    host: str = "127.0.0.1",
    application: str = "evalplatform.wsgi",
    **environment: str,
) -> Iterator[Server]:
    """Migrate a fresh database and serve the platform on a free port until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    whole = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONUTF8": "1",
        "DATA_DIR": str(folder / "data"),
        "DATABASE_URL": database_url,
        "BASE_URL": f"http://127.0.0.1:{port}",
        "LOG_LEVEL": "WARNING",
    } | environment
    command = [
        sys.executable, "-m", "gunicorn", application, "--bind", f"{host}:{port}",
        "--worker-class", "gthread", "--workers", str(workers), "--threads", str(threads),
        "--graceful-timeout", "5",
    ]  # fmt: skip
    server = Server(whole["BASE_URL"], folder, whole, command)
    server.manage("migrate", "--verbosity", "0")
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _wait(server: Server, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, (server.folder / "server.log").read_text()
        try:
            urllib.request.urlopen(f"{server.url}/rate/nobody/", timeout=5).close()
        except urllib.error.HTTPError:
            return  # it answered, if only that this needs an invitation
        except OSError:
            time.sleep(0.1)
    raise AssertionError((server.folder / "server.log").read_text())


@contextmanager
def own_postgres() -> Iterator[str]:
    """Create an empty PostgreSQL database, return its address, and drop it afterwards."""
    name = f"rating_{uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES.replace("postgres://", "postgresql://"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield POSTGRES.rsplit("/", 1)[0] + f"/{name}"
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
