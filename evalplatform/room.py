"""A disk that takes no more: how it is recognised, whoever met it, and what is to be done."""

from __future__ import annotations

import errno
import sqlite3

from django.db import DatabaseError

REMEDIES = {
    errno.ENOSPC: "Make room where it is written and where DATA_DIR lies, then do it again.",
    errno.EDQUOT: "Make room where it is written and where DATA_DIR lies, then do it again.",
    errno.EFBIG: "Raise the limit on the size of files (ulimit -f), then do it again.",
}
"""Number of the system's error → what to do."""
_SAID = ("disk is full", "No space left on device", "Disk quota exceeded")
"""What SQLite says, and what PostgreSQL passes on."""


def room_remedy(error: BaseException | None) -> str:
    """Say what to do when an error, or what led to it, is a lack of room; empty for any other."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in REMEDIES:
            return REMEDIES[error.errno]
        if isinstance(error, DatabaseError | sqlite3.Error) and any(one in str(error) for one in _SAID):
            return REMEDIES[errno.ENOSPC]
        error = error.__cause__ or error.__context__
    return ""
