"""What a table of the two studies is: its rows, its columns, and what each cell asks for. Data, no code."""

from __future__ import annotations

from dataclasses import dataclass

AXES = ("pair", "condition", "system", "text", "version", "versus")
"""What rows and columns run over: language pairs, conditions, systems, texts (ORIG and the systems'), the two
sides of a test set written in the target language (Y*, Y), and pairs of systems."""

KINDS = (
    "metric", "human", "preference", "own_lm", "corpus", "vocabulary", "diversity", "form", "delta",
)  # fmt: skip
"""What a cell can ask for; each has a finder in `finders`."""


@dataclass(frozen=True)
class Condition:
    """What went in and what the output is held against, in the notation of the literature.

    Both empty mean the original source and reference, whichever was written first. `alternatives` takes, in
    the place of the reference, every alternative of it that there is, a row each: `alternative` is then the
    name of the one that is meant.
    """

    input: str = ""
    reference: str = ""
    alternatives: bool = False
    alternative: str = ""

    @property
    def direction(self) -> str:
        """Return the direction of the segments that are meant, "" for all."""
        if not self.input:
            return ""
        return "reverse" if self.input == "X*" else "direct"

    @property
    def label(self) -> str:
        """Write it: "X → Y*", or "X → Y* (wmt)" for an alternative."""
        other = f" ({self.alternative or 'alternative'})" if self.alternatives else ""
        return f"{self.input} → {self.reference}{other}" if self.input else ""


DIRECT = Condition("X", "Y*")
REVERSE = Condition("X*", "Y")
DOUBLE_SOURCE = Condition("X**", "Y*")
DOUBLE_REFERENCE = Condition("X*", "Y**")
ALTERNATIVE = Condition("X", "Y*", alternatives=True)
WHOLE = Condition()


@dataclass(frozen=True)
class Quantity:
    """What the cells of a column ask for.

    Attributes:
        label: the column's heading.
        kind: of KINDS.
        name: which one: a metric, a measure, "z", "train" …
        digits: decimals printed after scaling.
        scale: what the value is multiplied by in print.
        arrow: "up" when higher is better or more diverse, "down" when lower is; "" prints none.
        condition: of a quantity that has one of its own (columns of the direction table).
        group: a heading over this and the neighbours of the same group.
    """

    label: str
    kind: str
    name: str = ""
    digits: int = 1
    scale: float = 1.0
    arrow: str = ""
    condition: Condition | None = None
    group: str = ""


@dataclass(frozen=True)
class TableSpec:
    """One table.

    Attributes:
        name: "edunov-3": the study's first author and the number of the table there.
        title: what it shows.
        rows: axes, the outermost first.
        columns: axes above the quantities, the outermost first.
        quantities: a column each.
        conditions: what the axis of conditions runs over.
        per_pair: one table for each language pair.
        sort: label of the quantity by which rows are sorted; "" leaves them in their order.
        notes: what the reader must know, whatever the results.
    """

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    conditions: tuple[Condition, ...] = ()
    per_pair: bool = False
    sort: str = ""
    notes: tuple[str, ...] = ()

    @property
    def study(self) -> str:
        """Return the study's first author."""
        return self.name.rpartition("-")[0]

    @property
    def number(self) -> str:
        """Return the number of the table in that study."""
        return self.name.rpartition("-")[2]
