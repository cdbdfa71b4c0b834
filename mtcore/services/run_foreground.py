"""Follow runs from a terminal; do them here and now where no worker is there for their queue."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from os import cpu_count

from django.conf import settings
from django.db import connections
from django.utils import timezone

from mtcore.models import Run
from mtcore.services.run_presence import workers_alive
from mtcore.services.run_work import Worker

logger = logging.getLogger(__name__)

SAID_EVERY_SECONDS = 3.0
_WAIT_SECONDS = 1.0


class Foreground:
    """Follows some runs to their end, saying how they get on; see `follow`."""

    def __init__(self, runs: Sequence[Run], tell: Callable[[str], None], *, workers: int = 1) -> None:
        """Prepare.

        Args:
            runs: those to follow.
            tell: called with each line for people.
            workers: how many are done at a time here, where no worker is there.
        """
        self.pks = [run.pk for run in runs]
        self.tell = tell
        self._queues = sorted({run.queue for run in runs})
        self._workers = [
            Worker(queues=[], device=settings.RUN_DEVICE, listener=self._heard, threads=_threads(workers))
            for _ in range(max(1, workers))
        ]
        self._lock = threading.Lock()
        self._said: dict[int, tuple[float, str]] = {}
        self._ended: set[int] = set()
        self._stopping = False

    def follow(self) -> list[Run]:
        """Return the runs as they are when all have ended, or none can begin any more, or it was stopped."""
        first, *others = self._workers
        threads = [threading.Thread(target=self._help, args=(one,), daemon=True) for one in others]
        for thread in threads:
            thread.start()
        try:
            self._work(first)
        finally:
            for thread in threads:
                thread.join()
        self._watch()
        return list(Run.objects.filter(pk__in=self.pks).order_by("pk"))

    def stop(self) -> None:
        """Stop; what is being done here returns to the queue and keeps what it has reached."""
        self._stopping = True
        for one in self._workers:
            one.end()

    def _help(self, worker: Worker) -> None:
        """Work beside the main thread; its connection to the database is its own."""
        try:
            self._work(worker)
        except Exception:
            logger.exception("one of several workers in this terminal has ended early")
        finally:
            connections.close_all()

    def _work(self, worker: Worker) -> None:
        """Do what there is, one run after the other, until nothing can begin any more."""
        while not self._stopping and self._is_open():
            worker.queues = [queue for queue in self._queues if not workers_alive(queue)]
            done = worker.look(among=self.pks) if worker.queues else None
            self._watch()
            if done is None and not self._stopping and self._is_open():
                time.sleep(_WAIT_SECONDS)

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
            if run.is_finished:
                with self._lock:
                    if run.pk not in self._ended:
                        self._ended.add(run.pk)
                        about = f" {run.message}" if run.message else ""
                        self.tell(f"{self._named(run)}: {run.get_state_display()}.{about}")
            elif run.state == Run.State.RUNNING and run.lease_until and run.lease_until > timezone.now():
                self._say(run, run.progress, run.progress_note)

    def _say(self, run: Run, progress: float, note: str) -> None:
        with self._lock:
            at, before = self._said.get(run.pk, (0.0, ""))
            now = time.monotonic()
            text = f"{progress:4.0%} {note}".rstrip()
            if text != before and now - at >= SAID_EVERY_SECONDS:
                self._said[run.pk] = (now, text)
                self.tell(f"{self._named(run)}: {text}")

    def _named(self, run: Run) -> str:
        at = self.pks.index(run.pk) + 1
        return f"[{at}/{len(self.pks)}] run {run.pk} {run.kind} {run.name}".rstrip()


def _threads(workers: int) -> int:
    """Return how many cores each of several workers takes; one alone may take all."""
    return 0 if workers < 2 else max(1, (cpu_count() or 1) // workers)


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
