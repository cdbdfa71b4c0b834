"""Many workers at once on PostgreSQL: each run is claimed once, each device by one run."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from mtcore.models import Run
from mtcore.services.run_claim import _take, run_claim
from mtcore.services.run_kinds import RUN_KINDS, RunKind
from tests.factories.runs import TEST_KIND, launch, runner

WORKERS, RUNS = 8, 24
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="an SQLite in memory is not shared by threads as a file is: test_run_workers has processes",
    ),
]


@pytest.fixture(autouse=True)
def _kind(monkeypatch):
    monkeypatch.setitem(RUN_KINDS, TEST_KIND, RunKind(runner))
    monkeypatch.setattr("mtcore.services.runs.workers_wake", lambda queue: True)


def at_once(work):
    """Let all workers begin together; return what each of them got."""
    gate = threading.Barrier(WORKERS)

    def one(number: int):
        try:
            gate.wait()
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, range(WORKERS)))


def test_each_run_is_claimed_once_cel_01():
    runs = [launch().pk for _ in range(RUNS)]

    def all_there_are(number: int):
        found = []
        while claim := run_claim(worker=f"w{number}", host="here", queues=["default"]):
            found.append(claim.run.pk)
        return found

    claimed = [pk for found in at_once(all_there_are) for pk in found]
    assert sorted(claimed) == sorted(runs)
    assert set(Run.objects.values_list("attempts", flat=True)) == {1}


def test_a_device_is_claimed_once_even_for_different_runs():
    runs = [launch(queue="gpu") for _ in range(WORKERS)]
    got = at_once(lambda number: _take(runs[number], f"w{number}", "here", f"cuda:{number % 2}"))
    assert sorted(claim.run.device for claim in got if claim) == ["here cuda:0", "here cuda:1"]
    assert Run.objects.filter(state="running").count() == 2
