"""The door every format's rows go through: what a row may hold, whatever file it comes from.

The limits are those of the columns the values are stored in, so that a file is refused with its line and not
by the database, and by every database alike.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from operator import attrgetter

from annotation.formats.base import ComparisonRow, FormatError, ParsedJudgements, RatingRow
from mtcore.corpora.names import InvalidName, check_name

MAX_LENGTHS = {
    "segment": 200, "document": 500, "group": 200, "excluded_by": 300, "comment": 5000,
    "judgement": 200, "item": 200, "repeat_of": 200, "paired_with": 200,
}  # fmt: skip
"""Field → most characters. The last four are ids within the file, which are not stored as they are."""
MAX_NUMBERS = {"round": 2**15 - 1, "position": 2**31 - 1}
MAX_ACTIVE_MS = 2**31 - 1
EARLIEST = datetime(2, 1, 1, tzinfo=UTC)
LATEST = datetime(9998, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
"""Points in time that every time zone can express."""
DIRECTIONS = ("", "direct", "reverse")
_NAMES = {"testset": "test set", "input": "version", "context": "version"}
_texts_of = attrgetter(*MAX_LENGTHS)
_SHORTEN = {"comment": "Shorten it.", "excluded_by": "Shorten it."}

Row = RatingRow | ComparisonRow


def require_sound(parsed: ParsedJudgements, name: str) -> ParsedJudgements:
    """Refuse a file that holds no judgement, or a row that cannot be kept; every format ends with this.

    Args:
        parsed: What a format made of the file.
        name: What messages call the file.

    Raises:
        FormatError: neither ratings nor comparisons; or a text that is too long or holds NUL, a number or
            time out of range, a name we cannot keep, a system merged with or held against itself.
    """
    if not parsed.ratings and not parsed.comparisons:
        why = f" ({'; '.join(parsed.notices)})" if parsed.notices else ""
        raise FormatError(f"holds no judgement{why}", file=name, remedy="Check that this is the right file.")
    _Door(name).check(parsed.rows)
    return parsed


class _Door:
    """Check rows; names and systems once for each value."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.names: set[tuple[str, str]] = set()
        self.systems: set[tuple[tuple[str, ...], ...]] = set()

    def check(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._check_texts(row)
            self._check_numbers(row)
            sides = (row.systems,) if isinstance(row, RatingRow) else (row.left, row.right)
            if sides not in self.systems:
                self._check_systems(sides, row)
                self.systems.add(sides)

    def _error(self, row: Row, message: str, remedy: str) -> FormatError:
        return FormatError(message, file=self.name, line=row.line, remedy=remedy)

    def _check_texts(self, row: Row) -> None:
        for field, text in zip(MAX_LENGTHS, _texts_of(row), strict=True):
            if text and (len(text) > MAX_LENGTHS[field] or "\0" in text):
                raise self._text_error(field, text, row)
        for field, what in _NAMES.items():
            text = getattr(row, field)
            if text and (what, text) not in self.names:
                self._check_name(text, what, row)

    def _text_error(self, field: str, text: str, row: Row) -> FormatError:
        if "\0" in text:
            return self._error(row, f"the {field} holds a NUL character", "Remove it.")
        return self._error(
            row,
            f"the {field} has {len(text):,} characters; {MAX_LENGTHS[field]:,} are allowed",
            _SHORTEN.get(field, "Give it a shorter id."),
        )

    def _check_name(self, text: str, what: str, row: Row) -> None:
        try:
            check_name(text, what)
        except InvalidName as error:
            raise self._error(row, str(error), "Rename it in the file.") from error
        self.names.add((what, text))

    def _check_numbers(self, row: Row) -> None:
        for field, most in MAX_NUMBERS.items():
            number = getattr(row, field)
            if number is not None and not 0 <= number <= most:
                raise self._error(row, f"the {field} {number} is not from 0 to {most:,}", "Correct it.")
        if row.seconds is not None and not 0 <= row.seconds * 1000 <= MAX_ACTIVE_MS:
            raise self._error(
                row,
                f"the time spent, {row.seconds:g} seconds, is not from 0 to {MAX_ACTIVE_MS / 1000:,.0f}",
                "Correct it, or leave it out.",
            )
        for moment in (row.time_start, row.time_end):
            if moment is not None and not EARLIEST <= moment <= LATEST:
                raise self._error(
                    row,
                    f"the time {moment.isoformat()} cannot be kept",
                    "Correct it: years run from 2 to 9998.",
                )
        if row.direction not in DIRECTIONS:
            raise self._error(
                row, f"the direction is “{row.direction[:30]}”", "Write direct, reverse or nothing."
            )

    def _check_systems(self, sides: tuple[tuple[str, ...], ...], row: Row) -> None:
        for system in (system for side in sides for system in side):
            if ("system", system) not in self.names:
                self._check_name(system, "system", row)
        for side in sides:
            twice = next((one for one in side if side.count(one) > 1), None)
            if twice is not None:
                raise self._error(row, f"{twice} is merged with itself", "Name each merged system once.")
        both = set(sides[0]).intersection(*sides[1:]) if len(sides) > 1 else set()
        if both:
            raise self._error(
                row,
                f"{min(both)} is held against itself",
                "Give two different systems, or remove the row.",
            )
