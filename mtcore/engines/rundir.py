"""The folder of one run: where its log, its scratch files and its result lie.

A result appears by one atomic rename and carries a manifest with the checksum of every file in it. Until then
nothing of it can be seen under its name, so whoever finds a result finds a whole one.

    log.txt     what the run and its children say
    child.json  the child that is running now, if any
    work/       scratch and checkpoints; stays from one attempt to the next
    result/     what the run made, with manifest.json
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import fsync
from pathlib import Path

from mtcore.engines.errors import EngineError

MANIFEST = "manifest.json"
_STAGED = ".staged-"
_CHUNK_BYTES = 1024**2


class RunDirError(EngineError):
    """A result that is not whole, or not what was put there."""


@dataclass(frozen=True)
class RunDir:
    """The paths of one run. Nothing is made on disk before it is asked for."""

    root: Path

    @property
    def log(self) -> Path:
        """Return the path of the log."""
        return self.root / "log.txt"

    @property
    def child(self) -> Path:
        """Return the path of the note about the running child."""
        return self.root / "child.json"

    @property
    def result(self) -> Path:
        """Return the folder of the result, which exists only once it is whole."""
        return self.root / "result"

    @property
    def has_result(self) -> bool:
        """Tell whether a whole result is there."""
        return (self.result / MANIFEST).is_file()

    @property
    def work(self) -> Path:
        """Return the scratch folder, made when it is not there."""
        path = self.root / "work"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def create(self) -> RunDir:
        """Make the folder, and remove what an attempt that was killed left half done."""
        self.root.mkdir(parents=True, exist_ok=True)
        for left in (*self.root.glob(f"{_STAGED}*"), *self.root.glob(f"work/{_STAGED}*")):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
        return self

    def say(self, line: str) -> None:
        """Add a line to the log."""
        with self.log.open("a", encoding="utf-8", newline="\n") as log:
            log.write(line.rstrip("\n") + "\n")

    @contextmanager
    def staged(self) -> Iterator[Path]:
        """Give a folder to write the result into; at the end of the block it becomes the result.

        When the block fails, the folder is removed and nothing has appeared.

        Raises:
            RunDirError: a result is there already: look at `has_result` first.
        """
        if self.has_result:
            raise RunDirError(f"{self.result} is there already: a result is written once.")
        self.root.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=_STAGED, dir=self.root))
        try:
            yield folder
            publish(folder, self.result)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def tail(self, n_lines: int = 40, *, max_bytes: int = 64 * 1024) -> list[str]:
        """Return the last lines of the log, reading no more than its last `max_bytes`."""
        return tail(self.log, n_lines, max_bytes=max_bytes)


def publish(folder: Path, place: Path) -> dict[str, str]:
    """Write a folder's manifest and make it appear under its name at once; return name → SHA-256.

    Raises:
        RunDirError: something is there already.
    """
    sums = {path.relative_to(folder).as_posix(): file_sha256(path) for path in _files(folder)}
    with atomic_file(folder / MANIFEST) as file:
        file.write_text(json.dumps(sums, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in _files(folder):
        _flush(path)
    folder.chmod(0o755)
    try:
        folder.rename(place)
    except OSError as error:
        raise RunDirError(f"{place} is there already: a result is written once.") from error
    return sums


def verify(folder: Path) -> dict[str, str]:
    """Hold every file of a published folder against its manifest; return name → SHA-256.

    Raises:
        RunDirError: the manifest or a file is missing, or a file has changed; the message names it.
    """
    try:
        sums: dict[str, str] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RunDirError(
            f"{folder} has no readable {MANIFEST}: it was not finished, or was damaged."
        ) from error
    for name, expected in sums.items():
        path = folder / name
        if not path.is_file():
            raise RunDirError(f"{path} is missing, though the manifest of its folder lists it.")
        if file_sha256(path) != expected:
            raise RunDirError(f"{path} is not the file that was written: its SHA-256 has changed.")
    return sums


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Give a path to write to; at the end of the block the file appears whole or not at all.

    Two who write the same file do not meet: each has a draft of its own, and the last one stays.
    """
    draft = path.with_name(f"{_STAGED}{path.name}.{secrets.token_hex(4)}")
    try:
        yield draft
        _flush(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def file_sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file, read in steps."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def tail(path: Path, n_lines: int, *, max_bytes: int = 64 * 1024, start: int = 0) -> list[str]:
    """Return the last lines of a text file from byte `start` on; bars drawn with CR count as lines.

    An absent file has none.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            begin = max(start, size - max_bytes)
            file.seek(begin)
            data = file.read()
    except FileNotFoundError:
        return []
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if begin > start:
        lines = lines[1:]
    return [line for line in lines if line.strip()][-n_lines:]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)


def _flush(path: Path) -> None:
    """Bring a file's bytes to the disk before its name appears."""
    with path.open("rb") as file:
        fsync(file.fileno())
