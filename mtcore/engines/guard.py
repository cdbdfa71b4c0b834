"""Watch over one command: when whoever started it dies, the command and all it started end too.

Run as a script by path; knows nothing of the rest of the package. Standard input is the lifeline: it is held
open by the process that asked for the command, and its end, however it comes (also by `kill -9`), means stop.
The command gets a process group of its own, so that everything it starts can be reached.

    python guard.py NOTE GRACE_SECONDS COMMAND …

NOTE is a file that says as JSON which group runs. The exit code is the command's; a signal n gives 128 + n, a
command that cannot be started 127 (missing) or 126.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import select
import signal
import subprocess
import sys
import time
from os import WNOHANG, getpid, killpg, read, waitpid
from pathlib import Path
from types import FrameType

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_STEP_SECONDS = 0.1
KILLED_SECONDS = 2.0
"""How long to wait for the kernel to clear away what was killed."""


def main(arguments: list[str]) -> int:
    """Run the command to its end, or until the lifeline breaks or a SIGTERM arrives."""
    note, grace, *command = arguments
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    stop = _Stop()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, stop.ask)
    try:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_end_with_guard
        )
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        return 127 if isinstance(error, FileNotFoundError) else 126
    said = {"guard": getpid(), "group": child.pid, "started": start_of(child.pid), "boot": boot()}
    written = json.dumps(said)
    Path(note).write_text(written, "utf-8")
    while child.poll() is None and not stop.asked:
        stop.asked = stop.asked or _lifeline_broke()
    end_group(child.pid, float(grace), child)
    code = child.wait()
    _reap()
    if _read(note) == written:  # another attempt may have begun in the same folder, with a note of its own
        Path(note).unlink(missing_ok=True)
    return code if code >= 0 else 128 - code


class _Stop:
    """Remember that a signal asked us to stop."""

    def __init__(self) -> None:
        self.asked = False

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """Note it; the loop sees it within a step."""
        self.asked = True


def end_group(group: int, grace: float, child: subprocess.Popen[bytes] | None = None) -> bool:
    """Stop a process group: SIGTERM, then SIGKILL after the grace; return whether anything was there."""
    if not _signal(group, signal.SIGTERM):
        return False
    if not _gone(group, grace, child):
        _signal(group, signal.SIGKILL)
        _gone(group, KILLED_SECONDS, child)
    return True


def _gone(group: int, seconds: float, child: subprocess.Popen[bytes] | None) -> bool:
    """Wait until nothing of the group is left, collecting what has ended; False when the time is over.

    Without `child` it is not ours, and nothing is collected: a worker's own commands would lose their codes.
    """
    deadline = time.monotonic() + seconds
    while True:
        if child is not None:
            child.poll()
            _reap(child)
        if not _signal(group, 0):
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_STEP_SECONDS)


def start_of(process: int) -> str:
    """Return when a process started, which with its id names it for good; empty when there is none."""
    stat = _read(f"/proc/{process}/stat")
    return stat.rpartition(")")[2].split()[19] if stat else ""


def boot() -> str:
    """Return what tells this machine, since it was last started, from every other."""
    return _read("/proc/sys/kernel/random/boot_id").strip()


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _signal(group: int, number: int) -> bool:
    try:
        killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _reap(child: subprocess.Popen[bytes] | None = None) -> None:
    """Collect orphans that became ours, so that none is left defunct; `child` collects itself."""
    if child is not None and child.returncode is None:
        return
    with contextlib.suppress(ChildProcessError):
        while waitpid(-1, WNOHANG)[0]:
            pass


def _lifeline_broke() -> bool:
    """Wait a step; tell whether the other end of standard input has gone."""
    ready, _, _ = select.select([sys.stdin], [], [], _STEP_SECONDS)
    return bool(ready) and not read(sys.stdin.fileno(), 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


def _end_with_guard() -> None:
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
