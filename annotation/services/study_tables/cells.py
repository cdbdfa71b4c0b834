"""A filled cell: its value and what is behind it, or why it is empty and the command that fills it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evalplatform.words import quoted

MISSING = "–"

JOINED = frozenset({"--metrics", "--measures"})
"""Options whose values are written in one word, with commas."""


@dataclass(frozen=True)
class Need:
    """A command that would fill cells; those that differ in the values of options only become one.

    Attributes:
        command: name and positional arguments; those in capitals are for the reader to fill in.
        options: name → values.
        group: what else keeps commands apart, as the language pair of a campaign.
    """

    command: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str = ""


@dataclass(frozen=True)
class Link:
    """Where what is behind a cell can be seen.

    Attributes:
        kind: "campaign" (its trace), "preferences", "run" or "result" (the cell's own page).
        campaign: key of the campaign.
        query: of the trace.
        run: number of the run.
    """

    kind: str
    campaign: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    run: int | None = None


@dataclass(frozen=True)
class Shared:
    """A reason that several cells have: said once below a table, with all that it is true of.

    Attributes:
        words: with {what} and {whose} where those of all cells go.
        what: which quantity has no value.
        whose: of which system or text.
    """

    words: str
    what: str = ""
    whose: str = ""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        value: unscaled; None where the cell is empty.
        text: the value as printed.
        behind: what is behind it, in words, a line each.
        signature: how the value was made.
        n: segments, judgements or lines behind it.
        link: where to look.
        reason: why there is no value.
        shared: the same for below the table, where other cells may share it.
        needs: commands that would fill it.
        note: what must be said below the table because of it.
    """

    value: float | None
    text: str
    behind: tuple[str, ...] = ()
    signature: str = ""
    n: int | None = None
    link: Link | None = None
    reason: str = ""
    shared: Shared | None = None
    needs: tuple[Need, ...] = ()
    note: str = ""

    @property
    def is_missing(self) -> bool:
        """Tell whether something could stand here and does not."""
        return self.value is None and not self.text


def missing(reason: str, *needs: Need, shared: Shared | None = None) -> Cell:
    """Return an empty cell."""
    return Cell(None, "", reason=reason, shared=shared, needs=needs)


def nothing(text: str = "N/A") -> Cell:
    """Return a cell in which nothing can stand."""
    return Cell(None, text)


def printed(value: float, digits: int, scale: float = 1.0) -> str:
    """Write a value as the tables print it: with a minus, thousands parted where it is a count."""
    number = round(value * scale, digits) + 0.0
    return (f"{number:,.0f}" if digits == 0 else f"{number:.{digits}f}").replace("-", "−")


def reasons(cells: Iterable[Cell]) -> list[str]:
    """Say why cells are empty, each reason once; those that differ in the system or quantity become one."""
    found: dict[tuple[str, bool], dict[str, dict[str, None]]] = {}
    for cell in cells:
        if cell.is_missing and cell.reason:
            of = cell.shared or Shared(cell.reason)
            found.setdefault((of.words, bool(cell.shared)), {}).setdefault(of.whose, {})[of.what] = None
    told = []
    for (words, is_shared), by_whose in found.items():
        if not is_shared:
            told.append(words)
            continue
        alike: dict[tuple[str, ...], list[str]] = {}
        for whose, own in by_whose.items():
            alike.setdefault(tuple(own), []).append(whose)
        for quantities, names in alike.items():
            told.append(words.replace("{what}", ", ".join(quantities)).replace("{whose}", quoted(names)))
    return told


def commands(needs: Iterable[Need]) -> list[str]:
    """Write the commands of all needs, each once, values of their options united in order."""
    united: dict[tuple[tuple[str, ...], tuple[str, ...], str], dict[str, dict[str, None]]] = {}
    for need in needs:
        options = united.setdefault((need.command, tuple(need.options), need.group), {})
        for name, values in need.options.items():
            options.setdefault(name, {}).update(dict.fromkeys(values))
    return [_line(command, options) for (command, _, _), options in united.items()]


def _line(command: tuple[str, ...], options: Mapping[str, Iterable[str]]) -> str:
    words = ["manage.py", *map(_word, command)]
    for name, values in options.items():
        words.append(name)
        words += [_word(",".join(values))] if name in JOINED else map(_word, values)
    return " ".join(words)


def _word(text: str) -> str:
    """Quote a word for a shell; what stands for something else stays as it is."""
    return text if text.isupper() and text.isascii() and text.isalpha() else shlex.quote(text)
