"""Read a campaign's answers one by one, with everything an export says about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from annotation.models import Campaign, Judgement
from annotation.services.item_facts import CHUNK, ITEM_COLUMNS, ItemFacts, ItemReader, Systems, chunks

ORDER = ("assignment__participation__rater__name", "assignment__round", "assignment__position", "pk")
COLUMNS = (
    "pk", "assignment__key", "assignment__participation_id", "assignment__participation__rater__name",
    "assignment__participation__excluded_by", "assignment__round", "assignment__position",
    "assignment__swap", "score", "choice", "is_current", "comment", "shown_at", "submitted_at", "active_ms",
)  # fmt: skip


class Answer(NamedTuple):
    """One judgement; `sides` and `choice` as they stood on the screen."""

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
    shown_at: datetime | None
    submitted_at: datetime | None
    active_ms: int | None

    @property
    def value(self) -> float | Systems | None:
        """Return the score, or the systems preferred ("equal" when none)."""
        if not self.choice:
            return self.score
        chosen = {"left": 0, "right": 1}.get(self.choice)
        return ("equal",) if chosen is None else tuple(sorted(self.sides[chosen]))


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

    def read(self, *, history: bool = False, start: int = 0, stop: int | None = None) -> Iterator[Answer]:
        """Read the answers by rater, round and position.

        Args:
            history: those that were superseded too.
            start: number of the first one, from 0.
            stop: number of the first one to leave out.
        """
        found = Judgement.objects.of_campaign(self.campaign.pk)
        found = found if history else found.current()
        columns = (*COLUMNS, *(f"assignment__item__{column}" for column in ITEM_COLUMNS))
        rows = found.order_by(*ORDER).values_list(*columns)[start:stop].iterator(CHUNK)
        width = len(COLUMNS)
        for some in chunks(rows):
            items = self.reader.facts([row[width:] for row in some])
            for row, item in zip(some, items, strict=True):
                sides = item.sides[::-1] if row[7] else item.sides
                yield Answer(*row[:7], item, sides, *row[8:width])  # type: ignore[call-arg]

    def identical(self) -> Iterator[ItemFacts]:
        """Return the items that nobody is shown because their outputs are identical."""
        for _, item in self.items(wanted=0):
            if len(item.sides) == 1 and len(item.sides[0]) > 1:
                yield item
