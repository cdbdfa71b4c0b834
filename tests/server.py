"""The real platform in its own processes, with its own data folder and database, for tests over HTTP."""

import atexit
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from uuid import uuid4

import psycopg

from tests.clerk import Clerk
from tests.paths import ROOT
from tests.reachable import POSTGRES

START_SECONDS = 240


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
        self.process.wait(timeout=60)

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
        done = self.clerk.run(arguments)
        assert not ok or done.returncode == 0, done.stderr
        return done.stdout

    @cached_property
    def clerk(self) -> Clerk:
        """Who runs the commands."""
        return Clerk(self.environment)

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


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
    """Serve the platform on a fresh database and a free port until the block ends."""
    port = free_port()
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
    if not database_url:
        migrated_copy(folder / "data" / "platform.sqlite3")
    elif not _is_migrated(database_url):
        server.manage("migrate", "--verbosity", "0")
    server.start()
    try:
        yield server
    finally:
        server.clerk.end()
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


def _migrate(**environment: str) -> None:
    """Bring an empty database up to date by the command."""
    whole = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONUTF8": "1", **environment}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=whole, check=True)


@cache
def _migrated_file() -> Path:
    """Make an SQLite database to copy: migrating is the longest part of a start, and once is enough."""
    folder = Path(tempfile.mkdtemp(prefix="migrated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _migrate(DATA_DIR=str(folder))
    return folder / "platform.sqlite3"


def migrated_copy(path: Path) -> None:
    """Put a migrated, empty SQLite database at a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(_migrated_file())) as old, closing(sqlite3.connect(path)) as new:
        old.backup(new)


def _address(database: str = "") -> str:
    """Return the address that psycopg takes of a database of the test server."""
    return (POSTGRES.rsplit("/", 1)[0] + f"/{database}" if database else POSTGRES).replace(
        "postgres://", "postgresql://"
    )


def _is_migrated(url: str) -> bool:
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as connection:
        row = connection.execute("SELECT to_regclass('django_migrations') IS NOT NULL").fetchone()
    return bool(row and row[0])


def _create(name: str, template: str = "template1") -> None:
    with psycopg.connect(_address(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')


def _drop(name: str) -> None:
    with psycopg.connect(_address(), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@cache
def _migrated_postgres() -> str:
    """Make a PostgreSQL database to copy, dropped when the tests end, and return its name."""
    name = f"rating_migrated_{uuid4().hex[:12]}"
    _create(name)
    atexit.register(_drop, name)
    with tempfile.TemporaryDirectory() as folder:
        _migrate(DATA_DIR=folder, DATABASE_URL=POSTGRES.rsplit("/", 1)[0] + f"/{name}")
    return name


@contextmanager
def own_postgres(*, migrated: bool = False) -> Iterator[str]:
    """Create a PostgreSQL database, empty or up to date, return its address, and drop it afterwards."""
    name = f"rating_{uuid4().hex[:12]}"
    _create(name, _migrated_postgres() if migrated else "template1")
    try:
        yield POSTGRES.rsplit("/", 1)[0] + f"/{name}"
    finally:
        _drop(name)
