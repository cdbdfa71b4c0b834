"""Tables of a report: defined once, written as HTML cells, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Any

from annotation.formats.write import write_csv
from annotation.services.score_table import MISSING, number, p_value, ranks

Row = dict[str, Any]
TEXT_KINDS = ("text", "condition", "bars")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: of the row; for intervals and ranks a pair of bounds lies there.
        title: the heading.
        kind: "text", "count", "number", "p", "interval", "ranks", "percent", "ci_percent" (a share with its
            bounds) or "bars" (counts).
        decimals: of numbers and intervals.
        trace: the quantity a cell opens, "" when there is nothing to open.
    """

    key: str
    title: str
    kind: str = "text"
    decimals: int = 0
    trace: str = ""

    @property
    def numeric(self) -> bool:
        """Tell whether cells stand to the right."""
        return self.kind not in TEXT_KINDS

    def write(self, row: Row) -> str:
        """Write a cell as people read it; an en dash where there is nothing."""
        value = row.get(self.key)
        if value is None or value == "":
            return MISSING if self.kind != "text" else ""
        match self.kind:
            case "count":
                return f"{value:,}"
            case "number":
                return plain(value, self.decimals)
            case "p":
                return p_value(value)
            case "interval":
                return " … ".join(plain(end, self.decimals) for end in value)
            case "ranks":
                return ranks(value)
            case "percent":
                return f"{100 * value:.{self.decimals}f} %"
            case "ci_percent":
                share, low, high = (100 * one for one in value)
                return f"{share:.0f} % ({low:.0f}–{high:.0f})"
            case "bars":
                return " ".join(str(count) for count in value)
            case _:
                return str(value)


@dataclass(frozen=True)
class Table:
    """A table with its raw values.

    Attributes:
        name: in addresses and file names.
        title: what it shows, as a caption.
        columns: in order.
        rows: raw values by the columns' keys.
        cuts: rows below which a rule is drawn: a cluster ends.
        parts: rows below which a band is drawn: a condition ends.
        note: what a reader of the numbers must know, below the table.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    cuts: frozenset[int] = field(default_factory=frozenset)
    parts: frozenset[int] = field(default_factory=frozenset)
    note: str = ""

    def with_rows(self, rows: Sequence[Row]) -> Table:
        """Return the same table with other rows."""
        return replace(self, rows=rows, cuts=frozenset(), parts=frozenset())

    def cells(self) -> list[list[str]]:
        """Return the written cells, row by row."""
        return [[column.write(row) for column in self.columns] for row in self.rows]


def plain(value: float, decimals: int) -> str:
    """Write a number; what rounds to zero has no sign."""
    return number(round(value, decimals) + 0.0, decimals)


def used(columns: Sequence[Column], rows: Sequence[Row]) -> list[Column]:
    """Return the columns in which any row has something."""
    return [one for one in columns if any(row.get(one.key) not in (None, "") for row in rows)]


def to_csv(table: Table, signature: str) -> str:
    """Return a table as CSV with raw values; bounds become two columns, missing ones are empty."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_header(table))
    writer.writerows(_rows(table, signature))
    return out.getvalue()


def to_spreadsheet(table: Table, signature: str) -> str:
    """Return the CSV as a spreadsheet may open it: no text of it is taken for a formula."""
    out = StringIO()
    write_csv(_rows(table, signature), _header(table), out, spreadsheet=True)
    return out.getvalue()


def _header(table: Table) -> list[str]:
    return [*(head for column in table.columns for head in _heads(column)), "signature"]


def _rows(table: Table, signature: str) -> Iterator[list[Any]]:
    for row in table.rows:
        cells = [cell for column in table.columns for cell in _values(column, row.get(column.key))]
        yield [*cells, signature]


def _heads(column: Column) -> list[str]:
    match column.kind:
        case "interval":
            return [f"{column.key}_low", f"{column.key}_high"]
        case "ranks":
            return [f"{column.key}_first", f"{column.key}_last"]
        case "ci_percent":
            return [f"{column.key}_share", f"{column.key}_share_low", f"{column.key}_share_high"]
        case _:
            return [column.key]


def _values(column: Column, value: Any) -> list[Any]:
    size = len(_heads(column))
    if size > 1:
        return ["", "", ""][:size] if value is None else list(value)
    return ["" if value is None else column.write({column.key: value}) if column.kind == "bars" else value]


MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>|~&#$^"})


def to_markdown(table: Table, signature: str) -> str:
    """Return a table as Markdown with the title above and the signature below; names are escaped."""
    titles = [column.title.translate(MARKDOWN) for column in table.columns]
    rule = ["---:" if column.numeric else ":---" for column in table.columns]
    lines = [_line(titles), _line(rule)]
    lines += [_line([cell.translate(MARKDOWN) for cell in row]) for row in table.cells()]
    note = [table.note.translate(MARKDOWN), ""] if table.note else []
    return "\n".join([table.title.translate(MARKDOWN), "", *lines, "", *note, f"`{signature}`", ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
