"""Writes of the API that may be sent twice: `Idempotency-Key` gives the first answer again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from evalplatform.errors import BadInput, Conflict

HEADER = "Idempotency-Key"
KEPT_SECONDS = 24 * 3600
PENDING_SECONDS = 300
"""A write that has not been answered for so long died with its process."""
_KEY = re.compile(r"[\x21-\x7e]{8,200}")
View = Callable[..., Response]


def idempotent(view: View) -> View:
    """Let a method of an API view answer a repeated write as it answered the first.

    Answers are kept for a day by user, method, address and key, in DATA_DIR, which all processes share. The
    same key with another query or other content, or while the first is still being answered, is a conflict; a
    write that failed may be sent again. Writes without the header are done as they come.

    Rights come first: a view whose rights hang on what its address or its answer names has
    `replay_check(told, **kwargs)`, which raises where this person may not have the answer (any more).
    """

    @wraps(view)
    def inner(self: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return view(self, request, *args, **kwargs)
        if not _KEY.fullmatch(key):
            raise BadInput(
                f"{HEADER} cannot be used.", "Give 8 to 200 printable ASCII characters, as a UUID."
            )
        place = _place(str(request.user.pk), request.method or "", request.path, key)
        asked = [sorted(request.query_params.lists()), _content(request.data)]
        content = _digest(json.dumps(asked, sort_keys=True, default=str))
        if not _claim(place, content):
            kept = _read(place)
            if hasattr(self, "replay_check"):
                self.replay_check(kept.get("data"), **kwargs)
            return _again(kept, content)
        try:
            response = view(self, request, *args, **kwargs)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
        kept = {"content": content, "status": response.status_code, "data": response.data}
        draft = place.with_suffix(".draft")
        with open(draft, "w", encoding="utf-8", opener=_own) as file:
            json.dump(kept, file, cls=JSONEncoder)
        draft.replace(place)
        return response

    inner.__dict__[MARK] = True
    return inner


MARK = "is_idempotent"
"""Attribute of the methods that may be repeated."""


def _own(path: str, flags: int) -> int:
    """Open a file that nobody else on this machine can read: answers hold invitation links."""
    return os.open(path, flags, 0o600)


def _content(data: Any) -> Any:
    """Return what a write says in plain words; of a file its name and the sum of its bytes."""
    if not isinstance(data, QueryDict):
        return data
    return {name: [_plain(one) for one in values] for name, values in data.lists()}


def _plain(value: Any) -> Any:
    if not isinstance(value, UploadedFile):
        return value
    found = hashlib.sha256()
    for chunk in value.chunks():
        found.update(chunk)
    value.seek(0)
    return [value.name, found.hexdigest()]


def _claim(place: Path, content: str) -> bool:
    """Be the one that does this write; False where another was or is."""
    with suppress(FileNotFoundError):
        age = time.time() - place.stat().st_mtime
        if age > (PENDING_SECONDS if _is_pending(place) else KEPT_SECONDS):
            place.unlink(missing_ok=True)
    try:
        with open(place, "x", encoding="utf-8", opener=_own) as file:
            json.dump({"content": content}, file)
    except FileExistsError:
        return False
    return True


def _is_pending(place: Path) -> bool:
    """Tell whether a write has no answer yet; its file may be empty where the process died at once."""
    try:
        return "status" not in json.loads(place.read_text("utf-8"))
    except ValueError:
        return True


def _read(place: Path) -> dict[str, Any]:
    """Return what is kept of a write; nothing where its process died at once."""
    kept: dict[str, Any] = {}
    with suppress(FileNotFoundError, ValueError):
        kept = json.loads(place.read_text("utf-8"))
    return kept


def _again(kept: dict[str, Any], content: str) -> Response:
    """Answer as before."""
    if kept.get("content", content) != content:
        raise Conflict(
            f"This {HEADER} was used for another query or other content.", "Use a new key for a new write."
        )
    if "status" not in kept:
        raise Conflict("This write is still being done.", "Ask again in a moment, with the same key.")
    return Response(kept["data"], status=kept["status"], headers={"Idempotency-Replayed": "true"})


def _place(*parts: str) -> Path:
    """Return the file of a write, and forget those of the day before now and then."""
    folder = Path(settings.DATA_DIR) / "writes"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:  # made by an earlier version, or restored
        folder.chmod(0o700)
    place = folder / f"{_digest(*parts)}.json"
    if place.stem.startswith("00"):
        for old in folder.glob("*.json"):
            with suppress(FileNotFoundError):
                if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                    old.unlink()
    return place


def answers_forget(words: Sequence[str]) -> int:
    """Remove the kept answers in which one of some words stands (as JSON writes it); return how many."""
    found = 0
    for place in (Path(settings.DATA_DIR) / "writes").glob("*.json"):
        with suppress(FileNotFoundError):
            if any(word in place.read_text("utf-8") for word in words):
                place.unlink()
                found += 1
    return found


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
