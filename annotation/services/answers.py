"""Read a campaign's answers one by one, with everything an export says about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Func, QuerySet, TextField

from annotation.models import Campaign, Judgement
from annotation.services.item_facts import (
    CHUNK,
    ITEM_COLUMNS,
    ItemColumns,
    ItemFacts,
    ItemReader,
    Systems,
    chunks,
)

ORDER = ("assignment__participation__rater__name", "assignment__round", "assignment__position", "pk")
COLUMNS = (
    "pk", "assignment__key", "assignment__participation_id", "assignment__participation__rater__name",
    "assignment__participation__excluded_by", "assignment__round", "assignment__position", "score", "choice",
    "comment", "active_ms",
)  # fmt: skip
FLAGS = ("assignment__swap", "is_current")
TIMES = ("shown_at", "submitted_at")
"""Read as the driver gives them: Django's own look at each value of these would cost as much as the row."""


class Answer(NamedTuple):
    """One judgement; `sides` and `choice` as they stood on the screen, times as ISO 8601 with offset."""

    pk: int
    key: str
    participation: int
    rater: str
    excluded_by: str
    round: int
    position: int
    item: ItemFacts
    sides: tuple[Systems, ...]
    score: float | None
    choice: str
    is_current: bool
    comment: str
    shown_at: str | None
    submitted_at: str | None
    active_ms: int | None

    @property
    def value(self) -> float | Systems | None:
        """Return the score, or the systems preferred ("equal" when none)."""
        if not self.choice:
            return self.score
        chosen = {"left": 0, "right": 1}.get(self.choice)
        return ("equal",) if chosen is None else tuple(sorted(self.sides[chosen]))


class AnswerColumns(NamedTuple):
    """Several judgements: the fields of Answer, each as a column."""

    pk: Sequence[int]
    key: Sequence[str]
    participation: Sequence[int]
    rater: Sequence[str]
    excluded_by: Sequence[str]
    round: Sequence[int]
    position: Sequence[int]
    item: ItemColumns
    sides: Sequence[tuple[Systems, ...]]
    score: Sequence[float | None]
    choice: Sequence[str]
    is_current: Sequence[bool]
    comment: Sequence[str]
    shown_at: Sequence[str | None]
    submitted_at: Sequence[str | None]
    active_ms: Sequence[int | None]


@dataclass(frozen=True, eq=False)
class Answers:
    """A campaign from which answers and items are read, some at a time."""

    campaign: Campaign
    reader: ItemReader

    @classmethod
    def of_campaign(cls, campaign: Campaign) -> Answers:
        """Make ready to read."""
        return cls(campaign, ItemReader(campaign))

    def count(self) -> int:
        """Return the number of current answers."""
        return Judgement.objects.of_campaign(self.campaign.pk).current().count()

    def items(self, **conditions: object) -> Iterator[tuple[int, ItemFacts]]:
        """Read all items, or those under a condition, in order of their making: database id and facts."""
        return self.reader.all(**conditions)

    def read(
        self,
        *,
        history: bool = False,
        start: int = 0,
        stop: int | None = None,
        found: QuerySet[Judgement] | None = None,
        order: Sequence[Any] = ORDER,
    ) -> Iterator[Answer]:
        """Read the answers by rater, round and position.

        Args:
            history: those that were superseded too.
            start: number of the first one, from 0.
            stop: number of the first one to leave out.
            found: some of the campaign's judgements; None: all of them.
            order: another order.
        """
        read = self.blocks(history=history, start=start, stop=stop, found=found, order=order)
        for block in read:
            columns: list[Iterable[Any]] = list(block)
            columns[Answer._fields.index("item")] = map(ItemFacts._make, zip(*block.item, strict=True))
            yield from map(Answer._make, zip(*columns, strict=True))

    def blocks(
        self,
        *,
        history: bool = False,
        start: int = 0,
        stop: int | None = None,
        found: QuerySet[Judgement] | None = None,
        order: Sequence[Any] = ORDER,
    ) -> Iterator[AnswerColumns]:
        """Read the answers as `read` does, CHUNK at a time, as columns."""
        if found is None:
            found = Judgement.objects.of_campaign(self.campaign.pk)
            found = found if history else found.current()
        plain: dict[str, Any] = {f"plain_{name}": _Plain(name) for name in FLAGS}
        plain |= {f"plain_{name}": _PlainTime(name) for name in TIMES}
        columns = (*COLUMNS, *plain, *(f"assignment__item__{column}" for column in ITEM_COLUMNS))
        rows = found.annotate(**plain).order_by(*order).values_list(*columns)
        width = len(columns) - len(ITEM_COLUMNS)
        for some in chunks(rows[start:stop].iterator(CHUNK)):
            given = tuple(zip(*some, strict=True))
            pk, key, who, name, why, turn, position, score, choice, comment, ms, *stored = given[:width]
            swap, current, shown, submitted = stored
            item = self.reader.columns(given[width:])
            sides = item.sides
            if any(swap):
                sides = [own[::-1] if turned else own for own, turned in zip(sides, swap, strict=True)]
            yield AnswerColumns(
                pk, key, who, name, why, turn, position, item, sides, score, choice, list(map(bool, current)),
                comment, list(map(_time, shown)), list(map(_time, submitted)), ms,
            )  # fmt: skip

    def identical(self) -> Iterator[ItemFacts]:
        """Return the items that nobody is shown because their outputs are identical."""
        for _, item in self.items(wanted=0):
            if len(item.sides) == 1 and len(item.sides[0]) > 1:
                yield item


class _Plain(Func):
    """A value as the driver gives it."""

    template = "%(expressions)s"
    output_field = TextField()


class _PlainTime(_Plain):
    """A time as the driver gives it, in SQLite as the text that is stored."""

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return self.as_sql(compiler, connection, template="CAST(%(expressions)s AS text)", **extra)


def _time(stored: str | datetime | None) -> str | None:
    """Return a time as ISO 8601 with its offset, which SQLite leaves out: it is UTC."""
    if isinstance(stored, str):
        return f"{stored[:10]}T{stored[11:]}+00:00"
    return stored.isoformat() if stored else None
