"""What a figure may be: a range or a set of values, and the words that say so."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import pairwise
from typing import Any, Protocol

from mtcore.corpora.names import visible

_SHOWN = 60
_SHOWN_BITS = 128
_LAYOUT = frozenset("\n\t")


class Range(Protocol):
    """Which values a figure may have."""

    def holds(self, value: Any) -> bool:
        """Tell whether a value of the figure's type is allowed."""

    def words(self) -> str:
        """Say what is allowed, after "Write"."""


@dataclass(frozen=True)
class Switch:
    """True or false."""

    def holds(self, value: Any) -> bool:
        """See Range."""
        return isinstance(value, bool)

    def words(self) -> str:
        """See Range."""
        return "true or false"


@dataclass(frozen=True)
class Whole:
    """Whole numbers from `low` to `high`."""

    low: int
    high: int

    def holds(self, value: Any) -> bool:
        """See Range."""
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def words(self) -> str:
        """See Range."""
        return f"a whole number from {self.low:,} to {self.high:,}"


@dataclass(frozen=True)
class Number:
    """Numbers from `low` to `high`; `above` and `below` leave the lowest and the highest out."""

    low: float
    high: float
    above: bool = False
    below: bool = False

    def holds(self, value: Any) -> bool:
        """See Range; what is no number (NaN) is in none."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        inside = self.low <= value <= self.high
        return inside and not (self.above and value == self.low) and not (self.below and value == self.high)

    def words(self) -> str:
        """See Range."""
        first = f"above {self.low:,}" if self.above else f"from {self.low:,}"
        return f"a number {first} {'and below' if self.below else 'to'} {self.high:,}"


@dataclass(frozen=True)
class Numbers:
    """A list of numbers, each in a range; `counts` are the lengths it may have, `rising` orders it."""

    each: Whole | Number
    counts: tuple[int, ...]
    rising: bool = False

    def holds(self, value: Any) -> bool:
        """See Range."""
        if len(value) not in self.counts or not all(map(self.each.holds, value)):
            return False
        return not self.rising or all(one < other for one, other in pairwise(value))

    def words(self) -> str:
        """See Range."""
        counts = f"{self.counts[0]} {'to' if len(self.counts) > 2 else 'or'} {self.counts[-1]}"
        order = ", in rising order" if self.rising else ""
        return f"a list of {counts} numbers, each {self.each.words()}{order}"


@dataclass(frozen=True)
class OneOf:
    """One of some words."""

    values: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        """See Range."""
        return value in self.values

    def words(self) -> str:
        """See Range."""
        return f"one of {', '.join(self.values)}"


@dataclass(frozen=True)
class Text:
    """A text without control characters; with `lines` it may have several lines."""

    least: int
    most: int
    lines: bool = False

    def holds(self, value: Any) -> bool:
        """See Range."""
        if not isinstance(value, str) or not self.least <= len(value) <= self.most:
            return False
        allowed = _LAYOUT if self.lines else frozenset()
        return not any(unicodedata.category(one) in {"Cc", "Cs"} and one not in allowed for one in value)

    def words(self) -> str:
        """See Range."""
        form = "a text" if self.lines else "a text in one line"
        return f"{form} of {self.least:,} to {self.most:,} characters, without control characters"


def figures_in(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Give the dotted name and the value of every figure of a dataclass and of those inside it."""
    for one in fields(values):
        name, value = f"{path}{one.name}", getattr(values, one.name)
        if is_dataclass(value):
            yield from figures_in(value, f"{name}.")
        else:
            yield name, value


def out_of_range(values: Any, ranges: Mapping[str, Range], path: str = "") -> tuple[str, str] | None:
    """Return what is wrong with the first figure that is outside its range, and what to write; or None.

    Args:
        values: a dataclass of figures.
        ranges: dotted name → range; figures of a table inside another are found by the shorter name, too.
        path: what stands before every name.
    """
    for name, value in figures_in(values, path):
        allowed = ranges[name] if name in ranges else ranges[".".join(name.split(".")[-2:])]
        if not allowed.holds(value):
            return f"“{name}” is {shown(value)}.", f"Write {allowed.words()}."
    return None


def shown(value: Any) -> str:
    """Write a value in a message, whatever it is: shortened, its invisible characters visible."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return "a number of more than 38 digits"
    if isinstance(value, str):
        return f"“{brief(value)}”"
    if isinstance(value, list | tuple):
        return brief(f"[{', '.join(map(shown, value[:_SHOWN]))}]")
    return brief(repr(value))


def brief(text: str, most: int = _SHOWN) -> str:
    """Shorten a text for a message and write its invisible characters as `<U+XXXX>`."""
    return visible(text if len(text) <= most else f"{text[:most]}…")
