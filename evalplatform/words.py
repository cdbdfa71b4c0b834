"""Words that messages share: counts with their nouns, names in quotes, times with their zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import pgettext


def counted(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its English noun: "1 rater", "1,200 raters"."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def quoted(names: Iterable[str], most: int = 10) -> str:
    """Write names in quotes, so that one with a comma or a blank is still one; after `most` comes "…"."""
    listed = [f"“{name}”" for name in names]
    return ", ".join(listed[:most]) + (" …" if len(listed) > most else "")


_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(=)?")
"""An option of a command, in a message that command, page and API share."""
_OTHERWISE = {"mono": "monolingual", "compare": "pairs", "input": "inputs", "direction": "directions"}
"""Fields that are called otherwise than the option of the command."""


def options_worded(text: str, fields: Collection[str], called: Callable[[str], str]) -> str:
    """Return a message with options called as a page or the API calls its fields.

    What names a whole command, and options that have no field, stay as they are.

    Args:
        text: perhaps with "--language" or "--scale=".
        fields: names of the fields there are.
        called: from a field ("equal_length") to what it is called.
    """

    def said(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        known = next((one for one in (name, f"{name}s", _OTHERWISE.get(name)) if one in fields), None)
        if known is None:
            return found[0]
        return f"{called(known)}: " if found[2] else f"“{called(known)}”"

    return text if "manage.py" in text else _OPTION.sub(said, text)


def moment(at: datetime) -> str:
    """Write a time in the site's time zone and the reader's language: "27 Feb 2027, 20:33 UTC"."""
    return date_format(timezone.localtime(at), pgettext("format of a time", "j M Y, H:i T"))


def clock(at: datetime) -> str:
    """Write a time of day in the site's time zone: "20:33:05 UTC"."""
    return date_format(timezone.localtime(at), pgettext("format of a time of day", "H:i:s T"))


def rounded(value: float, digits: int) -> str:
    """Write a number rounded to so many decimals in the reader's language (`number_format` only cuts off)."""
    return number_format(f"{value:z.{digits}f}", digits, force_grouping=True)


def storable(text: str) -> str:
    """Return a text that every database can hold: without NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def holds_nul(value: Any) -> bool:
    """Tell whether data as JSON knows it holds a NUL in a text or a key: PostgreSQL can take none."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(holds_nul(key) or holds_nul(one) for key, one in value.items())
    return isinstance(value, list | tuple) and any(holds_nul(one) for one in value)


def storable_data(value: Any) -> Any:
    """Return data as JSON knows it, whose texts (keys too) every database can hold."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable_data(key): storable_data(one) for key, one in value.items()}
    return [storable_data(one) for one in value] if isinstance(value, list | tuple) else value
