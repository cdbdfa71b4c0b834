"""Runs as people see them: launch, cancel, resume, find, and how far they are."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, Value, When
from django.utils import timezone

from evalplatform.errors import BadInput, NotFound, UserError
from evalplatform.words import quoted
from mtcore.engines.errors import EngineError
from mtcore.models import Run
from mtcore.services.run_claim import QUEUES, runs_reap
from mtcore.services.run_effort import point_time, run_elapsed
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_presence import workers_alive
from mtcore.services.run_wake import workers_wake


@dataclass(frozen=True)
class Change:
    """What asking for a change did: whether anything changed, and a sentence that says it."""

    changed: bool
    message: str


@dataclass(frozen=True)
class Pace:
    """How a running run gets on; None where nothing can be said yet."""

    elapsed: timedelta | None
    remaining: timedelta | None


def run_launch(
    *,
    kind: str,
    options: Mapping[str, Any],
    name: str = "",
    queue: str = "",
    parents: Sequence[Run] = (),
    requested_by: User | None = None,
    wake: bool = True,
) -> Run:
    """Put a run in the queue and wake a worker once the transaction is done.

    Args:
        kind: a name in RUN_KINDS.
        options: what its runner needs; anything that JSON can hold.
        name: what people call it.
        queue: "default" or "gpu"; empty takes the kind's.
        parents: runs that must have succeeded before this one may begin.
        requested_by: who asked for it.
        wake: whether to send a message; whoever launches many sends one for all.

    Raises:
        BadInput: there is no such kind, or its runner refuses the options.
    """
    if kind not in RUN_KINDS:
        near = difflib.get_close_matches(kind, RUN_KINDS, n=1)
        raise BadInput(
            f"There is no kind of run “{kind}”.",
            f"Did you mean “{near[0]}”?" if near else f"The kinds are {', '.join(RUN_KINDS)}.",
        )
    _options_check(kind, options)
    if (queue or RUN_KINDS[kind].queue) not in QUEUES:
        raise BadInput(f"There is no queue “{queue}”.", f"The queues are {' and '.join(QUEUES)}.")
    with transaction.atomic():
        run = Run.objects.create(
            kind=kind,
            name=name,
            queue=queue or RUN_KINDS[kind].queue,
            options=json.loads(json.dumps(dict(options))),
            requested_by=requested_by,
        )
        run.parents.set(parents)
        if wake:
            transaction.on_commit(lambda: workers_wake(run.queue))
    return run


def _options_check(kind: str, options: Any) -> None:
    """Refuse options that the runner of a kind could not read.

    Raises:
        BadInput: one is missing or wrong.
    """
    remedy = "Compare with a run of this kind."
    lacking = [
        name for name in RUN_KINDS[kind].needs if not isinstance(options, Mapping) or name not in options
    ]
    if lacking or not isinstance(options, Mapping):
        what = f": {quoted(lacking)}" if lacking else ""
        raise BadInput(f"An option of the run is missing or wrong{what}.", remedy)
    try:
        RUN_KINDS[kind].check(options)
    except UserError:
        raise
    except EngineError as error:
        raise BadInput(error.message, error.remedy) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"An option of the run is missing or wrong: {error}.", remedy) from error


def run_cancel(*, run: Run, children: bool = False) -> Change:
    """Cancel a run: one that waits at once, one that runs as soon as its worker has stopped it.

    Runs that wait for it stay in the queue, for it may be resumed; `children` cancels them too. Cancelling
    what is finished has no effect.
    """
    if children:
        for child in _descendants(run):
            run_cancel(run=child)
    waiting = Run.objects.filter(pk=run.pk, state=Run.State.QUEUED)
    if waiting.update(
        state=Run.State.CANCELLED,
        cancel_requested=True,
        finished_at=timezone.now(),
        message=Case(
            When(started_at=None, then=Value("Cancelled before it began.")),
            default=Value("Cancelled while it waited to go on; what it had reached is kept."),
        ),
    ):
        begun = Run.objects.filter(pk=run.pk, started_at__isnull=False).exists()
        what = "what it had reached is kept" if begun else "it had not begun"
        return Change(True, f"Run {run.pk} is cancelled; {what}.")
    if Run.objects.filter(pk=run.pk, state=Run.State.RUNNING).update(cancel_requested=True):
        runs_reap()
        return Change(True, f"Run {run.pk} is being stopped; what it has reached is kept.")
    run.refresh_from_db()
    return Change(False, f"Run {run.pk} is already finished ({run.get_state_display()}); nothing changed.")


def run_resume(*, run: Run) -> Change:
    """Put a failed or cancelled run back in the queue, and with it the failed or cancelled runs it waits for.

    It goes on from what its folder holds. Runs that have succeeded are not done again; asking twice is asking
    once.
    """
    again = [one.pk for one in (*_ancestors(run), run) if _requeue(one)]
    run.refresh_from_db()
    if again:
        transaction.on_commit(lambda: workers_wake(run.queue))
        listed = ", ".join(str(pk) for pk in again)
        return Change(True, f"{'Run' if len(again) == 1 else 'Runs'} {listed} will go on.")
    if run.state == Run.State.SUCCEEDED:
        return Change(False, f"Run {run.pk} has succeeded already; there is nothing to resume.")
    if run.state == Run.State.RUNNING and run.cancel_requested:
        return Change(False, f"Run {run.pk} is being stopped: resume it once it has ended.")
    return Change(False, f"Run {run.pk} is {run.get_state_display()} already; nothing was changed.")


def run_find(run_id: int | str) -> Run:
    """Find a run by its number.

    Raises:
        NotFound: there is none.
    """
    found = Run.objects.filter(pk=int(run_id)).first() if str(run_id).isdecimal() else None
    if found is None:
        raise NotFound(f"There is no run {run_id}.", "See the list: manage.py runs.")
    return found


def run_pace(run: Run, *, now: datetime | None = None) -> Pace:
    """Work out from the progress of this attempt how long it took and when it will end."""
    elapsed = run_elapsed(run, now=now)
    if run.state != Run.State.RUNNING or run.started_at is None or elapsed is None:
        return Pace(elapsed, None)
    first = next((point for point in run.history if _is_since(point, run.started_at)), None)
    done = run.progress - first.get("progress", run.progress) if first else 0.0
    return Pace(elapsed, elapsed * ((1 - run.progress) / done) if done > 0 else None)


def run_waits_for(run: Run) -> str:
    """Say in a sentence why a run does not get on; empty when nothing is amiss.

    Covers what stands before it, workers that are not there, and a worker that has fallen silent.
    """
    if run.state == Run.State.RUNNING:
        silent = run.lease_until is None or run.lease_until <= timezone.now()
        return f"Its worker ({run.worker}) is silent; the run returns to the queue." if silent else ""
    if run.state != Run.State.QUEUED:
        return ""
    for parent in run.parents.exclude(state=Run.State.SUCCEEDED).order_by("pk"):
        what = f"Waits for run {parent.pk} ({parent.kind} {parent.name}".rstrip() + ")"
        if parent.is_finished:
            return f"{what}, which is {parent.get_state_display()}: resume that one."
        return f"{what}, which is {parent.get_state_display()}."
    working = workers_alive(run.queue)
    if not working and not Run.objects.held(timezone.now()).filter(queue=run.queue).exists():
        return (
            f"Nobody is working on the queue “{run.queue}”: no worker shows itself. "
            f"Start one: manage.py work --queue {run.queue}"
        )
    before = Run.objects.claimable().filter(queue=run.queue, created_at__lt=run.created_at).count()
    return f"All workers are busy; {before} before it in the queue." if before else ""


def _is_since(point: Mapping[str, Any], begun: datetime) -> bool:
    """Tell whether a point belongs to the attempt that began then; points are kept to the millisecond."""
    at = point_time(point)
    return at is not None and at >= begun - timedelta(milliseconds=1)


def _requeue(run: Run) -> bool:
    """Return one failed or cancelled run to the queue; False when it is neither (any more)."""
    ended = Run.objects.filter(pk=run.pk, state__in=[Run.State.FAILED, Run.State.CANCELLED])
    return bool(
        ended.update(
            state=Run.State.QUEUED,
            cancel_requested=False,
            attempts=0,
            message="",
            exit_code=None,
            finished_at=None,
            worker="",
            device="",
        )
    )


def _ancestors(run: Run) -> list[Run]:
    """List everything a run waits for, directly or not, first things first."""
    return _reached(run, lambda one: one.parents.all())


def _descendants(run: Run) -> list[Run]:
    """List everything that waits for a run, directly or not, last things first."""
    return _reached(run, lambda one: one.children.all())[::-1]


def _reached(run: Run, following: Callable[[Run], Iterable[Run]]) -> list[Run]:
    """List what is reached from a run, each once, by its number."""
    found: dict[int, Run] = {}
    todo = list(following(run))
    while todo:
        one = todo.pop()
        if one.pk not in found:
            found[one.pk] = one
            todo += following(one)
    return sorted(found.values(), key=lambda one: one.pk)
