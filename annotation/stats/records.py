"""The statistical records made from judgements, and their columnar form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Winner = Literal["left", "right", "equal"]
T = TypeVar("T")

KINDS = ("system", "reference", "bad_reference", "repeat", "practice", "attention")


class RecordError(ValueError):
    """Records that contradict themselves or each other."""


class Entry(NamedTuple):
    """What is ranked: a system, and its condition when scores are cut by condition."""

    system: str
    testset: str | None = None
    input: str | None = None
    reference: str | None = None
    direction: str | None = None

    @property
    def condition(self) -> tuple[str | None, str | None, str | None, str | None]:
        """Return (testset, input, reference, direction)."""
        return self[1:]


class Rating(NamedTuple):
    """One score of one rater for one item.

    `systems` holds several entries when identical outputs were merged: it is one rating of the rater,
    credited to each of them. `excluded_by` is the reason why a person excluded the rater ("" when nobody
    did). A rating with `in_averages` False leaves the averages but stays in its rater's mean and spread.
    """

    rater: str
    systems: tuple[Entry, ...]
    segment: Hashable
    testset: str
    score: float
    kind: str = "system"
    excluded_by: str = ""
    in_averages: bool = True


class Comparison(NamedTuple):
    """One choice of one rater between two candidates, each the output of one or more (identical) systems."""

    rater: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    segment: Hashable
    testset: str
    winner: Winner
    excluded_by: str = ""


class IdenticalPair(NamedTuple):
    """A segment on which two systems gave the same text, so the pair was never shown."""

    system_a: str
    system_b: str
    segment: Hashable
    testset: str = ""


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings as columns: n ratings by R raters over S segments, with m credits to E entries.

    Attributes:
        rater: codes into `raters` [n].
        segment: codes into `segments` [n].
        kind: codes into KINDS [n].
        score: raw scores [n], finite.
        credit_rating: the rating of each credit, a row number [m].
        credit_entry: the entry of each credit, a code into `entries` [m].
        raters: names [R].
        segments: (test set, segment key) [S].
        entries: what the ratings are credited to [E].
        excluded_by: why a person excluded the rater, "" when nobody did [R]; empty means nobody was excluded.
        in_averages: False where a rating counts for its rater's mean and spread only [n]; None means all
            count.
    """

    rater: IntArray
    segment: IntArray
    kind: IntArray
    score: FloatArray
    credit_rating: IntArray
    credit_entry: IntArray
    raters: Sequence[str]
    segments: Sequence[tuple[str, Hashable]]
    entries: Sequence[Entry]
    excluded_by: Sequence[str] = ()
    in_averages: BoolArray | None = None

    def __post_init__(self) -> None:
        """Bring the columns to their types and check them.

        Raises:
            RecordError: lengths differ, a code is out of range, or a score is not finite.
        """
        for name in ("rater", "segment", "kind", "credit_rating", "credit_entry"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int64))
        object.__setattr__(self, "score", np.asarray(self.score, dtype=np.float64))
        n = len(self.score)
        flags = (
            np.ones(n, dtype=bool) if self.in_averages is None else np.asarray(self.in_averages, dtype=bool)
        )
        object.__setattr__(self, "in_averages", flags)
        if not self.excluded_by:
            object.__setattr__(self, "excluded_by", ("",) * len(self.raters))
        self._check(n)

    def _check(self, n: int) -> None:
        if {len(self.rater), len(self.segment), len(self.kind), len(self.averaged)} != {n}:
            raise RecordError("the columns of the rating table have different lengths")
        if len(self.credit_rating) != len(self.credit_entry):
            raise RecordError("the credit columns of the rating table have different lengths")
        if len(self.excluded_by) != len(self.raters):
            raise RecordError(f"{len(self.raters)} raters, but {len(self.excluded_by)} exclusion reasons")
        limits = (
            ("rater", self.rater, len(self.raters)),
            ("segment", self.segment, len(self.segments)),
            ("kind", self.kind, len(KINDS)),
            ("credit_rating", self.credit_rating, n),
            ("credit_entry", self.credit_entry, len(self.entries)),
        )
        for name, codes, limit in limits:
            if codes.size and (codes.min() < 0 or codes.max() >= limit):
                raise RecordError(f"the column {name} has a code outside 0 to {limit - 1}")
        if not np.isfinite(self.score).all():
            row = int(np.flatnonzero(~np.isfinite(self.score))[0])
            raise RecordError(
                f"rating {row + 1} has the score {self.score[row]}, a finite number was expected"
            )

    @property
    def averaged(self) -> BoolArray:
        """Return `in_averages` with its default filled in [n]."""
        assert self.in_averages is not None  # noqa: S101 (set in __post_init__)
        return self.in_averages

    @classmethod
    def from_ratings(cls, ratings: Iterable[Rating]) -> RatingTable:
        """Build the table row by row, in canonical order.

        Raises:
            RecordError: an unknown kind, or a score that is not a finite number.
        """
        columns: tuple[list[int], list[int], list[int], list[float], list[bool]] = ([], [], [], [], [])
        credit_rating: list[int] = []
        credit_entry: list[int] = []
        raters: dict[str, int] = {}
        segments: dict[tuple[str, Hashable], int] = {}
        entries: dict[Entry, int] = {}
        excluded: dict[str, str] = {}
        kinds = {kind: code for code, kind in enumerate(KINDS)}
        for row, rating in enumerate(ratings):
            if rating.kind not in kinds:
                raise RecordError(
                    f"rating {row + 1} has the kind {rating.kind!r}, expected one of {', '.join(KINDS)}"
                )
            columns[0].append(raters.setdefault(rating.rater, len(raters)))
            columns[1].append(segments.setdefault((rating.testset, rating.segment), len(segments)))
            columns[2].append(kinds[rating.kind])
            columns[3].append(rating.score)
            columns[4].append(rating.in_averages)
            for entry in rating.systems:
                credit_rating.append(row)
                credit_entry.append(entries.setdefault(entry, len(entries)))
            if rating.excluded_by:
                excluded[rating.rater] = max(rating.excluded_by, excluded.get(rating.rater, ""))
        rater, segment, kind, score, averaged = (np.array(column) for column in columns)
        table = cls(
            rater, segment, kind, score, np.array(credit_rating), np.array(credit_entry),
            tuple(raters), tuple(segments), tuple(entries),
            tuple(excluded.get(name, "") for name in raters), averaged,
        )  # fmt: skip
        return table.canonical()

    def canonical(self) -> RatingTable:
        """Return the same ratings in an order that does not depend on how they arrived.

        Names are sorted (equal ones united), rows sorted by rater, segment, kind and score, and a rating
        credited twice to one entry is credited once; so sums and resamples are the same, bit by bit, for any
        order of rows.
        """
        raters, rater_code = _sorted_codes(self.raters, str)
        segments, segment_code = _sorted_codes(self.segments, _segment_key)
        entries, entry_code = _sorted_codes(self.entries, _entry_key)
        reasons = [""] * len(raters)
        for old, reason in enumerate(self.excluded_by):
            reasons[rater_code[old]] = max(reasons[rater_code[old]], reason)
        rater, segment = rater_code[self.rater], segment_code[self.segment]
        key = (rater * max(1, len(segments)) + segment) * len(KINDS) + self.kind
        order = np.lexsort((self.averaged, self.score, key))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        width = max(1, len(entries))
        credit = np.unique(place[self.credit_rating] * width + entry_code[self.credit_entry])
        return RatingTable(
            rater[order], segment[order], self.kind[order], self.score[order],
            credit // width, credit % width, raters, segments, entries, tuple(reasons), self.averaged[order],
        )  # fmt: skip

    def by_system(self) -> RatingTable:
        """Return the table with conditions forgotten: each entry is its system alone."""
        return replace(self, entries=tuple(Entry(entry.system) for entry in self.entries))


def _segment_key(segment: tuple[str, Hashable]) -> tuple[str, str, Any]:
    testset, key = segment
    sortable = key if isinstance(key, str | int) and not isinstance(key, bool) else repr(key)
    return testset, type(sortable).__name__, sortable


def _entry_key(entry: Entry) -> tuple[tuple[bool, str], ...]:
    return tuple((part is not None, part or "") for part in entry)


def _sorted_codes(names: Sequence[T], key: Any) -> tuple[tuple[T, ...], IntArray]:
    """Return the distinct names sorted, and the new code of each old one [len(names)]."""
    unique = tuple(sorted(set(names), key=key))
    code = {name: place for place, name in enumerate(unique)}
    return unique, np.array([code[name] for name in names], dtype=np.int64)
