"""What a run has taken so far: how often it was begun, how long the last time, how long in all.

It follows from the points of its history. The number of attempts that a row holds is another one: it counts
how often a worker was lost since the run was launched or resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from mtcore.models import Run

Point = Mapping[str, Any]
_NOTHING = timedelta(0)


@dataclass(frozen=True)
class Effort:
    """How often a run was begun, and how long it was worked on in all; pauses are left out."""

    attempts: int
    worked: timedelta


def run_effort(run: Run, *, now: datetime | None = None) -> Effort:
    """Count the attempts of a run, also those before it was resumed, and add up what they took."""
    timed = list(points_timed(run.history))
    if not timed:
        return Effort(run.attempts, run_elapsed(run, now=now) or _NOTHING)
    seconds, _point, last = timed[-1]
    end = _worked_until(run, now)
    after = max(_NOTHING, end - last) if end else _NOTHING
    return Effort(max(run.attempts, last_attempt(run.history)), timedelta(seconds=seconds) + after)


def run_elapsed(run: Run, *, now: datetime | None = None) -> timedelta | None:
    """Return how long the last attempt has taken, until now or until it ended; None before the first."""
    end = _worked_until(run, now)
    if run.started_at is None or end is None:
        return None
    return max(_NOTHING, end - run.started_at)


def last_attempt(points: Sequence[Point]) -> int:
    """Return the number of the attempt that the last point belongs to; 0 where there is none."""
    number = points[-1].get("attempt") if points and isinstance(points[-1], Mapping) else 0
    return number if isinstance(number, int) else 0


def point_time(point: Any) -> datetime | None:
    """Return when a point was made; None where it does not say."""
    try:
        at = datetime.fromisoformat(point["at"])
    except (KeyError, TypeError, ValueError):
        return None
    return at if at.tzinfo else None


def points_timed(points: Sequence[Point]) -> Iterator[tuple[float, Point, datetime]]:
    """Give each point with the seconds of work before it, and when it was.

    The time between two attempts is none; what does not say when it was is left out.
    """
    worked, before, attempt = 0.0, None, None
    for point in points:
        at = point_time(point)
        if at is None:
            continue
        if before is not None and point.get("attempt") == attempt:
            worked += max(0.0, (at - before).total_seconds())
        before, attempt = at, point.get("attempt")
        yield worked, point, at


def history_closed(run: Run) -> list[dict[str, Any]]:
    """Return a run's history with a point for the last sign of life of its last attempt, if it has none."""
    points = list(run.history or [])
    last = point_time(points[-1]) if points else None
    if last is None or run.heartbeat_at is None or run.heartbeat_at <= last:
        return points
    at = run.heartbeat_at.isoformat(timespec="milliseconds")
    return [*points, {"at": at, "attempt": points[-1].get("attempt"), "progress": run.progress}]


def _worked_until(run: Run, now: datetime | None) -> datetime | None:
    """Return until when the last attempt is known to have been at work.

    A run may end when nobody works on it: cancelled while it waits to go on, or after its worker was lost.
    """
    if run.state == Run.State.RUNNING:
        return now or timezone.now()
    seen, ended = run.heartbeat_at, run.finished_at
    if seen is None or run.state == Run.State.SUCCEEDED:
        return ended or seen
    is_near = ended is not None and ended - seen <= timedelta(seconds=settings.RUN_LEASE_SECONDS / 2)
    return ended if is_near else seen
