"""Lay out tables as aligned text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

RULE = object()
"""Stands in a list of rows for a line drawn across the table."""


def align(rows: Sequence[object], n_text: int) -> str:
    """Return rows as aligned columns: the first `n_text` and words to the left, numbers to the right.

    The first row is the header. A row that is a string is a heading over the rows below it.
    """
    cells: list[Sequence[str]] = [row for row in rows if isinstance(row, list | tuple)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in (rows[0], RULE, *rows[1:]):
        if row is RULE:
            lines.append("─" * (sum(widths) + 2 * (len(widths) - 1)))
        elif isinstance(row, str):
            lines += [row] if lines[-1].startswith("─") else ["", row]
        elif isinstance(row, list | tuple):
            padded = [
                _pad(cell, width, left=column < n_text or (cell[:1].isalpha() and rows[0] is not row))
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _width(text: str) -> int:
    wide = sum(1 for mark in text if unicodedata.east_asian_width(mark) in "WF")
    return len(text) + wide - sum(1 for mark in text if unicodedata.combining(mark))


def _pad(text: str, width: int, *, left: bool) -> str:
    space = " " * max(0, width - _width(text))
    return text + space if left else space + text
