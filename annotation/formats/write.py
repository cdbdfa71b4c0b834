"""Write judgements in our columns: CSV (exact, or for spreadsheets), TSV, JSON Lines. All stream by rows."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, repeat
from json.encoder import encode_basestring
from typing import Any, Protocol

from annotation.formats.base import FormatError
from annotation.formats.blocks import Convert, blocks, column, converted
from annotation.formats.lines import comma_lines, quoted_lines
from mtcore.corpora.names import JOINER
from mtcore.corpora.spreadsheets import BYTE_ORDER_MARK, FORMULA, STARTS

Value = str | int | float | bool | datetime | Sequence[str] | None
Converters = Mapping[type, Callable[[Any], str]]


class Stream(Protocol):
    """Anything text is written to."""

    def write(self, text: str, /) -> object:
        """Take a piece of text."""


def write_csv(
    rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream, *, spreadsheet: bool = False
) -> int:
    """Write a header and rows as CSV and return the number of rows.

    The exact flavour ends lines with LF and holds every text as it is. The spreadsheet flavour begins with a
    byte order mark, ends lines with CRLF and puts an apostrophe before texts that a spreadsheet would take
    for a formula (those beginning with = + - @, full-width ones too, tab, CR or LF, or with apostrophes
    before one of them); our reader takes it away again. Missing values are empty; lists are joined with `|`;
    yes and no stand for truth values; times are ISO 8601 with offset; whole scores have no decimal point.

    Args:
        rows: Values in the order of `columns`.
        columns: The header.
        stream: A text stream opened with `newline=""` or an in-memory one.
        spreadsheet: Write the spreadsheet flavour.

    Raises:
        FormatError: a number that is not finite, a time without offset, or a NUL character.
    """
    if spreadsheet:
        stream.write(BYTE_ORDER_MARK)
    cells, end = (_escaped_cells, "\r\n") if spreadsheet else (_cells, "\n")
    return _write_lines(rows, columns, stream, cells, partial(comma_lines, end=end))


def write_tsv(rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream) -> int:
    """Write a header and rows with tabs, every cell quoted, and return the number of rows.

    Values are written as `write_csv` writes them. Quoting every cell tells our reader, and others, that the
    file is quoted, so tabs, line breaks and quote signs in texts survive.

    Raises:
        FormatError: as `write_csv`.
    """
    return _write_lines(rows, columns, stream, _cells, quoted_lines)


def write_jsonl(rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream) -> int:
    """Write one strict JSON object a row and return the number of rows; missing values are null.

    Raises:
        FormatError: as `write_csv`.
    """
    names = [f",{encode_basestring(column)}:" for column in columns]
    names[:1] = ["{" + name[1:] for name in names[:1]]
    count = 0
    for block in blocks(rows):
        values = map(_json_values, zip(*block, strict=True))
        pairs = [part for name, column in zip(names, values, strict=True) for part in (repeat(name), column)]
        text = "".join(chain.from_iterable(zip(*pairs, repeat("}\n"))))
        if "\\u0000" in text:  # a NUL, or the six characters themselves
            for value in chain.from_iterable(block):
                plain_value(value)
        stream.write(text)
        count += len(block)
    return count


def _write_lines(
    rows: Iterable[Sequence[Value]],
    columns: Sequence[str],
    stream: Stream,
    cells: Convert,
    lines: Callable[[Sequence[Sequence[str]]], str],
) -> int:
    stream.write(_clean(lines([columns])))
    count = 0
    for block in blocks(rows):
        stream.write(_clean(lines(converted(block, cells))))
        count += len(block)
    return count


def _cells(values: Sequence[Value]) -> Sequence[str]:
    return column(values, _CELL, _cell, plain=_PLAIN, missing="")


def _escaped_cells(values: Sequence[Value]) -> Sequence[str]:
    return column(values, _ESCAPED, _escaped_cell, missing="")


def _json_values(values: Sequence[Value]) -> Sequence[str]:
    return column(values, _JSON, _json, missing="null")


def _escaped_text(value: str) -> str:
    return _escaped_cell(value) if value[:1] in STARTS else value


def _escaped_cell(value: Value) -> str:
    cell = _cell(value)
    is_text = not isinstance(value, int | float | datetime)
    return f"'{cell}" if is_text and FORMULA.match(cell) else cell


def _cell(value: Value) -> str:
    """Return what a cell holds, whatever subclass the value is of."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return _yes(value)
    if isinstance(value, int | float):
        return _number(value)
    return _time(value) if isinstance(value, datetime) else _joined(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _joined(value: Sequence[str]) -> str:
    return value[0] if len(value) == 1 else JOINER.join(value)


def _json(value: Value) -> str:
    """Return a value in JSON, whatever subclass it is of."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, bool):
        return _true(value)
    if isinstance(value, int | float):
        return _number(value)
    return _json_time(value) if isinstance(value, datetime) else _json_list(value)


def _true(value: bool) -> str:
    return "true" if value else "false"


def _json_time(value: datetime) -> str:
    return f'"{_time(value)}"'


def _json_list(value: Sequence[str]) -> str:
    return f"[{','.join(map(encode_basestring, value))}]"


def plain_value(value: Value) -> object:
    """Return a value as strict JSON has it; times become text, whole numbers have no decimal point.

    Raises:
        FormatError: a number that is not finite, a time without offset, or a NUL character.
    """
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, float):
        _number(value)
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, datetime):
        return _time(value)
    if value is None or isinstance(value, bool | int):
        return value
    return [_clean(one) for one in value]


def _clean(text: str) -> str:
    if "\0" in text:
        raise FormatError("a text holds a NUL character", remedy="Remove it before exporting.")
    return text


def _number(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if not math.isfinite(value):
        raise FormatError(f"{value} is not a finite number", remedy="Leave the cell empty (None).")
    return repr(value)


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        raise FormatError(f"the time {value} has no offset", remedy="Give times with their time zone.")
    return value.isoformat()


_PLAIN = frozenset({str})
_CELL: Converters = {
    int: str, float: _number, bool: _yes, datetime: _time, tuple: _joined, list: _joined,
}  # fmt: skip
_ESCAPED: Converters = {str: _escaped_text, int: str, float: _number, bool: _yes, datetime: _time}
_JSON: Converters = {
    str: encode_basestring, int: repr, float: _number, bool: _true, datetime: _json_time,
    tuple: _json_list, list: _json_list,
}  # fmt: skip
