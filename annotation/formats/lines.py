"""Join cells into lines of CSV and TSV, many at a time, as the csv module does one by one."""

import re
from collections.abc import Sequence

SPECIAL = re.compile('[",\r\n]')
"""A cell of CSV that holds one of these stands in quotes."""


def comma_lines(rows: Sequence[Sequence[str]], *, end: str) -> str:
    """Return rows as CSV; cells are quoted where they have to be.

    Lines are joined as if nothing had to be quoted; counting tells whether that was right.
    """
    text = _joined(rows, end)
    ends = len(rows)
    if (
        '"' not in text
        and all(rows)
        and ("",) not in rows
        and [""] not in rows
        and text.count(",") == sum(map(len, rows)) - ends
        and text.count("\n") == ends
        and text.count("\r") == (ends if end == "\r\n" else 0)
    ):
        return text
    return _joined([_quoted(row) for row in rows], end)


def _joined(rows: Sequence[Sequence[str]], end: str) -> str:
    return end.join(map(",".join, rows)) + end


def _quoted(row: Sequence[str]) -> Sequence[str]:
    if len(row) == 1 and not row[0]:  # or the line would be taken for a blank one
        return ('""',)
    if not SPECIAL.search("".join(row)):
        return row
    return ['"' + cell.replace('"', '""') + '"' if SPECIAL.search(cell) else cell for cell in row]


def quoted_lines(rows: Sequence[Sequence[str]], *, end: str = "\n") -> str:
    """Return rows with tabs, every cell quoted."""
    text = "".join([f'"{line}"{end}' for line in map('"\t"'.join, rows)])
    if text.count('"') == 2 * sum(map(len, rows)):
        return text
    doubled = [[cell.replace('"', '""') for cell in row] for row in rows]
    return "".join([f'"{line}"{end}' for line in map('"\t"'.join, doubled)])
