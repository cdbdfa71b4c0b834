"""A real worker over a real transport computes scores that a message asks for."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.own_database import BROKERS
from tests.paths import ROOT
from tests.server import migrated_copy

pytestmark = pytest.mark.process
JUDGEMENTS = "rater,system,segment_id,score\n" + "".join(
    f"{rater},{system},{segment},{40 + 9 * segment + 5 * (system == 'A') + bonus}\n"
    for rater, bonus in (("r1", 0), ("r2", 7))
    for system in "AB"
    for segment in range(1, 5)
)
ASK = """
from annotation.models import Campaign
from annotation.services.waking import scores_wake
campaign = Campaign.objects.get(name="queued")
print(scores_wake(campaign=campaign), scores_wake(campaign=campaign))  # a message delivered twice
"""


def _run(environment, *arguments):
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def _worker(environment):
    command = [sys.executable, "-m", "celery", "-A", "evalplatform", "worker", "--pool", "solo", "-l", "INFO"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=60)


def _stored(environment):
    with sqlite3.connect(Path(environment["DATA_DIR"]) / "platform.sqlite3") as database:
        return database.execute(
            "SELECT COUNT(*) FROM annotation_scorerun WHERE result IS NOT NULL"
        ).fetchone()[0]


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """The environment of a platform with a campaign whose scores nobody has asked for."""
    folder = tmp_path_factory.mktemp("imported")
    keep = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    made = keep | {"DATA_DIR": str(folder), "SECRET_KEY": "queue-test-" + "k" * 50}
    migrated_copy(folder / "platform.sqlite3")
    (folder / "judgements.csv").write_text(JUDGEMENTS)
    names = "rater=rater,system=system,segment=segment_id,score=score"
    _run(
        made, "import_judgements", "queued", str(folder / "judgements.csv"), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de", "--map", names,
    )  # fmt: skip
    return made


@pytest.fixture
def environment(imported, tmp_path):
    """A copy of it."""
    return imported | {"DATA_DIR": str(shutil.copytree(imported["DATA_DIR"], tmp_path / "data"))}


@pytest.mark.parametrize("broker", BROKERS)
def test_a_worker_computes_what_a_message_asks_for_once(environment, broker):
    environment = environment | {"CELERY_BROKER_URL": broker or ""}
    assert _run(environment, "shell", "-v0", "-c", ASK) == "True True"
    with _worker(environment):
        deadline = time.monotonic() + 240
        while _stored(environment) == 0:
            assert time.monotonic() < deadline, "the worker never computed the scores"
            time.sleep(0.3)
        time.sleep(1)
    assert _stored(environment) == 1


def test_without_a_broker_the_message_fails_and_scores_are_still_there(environment):
    environment = environment | {"CELERY_BROKER_URL": "redis://127.0.0.1:1/0"}
    assert _run(environment, "shell", "-v0", "-c", ASK) == "False False"
    scores = json.loads(_run(environment, "score_campaign", "queued", "--format", "json"))
    assert [row["system"] for row in scores["systems"]] == ["A", "B"]
