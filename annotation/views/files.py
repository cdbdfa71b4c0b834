"""Send small texts as files."""

from __future__ import annotations

import re
from urllib.parse import quote

from django.http import HttpResponse


def attachment(text: str, name: str, content_type: str) -> HttpResponse:
    """Return a text as a file to keep, under a name that every browser can write."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    response.headers["Content-Disposition"] = (
        f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
