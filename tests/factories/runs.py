"""Runs for tests: kinds that do nothing but what a test needs, and a worker that does them here and now."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

from mtcore.engines.child import ChildFailed
from mtcore.engines.rundir import verify
from mtcore.models import Corpus, Run
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
    if "damage" in context.options:
        with context.rundir.staged() as folder:
            (folder / "model").touch()
        (context.rundir.result / "model").unlink()
        verify(context.rundir.result)
    if "exit" in context.options:
        raise ChildFailed(context.options["exit"], "It was killed.", "Resume it.")
    if "nan" in context.options:
        context.report(float("nan"), "a\0b", {"loss": float("nan"), "ppl": float("inf")})
        return Outcome({"loss": float("nan")} if context.options["nan"] == "result" else {})
    if "clash" in context.options:
        return Outcome({}, lambda run: Run.objects.create(kind="x", state="no state"))
    if "bug" in context.options:
        raise ZeroDivisionError("nobody expected this")
    if "command" in context.options:
        context.command([sys.executable, "-c", context.options["command"]])
    if "dies" in context.options:
        return _dying(context, context.options["dies"])
    while context.options.get("wait") and not context.should_stop():
        time.sleep(0.02)
    context.check()
    return Outcome({"starts": int(starts.read_text()), "parents": [p.result for p in context.parents]})


def _dying(context: RunContext, point: str) -> Outcome:
    """Make a result and register it; at the point named, the first attempt's process kills itself."""

    def here(name: str) -> None:
        if name == point and context.attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    here("before the command")
    if not context.rundir.has_result:
        made = context.rundir.work / "made"
        context.command([sys.executable, "-c", f"open({str(made)!r}, 'a').write('line\\n')"])
        here("after the command")
        with context.rundir.staged() as folder:
            (folder / "text").write_text(made.read_text())
            here("before the result appears")
        here("after the result appeared")

    def register(run: Run) -> None:
        Corpus.objects.create(name=f"made by {run.pk}", kind="monolingual", source_language="en", run=run)
        here("while it is registered")

    return Outcome({"sums": verify(context.rundir.result)}, register)


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
