"""Requests that want the same rows at once: nothing counted twice or over-assigned, nobody waits for ever."""

import pytest

from tests.own_database import VENDORS, own_database, result, started

pytestmark = pytest.mark.process
PROCESSES, THREADS = 4, 4


@pytest.fixture(params=VENDORS)
def environment(request, tmp_path):
    with own_database(tmp_path, request.param) as made:
        yield made


@pytest.mark.parametrize(
    "name", ["take_back", "rounds_and_leaving", "forgetting_and_closing", "opening_and_deleting"]
)
def test_a_few_requests(environment, name):
    found = result(started(environment, "races", name))
    assert not any(found.values()), found


def test_sixteen_raters_in_four_processes_take_items_of_a_pool(environment):
    """ASG-01: each item gets as many judgements as it needs."""
    result(started(environment, "pool_race", "make"))
    workers = [
        started(environment, "pool_race", "work", THREADS, 1 + THREADS * number)
        for number in range(PROCESSES)
    ]
    assert [result(worker) for worker in workers] == [[]] * PROCESSES
    found = result(started(environment, "pool_race", "faults"))
    assert not any(found.values()), found
