"""Do runs: what every worker does, whether Celery started it or `manage.py work`.

The worker looks at the table by itself every few seconds; a message only makes it look at once. So it works
with any broker and with none.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import getpid
from socket import gethostname
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections

from evalplatform.errors import UserError
from mtcore.corpora.errors import CorpusError
from mtcore.engines.child import stop_left_over
from mtcore.engines.errors import EngineError
from mtcore.engines.exits import recognised
from mtcore.engines.rundir import RunDir
from mtcore.models import Run
from mtcore.services.corpora_places import corpora_sweep
from mtcore.services.corpora_upload import uploads_sweep
from mtcore.services.run_claim import Claim, run_claim, run_fail, run_give_up, run_succeed, runs_reap
from mtcore.services.run_context import (
    THREADS,
    Options,
    Outcome,
    Parent,
    Reports,
    RunContext,
    RunStopped,
    run_directory,
)
from mtcore.services.run_heart import LOST, Heart
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_presence import Presence
from mtcore.services.texts import sentence

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
SWEEP_SECONDS = 600.0
"""So often a worker removes what killed processes left."""

Failure = tuple[str, int | None]
"""What happened and what to do, and the exit code where there is one."""


class Worker:
    """One that does runs, one at a time, until it is told to end."""

    def __init__(
        self,
        *,
        queues: Sequence[str],
        device: str = "",
        listener: Callable[[Run, float, str], None] | None = None,
        threads: int = 0,
    ) -> None:
        """Prepare.

        Args:
            queues: those it serves.
            device: its accelerators; empty means whatever the machine has.
            listener: see `run_perform`.
            threads: how many cores its commands may take each; 0 leaves that to them, and they take all.
        """
        self.queues = list(queues)
        self.device = device
        self.listener = listener
        self.variables = {THREADS: str(threads)} if threads else {}
        self.host = gethostname()
        self.name = f"{self.host}:{getpid()}"
        self._swept = time.monotonic() - SWEEP_SECONDS
        self._ending = threading.Event()
        self._woken = threading.Event()

    def work(self) -> None:
        """Do what there is, wait, look again; return when told to end."""
        presence = Presence(
            name=self.name, host=self.host, pid=getpid(), queues=self.queues, device=self.device
        )
        with presence:
            while not self._ending.is_set():
                self._woken.clear()
                if not self._ending.is_set() and not self._look_safely():
                    self._woken.wait(min(LOOK_SECONDS, settings.RUN_LEASE_SECONDS / 3))

    def work_off(self) -> Iterator[Run]:
        """Do what there is, and return when there is nothing more or it is told to end; yield each run."""
        while not self._ending.is_set() and (run := self.look()):
            yield run

    def look(self, among: Sequence[int] | None = None) -> Run | None:
        """Take back what lost workers held, then do one run, if there is one; return it as it ended.

        With `among` it is one of these runs or none.
        """
        runs_reap()
        self._sweep()
        claim = run_claim(
            worker=self.name, host=self.host, queues=self.queues, device=self.device, among=among
        )
        if claim is None:
            return None
        run_perform(claim, ending=self._ending.is_set, listener=self.listener, variables=self.variables)
        return Run.objects.get(pk=claim.run.pk)

    def wake(self) -> None:
        """Make it look at once."""
        self._woken.set()

    def end(self) -> None:
        """Make it end; a run that is being done is stopped and returned to the queue."""
        self._ending.set()
        self._woken.set()

    def _sweep(self) -> None:
        """Remove, now and then, the halves of corpora and the uploads that nobody will want any more."""
        if time.monotonic() - self._swept < SWEEP_SECONDS:
            return
        self._swept = time.monotonic()
        try:
            for name in corpora_sweep():
                logger.info("removed %s, which something that was killed had left", name)
            uploads_sweep()
        except OSError as error:
            logger.warning("what killed processes left could not be looked for: %s", error)

    def _look_safely(self) -> bool:
        """Look once; a database that does not answer is waited for, and nothing ends the worker."""
        try:
            close_old_connections()
            return self.look() is not None
        except DatabaseError as error:
            logger.warning("the database does not answer; looking again soon: %s", error)
        except Exception:
            logger.exception("looking for runs failed; looking again soon")
        return False


def run_perform(
    claim: Claim,
    *,
    ending: Callable[[], bool] = lambda: False,
    listener: Callable[[Run, float, str], None] | None = None,
    variables: Mapping[str, str] | None = None,
) -> None:
    """Do a claimed run and write how it ended: succeeded, failed, cancelled, or back in the queue.

    The listener hears every report of the run at once: the run, how far it is, and its note. Variables are
    set in the environment of its commands.
    """
    run, rundir = claim.run, run_directory(claim.run.pk)
    reports = Reports(run, listener=listener)
    logger.info("run %s (%s %s), attempt %s, begins", run.pk, run.kind, run.name, run.attempts)
    with Heart(claim, reports, ending=ending) as heart:
        context = _context(run, rundir, reports, heart.should_stop, variables or {})
        outcome, failure = _attempt(context, lambda: heart.should_stop() and heart.reason == LOST)
    changes = reports.take()
    if outcome is not None:
        failure = _register(claim, outcome, changes, rundir)
    if failure is not None:
        run_fail(claim, failure[0], changes, exit_code=failure[1])
    elif outcome is None:
        run_give_up(claim, changes)
    logger.info("run %s ended%s", run.pk, f" ({heart.reason})" if heart.reason else "")


def _register(claim: Claim, outcome: Outcome, changes: Mapping[str, Any], rundir: RunDir) -> Failure | None:
    """Mark the run as succeeded with what it made, or return why that cannot be."""
    try:
        # A run that was to be cancelled at the last moment is cancelled: nothing of it is registered.
        if not run_succeed(claim, outcome, changes):
            run_give_up(claim, changes)
    except (OperationalError, InterfaceError):  # the database is away; the result waits in the run's folder
        raise
    except UserError as error:
        return str(error), None
    except Exception as error:
        return _unexpected(claim.run.pk, rundir, error), None
    return None


def _attempt(context: RunContext, is_lost: Callable[[], bool]) -> tuple[Outcome | None, Failure | None]:
    """Call the runner; return what it made, or why it failed, or neither when it was stopped or lost."""
    if context.kind not in RUN_KINDS:
        return None, (f"This version knows no runs of the kind “{context.kind}”. Upgrade the worker.", None)
    try:
        context.rundir.create()
        stop_left_over(context.rundir)
        outcome = RUN_KINDS[context.kind].runner(context)
        json.dumps(dict(outcome.result), allow_nan=False)  # what cannot be stored fails here, with its name
        return outcome, None
    except RunStopped:
        return None, None
    except EngineError as error:
        return None, (str(error), _exit_code(error))
    except CorpusError as error:
        return None, (f"{sentence(str(error))} {error.remedy}".strip(), None)
    except UserError as error:
        return None, (str(error), None)
    except Exception as error:
        if is_lost():  # another worker does it by now, and the folder is its own
            logger.warning("run %s: what was lost ended with %s", context.run_id, error)
            return None, None
        return None, (_unexpected(context.run_id, context.rundir, error), None)


def _exit_code(error: BaseException | None) -> int | None:
    """Return the exit code of the command that an error, or what led to it, is about."""
    while error is not None:
        code = getattr(error, "exit_code", None)
        if code is not None:
            return int(code)
        error = error.__cause__
    return None


def _unexpected(run_id: int, rundir: RunDir, error: Exception) -> str:
    """Say what nobody expected; the details go to the run's log."""
    logger.exception("run %s failed", run_id)
    text = f"{type(error).__name__}: {error}"
    known = recognised([text])
    with contextlib.suppress(OSError):  # on a full disk the message must do
        rundir.say(traceback.format_exc())
    return f"{known[0]} {known[1]} ({text})" if known else f"{text}. Look at the log of the run."


def _context(
    run: Run,
    rundir: RunDir,
    reports: Reports,
    stopping: Callable[[], bool],
    variables: Mapping[str, str],
) -> RunContext:
    return RunContext(
        run_id=run.pk,
        kind=run.kind,
        name=run.name,
        options=Options(run.options if isinstance(run.options, dict) else {}),
        rundir=rundir,
        attempt=run.attempts,
        device=run.device.partition(" ")[2],
        parents=[
            Parent(one.pk, one.kind, one.name, one.result or {}, run_directory(one.pk))
            for one in run.parents.order_by("pk")
        ],
        stopping=stopping,
        reports=reports,
        variables=variables,
    )
