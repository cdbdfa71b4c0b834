"""A filled table: its columns with their headings, its rows with their labels, its cells and notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from annotation.services.study_tables.cells import Cell, commands, reasons
from annotation.services.study_tables.spec import Quantity, TableSpec


@dataclass(frozen=True)
class Column:
    """A column: its headings from the outermost to its own, and what its cells ask for."""

    heads: tuple[str, ...]
    quantity: Quantity


@dataclass(frozen=True)
class Line:
    """A row: its labels, one for each column of labels, and its cells."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Filled:
    """A filled table.

    Attributes:
        spec: what it is.
        pair: tag of the language pair it is of; "" when it holds all.
        label_heads: headings of the columns of labels.
        columns: in order.
        lines: in order.
        notes: what the reader must know.
    """

    spec: TableSpec
    pair: str
    label_heads: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return a name of its own, for files and addresses."""
        return f"{self.spec.name}-{self.pair.replace(':', '-')}" if self.pair else self.spec.name

    @property
    def cells(self) -> Iterator[tuple[Line, Column, Cell]]:
        """Give every cell with its row and column."""
        for line in self.lines:
            for column, cell in zip(self.columns, line.cells, strict=True):
                yield line, column, cell

    @property
    def n_missing(self) -> int:
        """Return how many cells could be filled and are not."""
        return sum(cell.is_missing for _, _, cell in self.cells)

    @property
    def reasons(self) -> list[str]:
        """Say why cells are empty, each reason once."""
        return reasons(cell for _, _, cell in self.cells)

    @property
    def commands(self) -> list[str]:
        """Return the commands that would fill what is missing."""
        return commands(need for _, _, cell in self.cells if cell.is_missing for need in cell.needs)

    @property
    def levels(self) -> int:
        """Return how many rows of headings there are."""
        return max((len(column.heads) for column in self.columns), default=1)

    def heads(self) -> list[list[tuple[str, int]]]:
        """Return the rows of headings: text and the number of columns under it."""
        found = []
        for level in range(self.levels):
            keys = [column.heads[: level + 1] for column in self.columns]
            last = level == self.levels - 1
            groups = [(key, 1) for key in keys] if last else [(k, len(list(g))) for k, g in groupby(keys)]
            found.append([(key[level], size) for key, size in groups])
        return found
