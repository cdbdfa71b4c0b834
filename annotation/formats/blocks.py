"""Work on rows a block at a time, column by column: what a column holds alike is converted once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

Row = TypeVar("Row", bound=Sequence[Any])
Convert = Callable[[Sequence[Any]], Sequence[Any]]

ROWS = 1000
"""Rows of a block: enough that what is done once a block costs little, few enough to be small in memory."""
FEW = 4
"""Values are converted once each where a block has so many times as many rows as different values."""
HASHED = frozenset({str, int, float, bool, tuple})
"""Types whose equal values are written alike (equal times may have different offsets)."""
MISSING = type(None)


def blocks(rows: Iterable[Row], size: int | None = None) -> Iterator[list[Row]]:
    """Yield rows so many at a time (ROWS when not said)."""
    source = iter(rows)
    while block := list(islice(source, size or ROWS)):
        yield block


def converted(block: Sequence[Sequence[Any]], convert: Convert) -> list[Sequence[Any]]:
    """Return the rows of a block with every column converted; rows may differ in length."""
    width = len(block[0])
    if width and all(len(row) == width for row in block):
        return list(zip(*map(convert, zip(*block, strict=True)), strict=True))
    return [convert(row) for row in block]


def column(
    values: Sequence[Any],
    converters: Mapping[type, Callable[[Any], Any]],
    other: Callable[[Any], Any],
    *,
    plain: frozenset[type] = frozenset(),
    missing: object = None,
) -> Sequence[Any]:
    """Convert the values of a column.

    Args:
        values: The values.
        converters: What converts a value of a type.
        other: What converts a value of any type that is neither here nor there.
        plain: Types whose values stay as they are.
        missing: What stands for None.
    """
    types = set(map(type, values))
    if types <= plain:
        return values
    some = types - {MISSING}
    if len(some) == 1 and some <= HASHED and some.isdisjoint(plain):
        different = set(values)
        if len(different) * FEW <= len(values):
            convert = converters.get(some.pop(), other)
            known = {value: missing if value is None else convert(value) for value in different}
            return [known[value] for value in values]
    if not some:
        return [missing] * len(values)
    if len(types) == 1:
        return list(map(converters.get(types.pop(), other), values))
    return [
        missing
        if value is None
        else value
        if type(value) in plain
        else converters.get(type(value), other)(value)
        for value in values
    ]
