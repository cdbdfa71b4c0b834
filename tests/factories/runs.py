"""Runs for tests: kinds that do nothing but what a test needs, and a worker that does them here and now."""

from __future__ import annotations

import sys
import time
from typing import Any

from mtcore.engines.child import ChildFailed
from mtcore.models import Run
from mtcore.services.run_context import Outcome, RunContext, RunFailed
from mtcore.services.run_kinds import RUN_KINDS, RunKind
from mtcore.services.run_work import Worker
from mtcore.services.runs import run_launch

TEST_KIND = "for_tests"


def runner(context: RunContext) -> Outcome:
    """Do what the options say: count starts, report, fail, run a command, wait to be stopped."""
    starts = context.rundir.work / "starts"
    starts.write_text(str(int(starts.read_text()) + 1 if starts.exists() else 1))
    for number in range(context.options.get("reports", 0)):
        context.report((number + 1) / 10, f"step {number}", {"loss": 1 / (number + 1)})
    if "fail" in context.options:
        raise RunFailed("The data are odd.", "Correct them.")
    if "exit" in context.options:
        raise ChildFailed(context.options["exit"], "It was killed.", "Resume it.")
    if "bug" in context.options:
        raise ZeroDivisionError("nobody expected this")
    if "command" in context.options:
        context.command([sys.executable, "-c", context.options["command"]])
    while context.options.get("wait") and not context.should_stop():
        time.sleep(0.02)
    context.check()
    return Outcome({"starts": int(starts.read_text()), "parents": [p.result for p in context.parents]})


def know_test_kind() -> None:
    """Add the test's kind to the registry."""
    RUN_KINDS[TEST_KIND] = RunKind(runner)


def launch(
    *, parents: list[Run] | None = None, queue: str = "default", name: str = "", **options: Any
) -> Run:
    """Put a run of the test's kind in the queue."""
    return run_launch(kind=TEST_KIND, options=options, queue=queue, parents=parents or [], name=name)


def work_all(*queues: str, device: str = "") -> list[Run]:
    """Do every run that may begin; return them as they ended."""
    worker = Worker(queues=queues or ("default",), device=device)
    done = []
    while run := worker.look():
        done.append(run)
    return done
