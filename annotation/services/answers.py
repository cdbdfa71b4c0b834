"""Read a campaign's answers one by one, with everything an export says about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from annotation.models import Campaign, Item, ItemCandidate, Judgement

CHUNK = 2000
Systems = tuple[str, ...]


class ItemFacts(NamedTuple):
    """What answers to one item share. `number` counts the campaign's items in order of their making."""

    number: int
    kind: str
    testset: str
    segment: str
    document: str
    direction: str
    input: str
    context: str
    group: str
    repeat_of: int | None
    paired_with: int | None
    wanted: int
    sides: tuple[Systems, ...]

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Return test set, segment key, input and context."""
        return (self.testset, self.segment, self.input, self.context)


class Answer(NamedTuple):
    """One judgement; `sides` and `choice` as they stood on the screen."""

    pk: int
    key: str
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


@dataclass(frozen=True)
class Answers:
    """The items of a campaign by database id, from which its answers are read."""

    campaign: Campaign
    items: dict[int, ItemFacts]

    @classmethod
    def of_campaign(cls, campaign: Campaign) -> Answers:
        """Read the items."""
        return cls(campaign, _items(campaign))

    def count(self) -> int:
        """Return the number of current answers."""
        return Judgement.objects.of_campaign(self.campaign.pk).current().count()

    def read(self, *, history: bool = False, start: int = 0, stop: int | None = None) -> Iterator[Answer]:
        """Read the answers by rater, round and position.

        Args:
            history: those that were superseded too.
            start: number of the first one, from 0.
            stop: number of the first one to leave out.
        """
        found = Judgement.objects.of_campaign(self.campaign.pk)
        found = found if history else found.current()
        rows = found.order_by(
            "assignment__participation__rater__name", "assignment__round", "assignment__position", "pk"
        ).values_list(
            "pk", "assignment__key", "assignment__participation__rater__name",
            "assignment__participation__excluded_by", "assignment__round", "assignment__position",
            "assignment__item_id", "assignment__swap", "score", "choice", "is_current", "comment",
            "shown_at", "submitted_at", "active_ms",
        )  # fmt: skip
        for pk, key, rater, why, round_, position, item_id, swap, *rest in rows[start:stop].iterator(CHUNK):
            item = self.items[item_id]
            sides = item.sides[::-1] if swap else item.sides
            yield Answer(pk, key, rater, why, round_, position, item, sides, *rest)  # type: ignore[arg-type]

    def identical(self) -> Iterator[ItemFacts]:
        """Return the items that nobody is shown because their outputs are identical."""
        return (
            item
            for item in self.items.values()
            if item.wanted == 0 and len(item.sides) == 1 and len(item.sides[0]) > 1
        )


def _items(campaign: Campaign) -> dict[int, ItemFacts]:
    sides, inputs = _sides(campaign)
    rows = Item.objects.filter(campaign=campaign).order_by("pk")
    columns = rows.values_list(
        "pk", "kind", "segment__testset__name", "segment__key", "segment__document__name",
        "segment__direction", "input_version__name", "context_version__name", "group", "repeat_of",
        "paired_with", "wanted",
    )  # fmt: skip
    numbers: dict[int, int] = {}
    found: dict[int, ItemFacts] = {}
    for number, row in enumerate(columns.iterator(CHUNK), start=1):
        pk, kind, testset, segment, document, direction, input_, context, group, *links, wanted = row
        numbers[pk] = number
        found[pk] = ItemFacts(
            number, kind, testset, segment, document or "", direction, input_ or inputs.get(pk, ""),
            context or "", group, links[0], links[1], wanted, tuple(sides[pk]),
        )  # fmt: skip
    return {
        pk: item._replace(
            repeat_of=numbers.get(item.repeat_of or 0), paired_with=numbers.get(item.paired_with or 0)
        )
        for pk, item in found.items()
    }


def _sides(campaign: Campaign) -> tuple[dict[int, list[Systems]], dict[int, str]]:
    """Return the systems of each item's candidates in order, and the input they were made from."""
    rows = (
        ItemCandidate.objects.filter(item__campaign=campaign)
        .order_by("item_id", "position", "outputs__system__name")
        .values_list("item_id", "position", "outputs__system__name", "outputs__input_version__name")
    )
    names: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    inputs: dict[int, str] = {}
    for item, position, system, input_ in rows.iterator(CHUNK):
        if system is not None and system not in names[item][position]:
            names[item][position].append(system)
        if input_ is not None:
            inputs.setdefault(item, input_)
    sides = defaultdict(
        list, {item: [tuple(one) for _, one in sorted(own.items())] for item, own in names.items()}
    )
    return sides, inputs
