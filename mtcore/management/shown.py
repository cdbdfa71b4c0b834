"""What commands print: aligned tables and lengths of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta


def table(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as aligned columns; the first row is the header."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def duration(length: timedelta | None) -> str:
    """Write "2 d 3 h", "1 h 20 min", "4 min 5 s" or "12 s"; nothing for None."""
    if length is None:
        return ""
    seconds = max(0, round(length.total_seconds()))
    sizes = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    parts = []
    for size, unit in sizes:
        if seconds >= size:
            parts.append(f"{seconds // size} {unit}")
            seconds %= size
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"
