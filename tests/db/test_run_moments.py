"""Runs at odd moments: cancelled between two looks, resumed while they stop, clocks that were set back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from mtcore.models import Run
from mtcore.services.run_claim import _after_loss, _ours, run_claim, run_give_up, runs_reap
from mtcore.services.run_kinds import RUN_KINDS, RunKind
from mtcore.services.runs import run_cancel, run_resume
from tests.factories.runs import TEST_KIND, launch, runner

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kind(monkeypatch):
    monkeypatch.setitem(RUN_KINDS, TEST_KIND, RunKind(runner))


def claim(queue: str = "default", device: str = ""):
    return run_claim(worker="me", host="here", queues=[queue], device=device)


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def test_cancelled_between_two_looks_it_never_waits_for_ever(monkeypatch):
    """What waits and is cancelled is begun by nobody and could not be cancelled again."""
    given_back, lost = launch(), launch()
    ours = claim()
    looks = []

    def meanwhile(one):
        looks.append(one)
        if len(looks) == 2:
            run_cancel(run=given_back)
        return _ours(one)

    monkeypatch.setattr("mtcore.services.run_claim._ours", meanwhile)
    assert run_give_up(ours, {})
    assert now(given_back).state == "cancelled"
    monkeypatch.undo()
    assert claim().run == lost
    Run.objects.filter(pk=lost.pk).update(lease_until=timezone.now() - timedelta(seconds=1))

    def cancelled_meanwhile(one):
        Run.objects.filter(pk=one.pk).update(cancel_requested=True)
        return _after_loss(one)

    monkeypatch.setattr("mtcore.services.run_claim._after_loss", cancelled_meanwhile)
    assert runs_reap() == []
    monkeypatch.undo()
    assert runs_reap() and now(lost).state == "cancelled"


def test_resuming_what_is_being_stopped_says_so():
    run = launch()
    claim()
    run_cancel(run=run)
    assert run_resume(run=now(run)).message == f"Run {run.pk} is being stopped: resume it once it has ended."


def test_cancelling_with_what_waits_for_it_asks_each_run_once(django_assert_max_num_queries):
    """Layers in which everything waits for everything before: as many ways as there are grains of sand."""
    first = launch()
    layer = [first]
    for _ in range(12):
        layer = [launch(parents=layer) for _ in range(2)]
    with django_assert_max_num_queries(200):
        run_cancel(run=first, children=True)
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}


def test_a_lease_from_before_the_clock_was_set_back_holds_nothing():
    run = launch(queue="gpu")
    assert claim("gpu", device="0") is not None
    Run.objects.update(lease_until=timezone.now() + timedelta(days=400))
    assert list(Run.objects.held(timezone.now())) == []
    assert [one.pk for one in runs_reap()] == [run.pk]
    assert claim("gpu", device="0") is not None
