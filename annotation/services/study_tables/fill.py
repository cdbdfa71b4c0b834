"""Fill the tables: run over the axes of rows and columns, and ask for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from annotation.models import Study
from annotation.services.study_tables.cells import Cell, Need, commands, missing, printed
from annotation.services.study_tables.definitions import TABLES
from annotation.services.study_tables.filled import Column, Filled, Line
from annotation.services.study_tables.human_cells import HumanCells
from annotation.services.study_tables.lm_cells import LmCells
from annotation.services.study_tables.material import Material, Pair, SystemRow, Wish, material_read
from annotation.services.study_tables.metric_cells import MetricCells, fitting
from annotation.services.study_tables.spec import WHOLE, Condition, Quantity, TableSpec
from annotation.services.study_tables.text_cells import ORIGINAL, TextCells, TextRow
from evalplatform.errors import NotFound

Place = Mapping[str, Any]
"""Axis → what stands there, for one row, column or cell."""

STUDIES = ("edunov", "vanmassenhove")
ARROWS = {"up": " ↑", "down": " ↓", "": ""}


def tables_named(wanted: str) -> list[TableSpec]:
    """Return the tables of "all", of a study ("edunov") or of names ("edunov-3,edunov-7").

    Raises:
        NotFound: there is no such study or table.
    """
    if wanted == "all":
        return list(TABLES.values())
    found: list[TableSpec] = []
    for name in (one.strip() for one in wanted.split(",")):
        own = [spec for spec in TABLES.values() if name in (spec.study, spec.name)]
        if not own:
            raise NotFound(
                f"There is no table “{name}”.",
                f"Give all, {', '.join(STUDIES)}, or a table as edunov-3 or vanmassenhove-7.",
            )
        found += [spec for spec in own if spec not in found]
    return found


def study_tables(*, study: Study, tables: str = "all", wish: Wish | None = None) -> list[Filled]:
    """Return the tables of a study, filled with what is in the database.

    Args:
        study: whose results.
        tables: which, as `tables_named` takes them.
        wish: which test sets, systems, campaigns and human scores count.

    Raises:
        NotFound: there is no such table, or something that is wanted is not in the study.
    """
    specs = tables_named(tables)
    filler = Filler(material_read(study, wish or Wish()))
    return [filled for spec in specs for filled in filler.fill(spec)]


class Filler:
    """Fills tables from one reading of a study."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.metrics = MetricCells(material)
        self.humans = HumanCells(material)
        self.models = LmCells(material)
        self.texts = TextCells(material)

    def fill(self, spec: TableSpec) -> Iterator[Filled]:
        """Give the table, or one for each language pair."""
        if not spec.per_pair:
            yield self._fill(spec, None)
            return
        for pair in self.material.pairs:
            yield self._fill(spec, pair)

    def _fill(self, spec: TableSpec, pair: Pair | None) -> Filled:
        self.humans.tests.clear()
        fixed: dict[str, Any] = {} if pair is None else {"pair": pair}
        rows = list(self._places(spec.rows, spec, fixed))
        above = list(self._places(spec.columns, spec, fixed))
        quantities = self._quantities(spec, pair)
        grouped = any(one.group for one in quantities)
        columns = [
            (Column(_heads(spec, place, quantity, grouped), quantity), place)
            for place in above
            for quantity in quantities
        ]
        lines = []
        for row in rows:
            cells = [self._cell({**fixed, **row, **place}, column.quantity) for column, place in columns]
            lines.append(Line(_labels(spec, row), tuple(_with_differences(cells, quantities))))
        if spec.sort:
            place_of = [quantity.label for quantity in quantities].index(spec.sort)
            lines.sort(key=lambda line: _sort_key(line.cells[place_of]))
        heads = tuple("" for _ in (lines[0].labels if lines else ("",)))
        filled = Filled(
            spec, pair.tag if pair else "", heads, tuple(column for column, _ in columns), tuple(lines), ()
        )
        return replace(filled, notes=tuple(self._notes(filled)))

    def _places(self, axes: Sequence[str], spec: TableSpec, fixed: Place) -> Iterator[Place]:
        """Give every combination of what the axes run over."""
        for values in product(*(self._values(axis, spec) for axis in axes)):
            yield {**fixed, **dict(zip(axes, values, strict=True))}

    def _values(self, axis: str, spec: TableSpec) -> Sequence[Any]:
        match axis:
            case "pair":
                return self.material.pairs
            case "condition":
                return [one for condition in spec.conditions for one in self._expanded(condition)]
            case "system":
                return self.material.rows
            case "text":
                return [TextRow(ORIGINAL), *(TextRow(row.label, row) for row in self.material.rows)]
            case "version":
                return ("Y*", "Y")
            case _:
                return self._versus()

    def _expanded(self, condition: Condition) -> list[Condition]:
        """Return a condition for each alternative reference there is, or the condition itself."""
        if not condition.alternatives:
            return [condition]
        names: dict[str, None] = {}
        for pair in self.material.pairs:
            places, _ = fitting(self.material, pair, condition)
            names |= dict.fromkeys(row.name for _, _, references in places for row in references)
        return [replace(condition, alternative=name) for name in names] or [condition]

    def _versus(self) -> list[tuple[SystemRow, SystemRow]]:
        """Return the pairs of rows for preferences: BT against OP; else those compared, or the first two."""
        rows = list(self.material.rows)
        by_kind = {row.kind: row for row in rows if row.kind == row.label}
        if {"OP", "BT"} <= set(by_kind):
            return [(by_kind["BT"], by_kind["OP"])]
        every = [
            (second, first)
            for place, first in enumerate(rows)
            for second in rows[place + 1 :]
            if set(first.systems) & set(second.systems)
        ]
        known = self.humans.compared()
        return [pair for pair in every if known & _names(*pair)] or every[:1]

    def _quantities(self, spec: TableSpec, pair: Pair | None) -> list[Quantity]:
        """Return the quantities: those of the forms of a lemma are as many as it has forms."""
        if spec.quantities[0].kind == "form" and pair is not None:
            first, *rest = spec.quantities
            forms = self.texts.forms(pair) or ["–"]
            lemma = self.texts.lemma(pair)
            group = f"lemma: {lemma}" if lemma else ""
            return [*(replace(first, label=form, group=group) for form in forms), *rest]
        if spec.quantities[0].kind == "preference":
            versus = self._versus()
            if len(versus) == 1:
                labels = (versus[0][0].label, versus[0][1].label, "draw")
                return [replace(one, label=label) for one, label in zip(spec.quantities, labels, strict=True)]
        return list(spec.quantities)

    def _cell(self, place: Place, quantity: Quantity) -> Cell:
        pair = place["pair"]
        condition = place.get("condition") or quantity.condition or WHOLE
        match quantity.kind:
            case "metric":
                return self.metrics.cell(pair, condition, place["system"], quantity)
            case "human":
                return self.humans.cell(pair, condition, place["system"], quantity)
            case "preference":
                return self.humans.preference(pair, place["versus"], quantity)
            case "own_lm":
                return self.models.cell(pair, place["version"], place["system"], quantity)
            case "corpus":
                return self.texts.corpus(pair, quantity)
            case "vocabulary":
                return self.texts.vocabulary(pair, quantity)
            case "diversity":
                return self.texts.diversity(pair, place["text"], quantity)
            case "form":
                return self.texts.form(pair, place["text"], quantity, quantity.label)
            case _:
                return missing("")  # a difference: filled in once its row is there

    def _notes(self, filled: Filled) -> Iterator[str]:
        """Say what the reader of a filled table must know."""
        if not any(True for _ in filled.cells):
            yield self._why_empty()
        yield from filled.spec.notes
        yield from self.humans.tests
        found: dict[str, None] = {}
        signatures: dict[str, dict[str, None]] = {}
        for _, column, cell in filled.cells:
            if cell.note:
                found[cell.note.replace("{pair}", filled.pair or column.heads[0])] = None
            if cell.signature:
                signatures.setdefault(" ".join(column.heads), {})[cell.signature] = None
        yield from found
        for heads, own in signatures.items():
            if len(own) > 1 and not _is_of_people(filled, heads):
                yield f"{heads}: made in different ways, so that its cells do not compare: {'; '.join(own)}."

    def _why_empty(self) -> str:
        """Say what must come first where a table has not one cell."""
        study = self.material.study.name
        if not self.material.pairs:
            need = Need(("add_to_study", study), {"--testset": ("NAME",)})
            return f"The study has no test set, so there is nothing to fill yet: {commands([need])[0]}"
        if not self.material.rows:
            first = self.material.pairs[0].testsets[0].name
            need = Need(("import_output", first, "SYSTEM", "FILE"), {})
            return f"No system has an output for the study’s test sets yet: {commands([need])[0]}"
        return "Of the study’s systems no two have outputs of one language pair to compare."


def _names(first: SystemRow, second: SystemRow) -> set[frozenset[str]]:
    """Return the names of two rows' systems in each language pair."""
    shared = set(first.systems) & set(second.systems)
    return {frozenset((first.systems[tag].name, second.systems[tag].name)) for tag in shared}


def _is_of_people(filled: Filled, heads: str) -> bool:
    kinds = {column.quantity.kind for column in filled.columns if " ".join(column.heads) == heads}
    return bool(kinds & {"human", "preference", "form", "corpus"})


def _with_differences(cells: Sequence[Cell], quantities: Sequence[Quantity]) -> Iterable[Cell]:
    """Fill in the differences of a row from its other cells."""
    by_label = {quantity.label: cell for quantity, cell in zip(quantities, cells, strict=False)}
    for place, cell in enumerate(cells):
        quantity = quantities[place % len(quantities)]
        yield _difference(by_label, quantity) if quantity.kind == "delta" else cell


def _difference(cells: Mapping[str, Cell], quantity: Quantity) -> Cell:
    first, _, second = quantity.name.partition("-")
    left, right = cells[first], cells[second]
    if left.value is None or right.value is None:
        return missing(f"{first} or {second} is missing")
    value = left.value - right.value
    return Cell(value, printed(value, quantity.digits), (f"{first} − {second}",), left.signature)


def _sort_key(cell: Cell) -> tuple[bool, float]:
    return cell.value is None, cell.value or 0.0


def _labels(spec: TableSpec, place: Place) -> tuple[str, ...]:
    """Return the labels of a row, one for each column of labels."""
    found: list[str] = []
    for axis in spec.rows:
        value = place[axis]
        if axis == "condition":
            source, _, reference = value.label.partition(" → ")
            found += [source, reference]
        elif axis == "versus":
            found.append(f"{value[0].label} – {value[1].label}")
        elif axis == "pair":
            found.append(value.tag)
        else:
            found.append(value if isinstance(value, str) else value.label)
    return tuple(found)


def _heads(spec: TableSpec, place: Place, quantity: Quantity, grouped: bool) -> tuple[str, ...]:
    """Return the headings of a column, the outermost first."""
    above = [place[axis].tag if axis == "pair" else place[axis].label for axis in spec.columns]
    groups = [quantity.group] if grouped else []
    return (*above, *groups, f"{quantity.label}{ARROWS[quantity.arrow]}")
