"""Sixteen raters in four processes take items at once: each item gets as many judgements as it needs."""

import json
import os
import subprocess
import sys

import pytest

from tests import server as servers
from tests.paths import ROOT
from tests.reachable import postgres

pytestmark = pytest.mark.process
PROCESSES, THREADS = 4, 4


def start(environment, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.factories.pool_race", *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(process):
    out, err = process.communicate(timeout=400)
    assert process.returncode == 0, err[-3000:]
    return json.loads(out) if out.strip() else None


def race(folder, database_url):
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url,
        "DJANGO_SETTINGS_MODULE": "evalplatform.settings",
    }
    result(start(environment, "make"))
    workers = [start(environment, "work", THREADS, 1 + THREADS * number) for number in range(PROCESSES)]
    assert [result(worker) for worker in workers] == [[]] * PROCESSES
    return result(start(environment, "faults"))


def test_sixteen_raters_take_items_at_once_on_sqlite(tmp_path):
    """ASG-01."""
    found = race(tmp_path, f"sqlite:///{tmp_path}/db.sqlite3")
    assert not any(found.values()), found


@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
def test_sixteen_raters_take_items_at_once_on_postgresql(tmp_path):
    """ASG-01."""
    with servers.own_postgres() as url:
        found = race(tmp_path, url)
    assert not any(found.values()), found
