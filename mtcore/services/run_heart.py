"""The heartbeat of a run: keeps its lease, writes what was reported, and learns that it should stop."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from django.conf import settings
from django.db import DatabaseError, connections

from mtcore.services.run_claim import Claim, run_keep
from mtcore.services.run_context import Reports

logger = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
CANCELLED = "cancelled"
LOST = "lost"
ENDING = "ending"


class Heart:
    """Beats in a thread of its own while the block lasts.

    The lease is counted by a clock that nobody sets: a worker that could not write for two thirds of it takes
    the run as lost, stops, and has stopped before anybody else may begin.
    """

    def __init__(self, claim: Claim, reports: Reports, *, ending: Callable[[], bool] = lambda: False) -> None:
        self.claim = claim
        self.reports = reports
        self.ending = ending
        self.reason = ""
        self._patience = settings.RUN_LEASE_SECONDS * 2 / 3
        self._beat_seconds = min(BEAT_SECONDS, settings.RUN_LEASE_SECONDS / 6)
        self._last = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name=f"run-{claim.run.pk}", daemon=True)

    def __enter__(self) -> Heart:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(self._beat_seconds * 2)

    def should_stop(self) -> bool:
        """Tell whether the run should stop; `reason` says why."""
        if not self.reason and time.monotonic() - self._last > self._patience:
            self.reason = LOST
        if not self.reason and self.ending():
            self.reason = ENDING
        return bool(self.reason)

    def beat(self) -> None:
        """Beat once: write, and read whether the run is still ours and wanted."""
        changes = self.reports.take()
        try:
            ours, cancelled = run_keep(self.claim, changes)
        except DatabaseError as error:
            self.reports.give_back(changes)
            logger.warning("run %s: no heartbeat could be written: %s", self.claim.run.pk, error)
            return
        self._last = time.monotonic()
        if not ours:
            self.reason = LOST
        elif cancelled:
            self.reason = CANCELLED

    def _beat_on(self) -> None:
        try:
            while not self._done.wait(self._beat_seconds) and self.reason != LOST:
                self.beat()
        finally:
            connections.close_all()
