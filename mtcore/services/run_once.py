"""Launch a run once: the same request that comes twice, as a button pressed twice sends it, finds the first.

And launch it on trial, to learn what it would be, or why it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection, transaction

from mtcore.models import Run
from mtcore.services.runs import run_launch

T = TypeVar("T")
_LAUNCH_LOCK = 7_221_904_120


@contextmanager
def one_launch_at_a_time() -> Iterator[None]:
    """Keep others from launching while the block lasts, so that what is there can be looked at first.

    SQLite begins its transactions with the lock; PostgreSQL is asked for one.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LAUNCH_LOCK])
        yield


class _Undo(Exception):
    """Leaves a transaction so that nothing of it stays."""


def run_trial(action: Callable[[], T]) -> T:
    """Call a service that launches runs, return what it returns, and let nothing of it stay.

    Raises:
        Whatever the service raises.
    """
    found: list[T] = []
    try:
        with transaction.atomic():
            found.append(action())
            raise _Undo
    except _Undo:
        return found[0]


def run_once(action: Callable[[], Run]) -> tuple[Run, bool]:
    """Call a service that launches one run; where the same one waits or runs, return that one instead.

    A service may also find a run that is there, and let it go on.

    Returns:
        The run, and whether it is new.
    """
    with one_launch_at_a_time():
        wanted = run_trial(action)
        if Run.objects.filter(pk=wanted.pk).exists():
            return action(), False
        alive = Run.objects.filter(
            kind=wanted.kind,
            name=wanted.name,
            state__in=[Run.State.QUEUED, Run.State.RUNNING],
            cancel_requested=False,
        )
        for one in alive.order_by("pk"):
            if one.options == wanted.options:
                return one, False
        return action(), True


def run_launch_once(
    *,
    kind: str,
    options: Mapping[str, Any],
    name: str = "",
    queue: str = "",
    parents: Sequence[Run] = (),
    requested_by: User | None = None,
) -> tuple[Run, bool]:
    """Launch a run as `run_launch` does, or return the same one that waits or runs; and whether it is new.

    Raises:
        BadInput: as `run_launch`.
    """
    return run_once(
        lambda: run_launch(
            kind=kind, options=options, name=name, queue=queue, parents=parents, requested_by=requested_by
        )
    )


def run_again(*, run: Run, requested_by: User | None = None) -> tuple[Run, bool]:
    """Launch a finished run anew, from the start, as a run of its own; or return the one at it already.

    What the first one has made stays.

    Raises:
        BadInput: its options are no longer possible; a name that is taken since, for one.
    """
    return run_launch_once(
        kind=run.kind,
        options=run.options,
        name=run.name,
        queue=run.queue,
        parents=list(run.parents.order_by("pk")),
        requested_by=requested_by,
    )
