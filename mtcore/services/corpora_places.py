"""Where corpora are written, who writes there, and what was left there by processes that were killed.

What is being written lies in a hidden folder. The name of one that a command or a page writes holds the
machine and the process; that of a run its number. A corpus that is whole and not yet registered has a hidden
note with the same name, so that it is found too when its process is killed in between.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from mtcore.engines.guard import start_of
from mtcore.models import Corpus, Run

DRAFT = "now"
"""What the folders of commands and pages begin with; those of runs begin with "run-" and a number."""
QUIET_SECONDS = 60.0
"""What a process of this machine left is removed when nothing was written there for so long,"""
QUIET_RUN_SECONDS = 3600.0
"""what a run left that has ended, for so long,"""
QUIET_ELSEWHERE_SECONDS = 24 * 3600.0
"""and what a process left that cannot be looked for from here, for so long."""
_OWNED = re.compile(
    r"\.now(?:-scratch|-(?P<made>[0-9a-f]{32}))?\.(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-(?P<start>\d*)\.\w+"
)
_OF_RUN = re.compile(r"\.run-(?P<run>\d{1,18})(?:-rest|-held|-scratch)*\.\w+")
_UNOWNED = re.compile(r"\.now(?:-scratch)?\.\w+")
"""As earlier versions named theirs."""


def corpora_folder() -> Path:
    """Return the folder that holds the folders of all corpora."""
    return Path(settings.DATA_DIR) / "corpora"


def draft_folder(name: str) -> Path:
    """Make an empty hidden folder beside the corpora, after removing what killed processes left there."""
    corpora_folder().mkdir(parents=True, exist_ok=True)
    corpora_sweep()
    if name.startswith("run-"):  # what a killed attempt of the same run left
        for left in corpora_folder().glob(f".{name}.*"):
            shutil.rmtree(left, ignore_errors=True)
        prefix = f".{name}."
    else:
        prefix = f".{name}.{_owner()}."
    return Path(tempfile.mkdtemp(prefix=prefix, dir=corpora_folder()))


def made_note(folder: str) -> None:
    """Write down that a corpus of ours is about to appear that has no row in the database yet."""
    (corpora_folder() / f".{DRAFT}-{folder}.{_owner()}.made").touch()


def made_forget(folder: str) -> None:
    """Take the note away: the corpus is registered, or its folder is gone."""
    for note in corpora_folder().glob(f".{DRAFT}-{folder}.*"):
        note.unlink(missing_ok=True)


def corpora_sweep() -> list[str]:
    """Remove what killed processes left among the corpora; return the names of what was removed.

    What a living process writes stays, and what a run left that may go on. What may not be removed stays too,
    and is no error.
    """
    removed = []
    with suppress(OSError):
        for path in sorted(corpora_folder().iterdir()):
            if not path.name.startswith(".") or path.is_symlink():
                continue
            with suppress(OSError):
                if _is_left(path):
                    _remove(path)
                    removed.append(path.name)
    return removed


def _is_left(path: Path) -> bool:
    found = _OWNED.fullmatch(path.name)
    if found:
        if found["machine"] != _machine():
            return _quiet(path) > QUIET_ELSEWHERE_SECONDS
        return not _is_alive(int(found["process"]), found["start"]) and _quiet(path) > QUIET_SECONDS
    if found := _OF_RUN.fullmatch(path.name):
        alive = Run.objects.filter(pk=int(found["run"]), state__in=[Run.State.QUEUED, Run.State.RUNNING])
        return _quiet(path) > QUIET_RUN_SECONDS and not alive.exists()
    return bool(_UNOWNED.fullmatch(path.name)) and _quiet(path) > QUIET_ELSEWHERE_SECONDS


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        return
    found = _OWNED.fullmatch(path.name)
    made = found["made"] if found else ""
    if made and not Corpus.objects.filter(path=f"corpora/{made}").exists():
        shutil.rmtree(corpora_folder() / made, ignore_errors=True)
    path.unlink()


def _quiet(path: Path) -> float:
    """Return how many seconds ago something was last written in a folder."""
    newest = path.stat().st_mtime
    for inside in path.rglob("*") if path.is_dir() else ():
        with suppress(OSError):
            newest = max(newest, inside.stat(follow_symlinks=False).st_mtime)
    return time.time() - newest


def _is_alive(process: int, start: str) -> bool:
    """Tell whether a process of this machine lives; another one may have its number by now."""
    if start:
        return start_of(process) == start
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _owner() -> str:
    return f"{_machine()}-{os.getpid()}-{start_of(os.getpid())}"


def _machine() -> str:
    """Return what tells this machine from others, and one container on it from the next."""
    numbers = ""
    with suppress(OSError):
        numbers = str(Path("/proc/self/ns/pid").readlink())
    return hashlib.sha256(f"{platform.node()} {numbers}".encode()).hexdigest()[:8]
