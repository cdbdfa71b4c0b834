"""Modules of `tests/factories` run in processes of their own, on a fresh database of their own.

SQLite in memory, which the tests themselves use, is not shared by threads as a file or a server is.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import server as servers
from tests.paths import ROOT
from tests.reachable import postgres, redis

VENDORS = [
    "sqlite",
    pytest.param(
        "postgresql",
        marks=pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432"),
    ),
]

REDIS = redis()
BROKERS = [
    pytest.param("", id="embedded"),
    pytest.param(
        REDIS,
        id="redis",
        marks=pytest.mark.skipif(REDIS is None, reason="no Redis answers on 127.0.0.1:6379"),
    ),
]


@contextmanager
def own_database(folder: Path, vendor: str = "sqlite") -> Iterator[dict[str, str]]:
    """Give the environment of processes that have a migrated database to themselves."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = kept | {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "evalplatform.settings"}
    if vendor == "sqlite":
        servers.migrated_copy(folder / "platform.sqlite3")
        yield environment
    else:
        with servers.own_postgres(migrated=True) as url:
            yield environment | {"DATABASE_URL": url}


def started(environment: dict[str, str], module: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start `python -m tests.factories.MODULE`."""
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.factories.{module}", *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(process: "subprocess.Popen[str]") -> Any:
    """Wait for a process and return what it printed."""
    out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err[-3000:]
    return json.loads(out) if out.strip() else None
