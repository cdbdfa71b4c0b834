"""Runs: launched, claimed once, done, cancelled, resumed, lost and found; the row decides."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.utils import timezone

from evalplatform.errors import BadInput, NotFound
from mtcore.models import Run
from mtcore.services.run_claim import (
    MAX_ATTEMPTS,
    run_claim,
    run_fail,
    run_give_up,
    run_keep,
    run_succeed,
    runs_reap,
)
from mtcore.services.run_context import Outcome, Reports, history_append, run_directory
from mtcore.services.run_heart import CANCELLED, LOST, Heart
from mtcore.services.run_kinds import RUN_KINDS, RunKind
from mtcore.services.run_presence import Presence, workers_alive
from mtcore.services.run_work import Worker, run_perform
from mtcore.services.runs import run_cancel, run_find, run_launch, run_pace, run_resume, run_waits_for
from tests.factories.runs import TEST_KIND, launch, runner, work_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kind(monkeypatch):
    monkeypatch.setitem(RUN_KINDS, TEST_KIND, RunKind(runner))


def claim(*queues: str, device: str = "", host: str = "here"):
    return run_claim(worker="me", host=host, queues=queues or ("default",), device=device)


def lose(run: Run) -> None:
    """Let the run's lease pass, as when its worker was killed."""
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def now(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def test_a_run_is_done_and_what_it_reported_is_kept():
    user = User.objects.create(username="ada")
    run = run_launch(kind=TEST_KIND, options={"reports": 3}, name="first", requested_by=user)
    (done,) = work_all()
    assert (done.pk, done.state, done.progress) == (run.pk, "succeeded", 1.0)
    assert done.result == {"starts": 1, "parents": []}
    assert done.progress_note == "step 2"
    assert [point["metrics"]["loss"] for point in done.history if "metrics" in point] == [1, 0.5, 1 / 3]
    assert done.requested_by == user and done.finished_at >= done.started_at
    assert work_all() == []


def test_unknown_kinds_and_runs_are_refused_with_what_is_near():
    with pytest.raises(BadInput, match="Did you mean “filter_corpus”"):
        run_launch(kind="filter_corpora", options={})
    with pytest.raises(BadInput, match="no queue “gpus”"):
        launch(queue="gpus")
    with pytest.raises(NotFound):
        run_find("17")
    with pytest.raises(NotFound):
        run_find("../etc")


def test_a_second_worker_finds_nothing_cel_01():
    run = launch()
    first = claim()
    assert first is not None and claim() is None
    run_perform(first)
    run_perform(first)  # a message that was delivered twice
    assert now(run).attempts == 1
    assert now(run).state == "succeeded"


def test_results_are_registered_once_and_only_with_their_run_cel_08():
    registered = []
    run = launch()
    ours = claim()
    outcome = Outcome({}, lambda one: registered.append(one.pk))
    assert run_succeed(ours, outcome, {})
    assert not run_succeed(ours, outcome, {})
    assert registered == [run.pk]


def test_a_worker_that_lost_its_run_writes_nothing_more():
    run = launch()
    ours = claim()
    lose(run)
    assert [one.pk for one in runs_reap()] == [run.pk]
    other = claim()
    assert not run_succeed(ours, Outcome({"stale": True}), {})
    assert not run_fail(ours, "stale", {})
    assert run_keep(ours, {}) == (False, False)
    assert now(run).worker == other.token and now(run).result is None


def test_cancelled_while_no_worker_was_up_stays_cancelled_cel_02():
    run = launch()
    assert run_cancel(run=run).changed
    assert work_all() == []
    assert now(run).state == "cancelled"
    assert not (run_directory(run.pk).work / "starts").exists()


def test_cancelled_while_it_waited_to_go_on_it_says_so():
    run = launch()
    run_give_up(claim(), {})
    assert run_cancel(run=now(run)).message == f"Run {run.pk} is cancelled; what it had reached is kept."
    assert now(run).message.startswith("Cancelled while it waited to go on")


def test_cancelling_something_finished_has_no_effect_cel_09():
    run = launch()
    work_all()
    change = run_cancel(run=run)
    assert not change.changed and "already finished" in change.message
    assert now(run).state == "succeeded" and not now(run).cancel_requested
    other = launch()
    assert [one.pk for one in work_all()] == [other.pk]


def test_a_running_run_is_stopped_and_keeps_its_folder(settings):
    settings.RUN_LEASE_SECONDS = 1
    run = launch(wait=True)
    ours = claim()
    run_cancel(run=run)
    assert now(run).state == "running" and now(run).cancel_requested
    heart = Heart(ours, Reports(ours.run))
    heart.beat()
    assert heart.should_stop() and heart.reason == CANCELLED
    run_perform(ours)  # looks at the row by its own heartbeat and stops
    assert now(run).state == "cancelled"
    assert (run_directory(run.pk).work / "starts").read_text() == "1"


def test_cancelled_at_the_last_moment_nothing_is_registered():
    registered = []
    run = launch()
    ours = claim()
    run_cancel(run=run)
    assert not run_succeed(ours, Outcome({}, lambda one: registered.append(one)), {})
    run_perform(ours)
    assert now(run).state == "cancelled" and registered == []


@pytest.mark.parametrize("how", ["fail", "cancel"])
def test_resumed_twice_is_resumed_once(how):
    run = launch(**({"fail": 1} if how == "fail" else {}))
    if how == "cancel":
        run_cancel(run=run)
    work_all()
    assert run_resume(run=run).changed
    assert not run_resume(run=run).changed
    Run.objects.filter(pk=run.pk).update(options={})
    assert [one.state for one in work_all()] == ["succeeded"]
    assert now(run).result["starts"] == (2 if how == "fail" else 1)
    assert "nothing to resume" in run_resume(run=run).message


@pytest.mark.parametrize(
    ("options", "message", "exit_code"),
    [
        ({"fail": 1}, "The data are odd. Correct them.", None),
        ({"damage": 1}, "model is missing, though", None),
        ({"exit": 137}, "It was killed. Resume it.", 137),
        ({"bug": 1}, "ZeroDivisionError: nobody expected this. Look at the log of the run.", None),
        ({"command": "bytearray(10**15)"}, "The machine ran out of memory.", 1),
        ({"command": "raise OSError(28, 'No space left on device')"}, "The disk is full.", 1),
        ({"command": "import os; os.kill(os.getpid(), 9)"}, "killed (signal 9)", 137),
    ],
)
def test_failures_are_said_in_words_eng_11(options, message, exit_code):
    run = launch(**options)
    work_all()
    assert now(run).state == "failed"
    assert message in now(run).message
    assert now(run).exit_code == exit_code
    if "bug" in options:
        assert "ZeroDivisionError" in "\n".join(run_directory(run.pk).tail())


def test_numbers_that_are_none_break_no_heartbeat():
    run = launch(nan="metrics")
    ours = claim()
    reports = Reports(ours.run)
    reports.add(float("nan"), "a\0b", {"loss": float("nan")})
    assert run_keep(ours, reports.take()) == (True, False)
    run_perform(ours)
    assert (now(run).state, now(run).progress_note) == ("succeeded", "ab")
    assert now(run).history[-1]["metrics"] == {"loss": "nan", "ppl": "inf"}
    other = launch(nan="result")
    work_all()
    assert now(other).state == "failed" and "ValueError" in now(other).message


def test_what_the_database_refuses_fails_the_run_at_once():
    run = launch(clash=True)
    work_all()
    assert now(run).state == "failed" and now(run).attempts == 1
    assert "IntegrityError" in now(run).message


def test_a_kind_that_this_version_does_not_know_fails_with_a_message():
    run = Run.objects.create(kind="from_the_future")
    work_all()
    assert "knows no runs of the kind" in now(run).message


def test_lost_workers_give_their_runs_back_three_times_at_most():
    run = launch()
    for _ in range(MAX_ATTEMPTS - 1):
        assert claim() is not None
        lose(run)
        runs_reap()
        assert now(run).state == "queued"
    claim()
    lose(run)
    runs_reap()
    assert now(run).state == "failed" and "lost 3 times" in now(run).message
    run_resume(run=run)
    assert [one.state for one in work_all()] == ["succeeded"]


def test_a_run_to_be_cancelled_whose_worker_is_lost_is_cancelled():
    run = launch()
    claim()
    lose(run)
    run_cancel(run=run)
    assert now(run).state == "cancelled"
    assert work_all() == []


def test_a_live_lease_is_left_alone():
    run = launch()
    claim()
    assert runs_reap() == []
    assert now(run).state == "running"


def test_children_wait_for_all_their_parents():
    first, second = launch(name="train"), launch(name="reverse")
    child = launch(parents=[first, second])
    grandchild = launch(parents=[child])
    order = [run.pk for run in work_all()]
    assert order == [first.pk, second.pk, child.pk, grandchild.pk]
    assert now(child).result["parents"] == [now(first).result, now(second).result]


def test_a_pipeline_goes_on_from_the_stage_that_failed():
    first = launch()
    second = launch(parents=[first], fail=1)
    third = launch(parents=[second])
    work_all()
    assert [now(run).state for run in (first, second, third)] == ["succeeded", "failed", "queued"]
    assert f"Waits for run {second.pk}" in run_waits_for(third) and "failed" in run_waits_for(third)
    Run.objects.filter(pk=second.pk).update(options={})
    assert run_resume(run=third).message == f"Run {second.pk} will go on."
    assert [run.pk for run in work_all()] == [second.pk, third.pk]
    assert [now(run).result["starts"] for run in (first, second, third)] == [1, 2, 1]


def test_cancelling_with_children_cancels_what_waits():
    first = launch()
    child = launch(parents=[first])
    run_cancel(run=first, children=True)
    assert now(child).state == "cancelled"
    run_resume(run=child)
    assert [run.pk for run in work_all()] == [first.pk, child.pk]


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("cuda:0", "cuda:0", False),
        ("cuda:0", "cuda:1", True),
        ("0", "cuda:0", False),
        ("0,1", "1", False),
        ("", "cuda:3", False),
        ("cuda:3", "", False),
    ],
)
def test_a_device_is_used_by_one_run_at_a_time(first, second, both):
    launch(queue="gpu"), launch(queue="gpu")
    assert claim("gpu", device=first) is not None
    assert (claim("gpu", device=second) is not None) is both
    assert both or claim("gpu", device=second, host="elsewhere") is not None


def test_the_device_is_free_again_when_its_worker_is_lost_or_done():
    run, other = launch(queue="gpu"), launch(queue="gpu")
    ours = claim("gpu", device="cuda:0")
    lose(run)
    assert claim("gpu", device="cuda:0") is not None
    assert run_succeed(ours, Outcome({}), {})
    assert now(other).device == "here cuda:0"


def test_runs_of_another_queue_need_no_device_and_are_left_to_their_workers():
    gpu, plain = launch(queue="gpu"), launch()
    assert [run.pk for run in work_all("default")] == [plain.pk]
    assert [run.pk for run in work_all("default", "gpu", device="cuda:1")] == [gpu.pk]
    assert now(plain).device == ""


def test_nobody_is_working_is_said_cel_06():
    run = launch(queue="gpu")
    assert "Nobody is working on the queue “gpu”" in run_waits_for(run)
    assert "manage.py work --queue gpu" in run_waits_for(run)
    with Presence(name="w", host="here", pid=1, queues=["default"], device=""):
        assert "Nobody" in run_waits_for(run)
        with Presence(name="g", host="here", pid=2, queues=["gpu"], device="cuda:0"):
            assert run_waits_for(run) == ""
            assert [worker.name for worker in workers_alive()] == ["w", "g"]
            younger = launch(queue="gpu")
            assert run_waits_for(younger) == "All workers are busy; 1 before it in the queue."
    assert workers_alive() == []
    assert "Nobody" in run_waits_for(run)


def test_a_worker_that_fell_silent_is_not_counted(monkeypatch):
    run = launch()
    presence = Presence(name="w", host="here", pid=1, queues=["default"], device="")
    monkeypatch.setattr("mtcore.services.run_presence.time.time", lambda: 1000.0)
    with presence:
        assert run_waits_for(run) == ""
        monkeypatch.setattr("mtcore.services.run_presence.time.time", lambda: 1025.0)
        assert "Nobody" in run_waits_for(run)
    claim()
    lose(run)
    assert "silent" in run_waits_for(now(run))


def test_a_worker_that_cannot_write_its_heartbeat_takes_the_run_as_lost(monkeypatch, settings):
    settings.RUN_LEASE_SECONDS = 30
    launch()
    ours = claim()
    reports = Reports(ours.run)
    heart = Heart(ours, reports)
    reports.add(0.4, "written later", {})

    def gone(*_):
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr("mtcore.services.run_heart.run_keep", gone)
        heart.beat()
        assert not heart.should_stop()
        patch.setattr("mtcore.services.run_heart.time.monotonic", lambda: heart._last + 21)
        assert heart.should_stop() and heart.reason == LOST
    assert reports.take()["progress_note"] == "written later"


def test_a_worker_that_ends_returns_its_run():
    run = launch(wait=True)
    worker = Worker(queues=["default"])
    worker.end()
    worker.look()
    assert (now(run).state, now(run).attempts) == ("queued", 0)
    assert now(run).worker == ""
    assert list(worker.work_off()) == [], "it does not take again and again what it gives back"


def test_nothing_that_goes_wrong_ends_a_worker(monkeypatch):
    run = launch()
    worker = Worker(queues=["default"])
    looks = []

    def look():
        looks.append(len(looks))
        if len(looks) == 1:
            raise OSError(28, "No space left on device")
        if len(looks) == 2:
            raise OperationalError("the database is away")
        done = Worker.look(worker)
        worker.end()
        return done

    monkeypatch.setattr(worker, "look", look)
    monkeypatch.setattr("mtcore.services.run_work.LOOK_SECONDS", 0.01)
    monkeypatch.setattr("mtcore.services.run_work.close_old_connections", lambda: None)
    worker.work()
    assert now(run).state == "succeeded" and len(looks) == 3


def test_the_pace_tells_when_it_will_end():
    run = launch(reports=0)
    claim()
    begun = now(run).started_at
    history = [{"at": begun.isoformat(timespec="milliseconds"), "attempt": 1, "progress": 0.2}]
    Run.objects.filter(pk=run.pk).update(progress=0.4, history=history)
    pace = run_pace(now(run), now=begun + timedelta(minutes=10))
    assert pace.elapsed == timedelta(minutes=10)
    assert pace.remaining == timedelta(minutes=30), "0.2 took ten minutes, 0.6 are left"
    assert run_pace(launch()).elapsed is None


def test_history_is_bounded_and_keeps_both_ends():
    history: list[dict] = []
    for number in range(5000):
        history = history_append(history, {"n": number}, limit=100)
        assert len(history) <= 100
    numbers = [point["n"] for point in history]
    assert numbers[0] == 0 and numbers[-1] == 4999 and numbers == sorted(numbers)
