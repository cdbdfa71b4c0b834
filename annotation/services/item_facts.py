"""Read what an export says about items, some at a time: memory hardly grows with the campaign."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from annotation.models import Campaign, CampaignOutput, Item, ItemCandidate
from mtcore.models import Segment, TextVersion

CHUNK = 2000
KEPT = 5000
"""How many facts of one sort are remembered before they are read again."""

Systems = tuple[str, ...]
Credits = tuple[tuple[Systems, ...], str]
Row = tuple[Any, ...]
IntArray = npt.NDArray[np.int64] | npt.NDArray[np.int32]
T = TypeVar("T")

ITEM_COLUMNS = (
    "pk", "segment_id", "kind", "input_version_id", "context_version_id", "group", "repeat_of_id",
    "paired_with_id",
)  # fmt: skip
"""What `ItemReader.facts` needs of an item."""


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
    sides: tuple[Systems, ...]

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Return test set, segment key, input and context."""
        return (self.testset, self.segment, self.input, self.context)


class ItemColumns(NamedTuple):
    """What answers to several items share: the fields of ItemFacts, each as a column."""

    number: Sequence[int]
    kind: Sequence[str]
    testset: Sequence[str]
    segment: Sequence[str]
    document: Sequence[str]
    direction: Sequence[str]
    input: Sequence[str]
    context: Sequence[str]
    group: Sequence[str]
    repeat_of: Sequence[int | None]
    paired_with: Sequence[int | None]
    sides: Sequence[tuple[Systems, ...]]


class ItemReader:
    """Turn rows of items into facts; for the whole campaign only a code is held (4 bytes an item)."""

    def __init__(self, campaign: Campaign) -> None:
        self._items = Item.objects.counted().filter(campaign=campaign).order_by("pk")
        self._numbers = _Numbers(self._items.values_list("pk", flat=True).iterator(CHUNK))
        self._codes, self._sides = self._credits(campaign)
        self._segments = _Known(_segments)
        self._versions = _Known(_versions)

    def all(self, **conditions: object) -> Iterator[tuple[int, ItemFacts]]:
        """Read all items, or those under a condition, in order: database id and facts of each."""
        rows = self._items.filter(**conditions).values_list(*ITEM_COLUMNS).iterator(CHUNK)
        for some in chunks(rows):
            yield from zip((row[0] for row in some), self.facts(some), strict=True)

    def facts(self, rows: Sequence[Row]) -> Iterator[ItemFacts]:
        """Return the facts of some items of the campaign.

        Args:
            rows: ITEM_COLUMNS of each, at least one row.
        """
        return map(ItemFacts._make, zip(*self.columns(tuple(zip(*rows, strict=True))), strict=True))

    def columns(self, given: Sequence[Sequence[Any]]) -> ItemColumns:
        """Return the facts of some items of the campaign as columns.

        Args:
            given: the columns ITEM_COLUMNS of them, at least one row long.
        """
        pks, segment_ids, kinds, inputs, contexts, groups, repeats, pairs = given
        segments = self._segments.of(segment_ids)
        versions = self._versions.of((*inputs, *contexts))
        numbers = self._numbers.of(pks)
        credited = [self._sides[code] for code in self._codes[numbers].tolist()]
        testsets, keys, documents, directions = zip(*map(segments.__getitem__, segment_ids), strict=True)
        return ItemColumns(
            numbers.tolist(), kinds, testsets, keys, documents, directions,
            [versions.get(own) or made_from for own, (_, made_from) in zip(inputs, credited, strict=True)],
            [versions.get(context, "") for context in contexts], groups, self._number(repeats),
            self._number(pairs), [sides for sides, _ in credited],
        )  # fmt: skip

    def _number(self, pks: Sequence[int | None]) -> list[int | None]:
        """Return the numbers of items, None for those that are not of the campaign."""
        if not any(pks):
            return [None] * len(pks)
        return [number or None for number in self._numbers.of([pk or 0 for pk in pks]).tolist()]

    def _credits(self, campaign: Campaign) -> tuple[IntArray, list[Credits]]:
        """Return a code by number of item, and what it stands for: systems by candidate, and the input.

        Campaigns credit their many items in few ways, so each way is held once.
        """
        outputs = CampaignOutput.objects.filter(campaign=campaign).order_by("system__name", "pk")
        rows = outputs.values_list("pk", "system__name", "input_version__name")
        named = {pk: (system, input_) for pk, system, input_ in rows}
        place = {pk: at for at, pk in enumerate(named)}
        links = ItemCandidate.outputs.through.objects.filter(itemcandidate__item__campaign=campaign)
        credited = links.order_by("itemcandidate__item_id").values_list(
            "itemcandidate__item_id", "itemcandidate__position", "campaignoutput_id"
        )
        ways: list[tuple[tuple[int, int], ...]] = [()]
        longer: dict[tuple[int, int, int], int] = {}
        codes = np.zeros(self._numbers.count + 1, dtype=np.int32)

        def code(so_far: int, position: int, output: int) -> int:
            found = longer.get((so_far, position, output))
            if found is None:
                found = longer[so_far, position, output] = len(ways)
                ways.append((*ways[so_far], (position, output)))
            return found

        for some in chunks(credited.iterator(CHUNK)):
            items, positions, credits_ = zip(*some, strict=True)
            numbers = self._numbers.of(items)
            if len(set(items)) == len(items) and not codes[numbers].any():
                codes[numbers] = list(map(code, repeat(0), positions, credits_))
                continue
            for number, position, output in zip(numbers.tolist(), positions, credits_, strict=True):
                codes[number] = code(int(codes[number]), position, output)
        in_order = (sorted((position, place[pk], pk) for position, pk in way) for way in ways)
        return codes, [_credits([(position, *named[pk]) for position, _, pk in way]) for way in in_order]


def _credits(candidates: Sequence[tuple[int, str, str | None]]) -> Credits:
    """Return the systems of each candidate, and the first input, of (position, system, input) in order."""
    sides: dict[int, dict[str, None]] = defaultdict(dict)
    for position, system, _ in candidates:
        sides[position][system] = None
    inputs = (input_ for _, _, input_ in candidates if input_)
    return tuple(tuple(own) for own in sides.values()), next(inputs, "")


def chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows CHUNK at a time."""
    source = iter(rows)
    while some := list(islice(source, CHUNK)):
        yield some


class _Numbers:
    """Number ids from 1; what is held are runs of ids without a gap, as an import makes them."""

    def __init__(self, pks: Iterable[int]) -> None:
        starts, befores = array("q", [0]), array("q", [0])
        self.count, last = 0, 0
        for pk in pks:
            if pk != last + 1 or not self.count:
                starts.append(pk)
                befores.append(self.count)
            self.count, last = self.count + 1, pk
        self._starts = np.frombuffer(starts, dtype=np.int64)
        self._befores = np.frombuffer(befores, dtype=np.int64)
        self._sizes = np.diff(self._befores, append=self.count)

    def of(self, pks: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the numbers of ids, 0 for unknown ones [n]."""
        wanted = np.array(pks, dtype=np.int64)
        run = np.searchsorted(self._starts, wanted, side="right") - 1
        within = wanted - self._starts[run]
        return np.where(within < self._sizes[run], self._befores[run] + within + 1, 0)


class _Known(Generic[T]):
    """Facts by database id, read when they are first asked for; not many are kept."""

    def __init__(self, read: Callable[[set[int]], Mapping[int, T]]) -> None:
        self._read = read
        self._found: dict[int, T] = {}

    def of(self, pks: Iterable[int | None]) -> Mapping[int, T]:
        """Return a mapping that holds the facts of all these ids."""
        wanted = {pk for pk in pks if pk is not None}
        missing = wanted - self._found.keys()
        if missing and len(self._found) + len(missing) > KEPT:
            self._found.clear()
            missing = wanted
        if missing:
            self._found.update(self._read(missing))
        return self._found


def _segments(pks: set[int]) -> dict[int, tuple[str, str, str, str]]:
    """Return test set, key, document and direction of segments."""
    rows = Segment.objects.filter(pk__in=pks).order_by()
    columns = rows.values_list("pk", "testset__name", "key", "document__name", "direction")
    return {
        pk: (testset, key, document or "", direction) for pk, testset, key, document, direction in columns
    }


def _versions(pks: set[int]) -> dict[int, str]:
    return dict(TextVersion.objects.filter(pk__in=pks).order_by().values_list("pk", "name"))
