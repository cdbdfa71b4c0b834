"""Read practice and calibration items from a file or from rows: CSV, TSV or JSON Lines, one item a row.

Columns: `source` or `reference` where the protocol shows it, `translation` (or `left` and `right`), `low` and
`high` (or `choice`: left, right, equal), and `why`, an explanation in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.protocols import Protocol
from annotation.protocols.pairwise_fluency import CHOICES
from annotation.services.practice_items import PracticeDraft
from evalplatform.errors import BadInput
from mtcore.corpora.reader import iterate_lines, read_bytes
from mtcore.corpora.strict_json import JsonError, read_json
from mtcore.corpora.tables import decode, read_table
from mtcore.services.texts import LINE_LENGTH, as_bad_input

MOST = 50
WHY_LENGTH = 2000
JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
OTHERS = ("source", "reference", "translation", "left", "right", "low", "high", "choice", "why")


def practice_count(wish: str | None) -> int | None:
    """Return the number of a wish that is a number and not a file."""
    return int(wish) if wish and wish.isascii() and wish.isdigit() and len(wish) < 6 else None


def practice_read(
    path: str, *, protocol: type[Protocol], scale: tuple[int, int], stage: str
) -> tuple[PracticeDraft, ...]:
    """Read the items of a stage from a file.

    Raises:
        BadInput: a column or value is missing or cannot be used; the message names file and line.
    """
    with as_bad_input():
        data = read_bytes(path)
    return practice_parse(data, name=Path(path).name, protocol=protocol, scale=scale, stage=stage)


def practice_parse(
    data: bytes, *, name: str, protocol: type[Protocol], scale: tuple[int, int], stage: str
) -> tuple[PracticeDraft, ...]:
    """Read the items of a stage from the bytes of a file; JSON Lines by its ending or its first sign.

    Raises:
        BadInput: as `practice_read`.
    """
    rows = ((f"{name}, line {line:,}", row) for line, row in _rows(data, name))
    return _drafts(rows, name, protocol, scale, stage)


def practice_given(
    rows: Sequence[Mapping[str, Any]], *, protocol: type[Protocol], scale: tuple[int, int], stage: str
) -> tuple[PracticeDraft, ...]:
    """Read the items of a stage from rows that are in hand, each with the columns of such a file.

    Raises:
        BadInput: as `practice_read`; the message names the number of the row.
    """
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise BadInput(f"Item {number:,} of {stage} is no object.", _columns(protocol))
        _check_columns(row, f"Item {number:,} of {stage}")
    named = ((f"{stage}, item {number:,}", row) for number, row in enumerate(rows, start=1))
    return _drafts(named, stage, protocol, scale, stage)


def _columns(protocol: type[Protocol]) -> str:
    return f"Columns are: {', '.join(_needed(protocol))}, why."


def _drafts(
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    name: str,
    protocol: type[Protocol],
    scale: tuple[int, int],
    stage: str,
) -> tuple[PracticeDraft, ...]:
    drafts = []
    for where, row in rows:
        try:
            drafts.append(_draft(row, protocol, scale, stage))
        except ValueError as error:
            raise BadInput(f"{where}: {error}", _columns(protocol)) from error
        if len(drafts) > MOST:
            raise BadInput(f"{name} holds more than {MOST} items.", f"Give at most {MOST}.")
    if not drafts:
        raise BadInput(f"{name} holds no item.", _columns(protocol))
    return tuple(drafts)


def _rows(data: bytes, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with as_bad_input():
        is_json = name.removesuffix(".gz").endswith(JSON_ENDINGS) or data.lstrip()[:1] == b"{"
        if not is_json:
            table = read_table(data, name)
            _check_columns(table.header, name)
            for line, row in table.rows:
                yield line, dict(zip(table.header, row, strict=True))
            return
        text = decode(data, name).text
    for number, line_text in enumerate(iterate_lines(text), start=1):
        if line_text.strip():
            yield number, _object(line_text, f"{name}, line {number:,}", name)


def _object(line: str, where: str, name: str) -> Mapping[str, Any]:
    try:
        value = read_json(line, unique=True)
    except JsonError as error:
        raise BadInput(f"{where} {error}.", error.remedy) from error
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no JSON object.", "Write one object a line.")
    _check_columns(value, name)
    return value


def _check_columns(header: Any, name: str) -> None:
    unknown = [column for column in header if column not in OTHERS]
    if unknown:
        raise BadInput(
            f"{name} has a column “{str(unknown[0])[:40]}” that practice items do not have.",
            f"Possible are: {', '.join(OTHERS)}.",
        )


def _needed(protocol: type[Protocol]) -> tuple[str, ...]:
    context = () if protocol.context == "none" else (protocol.context,)
    return (
        *context,
        *(("left", "right", "choice") if protocol.record == "comparison" else ("translation", "low", "high")),
    )


def _draft(
    row: Mapping[str, Any], protocol: type[Protocol], scale: tuple[int, int], stage: str
) -> PracticeDraft:
    context = "" if protocol.context == "none" else _text(row, protocol.context)
    why = row.get("why") or ""
    if not isinstance(why, str):
        raise ValueError("why is no text.")
    why = why.strip()
    if len(why) > WHY_LENGTH:
        raise ValueError(f"the explanation has {len(why):,} characters; {WHY_LENGTH:,} are possible.")
    if "\x00" in why:
        raise ValueError("the explanation holds a NUL character.")
    if protocol.record == "comparison":
        choice = str(row.get("choice") or "").strip()
        if choice not in CHOICES:
            raise ValueError(f"choice is “{choice[:20]}”; left, right or equal is expected.")
        return PracticeDraft(
            stage, context, (_text(row, "left"), _text(row, "right")), choice=choice, why=why
        )
    low, high = _score(row, "low", scale), _score(row, "high", scale)
    if low > high:
        raise ValueError(f"low ({low}) is above high ({high}).")
    return PracticeDraft(stage, context, (_text(row, "translation"),), low, high, why=why)


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{column} is empty or missing.")
    if len(value) > LINE_LENGTH or "\x00" in value:
        raise ValueError(f"{column} is too long or holds a NUL character.")
    return value.strip()


def _score(row: Mapping[str, Any], column: str, scale: tuple[int, int]) -> int:
    value = row.get(column)
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not text.removeprefix("-").isdigit() or not text.isascii() or len(text) > 6:
        raise ValueError(f"{column} is no whole number.")
    if not scale[0] <= int(text) <= scale[1]:
        raise ValueError(f"{column} ({text}) is outside the scale {scale[0]}-{scale[1]}.")
    return int(text)
