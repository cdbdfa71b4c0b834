"""A PostgreSQL server of a test's own, to be stopped and started under load."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.server import free_port

UNPRIVILEGED = ("postgres", "nobody")


def _binaries() -> Path | None:
    """Return the folder of the newest server that Debian's packages have installed, or None."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name)
    )
    return found[-1].parent if found else None


def _user() -> str | None:
    """Return who the server runs as: root may not, anybody else runs it as themselves ("")."""
    if os.geteuid() != 0:
        return ""
    known = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in UNPRIVILEGED if name in known), None)


def absent() -> str:
    """Say why no server can be started here; nothing when one can."""
    if _binaries() is None:
        return "PostgreSQL's server is not installed"
    return "" if _user() is not None else "there is no unprivileged user to run PostgreSQL"


@dataclass
class Postgres:
    """A server: its data, its port, and how it is told to stop and start."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Return the address of its database."""
        return f"postgres://rating@127.0.0.1:{self.port}/postgres"

    def run(self, name: str, *arguments: str) -> None:
        """Run one of its programs as the user it belongs to."""
        binaries, user = _binaries(), _user()
        assert binaries is not None and user is not None
        with (self.folder / "programs.log").open("ab") as log:
            subprocess.run(
                [str(binaries / name), *arguments], user=user or None, cwd=self.folder, stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, check=True, timeout=240,
            )  # fmt: skip

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        log = str(self.folder / "server.log")
        self.run(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "200", "-l", log, "-o", options, "start"
        )

    def stop(self) -> None:
        """Stop it at once, as a failing machine does: it recovers from its log when it starts again."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")


@contextmanager
def private_postgres() -> Iterator[Postgres]:
    """Make a server with its own data folder and port, start it, and remove all of it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))
    user = _user()
    if user:
        shutil.chown(folder, user)
    server = Postgres(folder, free_port())
    try:
        server.run(
            "initdb", "-D", str(folder / "data"), "-U", "rating", "-A", "trust", "-E", "UTF8", "--locale=C"
        )
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
