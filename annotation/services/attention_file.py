"""Read attention items from a table: texts that tell an attentive rater which answer to give.

Columns: `translation, low, high` for ratings; `left, right, choice` (left, right or equal) for comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.protocols import Protocol
from annotation.protocols.pairwise_fluency import CHOICES
from evalplatform.errors import BadInput
from mtcore.corpora.names import listed
from mtcore.corpora.reader import read_bytes
from mtcore.corpora.tables import read_table
from mtcore.services.texts import LINE_LENGTH, as_bad_input

MOST = 50
RATED, COMPARED = ("translation", "low", "high"), ("left", "right", "choice")


def attention_read(
    path: str, *, protocol: type[Protocol], scale: tuple[int, int]
) -> tuple[dict[str, Any], ...]:
    """Read the items, as `CampaignSettings.attention` keeps them.

    Raises:
        BadInput: a column or value is missing or cannot be used; the message names file and line.
    """
    with as_bad_input():
        data = read_bytes(path)
    return attention_parse(data, name=Path(path).name, protocol=protocol, scale=scale)


def attention_parse(
    data: bytes, *, name: str, protocol: type[Protocol], scale: tuple[int, int]
) -> tuple[dict[str, Any], ...]:
    """Read the items from the bytes of a file.

    Raises:
        BadInput: as `attention_read`.
    """
    columns = RATED if protocol.record == "rating" else COMPARED
    remedy = f"The columns are: {', '.join(columns)}."
    with as_bad_input():
        table = read_table(data, name)
        rows = list(table.rows)
    if sorted(table.header) != sorted(columns):
        raise BadInput(f"{name} has the columns {listed(table.header) or 'of nothing'}.", remedy)
    named = [(f"line {line:,}", dict(zip(table.header, cells, strict=True))) for line, cells in rows]
    return _items(named, name=name, columns=columns, scale=scale, remedy=remedy)


def attention_given(
    rows: Sequence[Mapping[str, Any]], *, protocol: type[Protocol], scale: tuple[int, int]
) -> tuple[dict[str, Any], ...]:
    """Read the items from rows that are in hand, each with the columns of such a file.

    Raises:
        BadInput: as `attention_read`; the message names the number of the row.
    """
    columns = RATED if protocol.record == "rating" else COMPARED
    remedy = f"Give each {', '.join(columns)}."
    named = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping) or sorted(row) != sorted(columns):
            raise BadInput(f"Attention item {number:,} has other fields.", remedy)
        named.append((f"item {number:,}", {name: str(value) for name, value in row.items()}))
    return _items(named, name="attention", columns=columns, scale=scale, remedy=remedy)


def attention_rows(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items as `attention_given` takes them, each with the columns of a file."""
    names = {"text": "left", "other": "right"}
    return [
        {names.get(k, k): v for k, v in one.items()}
        if "choice" in one
        else {("translation" if k == "text" else k): v for k, v in one.items()}
        for one in items
    ]


def _items(
    rows: Sequence[tuple[str, Mapping[str, str]]],
    *,
    name: str,
    columns: tuple[str, ...],
    scale: tuple[int, int],
    remedy: str,
) -> tuple[dict[str, Any], ...]:
    found = []
    for place, row in rows:
        try:
            found.append(_compared(row) if columns is COMPARED else _rated(row, scale))
        except ValueError as error:
            raise BadInput(f"{name}, {place}: {error}", remedy) from error
    if not 0 < len(found) <= MOST:
        raise BadInput(f"{name} holds {len(found):,} attention items.", f"Give 1 to {MOST}.")
    return tuple(found)


def _rated(row: Mapping[str, str], scale: tuple[int, int]) -> dict[str, Any]:
    low, high = (_score(row[column], column, scale) for column in ("low", "high"))
    if low > high:
        raise ValueError(f"low ({low}) is above high ({high}).")
    return {"text": _text(row, "translation"), "low": low, "high": high}


def _compared(row: Mapping[str, str]) -> dict[str, Any]:
    choice = row["choice"].strip()
    if choice not in CHOICES:
        raise ValueError(f"choice is “{choice[:20]}”; left, right or equal is expected.")
    return {"text": _text(row, "left"), "other": _text(row, "right"), "choice": choice}


def _text(row: Mapping[str, str], column: str) -> str:
    text = row[column].strip()
    if not text or len(text) > LINE_LENGTH or "\x00" in text:
        raise ValueError(f"{column} is empty, too long, or holds a NUL character.")
    return text


def _score(text: str, column: str, scale: tuple[int, int]) -> int:
    text = text.strip()
    if not (text.removeprefix("-").isdigit() and text.isascii() and len(text) < 7):
        raise ValueError(f"{column} (“{text[:20]}”) is no whole number.")
    if not scale[0] <= int(text) <= scale[1]:
        raise ValueError(f"{column} ({text}) is outside the scale {scale[0]}-{scale[1]}.")
    return int(text)
