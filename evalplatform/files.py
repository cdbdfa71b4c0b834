"""Send files that are made on request, whole or not at all, under names that every browser can write."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from typing import IO, Any
from urllib.parse import quote

from django.http import FileResponse, HttpResponse

TABLE_TYPES = {"csv": "text/csv", "md": "text/markdown", "tex": "application/x-tex", "svg": "image/svg+xml"}
"""Types of what reports have, by ending."""


def disposition(name: str) -> str:
    """Return the header that names a file to keep."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def attachment(text: str, name: str, content_type: str) -> HttpResponse:
    """Return a text as a file to keep."""
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response.headers["Content-Disposition"] = disposition(name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def written(
    write: Callable[[IO[Any]], object], name: str, content_type: str, *, binary: bool = False
) -> FileResponse:
    """Write into a temporary file and stream it, so that a mistake is an error page and not half a file."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the response closes it)
    if binary:
        write(file)
    else:
        with open(file.fileno(), "w", encoding="utf-8", newline="", closefd=False) as text:
            write(text)
    file.seek(0)
    response = FileResponse(file, content_type=content_type)
    response.headers["Content-Disposition"] = disposition(name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
