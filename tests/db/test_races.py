"""Requests that want the same rows at once: nothing is counted twice, nobody waits for ever."""

import json
import os
import subprocess
import sys

import pytest

from tests import server as servers
from tests.paths import ROOT
from tests.reachable import postgres

pytestmark = pytest.mark.process
NAMES = ["take_back", "rounds_and_leaving"]


def race(name, folder, database_url):
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DATA_DIR": str(folder),
        "DATABASE_URL": database_url,
        "DJANGO_SETTINGS_MODULE": "evalplatform.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.factories.races", name],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_races_on_sqlite(name, tmp_path):
    found = race(name, tmp_path, f"sqlite:///{tmp_path}/db.sqlite3")
    assert not any(found.values()), found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.skipif(postgres() is None, reason="no PostgreSQL server answers on 127.0.0.1:5432")
def test_races_on_postgresql(name, tmp_path):
    with servers.own_postgres() as url:
        found = race(name, tmp_path, url)
    assert not any(found.values()), found
