"""Where something is made before it appears whole, beside its place; and what killed processes left there."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STALE_SECONDS = 24 * 3600
"""When a part of another machine, whose processes cannot be seen from here, counts as left."""
_LONGEST = 200


def part_file(output: Path) -> Path:
    """Return a hidden file beside an output; its name holds the machine and the process."""
    return output.with_name(f"{_prefix(output)}file.part")


@contextmanager
def part_folder(output: Path) -> Iterator[Path]:
    """Give a hidden folder beside an output, gone afterwards; its name holds the machine and the process.

    Raises:
        OSError: nothing can be written there; it names the output.
    """
    work = Path(tempfile.mkdtemp(prefix=_prefix(output), suffix=".part", dir=output.absolute().parent))
    try:
        yield work
    except OSError as error:
        error.filename, error.filename2 = str(output), None
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def leftovers_remove(output: Path) -> list[str]:
    """Remove the parts of the same output that killed processes left; return the names of those removed.

    What may not be read or removed, somebody else's in a shared folder say, stays and is no error.
    """
    pattern = re.compile(rf"\.{re.escape(output.name[:_LONGEST])}\.([0-9a-f]{{8}})-(\d+)\.[^.]+\.part")
    names: list[str] = []
    with suppress(OSError):
        for path in sorted(output.absolute().parent.iterdir()):
            match = pattern.fullmatch(path.name)
            if match is None or path.is_symlink():
                continue
            with suppress(OSError):
                if _is_left(path, match[1], int(match[2])):
                    _remove(path)
                    names.append(path.name)
    return names


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _prefix(output: Path) -> str:
    return f".{output.name[:_LONGEST]}.{_machine()}-{os.getpid()}."


def _is_left(path: Path, machine: str, process: int) -> bool:
    if machine != _machine():
        return time.time() - path.stat().st_mtime > STALE_SECONDS
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
