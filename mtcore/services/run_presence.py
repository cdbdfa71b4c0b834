"""Who is working: every worker leaves a note in DATA_DIR/workers and renews it while it lives.

DATA_DIR is shared by all machines that work together, as the folders of runs and corpora are.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from django.conf import settings

from mtcore.engines.rundir import atomic_file

RENEW_SECONDS = 4.0
SILENT_SECONDS = 20.0
"""A worker that has not renewed its note for so long is not counted."""
AHEAD_SECONDS = 300.0
"""So far may the clock of a worker's machine be ahead of ours; more means that a clock was set back."""
_FORGOTTEN_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class WorkerSeen:
    """A worker that has shown itself: who, where, for which queues, on what, when (seconds since 1970)."""

    name: str
    host: str
    pid: int
    queues: Sequence[str]
    device: str
    at: float


class Presence:
    """Keeps a worker's note fresh while the block lasts, and takes it away at the end."""

    def __init__(self, *, name: str, host: str, pid: int, queues: Sequence[str], device: str) -> None:
        self._seen = WorkerSeen(name, host, pid, list(queues), device, 0.0)
        self._path = _folder() / f"{host}-{pid}.json"
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, name="presence", daemon=True)

    def __enter__(self) -> Presence:
        with contextlib.suppress(OSError):
            self._renew()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(RENEW_SECONDS)
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _renew_on(self) -> None:
        while not self._done.wait(RENEW_SECONDS):
            with contextlib.suppress(OSError):  # a full disk must not end a worker
                self._renew()

    def _renew(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(self._path) as draft:
            draft.write_text(json.dumps(asdict(self._seen) | {"at": time.time()}), "utf-8")


def workers_alive(queue: str = "") -> list[WorkerSeen]:
    """List the workers that have shown themselves lately, of one queue or of all."""
    now = time.time()
    found = []
    for path in sorted(_folder().glob("*.json")):
        try:
            seen = WorkerSeen(**json.loads(path.read_text("utf-8")))
            ago = now - float(seen.at)
        except (OSError, ValueError, TypeError):
            continue
        if ago > _FORGOTTEN_SECONDS:
            with contextlib.suppress(OSError):  # whoever only looks may not be allowed to
                path.unlink(missing_ok=True)
        if -AHEAD_SECONDS <= ago <= SILENT_SECONDS and (not queue or queue in seen.queues):
            found.append(seen)
    return found


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "workers"
