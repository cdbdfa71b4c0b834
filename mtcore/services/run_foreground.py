"""Follow runs from a terminal; do them here and now where no worker is there for their queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from django.conf import settings
from django.utils import timezone

from mtcore.models import Run
from mtcore.services.run_presence import workers_alive
from mtcore.services.run_work import Worker

SAID_EVERY_SECONDS = 3.0
_WAIT_SECONDS = 1.0


class Foreground:
    """Follows some runs to their end, saying how they get on; see `follow`."""

    def __init__(self, runs: Sequence[Run], tell: Callable[[str], None]) -> None:
        self.pks = [run.pk for run in runs]
        self.tell = tell
        self._queues = sorted({run.queue for run in runs})
        self._worker = Worker(queues=[], device=settings.RUN_DEVICE, listener=self._heard)
        self._said: dict[int, tuple[float, str]] = {}
        self._ended: set[int] = set()
        self._stopping = False

    def follow(self) -> list[Run]:
        """Return the runs as they are when all have ended, or none can begin any more, or it was stopped."""
        while not self._stopping and self._is_open():
            self._worker.queues = [queue for queue in self._queues if not workers_alive(queue)]
            done = self._worker.look(among=self.pks) if self._worker.queues else None
            self._watch()
            if done is None and not self._stopping and self._is_open():
                time.sleep(_WAIT_SECONDS)
        self._watch()
        return list(Run.objects.filter(pk__in=self.pks).order_by("pk"))

    def stop(self) -> None:
        """Stop; what is being done here returns to the queue and keeps what it has reached."""
        self._stopping = True
        self._worker.end()

    def _is_open(self) -> bool:
        """Tell whether a run is running, or may begin, now or after one that is."""
        runs = Run.objects.filter(pk__in=self.pks)
        if runs.filter(state=Run.State.RUNNING).exists():
            return True
        blocked = [Run.State.FAILED, Run.State.CANCELLED]
        return any(not _has_ended_parent(run, blocked) for run in runs.filter(state=Run.State.QUEUED))

    def _heard(self, run: Run, progress: float, note: str) -> None:
        """Say how a run gets on that is done here."""
        self._say(run, progress, note)

    def _watch(self) -> None:
        """Say how the runs get on that others do, and which have ended."""
        for run in Run.objects.filter(pk__in=self.pks).order_by("pk"):
            if run.is_finished and run.pk not in self._ended:
                self._ended.add(run.pk)
                about = f" {run.message}" if run.message else ""
                self.tell(f"{self._named(run)}: {run.get_state_display()}.{about}")
            elif run.state == Run.State.RUNNING and run.lease_until and run.lease_until > timezone.now():
                self._say(run, run.progress, run.progress_note)

    def _say(self, run: Run, progress: float, note: str) -> None:
        at, before = self._said.get(run.pk, (0.0, ""))
        now = time.monotonic()
        text = f"{progress:4.0%} {note}".rstrip()
        if text != before and now - at >= SAID_EVERY_SECONDS:
            self._said[run.pk] = (now, text)
            self.tell(f"{self._named(run)}: {text}")

    def _named(self, run: Run) -> str:
        at = self.pks.index(run.pk) + 1
        return f"[{at}/{len(self.pks)}] run {run.pk} {run.kind} {run.name}".rstrip()


def _has_ended_parent(run: Run, states: Sequence[str]) -> bool:
    """Tell whether something a run waits for, directly or not, has failed or was cancelled."""
    todo, seen = list(run.parents.all()), set()
    while todo:
        one = todo.pop()
        if one.state in states:
            return True
        if one.pk not in seen:
            seen.add(one.pk)
            todo += one.parents.all()
    return False
