"""What may be read as a file: folders, devices and pipes that nobody writes to are refused at once."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from mtcore.corpora.errors import CorpusError

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)
_GIVEN = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Names of what the shell hands over, as in `<(zcat text.gz)`: somebody writes there."""


def plain_file_size(path: Path | str, *, given_pipe: bool = False) -> int:
    """Return the size of a file in bytes; 0 for a pipe that may be given.

    Args:
        path: the file.
        given_pipe: accept a pipe that the shell hands over; it can be read once.

    Raises:
        CorpusError: it is no file, or there is none.
    """
    try:
        found = Path(path).stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if given_pipe and stat.S_ISFIFO(found.st_mode) and str(path).startswith(_GIVEN):
        return 0
    for is_one, words in _KINDS:
        if is_one(found.st_mode):
            raise CorpusError(f"{words}, not a file", file=str(path), remedy="Give a file.")
    return found.st_size


def unreadable(path: Path | str, error: Exception) -> CorpusError:
    """Return the error that says why a file cannot be read."""
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return CorpusError(f"cannot be read ({reason})", file=str(path), remedy="Check the path.")
