"""What a runner gets and gives: options, a folder, a way to report, a way to learn that it should stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from evalplatform.errors import UserError
from evalplatform.words import storable
from mtcore.engines.child import start
from mtcore.engines.rundir import RunDir
from mtcore.models import Run
from mtcore.services.run_effort import last_attempt

THREADS = "OMP_NUM_THREADS"
"""What tells a command how many cores it may take."""

HISTORY_POINTS = 500
"""A run keeps at most so many points of its metrics; older ones are thinned out, never cut off."""
_NOTE_LENGTH = 500


class RunStopped(Exception):
    """Raised inside a runner that was asked to stop; whoever called it knows why."""


class RunFailed(UserError):
    """A run that cannot succeed: what happened, and what to do."""


class Options(dict[str, Any]):
    """What a run was launched with; an option that is not there is a mistake that is explained."""

    def __missing__(self, name: str) -> Any:
        """Say which one is missing.

        Raises:
            RunFailed: always.
        """
        raise RunFailed(
            f"The option “{name}” of this run is missing.",
            "It was not launched by a page or command of this version: launch it anew there.",
        )


@dataclass(frozen=True)
class Outcome:
    """What a runner made.

    `register` writes it into the database, in the very transaction that marks the run as succeeded: results
    are there once, and only with their run.
    """

    result: Mapping[str, Any]
    register: Callable[[Run], None] | None = None


@dataclass(frozen=True)
class Parent:
    """A run that came before: what it made and where."""

    id: int
    kind: str
    name: str
    result: Mapping[str, Any]
    rundir: RunDir


class Reports:
    """What a runner has reported and the heartbeat has not yet written; safe for both threads.

    A number that is none (a loss of NaN) is kept as the text "nan" or "inf": no database holds it in JSON.
    """

    def __init__(self, run: Run, *, listener: Callable[[Run, float, str], None] | None = None) -> None:
        self._run, self._listener = run, listener
        self._lock = threading.Lock()
        self._history: list[dict[str, Any]] = list(run.history or [])
        self._attempt = last_attempt(self._history) + 1
        self._progress = run.progress
        self._changed: dict[str, Any] = {}
        self._point({}, run.progress)

    def add(self, progress: float | None, note: str, metrics: Mapping[str, float]) -> None:
        """Take a report; None and "" leave what was said before."""
        with self._lock:
            if progress is not None and isfinite(progress):
                self._progress = min(1.0, max(0.0, float(progress)))
                self._changed["progress"] = self._progress
            if note:
                self._changed["progress_note"] = storable(note)[:_NOTE_LENGTH]
            if metrics or self._moved():
                self._point(metrics, self._progress)
        if self._listener:
            self._listener(self._run, self._progress, note)

    def take(self) -> dict[str, Any]:
        """Return the columns that have changed since the last time."""
        with self._lock:
            changed, self._changed = self._changed, {}
            return changed

    def give_back(self, changed: Mapping[str, Any]) -> None:
        """Keep for the next time what could not be written."""
        with self._lock:
            self._changed = {**changed, **self._changed}

    def _moved(self) -> bool:
        return abs(self._progress - self._history[-1]["progress"]) >= 0.01

    def _point(self, metrics: Mapping[str, float], progress: float) -> None:
        point = {
            "at": timezone.now().isoformat(timespec="milliseconds"),
            "attempt": self._attempt,
            "progress": round(progress, 6),
        }
        if metrics:
            point["metrics"] = {
                name: value if isfinite(value) else str(value) for name, value in metrics.items()
            }
        self._history = history_append(self._history, point)
        self._changed["history"] = self._history


def history_append(
    history: Sequence[dict[str, Any]], point: dict[str, Any], *, limit: int = HISTORY_POINTS
) -> list[dict[str, Any]]:
    """Add a point; when there are more than `limit`, keep every second one, the first and the last."""
    kept = [*history, point]
    return kept if len(kept) <= limit else [*kept[:-1:2], kept[-1]]


@dataclass(frozen=True)
class RunContext:
    """A run as its runner sees it.

    Attributes:
        options: what the run was launched with.
        rundir: its folder; `rundir.work` is kept from one attempt to the next.
        attempt: 1 for the first; a later one goes on from what is in `rundir.work`.
        device: the accelerator that is this run's alone, empty on a CPU.
        parents: the runs that came before, all of them succeeded.
        variables: what is set in the environment of every command of the run.
    """

    run_id: int
    kind: str
    name: str
    options: Mapping[str, Any]
    rundir: RunDir
    attempt: int
    device: str
    parents: Sequence[Parent]
    stopping: Callable[[], bool]
    reports: Reports = field(repr=False)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Return how many cores each command may take, 0 for all."""
        return int(self.variables.get(THREADS, 0))

    def report(
        self,
        progress: float | None = None,
        note: str = "",
        metrics: Mapping[str, float] | None = None,
    ) -> None:
        """Say how far it is (0–1), what it is doing, and what it measured (losses, rates …)."""
        self.reports.add(progress, note, metrics or {})

    def should_stop(self) -> bool:
        """Tell whether it was cancelled, its worker is ending, or its lease is lost."""
        return self.stopping()

    def check(self) -> None:
        """Raise RunStopped when it should stop; cheap enough for every few thousand lines."""
        if self.stopping():
            raise RunStopped

    def command(
        self,
        command: Sequence[str],
        *,
        on_line: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command to its end in a process group of its own; what it says goes to the run's log.

        Raises:
            RunStopped: the run should stop; the command and all it started have ended.
            ChildFailed: the command failed.
        """
        own = {**self.variables, **(variables or {})}
        child = start(command, self.rundir, variables=own, folder=folder)
        if not child.wait(on_line=on_line, should_stop=self.stopping):
            raise RunStopped


def run_directory(run_id: int) -> RunDir:
    """Return the folder of a run, named by its id."""
    return RunDir(Path(settings.DATA_DIR) / "runs" / str(run_id))
