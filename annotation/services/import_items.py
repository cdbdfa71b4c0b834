"""Group imported rows into items: who judged what again, and what pairs with what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.formats import ComparisonRow, RatingRow
from annotation.services.import_places import Fail, Places, Row

Sides = tuple[tuple[str, ...], ...]
Place = tuple[str, str, str, str]
"""Test set, segment key, input and context."""

PAIRED = ("reference", "bad_reference")
"""Quality-control items, which pair with the system item they were made from."""


@dataclass(eq=False)
class ItemDraft:
    """An item to be made; `pk` once it is."""

    kind: str
    place: Place
    sides: Sides
    group: str = ""
    occurrence: int = 1
    identical: bool = False
    repeat_of: ItemDraft | None = None
    paired_with: ItemDraft | None = None
    n_judgements: int = 0
    pk: int = 0


@dataclass(frozen=True)
class AnswerDraft:
    """A judgement to be made: its row, its item, and whether the sides stood the other way round."""

    row: Row
    item: ItemDraft
    swap: bool


@dataclass
class Drafts:
    """What an import is going to write; `repeated` are rows that say again who judged what, in any order."""

    items: list[ItemDraft] = field(default_factory=list)
    answers: list[AnswerDraft] = field(default_factory=list)
    repeated: list[Row] = field(default_factory=list)


def sides_of(row: Row) -> Sides:
    """Return the systems of each candidate; identical outputs are one candidate."""
    if isinstance(row, RatingRow):
        return (row.systems,)
    if row.identical:
        return (tuple(sorted({*row.left, *row.right})),)
    return (row.left, row.right)


def place_of(row: Row, places: Places, fail: Fail) -> Place:
    """Return test set, segment key, input and context of a row."""
    found = places.of(row, fail)
    return (found.name, found.key_of(row.segment), row.input, row.context)


def content_of(kind: str, place: Place, sides: Sides) -> tuple[Any, ...]:
    """Return what makes two rows be about the same thing, whichever side a system stood on."""
    return (kind, place, tuple(sorted(tuple(sorted(side)) for side in sides)))


def items_draft(
    rows: Sequence[Row], places: Places, fail: Fail, seen: dict[tuple[Any, ...], int] | None = None
) -> Drafts:
    """Group rows into items.

    Rows with an item id belong to the item of that id. Others belong together when kind, place, systems and
    group are the same; the same rater with the same thing again is a further occurrence, an item of its own.

    Args:
        rows: In the order of the file.
        places: Where rows belong.
        fail: Makes the error for a row.
        seen: (rater, content) → how often that rater judged this already.

    Raises:
        BadInput: rows of one item id disagree, an id that is referred to is missing, or one rater judged an
            item twice in a round.
    """
    book = _Book(places, fail, dict(seen or {}))
    answers: dict[int, AnswerDraft] = {}
    first = [row for row in rows if row.kind not in (*PAIRED, "repeat")]
    later = [row for row in rows if row.kind in (*PAIRED, "repeat")]
    order = {id(row): number for number, row in enumerate(rows)}
    for row in (*first, *later):
        answer = book.enter(row)
        if answer is not None:
            answers[order[id(row)]] = answer
    book.resolve()
    return Drafts(book.items, [answers[number] for number in sorted(answers)], book.repeated)


class _Book:
    def __init__(self, places: Places, fail: Fail, seen: dict[tuple[Any, ...], int]) -> None:
        self.places = places
        self.fail = fail
        self.seen = seen
        self.items: list[ItemDraft] = []
        self.by_id: dict[str, ItemDraft] = {}
        self.by_key: dict[tuple[Any, ...], ItemDraft] = {}
        self.judged: set[tuple[str, int, ItemDraft]] = set()
        self.parents: dict[tuple[Any, ...], ItemDraft] = {}
        self.references: list[tuple[ItemDraft, Row]] = []
        self.entered: set[tuple[Any, ...]] = set()
        self.repeated: list[Row] = []

    def enter(self, row: Row) -> AnswerDraft | None:
        """Put a row into its item; None for an identical pair, which nobody judged."""
        place, sides = place_of(row, self.places, self.fail), sides_of(row)
        content = content_of(row.kind, place, sides)
        if row.item:
            item = self._with_id(row, place, sides, content)
        elif isinstance(row, ComparisonRow) and row.identical:
            item = self._find(("identical", content), row, place, sides, 0)
        else:
            item = self._without_id(row, place, sides, content)
        if item.identical:
            return None
        judged = (row.rater, row.round, item)
        if judged in self.judged:
            raise self.fail(
                row,
                f"rater “{row.rater}” judges item “{row.item}” twice in round {row.round}",
                "Keep one of the two rows.",
            )
        self.judged.add(judged)
        item.n_judgements += 1
        if row.kind == "system":
            for group in {row.group, ""}:
                self.parents.setdefault((group, row.rater, place[:2], content[2]), item)
        return AnswerDraft(row, item, swap=len(sides) == 2 and set(sides[0]) != set(item.sides[0]))

    def _with_id(self, row: Row, place: Place, sides: Sides, content: tuple[Any, ...]) -> ItemDraft:
        item = self.by_id.get(row.item)
        if item is None:
            item = self.by_id[row.item] = self._make(row, place, sides)
            self.references.append((item, row))
        elif content_of(item.kind, item.place, item.sides) != content:
            raise self.fail(
                row,
                f"item “{row.item}” is another kind, segment or system here than in the rows above",
                "Give each item its own id, or leave the column out.",
            )
        return item

    def _without_id(self, row: Row, place: Place, sides: Sides, content: tuple[Any, ...]) -> ItemDraft:
        own = (row.rater, content)
        again = (own, row.group, row.round)
        if again in self.entered:
            self.repeated.append(row)
        self.entered.add(again)
        occurrence = self.seen[own] = self.seen.get(own, 0) + 1
        parent = None
        if row.kind in (*PAIRED, "repeat"):
            at = (row.rater, place[:2], content[2])
            parent = self.parents.get((row.group, *at)) or self.parents.get(("", *at))
        item = self._find((content, row.group, occurrence, id(parent)), row, place, sides, occurrence)
        if row.kind == "repeat":
            item.repeat_of = parent
        else:
            item.paired_with = parent
        return item

    def _find(self, key: tuple[Any, ...], row: Row, place: Place, sides: Sides, occurrence: int) -> ItemDraft:
        if key not in self.by_key:
            self.by_key[key] = self._make(row, place, sides, max(1, occurrence))
        return self.by_key[key]

    def _make(self, row: Row, place: Place, sides: Sides, occurrence: int = 1) -> ItemDraft:
        identical = isinstance(row, ComparisonRow) and row.identical
        item = ItemDraft(row.kind, place, sides, row.group, occurrence, identical)
        self.items.append(item)
        return item

    def resolve(self) -> None:
        """Turn ids of other items into those items."""
        for item, row in self.references:
            item.repeat_of = self._referred(row, row.repeat_of)
            item.paired_with = self._referred(row, row.paired_with)

    def _referred(self, row: Row, wanted: str) -> ItemDraft | None:
        if not wanted:
            return None
        found = self.by_id.get(wanted)
        if found is None:
            raise self.fail(
                row, f"item “{row.item}” refers to item “{wanted}”, which is not in the file", "Add its row."
            )
        return found


def repeats_notice(drafts: Drafts, file_name: str) -> list[str]:
    """Say how many rows repeat an earlier one, and where the first of them is; nothing when none does."""
    n = len(drafts.repeated)
    if not n:
        return []
    first = min(drafts.repeated, key=lambda row: row.line)
    system, kept = ("system", "ratings") if isinstance(first, RatingRow) else ("systems", "preferences")
    rows = "1 row repeats" if n == 1 else f"{n:,} rows repeat"
    return [
        f"{file_name}: {rows} an earlier row of the same rater, {system} and segment; "
        f"first: line {first.line:,}; both are kept as separate {kept}"
    ]


def raters_of(rows: Iterable[Row]) -> list[str]:
    """Return the raters in order of first appearance; identical pairs have none."""
    return list(dict.fromkeys(row.rater for row in rows if row.rater))


def systems_of(rows: Iterable[Row]) -> list[str]:
    """Return the systems in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for side in sides_of(row) for name in side))
