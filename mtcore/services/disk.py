"""What lies where under DATA_DIR, and how much room is left; within seconds, whatever there is."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from os import DirEntry, scandir
from pathlib import Path

from django.conf import settings

LOOK_SECONDS = 3.0
"""So long is looked; what is not counted by then makes the sizes lower bounds."""
DRAFTS = "corpora/.*"
"""What the hidden folders of corpora are called together."""


@dataclass(frozen=True)
class Folder:
    """A folder or file under DATA_DIR: its name, bytes, files, and whether all of it was counted."""

    name: str
    n_bytes: int
    n_files: int
    whole: bool = True


@dataclass(frozen=True)
class DiskUse:
    """The disk of DATA_DIR: its bytes, those free, and its folders, the largest first."""

    total: int
    free: int
    folders: list[Folder] = field(default_factory=list)
    runs: list[Folder] = field(default_factory=list)


def disk_use(*, seconds: float = LOOK_SECONDS, n_runs: int = 10) -> DiskUse:
    """Measure DATA_DIR and the folders of the largest runs in it.

    Args:
        seconds: how long to look at most.
        n_runs: of how many runs the folders are returned.
    """
    root = Path(settings.DATA_DIR)
    root.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + seconds
    usage = shutil.disk_usage(root)
    runs = _sorted([_measured(entry, until) for entry in _entries(root / "runs")])
    folders = [_measured(entry, until) for entry in _entries(root) if entry.name not in ("runs", "corpora")]
    whole, drafts = _corpora(root / "corpora", until)
    for name, parts in (("runs", runs), ("corpora", whole), (DRAFTS, drafts)):
        if parts:
            folders.append(_sum(name, parts))
    return DiskUse(usage.total, usage.free, _sorted(folders), runs[:n_runs])


def _corpora(folder: Path, until: float) -> tuple[list[Folder], list[Folder]]:
    """Measure the corpora, and apart from them what is hidden: being written, or left half written."""
    found = [_measured(entry, until) for entry in _entries(folder)]
    return (
        [one for one in found if not one.name.startswith(".")],
        [one for one in found if one.name.startswith(".")],
    )


def _measured(entry: DirEntry[str], until: float) -> Folder:
    if not entry.is_dir(follow_symlinks=False):
        return Folder(entry.name, _size(entry), 1)
    n_bytes = n_files = 0
    todo = [Path(entry.path)]
    while todo and time.monotonic() < until:
        for inside in _entries(todo.pop()):
            if inside.is_dir(follow_symlinks=False):
                todo.append(Path(inside.path))
            else:
                n_bytes += _size(inside)
                n_files += 1
    return Folder(entry.name, n_bytes, n_files, not todo)


def _entries(folder: Path) -> list[DirEntry[str]]:
    try:
        with scandir(folder) as found:
            return list(found)
    except OSError:  # it has gone, or is not ours to read
        return []


def _size(entry: DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def _sum(name: str, parts: list[Folder]) -> Folder:
    return Folder(
        name,
        sum(one.n_bytes for one in parts),
        sum(one.n_files for one in parts),
        all(one.whole for one in parts),
    )


def _sorted(folders: list[Folder]) -> list[Folder]:
    return sorted(folders, key=lambda one: (-one.n_bytes, one.name))
