"""Read tables with a header: comma, semicolon or tab, quoted or not.

Which it is, is decided once for the whole file. The delimiter is the one the header holds: a tab if there is
one, else whichever of semicolon and comma is more frequent. Comma and semicolon files are quoted (RFC 4180).
Tab files are taken as they are, quote signs and all, which is how WMT writes them, unless they are plainly
quoted: some cell begins and ends with a quote sign, and the file read as quoted is faultless and as wide in
every row.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import Text, decode_text, iterate_lines, split_lines

Row = tuple[int, list[str]]
Failure = type[CorpusError]
_QUOTED_CELL = re.compile(r'(?:^|\t)"[^\t\n]*"(?:\t|\r?$)', re.MULTILINE)


@dataclass
class Table:
    """A header and the rows below it, each with the line it begins on; `notices` grows while rows are read.

    `is_spreadsheet` tells a file that begins with a byte order mark.
    """

    name: str
    delimiter: str
    header: list[str]
    rows: Iterator[Row]
    notices: list[str]
    is_spreadsheet: bool = False


def read_table(
    data: bytes, name: str, *, columns: Sequence[str] | None = None, failure: Failure = CorpusError
) -> Table:
    """Read a delimited file whose first line names the columns.

    Rows are checked as they are read: one with more or fewer cells than the header stops the reading.

    Args:
        data: The file, plain or gzip.
        name: What messages call it.
        columns: The names of the columns, for a file without a header.
        failure: The class of the errors raised.

    Raises:
        CorpusError: not text, no header, a column named twice; later, while reading rows, an unclosed quote
            or a wrong number of cells.
    """
    decoded = decode(data, name, failure)
    first_line = decoded.text.split("\n", 1)[0]
    delimiter = find_delimiter(first_line)
    notices = list(decoded.notices)
    if delimiter == "\t" and not _is_quoted_tsv(decoded.text, name):
        rows = _plain_rows(decoded.text, name, notices)
    else:
        rows = quoted_rows(decoded.text, name, delimiter, failure)
    rows = _filled(rows)
    if columns is not None:
        header, line = list(columns), 1
    else:
        start = next(rows, None)
        if start is None:
            raise failure("has no header", file=name, remedy="Name the columns in the first line.")
        header, line = [cell.strip() for cell in start[1]], start[0]
    _check_header(header, name, line, failure)
    checked = _checked(rows, len(header), name, failure)
    return Table(name, delimiter, header, checked, notices, decoded.has_bom)


def decode(data: bytes, name: str, failure: Failure = CorpusError) -> Text:
    """Decode a file as every import does, with errors of the class wanted.

    Raises:
        CorpusError: what `mtcore.corpora.reader.decode_text` refuses.
    """
    try:
        return decode_text(data, name)
    except CorpusError as error:
        raise failure(error.message, file=error.file, line=error.line, remedy=error.remedy) from error


def find_delimiter(header: str) -> str:
    """Find what separates the columns of a header line; a comma when nothing does."""
    bare = re.sub(r'"[^"]*"', "", header)
    if "\t" in bare:
        return "\t"
    return ";" if bare.count(";") > bare.count(",") else ","


def quoted_rows(text: str, name: str, delimiter: str, failure: Failure = CorpusError) -> Iterator[Row]:
    """Read quoted rows; cells may hold line breaks. Empty lines come out as empty rows.

    Raises:
        CorpusError: a quote that is never closed, or a quote sign that is not doubled inside a quoted cell.
    """
    lines = (f"{line}\n" for line in iterate_lines(text))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _quote_error(str(error), name, start, reader.line_num, failure) from error
        yield start, row


def _quote_error(reason: str, name: str, start: int, end: int, failure: Failure) -> CorpusError:
    """Say what Python's reader found wrong in the row that begins on line `start`."""
    if "field limit" in reason:
        return failure(
            f'a cell of this row has more than {csv.field_size_limit():,} characters; perhaps a quote (") '
            "opened here is never closed",
            file=name,
            line=start,
            remedy="Close the quote, or shorten the cell.",
        )
    if "unexpected end" in reason:
        return failure(
            'a quote (") opened here is never closed',
            file=name,
            line=start,
            remedy='Close it, or write a quote sign inside a quoted cell twice ("").',
        )
    if "new-line" in reason:
        return failure(
            "a carriage return (CR) stands outside quotes",
            file=name,
            line=end,
            remedy="End lines with LF or CRLF, and quote cells that hold a line break.",
        )
    return failure(
        'a quote sign (") inside a quoted cell is not doubled',
        file=name,
        line=end,
        remedy='Write it twice ("") inside a quoted cell.',
    )


def _plain_rows(text: str, name: str, notices: list[str]) -> Iterator[Row]:
    lines = split_lines(text, name)
    notices.extend(lines.notices)
    return ((number, line.split("\t") if line else []) for number, line in enumerate(lines.lines, start=1))


def _is_quoted_tsv(text: str, name: str) -> bool:
    if '"' not in text or not _QUOTED_CELL.search(text):
        return False
    try:
        widths = {len(row) for _, row in quoted_rows(text, name, "\t") if row}
    except CorpusError:
        return False
    return len(widths) == 1


def _filled(rows: Iterator[Row]) -> Iterator[Row]:
    return (row for row in rows if row[1])


def _checked(rows: Iterator[Row], width: int, name: str, failure: Failure) -> Iterator[Row]:
    for line, row in rows:
        if len(row) != width:
            raise failure(
                f"{len(row)} {'field' if len(row) == 1 else 'fields'}, {width} expected",
                file=name,
                line=line,
                remedy="Look for a delimiter inside a text, or a missing cell.",
            )
        yield line, row


def _check_header(header: list[str], name: str, line: int, failure: Failure) -> None:
    twice = [column for column, count in Counter(header).items() if count > 1]
    if twice:
        raise failure(
            f"the column “{twice[0]}” stands twice in the header",
            file=name,
            line=line,
            remedy="Give each column its own name.",
        )
