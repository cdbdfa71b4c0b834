"""Start a command for a run, follow its log, stop it with all it started, and say in words how it ended."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mtcore.engines import guard
from mtcore.engines.errors import EngineError
from mtcore.engines.exits import explain_exit
from mtcore.engines.rundir import RunDir, tail

GRACE_SECONDS = 5.0
"""How long a command may take to write its checkpoint after SIGTERM; then it is killed."""
STEP_SECONDS = 0.2
_TAIL_LINES = 200


class ChildFailed(EngineError):
    """A command that ended with a mistake: its exit code, what that means, and what to do."""

    def __init__(self, exit_code: int, message: str, remedy: str) -> None:
        self.exit_code = exit_code
        super().__init__(message, remedy)


@dataclass
class Child:
    """A command that runs under a guard; see `start`."""

    process: subprocess.Popen[bytes]
    rundir: RunDir
    grace: float
    read_from: int

    def wait(
        self, *, on_line: Callable[[str], None] | None = None, should_stop: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for the end, giving each new line of the log to `on_line`; return False when it was stopped.

        Raises:
            ChildFailed: the command ended by itself with an exit code other than 0.
        """
        lines = _Follow(self.rundir.log, self.read_from)
        try:
            while self.process.poll() is None:
                if should_stop():
                    self.stop()
                    return False
                if not lines.give(on_line):
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self.process.wait(STEP_SECONDS)
            lines.give(on_line)
        finally:
            self.stop()
        code = self.process.returncode
        if code:
            said = tail(self.rundir.log, _TAIL_LINES, start=self.read_from)
            raise ChildFailed(code if code > 0 else 128 - code, *explain_exit(code, said))
        return True

    def stop(self) -> None:
        """End the command and all it started, if any of it still runs: SIGTERM, then SIGKILL."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(self.grace + guard.KILLED_SECONDS + 1)
        except subprocess.TimeoutExpired:
            self._stop_left_over()
            self.process.kill()
            self.process.wait()
        # A guard that was killed itself has left its note, and perhaps its group.
        self._stop_left_over()

    def _stop_left_over(self) -> None:
        """End what is left of this command; by now another worker's may run in the same folder."""
        stop_left_over(self.rundir, grace=0.0, of_guard=self.process.pid)


def start(
    command: Sequence[str],
    rundir: RunDir,
    *,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    grace: float = GRACE_SECONDS,
) -> Child:
    """Start a command in a process group of its own; what it says goes to the run's log.

    Args:
        command: program and arguments; they stand in the log before anything else.
        rundir: the run it belongs to. What a killed attempt left running there is ended first.
        variables: what to set in the environment, beside what is inherited.
        folder: the working directory.
        grace: seconds between SIGTERM and SIGKILL when it is stopped.
    """
    rundir.create()
    stop_left_over(rundir)
    settings = [f"{name}={value}" for name, value in (variables or {}).items()]
    full = [*(["env", *settings] if settings else []), *command]
    rundir.say("$ " + command_line(full))
    read_from = rundir.log.stat().st_size
    with rundir.log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-I", guard.__file__, str(rundir.child), str(grace), *full],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,
        )
    return Child(process, rundir, grace, read_from)


def stop_left_over(rundir: RunDir, *, grace: float = GRACE_SECONDS, of_guard: int | None = None) -> bool:
    """End the group that a killed attempt on this machine left running; return whether there was one.

    With `of_guard`, the process id of a guard, only what that guard has started is touched.

    A process id may belong to another program by now, or to another machine: only what started when and where
    the note says is touched. (While a group lives, the kernel gives its number to nobody else.)
    """
    try:
        note = json.loads(rundir.child.read_text("utf-8"))
        group, started, where = int(note["group"]), note["started"], note["boot"]
        guarded_by = int(note["guard"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if where != guard.boot() or of_guard not in (None, guarded_by):
        return False
    found = guard.start_of(group) in (started, "") and guard.end_group(group, grace)
    rundir.child.unlink(missing_ok=True)
    return found


def command_line(command: Sequence[str]) -> str:
    """Write a command as it can be pasted into a shell."""
    return shlex.join(command)


class _Follow:
    """Read what is added to a file, line by line."""

    def __init__(self, path: Path, start: int) -> None:
        self.path = path
        self.at = start
        self.rest = b""

    def give(self, on_line: Callable[[str], None] | None) -> bool:
        """Hand over the lines that are new; return whether there were any."""
        if on_line is None:
            return False
        with self.path.open("rb") as file:
            file.seek(self.at)
            data = file.read(1024**2)
        self.at += len(data)
        *whole, self.rest = (self.rest + data).replace(b"\r", b"\n").split(b"\n")
        for line in whole:
            if line:
                on_line(line.decode("utf-8", "replace"))
        return bool(data)
