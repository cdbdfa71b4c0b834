"""Open a package that came from anywhere: plain files only, within limits, nothing unpacked to disk."""

from __future__ import annotations

import hashlib
import lzma
import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from annotation.services.package_read import Files, damaged
from evalplatform.errors import BadInput

MAX_FILES = 100_000
MAX_BYTES = 4 * 1024**3
MAX_RATIO = 1000
RATIO_FROM_BYTES = 16 * 1024**2
_CHUNK = 1024 * 1024
DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError, MemoryError,
)  # fmt: skip
"""What unpacking raises on damaged data; NotImplementedError and RecursionError are RuntimeErrors."""


class FolderFiles:
    """A package as a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = self._list()

    def _list(self) -> list[str]:
        found = []
        total = 0
        for path in self.folder.rglob("*"):
            name = path.relative_to(self.folder).as_posix()
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise _unsafe(name, "is a link or no plain file")
            if path.is_file():
                found.append(name)
                total += path.stat().st_size
            if len(found) > MAX_FILES or total > MAX_BYTES:
                raise _too_large()
        return sorted(found)

    def read(self, name: str) -> bytes:
        """Return a whole file.

        Raises:
            BadInput: it is not in the package.
        """
        if name not in set(self.names):
            raise _missing(name)
        return (self.folder / name).read_bytes()


class ZipFiles:
    """A package as a zip, read in place."""

    def __init__(self, path: Path) -> None:
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise BadInput(f"{path.name} is no usable zip ({error}).", "Copy the package again.") from error
        self.infos: dict[str, zipfile.ZipInfo] = {}
        for info in self.zip.infolist():
            _check_entry(info)
            if info.filename in self.infos:
                raise _unsafe(info.filename, "is there twice")
            if not info.is_dir():
                self.infos[info.filename] = info
        sizes = [info.file_size for info in self.infos.values()]
        if len(sizes) > MAX_FILES or sum(sizes) > MAX_BYTES:
            raise _too_large()
        self.names: Sequence[str] = sorted(self.infos)

    def read(self, name: str) -> bytes:
        """Return a whole file, never more than its entry promises.

        Raises:
            BadInput: it is not in the package, or damaged.
        """
        info = self.infos.get(name)
        if info is None:
            raise _missing(name)
        chunks = []
        total = 0
        try:
            with self.zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    total += len(chunk)
                    if total > info.file_size:
                        raise _too_large()
                    chunks.append(chunk)
        except DAMAGE as error:
            raise damaged(name, error) from error
        return b"".join(chunks)


def package_open(path: Path) -> Files:
    """Open a package, a folder or a zip.

    Raises:
        BadInput: it is neither, or holds what no package does: a path that leads out of it, a link, a bomb.
    """
    if path.is_dir():
        return FolderFiles(path)
    if not path.is_file():
        raise BadInput(f"There is no {path}.", "Give the folder or zip that export_study wrote.")
    with path.open("rb") as stream:
        start = stream.read(4)
    if start[:2] != b"PK":
        raise BadInput(
            f"{path.name} is neither a folder nor a zip.", "Give the folder or zip that export_study wrote."
        )
    return ZipFiles(path)


def sha256_of(data: bytes) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    return hashlib.sha256(data).hexdigest()


def safe_name(name: str) -> bool:
    """Tell whether a path stays inside the package, on every system."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not (
        name.startswith("/")
        or "\\" in name
        or "\0" in name
        or ":" in name
        or any(part in ("..", ".") for part in name.split("/"))
    )


def _check_entry(info: zipfile.ZipInfo) -> None:
    name = info.orig_filename
    if not safe_name(name.rstrip("/") or "/"):
        raise _unsafe(name, "leads out of it")
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _unsafe(name, "is a link or no plain file")
    if info.flag_bits & 0x1:
        raise _unsafe(name, "is encrypted")
    if info.file_size > RATIO_FROM_BYTES and info.file_size > MAX_RATIO * max(1, info.compress_size):
        raise _unsafe(name, f"unpacks to more than {MAX_RATIO:,} times its size")


def _unsafe(name: str, why: str) -> BadInput:
    return BadInput(
        f"The package is refused: “{name[:100]}” {why}.", "Take the package as export_study wrote it."
    )


def _too_large() -> BadInput:
    return BadInput(
        f"The package is refused: it has more than {MAX_FILES:,} files or {MAX_BYTES / 1024**3:g} GiB.",
        "Take the package as export_study wrote it.",
    )


def _missing(name: str) -> BadInput:
    return BadInput(f"{name} is not in the package.", "Take the package as it was exported.")
