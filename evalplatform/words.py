"""Words that messages share: counts with their nouns, names in quotes, times with their zone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext


def counted(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its English noun: "1 rater", "1,200 raters"."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def quoted(names: Iterable[str], most: int = 10) -> str:
    """Write names in quotes, so that one with a comma or a blank is still one; after `most` comes "…"."""
    listed = [f"“{name}”" for name in names]
    return ", ".join(listed[:most]) + (" …" if len(listed) > most else "")


def moment(at: datetime) -> str:
    """Write a time in the site's time zone and the reader's language: "27 Feb 2027, 20:33 UTC"."""
    return date_format(timezone.localtime(at), pgettext("format of a time", "j M Y, H:i T"))


def storable(text: str) -> str:
    """Return a text that every database can hold: without NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def storable_data(value: Any) -> Any:
    """Return data as JSON knows it, whose texts (keys too) every database can hold."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable_data(key): storable_data(one) for key, one in value.items()}
    return [storable_data(one) for one in value] if isinstance(value, list | tuple) else value
