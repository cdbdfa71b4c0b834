"""Trainings with the real engine, killed, stopped, starved: one end, resumed, the same final output."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.db.test_run_workers import Place, empty_database, exists
from tests.paths import ROOT

MT_PYTHON = Path(os.environ.get("FAIRSEQ_PYTHON") or ROOT / ".venv-mt" / "bin" / "python")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not MT_PYTHON.is_file(), reason="the training environment is absent: make mt"),
]
__all__ = ["empty_database"]
SECONDS = 400
"""A limit for what takes some seconds on a quiet machine."""


class Chain(Place):
    """A place with a tiny training in its queue."""

    def __init__(
        self,
        folder: Path,
        environment: dict[str, str],
        python: Path = MT_PYTHON,
        *,
        broker: str = "",
        **settings: str,
    ) -> None:
        more = {"FAIRSEQ_PYTHON": str(python), "RUN_LEASE_SECONDS": "9", "OMP_NUM_THREADS": "1"}
        super().__init__(folder, environment | more, broker)
        self.filter, self.train, self.decode = json.loads(self.call(f"launch(**{settings!r})"))

    def call(self, what: str) -> str:
        code = f"from tests.factories.mt_chain import launch, told; import json; made = {what}; "
        return self.manage(
            "shell", "-v0", "-c", code + "print(made if isinstance(made, str) else json.dumps(made))"
        )

    def work(self, *around: str) -> subprocess.Popen:
        """Start a worker that does what is there, perhaps by a shell command that ends in `exec "$@"`."""
        command = [sys.executable, "manage.py", "work", "--once"]
        if around:
            command = [*around, "worker", *command]
        with (self.folder / "worker.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        return self.process

    def finish(self) -> dict:
        """Let a worker do the rest; return what is there then."""
        with self.work() as worker:
            worker.wait(SECONDS)
        return json.loads(self.call("told()"))

    def until(self, point: str) -> None:
        """Wait until the training has come so far."""
        log = self.folder / "runs" / str(self.train) / "log.txt"
        last = self.folder / "runs" / str(self.train) / "work" / "checkpoints" / "checkpoint_last.pt"
        reached = {
            "prepares": lambda: log.exists() and "engine:" in log.read_text(),
            "trains": lambda: log.exists() and "train_inner" in log.read_text(),
            "has a checkpoint": last.exists,
            "is trained": lambda: (self.folder / "runs" / str(self.train) / "result").exists(),
            "decodes": lambda: self.row(self.decode)["state"] == "running",
        }[point]
        deadline = time.monotonic() + SECONDS
        while not reached():
            alive = self.process.poll() is None and time.monotonic() < deadline
            assert alive, (self.folder / "worker.log").read_text()[-2000:]
            time.sleep(0.05)

    def group(self) -> int:
        note = self.folder / "runs" / str(self.train) / "child.json"
        return int(json.loads(note.read_text())["group"])

    def lapse(self) -> None:
        """Wait until the lease of a killed worker is over."""
        time.sleep(10)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, empty_database):
    """What the chain makes when nothing happens to it."""
    told = Chain(tmp_path_factory.mktemp("undisturbed"), empty_database).finish()
    assert [run["state"] for run in told["runs"]] == ["succeeded"] * 3, told
    return told["outputs"]


def ended_once(told: dict, undisturbed: list) -> None:
    assert [run["state"] for run in told["runs"]] == ["succeeded"] * 3, told
    assert told["outputs"] == undisturbed, "one output, the very same lines"


def test_a_killed_worker_and_a_killed_training_are_resumed_to_the_same_output(
    tmp_path, empty_database, undisturbed
):
    chain = Chain(tmp_path, empty_database)
    with chain.work() as worker:
        chain.until("has a checkpoint")
        group = chain.group()
        worker.kill()
        worker.wait()
    deadline = time.monotonic() + 20
    while exists(group):
        assert time.monotonic() < deadline, "the training outlives its worker"
        time.sleep(0.1)
    assert chain.row(chain.train)["state"] == "running"
    chain.lapse()
    with chain.work() as worker:
        chain.until("has a checkpoint")
        deadline = time.monotonic() + SECONDS
        while not (tmp_path / "runs" / str(chain.train) / "child.json").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.killpg(chain.group(), signal.SIGKILL)
        worker.wait(SECONDS)
    row = chain.row(chain.train)
    assert (row["state"], row["exit_code"]) == ("failed", 137) and "killed (signal 9)" in row["message"]
    assert chain.row(chain.decode)["state"] == "queued", "what waits for it goes on waiting"
    chain.manage("run_resume", str(chain.decode))
    ended_once(chain.finish(), undisturbed)


@pytest.mark.long
@pytest.mark.parametrize("point", ["prepares", "trains", "has a checkpoint", "is trained", "decodes"])
def test_wherever_the_worker_is_killed_the_output_is_the_same(tmp_path, empty_database, undisturbed, point):
    chain = Chain(tmp_path, empty_database)
    with chain.work() as worker:
        chain.until(point)
        worker.kill()
        worker.wait()
    chain.lapse()
    ended_once(chain.finish(), undisturbed)


def redis_on(port: int, folder: Path) -> subprocess.Popen:
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_redis_that_starts_again_during_a_training_disturbs_nothing(tmp_path, empty_database, undisturbed):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = redis_on(port, tmp_path)
    try:
        chain = Chain(tmp_path, empty_database, broker=f"redis://127.0.0.1:{port}/0")
        with chain.worker(celery=True) as worker:
            chain.process = worker
            chain.until("trains")
            server.kill()
            server.wait()
            time.sleep(2)
            server = redis_on(port, tmp_path)
            chain.wait(chain.decode, "succeeded", "failed", seconds=SECONDS)
        told = json.loads(chain.call("told()"))
    finally:
        server.kill()
        server.wait()
    ended_once(told, undisturbed)
    assert [run["attempts"] for run in told["runs"]] == [1, 1, 1], "nothing was begun twice"


@pytest.mark.long
def test_an_interpreter_that_vanishes_fails_the_run_in_words_and_it_goes_on(
    tmp_path, empty_database, undisturbed
):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{MT_PYTHON}" "$@"\n')
    python.chmod(0o755)
    place = tmp_path / "place"
    place.mkdir()
    chain = Chain(place, empty_database, python)
    with chain.work() as worker:
        chain.until("trains")
        python.rename(tmp_path / "away")
        worker.wait(SECONDS)
    row = chain.row(chain.train)
    assert row["state"] == "failed" and "FAIRSEQ_PYTHON" in row["message"] and "make mt" in row["message"]
    (tmp_path / "away").rename(python)
    chain.manage("run_resume", str(chain.train))
    ended_once(chain.finish(), undisturbed)


def small_disks() -> bool:
    """Tell whether a process here may have a small disk of its own."""
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/tmp"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("how", ["a small disk", "a limit on files"])
def test_a_full_disk_fails_the_run_in_words_and_it_goes_on(tmp_path, empty_database, how):
    large = {"model.embedding": "256", "model.feed_forward": "512"}  # a checkpoint larger than the limit
    chain = Chain(tmp_path, empty_database, **large)
    around = ["bash", "-c", 'ulimit -f 4000; exec "$@"']
    if how == "a small disk":
        if not small_disks():
            pytest.skip("no small disk can be mounted here (unshare)")
        runs = tmp_path / "runs"
        runs.mkdir()
        mount = f'mount -t tmpfs -o size=8m tmpfs "{runs}" && exec "$@"'
        around = ["unshare", "-rm", "bash", "-c", mount]
    with chain.work(*around) as worker:
        worker.wait(SECONDS)
    row = chain.row(chain.train)
    said = {"a small disk": "The disk is full", "a limit on files": "A file grew larger than is allowed"}
    assert row["state"] == "failed" and said[how] in row["message"], row["message"]
    assert not (tmp_path / "runs" / str(chain.train) / "result").exists()
    assert not list((tmp_path / "runs").glob("*/.staged-*"))
    chain.manage("run_resume", str(chain.train))
    told = chain.finish()
    assert [run["state"] for run in told["runs"]] == ["succeeded"] * 3, told
    assert len(told["outputs"]) == 1 and told["outputs"][0]["lines"] == 10
