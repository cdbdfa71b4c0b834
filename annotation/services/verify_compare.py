"""Compare stored scores with recomputed ones, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

TOLERANCE = 1e-9
"""Relative and absolute; what another processor or library may change in the last digits."""

ROW_KEYS = {
    "systems": ("system", "testset", "input", "reference", "direction"),
    "pairs": ("system_a", "system_b", "testset", "input", "reference", "direction"),
    "raters": ("rater",),
    "groups": ("protocol", "languages", "campaigns"),
}
"""What tells the rows of a part of a result apart."""

ABSENT = "(absent)"


@dataclass(frozen=True)
class Difference:
    """One place where a package is not what it should be."""

    file: str
    where: str
    field: str
    stored: Any
    recomputed: Any

    def __str__(self) -> str:
        place = f"{self.file}: {self.where}: " if self.where else f"{self.file}: "
        return f"{place}{self.field} is {_short(self.stored)}, recomputed {_short(self.recomputed)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"


class Comparison:
    """Compare values and count the numbers that were looked at.

    Args:
        other_version: the stored values were made by another version of the platform: what only this version
            says is passed over. Everything that is stored is compared.
    """

    def __init__(self, *, other_version: bool = False) -> None:
        self.other_version = other_version
        self.differences: list[Difference] = []
        self.n_numbers = 0

    def add(self, file: str, where: str, field: str, stored: Any, recomputed: Any) -> None:
        """Note a difference."""
        self.differences.append(Difference(file, where, field, stored, recomputed))

    def value(self, file: str, where: str, field: str, stored: Any, fresh: Any) -> None:
        """Compare two values of any shape."""
        if isinstance(stored, Mapping) and isinstance(fresh, Mapping):
            for key in dict.fromkeys([*fresh, *stored]):
                if self.other_version and key not in stored:
                    continue
                inner = f"{field}.{key}" if field else key
                self.value(file, where, inner, stored.get(key, ABSENT), fresh.get(key, ABSENT))
        elif isinstance(stored, list) and isinstance(fresh, list):
            self._lists(file, where, field, stored, fresh)
        elif _is_number(stored) and _is_number(fresh):
            self.n_numbers += 1
            if not isclose(stored, fresh, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                self.add(file, where, field, stored, fresh)
        elif type(stored) is not type(fresh) or stored != fresh:
            self.add(file, where, field, stored, fresh)

    def _lists(self, file: str, where: str, field: str, stored: list[Any], fresh: list[Any]) -> None:
        keys = ROW_KEYS.get(field.rsplit(".", 1)[-1])
        if keys and all(isinstance(row, Mapping) for row in (*stored, *fresh)):
            self._rows(file, where, keys, stored, fresh)
        elif len(stored) != len(fresh):
            self.add(file, where, field, stored, fresh)
        else:
            for number, (old, new) in enumerate(zip(stored, fresh, strict=True)):
                self.value(file, where, f"{field}[{number}]", old, new)

    def _rows(self, file: str, where: str, keys: Sequence[str], stored: list[Any], fresh: list[Any]) -> None:
        """Compare rows by what they are about, whatever their order."""
        old, new = (dict(_named(rows, keys)) for rows in (stored, fresh))
        for name in dict.fromkeys([*new, *old]):
            place = f"{where}, {name}" if where else name
            if name not in old or name not in new:
                row = "present", ABSENT
                self.add(file, place, "the row", *(row if name in old else row[::-1]))
            else:
                self.value(file, place, "", old[name], new[name])


def _named(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    seen: dict[str, int] = {}
    for row in rows:
        parts = [row.get(key) for key in keys]
        name = " · ".join(
            ", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in parts if one
        )
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name} #{seen[name]}"), row


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
