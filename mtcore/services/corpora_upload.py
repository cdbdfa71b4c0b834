"""Texts that come through the browser: kept under names of our own, measured, and held to what fits."""

from __future__ import annotations

import json
import re
import shutil
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from django.conf import settings

from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.unpack import GZIP_MAGIC, MAX_RATIO, RATIO_FROM_BYTES
from mtcore.models import Run

MOST_BYTES = 512 * 1024**2
"""Most bytes of the files of one upload; larger ones are imported by the command."""
MOST_UNPACKED = 4 * 1024**3
SMALL_BYTES = 8 * 1024**2
"""A text that unpacks to no more than this is imported at once, without a worker."""
_STEP = 1024**2
_KEEP_SECONDS = 14 * 24 * 3600.0
_ROOM = 3
_NOTE = "upload.json"
_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7z",
    b"\x28\xb5\x2f\xfd": "zstd",
}


class Upload(Protocol):
    """A file as the browser sent it."""

    name: str | None

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """Give its bytes in steps."""


@dataclass(frozen=True)
class Kept:
    """An upload that lies on the disk: its folder, the files of each side, and the bytes they unpack to."""

    folder: Path
    sources: list[str]
    targets: list[str]
    n_bytes: int

    @property
    def is_small(self) -> bool:
        """Tell whether it can be imported at once."""
        return self.n_bytes <= SMALL_BYTES


def upload_keep(*, sources: Sequence[Upload], targets: Sequence[Upload]) -> Kept:
    """Write uploaded texts into a folder of their own; nothing is left when one of them cannot be used.

    Raises:
        BadInput: a file is too large, an archive, damaged, or unpacks to more than any text does.
        Conflict: the disk has no room for it.
    """
    uploads_sweep()
    folder = uploads_folder() / uuid.uuid4().hex
    try:
        ours = [_write(one, folder / f"source-{number}") for number, one in enumerate(sources, 1)]
        others = [_write(one, folder / f"target-{number}") for number, one in enumerate(targets, 1)]
        n_bytes = sum(_unpacked(path) for path in (*ours, *others))
        free = shutil.disk_usage(folder if folder.exists() else uploads_folder()).free
        if n_bytes * _ROOM > free:
            raise Conflict(
                f"The text has {n_bytes:,} bytes, and the disk has room for {free:,} more.",
                "Make room where DATA_DIR lies, then send it again.",
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Kept(folder, [str(path) for path in ours], [str(path) for path in others], n_bytes)


def upload_note(kept: Kept, run: Run) -> None:
    """Write down which run reads an upload, so that it stays until that one has succeeded."""
    (kept.folder / _NOTE).write_text(json.dumps({"run": run.pk}), "utf-8")


def upload_discard(kept: Kept) -> None:
    """Remove an upload."""
    shutil.rmtree(kept.folder, ignore_errors=True)


def uploads_sweep() -> int:
    """Remove uploads that are done with: their run has succeeded, or they are old and no run wants them."""
    removed = 0
    for folder in uploads_folder().iterdir():
        if not folder.is_dir():
            continue
        run = _run_of(folder)
        alive = run is not None and not run.is_finished
        old = time.time() - folder.stat().st_mtime > _KEEP_SECONDS
        if (run is not None and run.state == Run.State.SUCCEEDED) or (old and not alive):
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def uploads_folder() -> Path:
    """Return the folder that uploads lie in."""
    folder = Path(settings.DATA_DIR) / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def safe_name(name: str) -> str:
    """Return a file name without any path in it, from whatever a browser said."""
    plain = re.sub(r"[^\w.-]+", "_", re.split(r"[/\\]", name or "")[-1]).strip("._") or "text"
    return plain[-80:]


def _write(upload: Upload, folder: Path) -> Path:
    folder.mkdir(parents=True)
    path = folder / safe_name(upload.name or "")
    size = 0
    with path.open("xb") as file:
        for chunk in upload.chunks():
            size += len(chunk)
            if size > MOST_BYTES:
                raise BadInput(
                    f"{path.name} has more than {MOST_BYTES // 1024**2:,} MiB.",
                    "Bring it onto the server and import it there: manage.py import_corpus.",
                )
            file.write(chunk)
    return path


def _unpacked(path: Path) -> int:
    """Return how many bytes of text a file holds.

    Raises:
        BadInput: it is an archive, damaged, or unpacks to too much.
    """
    with path.open("rb") as file:
        head = file.read(6)
    for magic, kind in _ARCHIVES.items():
        if head.startswith(magic):
            raise BadInput(
                f"{path.name} is packed with {kind}.", "Send the text files themselves, plain or as .gz."
            )
    packed = path.stat().st_size
    if not head.startswith(GZIP_MAGIC):
        return packed
    total = 0
    for n_bytes in _steps(path):
        total += n_bytes
        if total > MOST_UNPACKED or (total > RATIO_FROM_BYTES and total > MAX_RATIO * packed):
            raise BadInput(
                f"{path.name} has {packed:,} bytes and unpacks to more than {total:,}, which no text does."
                if total <= MOST_UNPACKED
                else f"{path.name} unpacks to more than {MOST_UNPACKED // 1024**3} GiB.",
                "Check what it holds; bring large texts onto the server: manage.py import_corpus.",
            )
    return total


def _steps(path: Path) -> Iterable[int]:
    """Unpack every member of a gzip file in steps and give how many bytes came out; nothing is held."""
    unpacker, any_out = zlib.decompressobj(wbits=31), False
    try:
        with path.open("rb") as file:
            data = file.read(_STEP)
            while data:
                out = unpacker.decompress(data, _STEP)
                any_out = True
                yield len(out)
                data = unpacker.unconsumed_tail
                if unpacker.eof:
                    data = unpacker.unused_data.lstrip(b"\0")
                    unpacker = zlib.decompressobj(wbits=31)
                    any_out = False
                data = data or file.read(_STEP)
    except zlib.error as error:
        raise BadInput(f"{path.name}: the gzip data is damaged ({error}).", "Pack it again.") from error
    if any_out:
        raise BadInput(f"{path.name}: the gzip data is cut short.", "Copy or pack the file again.")


def _run_of(folder: Path) -> Run | None:
    try:
        number = int(json.loads((folder / _NOTE).read_text("utf-8"))["run"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Run.objects.filter(pk=number).only("pk", "state").first()
