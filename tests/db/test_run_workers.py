"""Real workers in processes of their own: killed, stopped, without a broker; every run ends once."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from mtcore.engines.rundir import verify
from tests.own_database import BROKERS
from tests.paths import ROOT
from tests.server import migrated_copy

pytestmark = pytest.mark.process
LEASE_SECONDS = 3
NOBODY = "redis://127.0.0.1:1/0"
TREE = """
import subprocess, sys, time, pathlib
inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("pids", inner.pid, flush=True)
flag = pathlib.Path({flag!r})
while not flag.exists():
    time.sleep(0.05)
inner.kill()
"""


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory):
    """A migrated database to copy."""
    folder = tmp_path_factory.mktemp("empty")
    keep = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    made = keep | {
        "DATA_DIR": str(folder),
        "SECRET_KEY": "run-workers-" + "k" * 50,
        "DJANGO_SETTINGS_MODULE": "tests.factories.run_settings",
        "RUN_LEASE_SECONDS": str(LEASE_SECONDS),
    }
    migrated_copy(folder / "platform.sqlite3")
    return made


class Place:
    """A data folder of its own, with the runs in its database."""

    def __init__(self, folder: Path, environment: dict[str, str], broker: str) -> None:
        self.folder = folder
        self.environment = environment | {"DATA_DIR": str(folder), "CELERY_BROKER_URL": broker}
        source = Path(environment["DATA_DIR"]) / "platform.sqlite3"
        with sqlite3.connect(source) as old, sqlite3.connect(folder / "platform.sqlite3") as new:
            old.backup(new)

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def launch(self, n: int = 1, **options: object) -> list[int]:
        """Launch runs through the service, which sends its messages, each six times over."""
        code = (
            "import json, time; from tests.factories.runs import launch; "
            "from mtcore.services.run_wake import workers_wake; began = time.monotonic(); "
            f"runs = [launch(**json.loads({json.dumps(options)!r})).pk for _ in range({n})]; "
            "[workers_wake('default') for _ in range(6)]; "
            "print(json.dumps([runs, time.monotonic() - began]))"
        )
        runs, self.seconds = json.loads(self.manage("shell", "-v0", "-c", code))
        return runs

    def put(self, **options: object) -> int:
        """Put a run in the table without a message: the worker's own look must find it."""
        values = {
            "kind": "for_tests", "name": "", "queue": "default", "state": "queued", "message": "",
            "options": json.dumps(options), "cancel_requested": 0, "attempts": 0, "worker": "", "device": "",
            "progress": 0, "progress_note": "", "history": "[]", "created_at": "2026-01-01 00:00:00",
        }  # fmt: skip
        with sqlite3.connect(self.folder / "platform.sqlite3", timeout=20) as database:
            marks = ", ".join("?" * len(values))
            done = database.execute(
                f"INSERT INTO mtcore_run ({', '.join(values)}) VALUES ({marks})", [*values.values()]
            )
            return int(done.lastrowid or 0)

    def row(self, pk: int) -> dict:
        with sqlite3.connect(self.folder / "platform.sqlite3", timeout=20) as database:
            database.row_factory = sqlite3.Row
            return dict(database.execute("SELECT * FROM mtcore_run WHERE id = ?", [pk]).fetchone())

    def corpora(self) -> int:
        with sqlite3.connect(self.folder / "platform.sqlite3", timeout=20) as database:
            return database.execute("SELECT COUNT(*) FROM mtcore_corpus").fetchone()[0]

    def wait(self, pk: int, *states: str, seconds: float = 240) -> dict:
        deadline = time.monotonic() + seconds
        while (row := self.row(pk))["state"] not in states:
            assert time.monotonic() < deadline, row
            time.sleep(0.1)
        return row

    def starts(self, pk: int) -> int:
        return int((self.folder / "runs" / str(pk) / "work" / "starts").read_text())

    def tree(self, pk: int) -> list[int]:
        """Wait for a run's command; return its process and that of what it started."""
        log, note = (self.folder / "runs" / str(pk) / name for name in ("log.txt", "child.json"))
        deadline = time.monotonic() + 240
        while not (note.exists() and log.exists() and "\npids " in log.read_text().rpartition("\n$ ")[2]):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        inner = [line for line in log.read_text().split("\n") if line.startswith("pids ")][-1].split()[1]
        return [json.loads(note.read_text())["group"], int(inner)]

    @contextmanager
    def worker(self, *, celery: bool, queue: str = "default"):
        command = (
            ["-m", "celery", "-A", "evalplatform", "worker", "--pool", "solo", "-l", "INFO", "-Q", queue]
            if celery
            else ["manage.py", "work", "--queue", queue]
        )
        with (self.folder / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *command], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture
def place(tmp_path, empty_database, request):
    """A fresh place; its broker is the test's parameter."""
    return Place(tmp_path, empty_database, getattr(request, "param", ""))


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def command(tmp_path: Path) -> str:
    return TREE.format(flag=str(tmp_path / "flag"))


@pytest.mark.parametrize("place", BROKERS, indirect=True)
def test_every_run_is_done_once_however_often_it_is_announced_cel_01(place):
    *runs, cancelled = place.launch(5)
    assert "cancelled" in place.manage("run_cancel", str(cancelled))
    with place.worker(celery=True), place.worker(celery=False):
        for pk in runs:
            assert place.wait(pk, "succeeded")["attempts"] == 1
        late = place.put()
        place.wait(late, "succeeded", seconds=20)
    assert [place.starts(pk) for pk in [*runs, late]] == [1] * 5
    assert place.row(cancelled)["state"] == "cancelled", "cancelled while no worker was up (CEL-02)"
    assert not (place.folder / "runs" / str(cancelled)).exists()


@pytest.mark.parametrize("place", BROKERS, indirect=True)
def test_a_killed_worker_s_run_is_taken_up_by_the_next(place, tmp_path):
    pk = place.put(command=command(tmp_path))
    with place.worker(celery=True) as worker:
        pids = place.tree(pk)
        worker.kill()
        worker.wait()
    deadline = time.monotonic() + 10
    while any(map(exists, pids)):
        assert time.monotonic() < deadline, "what the killed worker had started is still there"
        time.sleep(0.1)
    assert place.row(pk)["state"] == "running"
    assert "silent" in place.manage("runs", str(pk)) or time.sleep(LEASE_SECONDS) is None
    with place.worker(celery=False):
        place.tree(pk)
        (tmp_path / "flag").touch()
        row = place.wait(pk, "succeeded")
    assert (row["attempts"], place.starts(pk)) == (2, 2)


def test_a_running_run_is_cancelled_and_resumed_and_its_worker_goes_on_cel_03(place, tmp_path):
    pk = place.put(command=command(tmp_path))
    with place.worker(celery=True):
        pids = place.tree(pk)
        assert "being stopped" in place.manage("run_cancel", str(pk))
        place.wait(pk, "cancelled", seconds=10)
        assert not any(map(exists, pids)), "nothing runs on, nothing is defunct"
        assert not (place.folder / "runs" / str(pk) / "child.json").exists()
        (tmp_path / "flag").touch()
        assert "will go on" in place.manage("run_resume", str(pk))
        assert place.wait(pk, "succeeded")["attempts"] == 1
        assert "already finished" in place.manage("run_cancel", str(pk)), "no effect (CEL-09)"
        place.wait(place.put(), "succeeded")
    assert place.starts(pk) == 2


def test_a_killed_command_fails_its_run_and_a_stopped_worker_gives_its_run_back(place, tmp_path):
    pk = place.put(command=command(tmp_path))
    with place.worker(celery=False) as worker:
        pids = place.tree(pk)
        os.kill(pids[0], signal.SIGKILL)
        row = place.wait(pk, "failed")
        assert row["exit_code"] == 137 and "killed (signal 9)" in row["message"]
        assert not any(map(exists, pids)), "what it had started ended with it"
        place.manage("run_resume", str(pk))
        pids = place.tree(pk)
        began = time.monotonic()
        worker.terminate()
        worker.wait(timeout=15)
        assert worker.returncode == 0 and time.monotonic() - began < 10
    row = place.row(pk)
    assert (row["state"], row["attempts"]) == ("queued", 0)
    assert not any(map(exists, pids))
    assert "Nobody is working on the queue “default”" in place.manage("runs", str(pk))
    assert "Workers: none" in place.manage("runs")


@pytest.mark.parametrize(
    "point",
    [
        pytest.param("before the command", marks=pytest.mark.long),
        pytest.param("after the command", marks=pytest.mark.long),
        pytest.param("before the result appears", marks=pytest.mark.long),
        pytest.param("after the result appeared", marks=pytest.mark.long),
        "while it is registered",
    ],
)
def test_wherever_the_worker_is_killed_the_run_ends_once_with_a_whole_result(place, point):
    pk = place.put(dies=point)
    died = subprocess.run([sys.executable, "manage.py", "work", "--once"], cwd=ROOT, env=place.environment)
    assert died.returncode == -signal.SIGKILL
    assert place.row(pk)["state"] == "running" and place.corpora() == 0
    time.sleep(LEASE_SECONDS)
    assert "succeeded" in place.manage("work", "--once")
    assert place.corpora() == 1
    verify(place.folder / "runs" / str(pk) / "result")
    assert not list((place.folder / "runs" / str(pk)).glob(".staged-*"))
    assert (place.row(pk)["attempts"], place.starts(pk), place.corpora()) == (2, 2, 1)


@pytest.mark.parametrize("place", [pytest.param(NOBODY, id="no broker")], indirect=True)
def test_without_a_broker_nothing_fails_and_the_worker_s_own_look_finds_the_run_cel_06(place):
    (pk,) = place.launch()
    assert place.seconds < 5, "whoever launches a run does not wait for a broker that is not there"
    assert "Nobody is working" in place.manage("runs", str(pk))
    with place.worker(celery=False):
        place.wait(pk, "succeeded")
    assert place.starts(pk) == 1


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_a_broker_that_vanishes_loses_nothing(tmp_path, empty_database):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = Place(tmp_path, empty_database, f"redis://127.0.0.1:{port}/0")
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        first = place.put()
        with place.worker(celery=True):
            place.wait(first, "succeeded")
            server.kill()
            server.wait()
            (second,) = place.launch()
            place.wait(second, "succeeded")
            assert place.starts(second) == 1
    finally:
        server.kill()
        server.wait()
