"""Back up the whole installation into one file, and put it back.

The database is copied first, then the files: what a row speaks of is published on disk before the row is
written and never changed afterwards, so the files in a backup are at least those its database knows.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.utils import timezone

from annotation.services.backup_database import (
    NAMES,
    BackupFailed,
    database_copy,
    database_kind,
    database_place,
    database_require_empty,
    migrations_applied,
    migrations_unknown,
)
from evalplatform.errors import BadInput, Conflict

MANIFEST = "manifest.json"
FILES = "files/"
_FORMAT = 1
_NOT_KEPT = ("static", "queue", "workers", "writes", "backups")
"""Folders of DATA_DIR that are made anew."""
_CHUNK = 1024**2


@dataclass(frozen=True)
class _Head:
    """What a backup says of itself; `sha256` has every other file in it."""

    format: int
    created_at: str
    database: str
    migrations: list[str]
    sha256: dict[str, str]


@dataclass(frozen=True)
class Backup:
    """What a backup holds: its moment, its kind of database, its files and their bytes."""

    created_at: datetime
    database: str
    n_files: int
    n_bytes: int


def backup_make(
    *, place: Path, scratch: bool = False, told: Callable[[str], None] = lambda _: None
) -> Backup:
    """Write everything into one tar file (`.gz`, `.xz`, `.bz2`: packed), which appears when it is whole.

    Args:
        place: the file; nothing may be there yet.
        scratch: also take the unfinished work of runs (stop the workers first).
        told: is told what is being done.

    Raises:
        Conflict: something is there already.
        BackupFailed: the database could not be copied.
    """
    if place.exists():
        raise Conflict(f"{place} is there already.", "A backup overwrites nothing: give another name.")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".backup-") as folder:
        copy, draft = Path(folder) / NAMES[database_kind()], Path(folder) / place.name
        applied = migrations_applied()
        now = timezone.now()
        told("copying the database")
        database_copy(copy)
        sums: dict[str, str] = {}
        with tarfile.open(draft, cast(Any, f"w:{_packing(place)}")) as tar:
            sums[copy.name] = _add(tar, copy, copy.name)
            for path in _files(Path(settings.DATA_DIR), scratch=scratch, own=place.resolve()):
                name = FILES + path.relative_to(settings.DATA_DIR).as_posix()
                told(name.removeprefix(FILES))
                try:
                    sums[name] = _add(tar, path, name)
                except FileNotFoundError:
                    continue  # scratch that was cleared away meanwhile
            head = _Head(_FORMAT, now.isoformat(), database_kind(), applied, sums)
            _add_text(tar, MANIFEST, json.dumps(asdict(head), indent=1))
        draft.chmod(0o600)  # it holds the key of all links and sessions
        draft.rename(place)
    return Backup(now, head.database, len(sums) - 1, place.stat().st_size)


def backup_restore(*, place: Path, told: Callable[[str], None] = lambda _: None) -> Backup:
    """Put a backup into this installation, which has to be empty; every file is checked before.

    Raises:
        BadInput: it is no backup, or damaged, or of another kind of database or a newer version.
        Conflict: there is something here that would be overwritten.
    """
    database_require_empty()
    data = Path(settings.DATA_DIR)
    data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data, prefix=".restore-") as folder:
        told("unpacking and checking")
        head = unpack(place, Path(folder))
        _check_head(head, place)
        found = [name for name in head.sha256 if name.startswith(FILES)]
        _require_free(data, found)
        with _all_or_none(data, Path(folder), found):
            told("putting back the database")
            database_place(Path(folder) / NAMES[head.database])
    moment = datetime.fromisoformat(head.created_at)
    return Backup(moment, head.database, len(found), place.stat().st_size)


@contextmanager
def _all_or_none(data: Path, folder: Path, names: list[str]) -> Iterator[None]:
    """Put files in their places; take them away again when the block fails."""
    kept = folder / "key-before"
    if (data / "secret_key").exists():
        shutil.copy2(data / "secret_key", kept)
    placed = []
    try:
        for name in names:
            target = data / name.removeprefix(FILES)
            target.parent.mkdir(parents=True, exist_ok=True)
            (folder / name).replace(target)
            placed.append(target)
        yield
    except BaseException:
        for target in placed:
            target.unlink(missing_ok=True)
        if kept.exists():
            shutil.copy2(kept, data / "secret_key")
        raise


def _packing(place: Path) -> str:
    return {".gz": "gz", ".tgz": "gz", ".xz": "xz", ".bz2": "bz2"}.get(place.suffix, "")


def _files(data: Path, *, scratch: bool, own: Path) -> Iterator[Path]:
    """Yield what is kept of DATA_DIR, in order."""
    for path in sorted(data.rglob("*")):
        parts = path.relative_to(data).parts
        is_scratch = len(parts) > 2 and parts[0] == "runs" and parts[2] == "work"
        is_draft = any(
            part.startswith((".staged-", ".converting-", ".restore-", ".backup-")) for part in parts
        )
        is_database = ".sqlite3" in parts[-1] and len(parts) == 1
        if parts[0] in _NOT_KEPT or is_draft or is_database or (is_scratch and not scratch):
            continue
        if path.is_file() and not path.is_symlink() and path.resolve() != own:
            yield path


def _add(tar: tarfile.TarFile, path: Path, name: str) -> str:
    """Add a file as long as it is now (logs grow while they are read); return its SHA-256."""
    with path.open("rb") as file:
        info = tarfile.TarInfo(name)
        info.size, info.mtime, info.mode = path.stat().st_size, int(path.stat().st_mtime), 0o600
        reader = _Reader(file, info.size)
        tar.addfile(info, reader)
    return reader.digest.hexdigest()


def _add_text(tar: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode()
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    tar.addfile(info, BytesIO(data))


class _Reader:
    """Read so many bytes of a file, and know their SHA-256."""

    def __init__(self, file: Any, size: int) -> None:
        self.file, self.left, self.digest = file, size, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; what the file lost meanwhile is missing, and tar says so."""
        data = self.file.read(self.left if size < 0 else min(size, self.left))
        self.left -= len(data)
        self.digest.update(data)
        return bytes(data)


def unpack(place: Path, folder: Path) -> _Head:
    """Unpack, hold every file against its checksum, and return the manifest.

    Raises:
        BadInput: it is no backup, cut short or changed, or holds what no backup does.
    """
    if not place.is_file():
        raise BadInput(f"There is no file {place}.", "Give the file that `manage.py backup` wrote.")
    try:
        with tarfile.open(place) as tar:
            for member in tar:
                if not member.isfile():
                    raise BadInput(f"{place} holds {member.name}, which is no plain file.", _OURS)
                tar.extract(member, folder, filter="data")
        head = _Head(**json.loads((folder / MANIFEST).read_text("utf-8")))
    except (tarfile.TarError, EOFError, ValueError, KeyError, TypeError, FileNotFoundError) as error:
        raise BadInput(f"{place} is no whole backup: {error}.", _OURS) from error
    for name, expected in head.sha256.items():
        path = folder / name
        if not path.is_file() or _sha256(path) != expected:
            raise BadInput(f"{name} in {place} is missing or was changed.", "Use another backup.")
    return head


_OURS = "Give the file that `manage.py backup` wrote."


def _check_head(head: _Head, place: Path) -> None:
    if head.format != _FORMAT or head.database not in NAMES:
        raise BadInput(
            f"{place} was written by another version of the platform.", "Restore it with that one."
        )
    if head.database != database_kind():
        raise BadInput(
            f"{place} holds a database of {head.database}; this installation uses {database_kind()}.",
            "Set DATABASE_URL to a database of the same kind.",
        )
    unknown = migrations_unknown(head.migrations)
    if unknown:
        raise BadInput(
            f"{place} was written by a newer version: it knows {unknown[0]}.", "Upgrade the platform first."
        )


def _require_free(data: Path, names: list[str]) -> None:
    """Refuse to overwrite files; the key that a new installation makes for itself is no loss."""
    for name in names:
        own = name.removeprefix(FILES)
        if own != "secret_key" and (data / own).exists():
            raise Conflict(f"{data / own} is there already.", "Name another, empty DATA_DIR.")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        shutil.copyfileobj(file, _Sink(digest), _CHUNK)
    return digest.hexdigest()


class _Sink:
    """Let a digest be written to."""

    def __init__(self, digest: Any) -> None:
        self.digest = digest

    def write(self, data: bytes) -> int:
        """Take bytes."""
        self.digest.update(data)
        return len(data)


__all__ = ["Backup", "BackupFailed", "backup_make", "backup_restore"]
