"""Read single cells of judgement files: kinds, scores, times, names."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from annotation.formats.base import FormatError, ParseOptions, Systems
from mtcore.corpora.names import JOINER, InvalidName, check_name, visible

KINDS = {
    "system": "system",
    "reference": "reference",
    "bad_reference": "bad_reference",
    "repeat": "repeat",
    "practice": "practice",
    "attention": "attention",
    # WMT, by Mechanical Turk
    "ref": "reference",
    "bad_ref": "bad_reference",
    # Appraise
    "tgt": "system",
    "chk": "repeat",
    "bad": "bad_reference",
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_SCALE = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)", re.ASCII)
_SHOWN = 60
_EARLIEST_SECONDS = 1e9
_EARLIEST_MILLISECONDS = 1e12


class Cells:
    """Read the cells of one file, so that every message names file and line, and count what is left out."""

    def __init__(self, name: str, options: ParseOptions, *, decimal_comma: bool = False) -> None:
        self.name = name
        self.options = options
        self.decimal_comma = decimal_comma
        self.skipped_kinds: Counter[str] = Counter()
        self._names: dict[tuple[str, str], str] = {}
        self._kinds: dict[str, str | None] = {}
        self._kept: dict[str, str] = {}
        self._systems: dict[str, Systems] = {}

    def error(self, line: int | None, message: str, remedy: str) -> FormatError:
        """Make the error for a line of this file."""
        return FormatError(message, file=self.name, line=line, remedy=remedy)

    def keep(self, text: str) -> str:
        """Return the same object for equal texts, so that millions of rows share their ids."""
        return self._kept.setdefault(text, text)

    def name_of(self, text: str, what: str, line: int) -> str:
        """Return a name verbatim, checked once per name."""
        key = (what, text)
        if key not in self._names:
            try:
                self._names[key] = check_name(text, what)
            except InvalidName as error:
                raise self.error(line, str(error), "Rename it in the file.") from error
        return self._names[key]

    def systems(self, text: str, line: int) -> Systems:
        """Split a cell of ours at `|`, which joins merged systems."""
        if text not in self._systems:
            systems = tuple(self.name_of(part, "system", line) for part in text.split(JOINER))
            if len(set(systems)) < len(systems):
                raise self.error(
                    line, f"“{shown(text)}” names a system twice", "Name each merged system once."
                )
            self._systems[text] = systems
        return self._systems[text]

    def kind(self, text: str, line: int) -> str | None:
        """Translate an item kind; None tells the caller to skip the row, which is counted.

        Raises:
            FormatError: the kind is unknown and unknown kinds are refused.
        """
        if text not in self._kinds:
            self._kinds[text] = KINDS.get(text.strip().lower())
        kind = self._kinds[text]
        if kind is None:
            if self.options.unknown_kinds == "refuse":
                known = ", ".join(sorted(KINDS))
                raise self.error(
                    line,
                    f"unknown item kind “{shown(text)}”",
                    f"Known are: {known}. Or leave such rows out with --unknown-kinds=skip.",
                )
            self.skipped_kinds[text] += 1
        return kind

    def score(self, text: str, line: int, scale: tuple[float, float] | None) -> float:
        """Read a score with a decimal point, or a decimal comma where semicolons separate the columns.

        Raises:
            FormatError: not a (finite) number, or outside the scale.
        """
        number = text.strip()
        if self.decimal_comma and _DECIMAL_COMMA.fullmatch(number):
            number = number.replace(",", ".")
        score = float(number) if _NUMBER.fullmatch(number) else math.nan
        if not math.isfinite(score):
            what = f"the score “{shown(text)}” is not a number" if number else "the score is empty"
            raise self.error(line, what, "Write scores as plain numbers, such as 72 or 72.5.")
        if scale is not None and not scale[0] <= score <= scale[1]:
            low, high = (f"{bound:g}" for bound in scale)
            raise self.error(
                line,
                f"the score {score:g} is outside the scale {low}–{high}",
                "Correct it, or give the scale.",
            )
        return score

    def time(self, text: str, line: int) -> datetime | None:
        """Read a point in time: ISO 8601 with offset, or Unix time in seconds or milliseconds; None if empty.

        Raises:
            FormatError: neither, or without an offset.
        """
        if not text:
            return None
        if _NUMBER.fullmatch(text):
            seconds = float(text)
            if seconds >= _EARLIEST_MILLISECONDS:
                seconds /= 1000
            if not _EARLIEST_SECONDS <= seconds < _EARLIEST_MILLISECONDS / 10:
                raise self.error(
                    line, f"“{shown(text)}” is no point in time", "Give Unix seconds or ISO 8601."
                )
            return datetime.fromtimestamp(seconds, tz=UTC)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            raise self.error(
                line, f"“{shown(text)}” is no time", "Write times as 2024-05-01T10:00:00+02:00."
            ) from error
        if moment.tzinfo is None:
            raise self.error(
                line, f"the time “{text}” has no offset", "Write times as 2024-05-01T10:00:00+02:00."
            )
        return moment

    def whole(self, text: str, what: str, line: int, most: int) -> int:
        """Read a whole number from 0 to `most`.

        Raises:
            FormatError: anything else.
        """
        if not (text.isascii() and text.isdigit()):
            raise self.error(line, f"{what} “{shown(text)}” is not a whole number", "Correct the cell.")
        digits = text.lstrip("0") or "0"
        if len(digits) > len(str(most)) or int(digits) > most:
            raise self.error(line, f"{what} {shown(digits)} is above {most:,}", "Correct the cell.")
        return int(digits)

    def notices(self) -> list[str]:
        """Report the rows skipped for their kind."""
        return [
            f"{self.name}: skipped {_rows(count)} of unknown kind “{shown(kind)}”"
            for kind, count in sorted(self.skipped_kinds.items())
        ]


def shown(text: str) -> str:
    """Return the beginning of a cell for a message: in one line, invisible characters made visible."""
    return visible(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")


def parse_scale(text: str) -> tuple[float, float]:
    """Read "1-100" or "-25-0": the lowest and the highest score.

    Raises:
        FormatError: not two numbers, or not in rising order.
    """
    match = _SCALE.fullmatch(text)
    low, high = (float(match[1]), float(match[2])) if match else (math.nan, math.nan)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise FormatError(
            f"“{shown(text)}” is no scale", remedy="Write it as low-high, such as 0-100 or -25-0."
        )
    return low, high


def is_duration(text: str) -> bool:
    """Tell a number too small for a point in time (before September 2001): seconds spent."""
    return bool(_NUMBER.fullmatch(text)) and 0 <= float(text) < _EARLIEST_SECONDS


def split_joined(text: str, known: Collection[str]) -> Systems | None:
    """Split "A+B" into known systems; names may hold a plus themselves ("Transformer+R2L").

    Returns:
        The systems, longest names first tried, or None when no split into known systems exists.
    """
    if text in known:
        return (text,)
    parts = text.split("+")
    found: dict[int, Systems] = {len(parts): ()}
    for start in range(len(parts) - 1, -1, -1):
        for end in range(len(parts), start, -1):
            name = "+".join(parts[start:end])
            if end in found and name in known:
                found[start] = (name, *found[end])
                break
    return found.get(0)


def only_one(
    found: dict[str, int], what: str, error: Callable[[int | None, str, str], FormatError]
) -> str | None:
    """Return the single value of a column that must not change, or None when there is none.

    Args:
        found: Value → first line it stands on.
        what: What the column holds, in the plural.
        error: Makes the error (`Cells.error`).

    Raises:
        FormatError: several values.
    """
    if len(found) > 1:
        values = list(found)
        raise error(
            found[values[1]],
            f"holds several {what}: {', '.join(values[:5])}{' …' if len(values) > 5 else ''}",
            "Split the file: a campaign has one of them.",
        )
    return next(iter(found), None)


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"
