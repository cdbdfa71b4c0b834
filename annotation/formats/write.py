"""Write judgements in our columns: CSV (exact, or for spreadsheets), TSV, JSON Lines. All stream by rows."""

import csv
import json
import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from annotation.formats.base import FormatError
from mtcore.corpora.names import JOINER

Value = str | int | float | bool | datetime | Sequence[str] | None
BYTE_ORDER_MARK = "\ufeff"
FORMULA = re.compile("'*[=+\\-@＝＋－＠\t\r\n]")
"""What a spreadsheet may take for a formula: blanks and full-width signs too, as OWASP lists them."""


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
    writer = csv.writer(stream if spreadsheet else _LineFeeds(stream), lineterminator="\r\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        if spreadsheet:
            writer.writerow([_escaped_cell(value) for value in row])
        else:
            writer.writerow([_cell(value) for value in row])
        count += 1
    return count


def write_tsv(rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream) -> int:
    """Write a header and rows with tabs, every cell quoted, and return the number of rows.

    Values are written as `write_csv` writes them. Quoting every cell tells our reader, and others, that the
    file is quoted, so tabs, line breaks and quote signs in texts survive.

    Raises:
        FormatError: as `write_csv`.
    """
    writer = csv.writer(_LineFeeds(stream), delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([_cell(value) for value in row])
        count += 1
    return count


def write_jsonl(rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream) -> int:
    """Write one strict JSON object a row and return the number of rows; missing values are null.

    Raises:
        FormatError: as `write_csv`.
    """
    count = 0
    for row in rows:
        record = {column: plain_value(value) for column, value in zip(columns, row, strict=True)}
        stream.write(json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")
        count += 1
    return count


class _LineFeeds:
    """End lines with LF, while the csv module, told of CRLF, still quotes cells that hold a CR."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def write(self, text: str, /) -> object:
        return self._stream.write(text.removesuffix("\r\n") + "\n")


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, datetime):
        return _time(value)
    return JOINER.join(_clean(one) for one in value)


def plain_value(value: Value) -> object:
    """Return a value as strict JSON has it; times become text, whole numbers have no decimal point.

    Raises:
        FormatError: a number that is not finite, a time without offset, or a NUL character.
    """
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, float):
        return float(_number(value)) if not value.is_integer() else int(_number(value))
    if isinstance(value, datetime):
        return _time(value)
    if value is None or isinstance(value, bool | int):
        return value
    return [_clean(one) for one in value]


def _escaped_cell(value: Value) -> str:
    cell = _cell(value)
    is_text = not isinstance(value, int | float | datetime)
    return f"'{cell}" if is_text and FORMULA.match(cell) else cell


def _clean(text: str) -> str:
    if "\0" in text:
        raise FormatError("a text holds a NUL character", remedy="Remove it before exporting.")
    return text


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise FormatError(f"{value} is not a finite number", remedy="Leave the cell empty (None).")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        raise FormatError(f"the time {value} has no offset", remedy="Give times with their time zone.")
    return value.isoformat()
