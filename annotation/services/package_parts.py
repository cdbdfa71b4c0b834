"""The hidden folder in which a package is made, beside where it will be; and what killed exports left."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STALE_SECONDS = 24 * 3600
"""When a part folder of another machine, whose processes cannot be seen from here, counts as left."""


@contextmanager
def beside(output: Path) -> Iterator[Path]:
    """Give a hidden folder beside the output, gone afterwards; its name holds the machine and the process.

    Raises:
        OSError: nothing can be written there; it names the output.
    """
    prefix = f".{output.name}.{_machine()}-{os.getpid()}."
    work = Path(tempfile.mkdtemp(prefix=prefix, suffix=".part", dir=output.absolute().parent))
    try:
        yield work
    except OSError as error:
        error.filename, error.filename2 = str(output), None
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def leftovers_remove(output: Path) -> list[str]:
    """Remove the part folders that killed exports to the same place left; say which were removed."""
    pattern = re.compile(rf"\.{re.escape(output.name)}\.([0-9a-f]{{8}})-(\d+)\.[^.]+\.part")
    notices = []
    for path in sorted(output.absolute().parent.iterdir()):
        match = pattern.fullmatch(path.name)
        if match is None or path.is_symlink() or not path.is_dir():
            continue
        if _is_left(path, match[1], int(match[2])):
            shutil.rmtree(path, ignore_errors=True)
            notices.append(f"Removed {path.name}, which an export that was killed had left.")
    return notices


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
