"""Attempts and the time they took: true over losses, resuming and waiting, at every door."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from mtcore.management.commands.runs import one_run
from mtcore.models import Run
from mtcore.services.run_claim import run_claim, run_fail, run_keep, runs_reap
from mtcore.services.run_context import Reports
from mtcore.services.run_effort import run_effort, run_elapsed
from mtcore.services.runs import run_cancel, run_pace, run_resume
from tests.factories.runs import know_test_kind, launch

pytestmark = pytest.mark.django_db
BEGUN = timezone.now().replace(microsecond=0) - timedelta(days=3)


class Days:
    """A run that is worked on now and then, at times of our own."""

    def __init__(self, monkeypatch) -> None:
        know_test_kind()
        self.at = BEGUN
        for place in ("run_claim", "run_context", "runs", "run_effort"):
            monkeypatch.setattr(f"mtcore.services.{place}.timezone.now", lambda: self.at)
        self.run = launch()

    def claim(self):
        claim = run_claim(worker="me", host="here", queues=["default"])
        assert claim is not None
        return claim, Reports(claim.run)

    def work(self, minutes: float, progress: float, claim, reports) -> None:
        """Work so long, with a point at the end."""
        self.at += timedelta(minutes=minutes)
        reports.add(progress, "", {"loss": 1.0})
        run_keep(claim, reports.take())

    def pause(self, hours: float) -> None:
        self.at += timedelta(hours=hours)

    @property
    def now(self) -> Run:
        return Run.objects.get(pk=self.run.pk)


@pytest.fixture
def days(monkeypatch):
    return Days(monkeypatch)


def test_attempts_are_counted_and_their_times_added_up_over_losses_and_resuming(days):
    lost = days.claim()
    days.work(30, 0.3, *lost)
    days.at += timedelta(minutes=2)
    run_keep(lost[0], {})  # its last sign of life
    days.pause(5)
    assert runs_reap()
    failed = days.claim()
    days.work(20, 0.5, *failed)
    run_fail(failed[0], "It is odd.", failed[1].take())
    assert (run_effort(days.now).attempts, run_effort(days.now).worked) == (2, timedelta(minutes=52))
    assert run_elapsed(days.now) == timedelta(minutes=20)
    days.pause(24)
    run_resume(run=days.now)
    again = days.claim()
    days.work(10, 0.6, *again)
    effort = run_effort(days.now)
    assert days.now.attempts == 1, "so often it was lost since it was resumed"
    assert (effort.attempts, effort.worked) == (3, timedelta(minutes=62))


def test_the_time_left_follows_from_this_attempt_alone(days):
    first = days.claim()
    days.work(60, 0.5, *first)
    run_fail(first[0], "It is odd.", first[1].take())
    run_resume(run=days.now)
    days.pause(1)
    second = days.claim()
    days.work(60, 0.6, *second)
    assert run_pace(days.now).remaining == timedelta(hours=4), "a tenth an hour, four tenths are left"


def test_waiting_to_go_on_is_no_work(days, admin_client):
    lost = days.claim()
    days.work(30, 0.3, *lost)
    days.pause(48)
    assert runs_reap()
    page = admin_client.get(reverse("run", args=[days.run.pk])).content.decode()
    assert "<b>30 min</b><span>taken by the last attempt" in page and "since this attempt began" not in page
    run_cancel(run=days.now)
    assert run_elapsed(days.now) == run_effort(days.now).worked == timedelta(minutes=30)
    listed = admin_client.get(reverse("runs")).content.decode()
    assert '<span class="muted">30 min</span>' in listed


def test_every_door_says_the_same(days, admin_client):
    for _ in range(2):
        claim = days.claim()
        days.work(30, 0.3, *claim)
        run_fail(claim[0], "It is odd.", claim[1].take())
        days.pause(5)
        run_resume(run=days.now)
    page = admin_client.get(reverse("run", args=[days.run.pk])).content.decode()
    assert "<b>1 h</b><span>taken by all attempts, pauses left out" in page
    assert "<b>2</b><span>attempts" in page and "Last attempt begun" in page
    told = admin_client.get(reverse("api_run", args=[days.run.pk])).json()
    assert (told["attempts"], told["seconds_worked"]) == (2, 3600.0)
    assert "attempts  2, 1 h in all" in one_run(days.now, 0)


def test_a_clock_that_jumps_back_makes_nothing_negative(days):
    claim = days.claim()
    days.work(30, 0.3, *claim)
    days.at -= timedelta(hours=9)
    assert run_elapsed(days.now) == timedelta(0)
    assert run_effort(days.now).worked == timedelta(minutes=30)
    run_fail(claim[0], "It is odd.", claim[1].take())
    assert run_effort(days.now).worked == timedelta(minutes=30)


def test_a_history_that_says_nothing_is_no_error(admin_client):
    for history in ([], [{}], [{"at": "yesterday", "attempt": "two"}], [{"at": "2026-01-01T00:00"}]):
        run = Run.objects.create(kind="train_lm", state="running", started_at=timezone.now(), history=history)
        assert admin_client.get(reverse("run", args=[run.pk])).status_code == 200
        assert admin_client.get(reverse("api_run", args=[run.pk])).status_code == 200


def test_the_live_page_says_when_it_looked_in_the_zone_of_its_other_times(admin_client, settings):
    settings.TIME_ZONE = "Asia/Tokyo"
    run = Run.objects.create(kind="train_lm", state="running", started_at=timezone.now())
    looked = admin_client.get(reverse("run_live", args=[run.pk])).json()["looked"]
    assert looked.endswith(" JST") and looked[2] == looked[5] == ":"
