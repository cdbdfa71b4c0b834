"""Read the tables of others through a map from our fields to their columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from annotation.formats.base import (
    ComparisonRow,
    FormatError,
    ParsedJudgements,
    RatingRow,
    Winner,
)
from annotation.formats.cells import KINDS, Cells, is_duration, shown
from annotation.formats.columns import missing_columns
from annotation.formats.table import Table

RATING_FIELDS = ("rater", "system", "segment", "score")
COMPARISON_FIELDS = ("rater", "left", "right", "segment", "choice")
OPTIONAL_FIELDS = (
    "kind", "group", "time", "testset", "document", "direction", "input", "context", "comment",
)  # fmt: skip
FIELDS = tuple(dict.fromkeys((*RATING_FIELDS, *COMPARISON_FIELDS, *OPTIONAL_FIELDS)))
DESCRIPTIVE_FIELDS = frozenset({"testset", "document", "input", "context", "group", "comment"})
DEFAULTS = {
    "segment": ("segment", "segment_id"),
    "kind": ("kind", "item_type"),
    "document": ("document", "document_id"),
    "left": ("left", "system_1"),
    "right": ("right", "system_2"),
    "choice": ("choice", "preferred"),
}
_TIES = frozenset({"equal", "tie", "="})


def parse_map(text: str) -> dict[str, str]:
    """Read "rater=COL,system=COL,…" into field → column.

    Raises:
        FormatError: not of this shape, an unknown field, a field given twice, or one column for two fields.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        field, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not field or not column:
            raise FormatError(
                f"the column map has “{part}”", remedy="Write field=COLUMN, separated by commas."
            )
        if field not in FIELDS:
            raise FormatError(
                f"the column map has the unknown field “{field}”", remedy=f"Known are: {', '.join(FIELDS)}."
            )
        if field in found:
            raise FormatError(f"the column map has “{field}” twice", remedy="Give each field one column.")
        found[field] = column
    _check_shared(found)
    return found


def _check_shared(found: Mapping[str, str]) -> None:
    """Refuse one column for two fields, unless both only describe (input and context may well be one)."""
    by_column: dict[str, list[str]] = {}
    for field, column in found.items():
        by_column.setdefault(column, []).append(field)
    for column, fields in by_column.items():
        if len(fields) > 1 and not DESCRIPTIVE_FIELDS.issuperset(fields):
            raise FormatError(
                f"the column map takes “{column}” for two fields: {', '.join(fields)}",
                remedy="Give each field a column of its own.",
            )


def parse_mapped(table: Table, cells: Cells) -> ParsedJudgements:
    """Read a table whose columns are named by the options' map, or by the names we look for without one.

    With a map, the fields it leaves out are looked for under their own names when they are needed, and not
    at all when they are not.

    Raises:
        FormatError: a column is missing, or a cell cannot be read.
    """
    given = cells.options.column_map
    columns = dict(given) if given else _guess(table.header)
    compared = "choice" in columns or {"left", "right"} <= columns.keys()
    needed: tuple[str, ...] = COMPARISON_FIELDS if compared else RATING_FIELDS
    columns.update({field: field for field in needed if field not in columns})
    missing_columns(list(columns.values()), table.header, table.name)
    parsed = ParsedJudgements()
    reader = _MappedRows({field: table.header.index(column) for field, column in columns.items()}, cells)
    unmapped = _KindsNotMapped(table.header, set(columns.values()))
    rows = table.rows if "kind" in columns else unmapped.over(table.rows)
    if compared:
        parsed.comparisons = [pair for line, row in rows if (pair := reader.comparison(row, line))]
    else:
        parsed.ratings = [rated for line, row in rows if (rated := reader.rating(row, line))]
    parsed.notices = [*table.notices, *cells.notices()]
    if "kind" not in columns and (found := unmapped.column()):
        parsed.notices.append(
            f"{table.name}: the column {found} seems to tell kinds of items, but the map does not name it: "
            f"every row counts as a system's output. If that is wrong, add kind={found} to the map"
        )
    if reader.durations:
        column = columns["time"]
        parsed.notices.append(
            f"{table.name}: the column {column} holds seconds spent, not points in time: kept as such"
        )
    return parsed


class _KindsNotMapped:
    """Columns that the map does not name, and in which every cell so far is a kind of item."""

    def __init__(self, header: Sequence[str], taken: Set[str]) -> None:
        self._kinds: dict[int, set[str]] = {
            index: set() for index, name in enumerate(header) if name not in taken
        }
        self._header = header

    def over(self, rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
        """Look at rows as they go by."""
        for line, row in rows:
            for index, found in list(self._kinds.items()):
                kind = KINDS.get(row[index].strip().lower())
                if kind is None:
                    del self._kinds[index]
                else:
                    found.add(kind)
            yield line, row

    def column(self) -> str | None:
        """Return a column that tells some rows from plain outputs of systems."""
        return next((self._header[index] for index, kinds in self._kinds.items() if kinds - {"system"}), None)


def _guess(header: Sequence[str]) -> dict[str, str]:
    guessed = {}
    for field in FIELDS:
        column = next((name for name in DEFAULTS.get(field, (field,)) if name in header), None)
        if column is not None:
            guessed[field] = column
    return guessed


class _MappedRows:
    """Make rows of the cells that the map points at."""

    def __init__(self, at: Mapping[str, int], cells: Cells) -> None:
        self.at = at
        self.cells = cells
        self.durations = 0
        self.extras = [
            (field, at[field])
            for field in ("testset", "document", "direction", "input", "context", "group", "comment")
            if field in at
        ]

    def rating(self, row: list[str], line: int) -> RatingRow | None:
        at, cells = self.at, self.cells
        kind = cells.kind(row[at["kind"]], line) if "kind" in at else "system"
        if kind is None:
            return None
        system = row[at["system"]]
        made = RatingRow(
            rater=cells.name_of(row[at["rater"]], "rater", line),
            system=system,
            systems=cells.systems(system, line),
            segment=self._segment(row, line),
            score=cells.score(row[at["score"]], line, cells.options.scale),
            kind=kind,
            line=line,
            **self._extras(row),
        )
        return made._replace(**self._times(row, line)) if "time" in at else made

    def comparison(self, row: list[str], line: int) -> ComparisonRow | None:
        at, cells = self.at, self.cells
        kind = cells.kind(row[at["kind"]], line) if "kind" in at else "system"
        if kind is None:
            return None
        made = ComparisonRow(
            rater=cells.name_of(row[at["rater"]], "rater", line),
            left=cells.systems(row[at["left"]], line),
            right=cells.systems(row[at["right"]], line),
            segment=self._segment(row, line),
            winner=self._winner(row, line),
            kind=kind,
            line=line,
            **self._extras(row),
        )
        return made._replace(**self._times(row, line)) if "time" in at else made

    def _extras(self, row: list[str]) -> dict[str, Any]:
        return {field: row[index] for field, index in self.extras}

    def _segment(self, row: list[str], line: int) -> str:
        segment = row[self.at["segment"]]
        if not segment:
            raise self.cells.error(line, "has no segment", "Give the segment's id.")
        return segment

    def _winner(self, row: list[str], line: int) -> Winner:
        """Read a choice given as a side, as a tie, or as the name of the preferred system."""
        choice, left, right = (row[self.at[field]] for field in ("choice", "left", "right"))
        if choice in (left, right):
            return "left" if choice == left else "right"
        if choice.lower() in _TIES:
            return "equal"
        if choice.lower() in ("left", "right"):
            return "left" if choice.lower() == "left" else "right"
        raise self.cells.error(
            line,
            f"the choice is “{shown(choice)}”",
            f"Write left, right, equal, or one of: {left}, {right}.",
        )

    def _times(self, row: list[str], line: int) -> dict[str, Any]:
        text = row[self.at["time"]].strip()
        if is_duration(text):
            self.durations += 1
            return {"seconds": float(text)}
        return {"time_end": self.cells.time(text, line)}
