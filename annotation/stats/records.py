"""The statistical records made from judgements, and their columnar form."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.stats.codes import FloatArray, IntArray, distinct, row_order, sorted_codes

BoolArray = npt.NDArray[np.bool_]
Winner = Literal["left", "right", "equal"]

KINDS = ("system", "reference", "bad_reference", "repeat", "practice", "attention")

KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}


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
    did). A rating with `in_averages` False leaves the averages but stays in its rater's mean and spread. A
    rating of another campaign, given for its rater's mean and spread only, has no `systems` at all.
    `document` is what the segment belongs to, None when unknown. `round` is 1, and 2 when the item was judged
    again.
    """

    rater: str
    systems: tuple[Entry, ...]
    segment: Hashable
    testset: str
    score: float
    kind: str = "system"
    excluded_by: str = ""
    in_averages: bool = True
    document: Hashable | None = None
    round: int = 1


class Comparison(NamedTuple):
    """One choice of one rater between two candidates, each the output of one or more (identical) systems.

    `document` is what the segment belongs to, None when unknown.
    """

    rater: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    segment: Hashable
    testset: str
    winner: Winner
    excluded_by: str = ""
    document: Hashable | None = None


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
        round: 1, or 2 for a rating of an item that was judged again [n]; None means all are of round 1.
        documents: the document of each segment, None where unknown [S]; empty means all are unknown.
        origin: the id of what each rating was made from, −1 where unknown [n]; None means all are unknown. It
            stays with its rating whatever is done to the table, and counts for nothing.
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
    round: IntArray | None = None
    documents: Sequence[Hashable | None] = ()
    origin: IntArray | None = None

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
        rounds = np.ones(n, dtype=np.int64) if self.round is None else np.asarray(self.round, dtype=np.int64)
        object.__setattr__(self, "round", rounds)
        origin = np.full(n, -1) if self.origin is None else self.origin
        object.__setattr__(self, "origin", np.asarray(origin, dtype=np.int64))
        if not self.documents:
            object.__setattr__(self, "documents", (None,) * len(self.segments))
        if not self.excluded_by:
            object.__setattr__(self, "excluded_by", ("",) * len(self.raters))
        self._check(n)

    def _check(self, n: int) -> None:
        columns = (self.rater, self.segment, self.kind, self.averaged, self.rounds, self.origins)
        if {len(column) for column in columns} != {n}:
            raise RecordError("the columns of the rating table have different lengths")
        if len(self.credit_rating) != len(self.credit_entry):
            raise RecordError("the credit columns of the rating table have different lengths")
        if len(self.excluded_by) != len(self.raters):
            raise RecordError(f"{len(self.raters)} raters, but {len(self.excluded_by)} exclusion reasons")
        if len(self.documents) != len(self.segments):
            raise RecordError(f"{len(self.segments)} segments, but {len(self.documents)} documents")
        if n and self.rounds.min() < 1:
            raise RecordError(f"a rating has the round {self.rounds.min()}, expected 1 or more")
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

    @property
    def rounds(self) -> IntArray:
        """Return `round` with its default filled in [n]."""
        assert self.round is not None  # noqa: S101 (set in __post_init__)
        return self.round

    @property
    def origins(self) -> IntArray:
        """Return `origin` with its default filled in [n]."""
        assert self.origin is not None  # noqa: S101 (set in __post_init__)
        return self.origin

    @classmethod
    def from_ratings(cls, ratings: Iterable[Rating]) -> RatingTable:
        """Build the table row by row, in canonical order.

        Raises:
            RecordError: an unknown kind, or a score that is not a finite number.
        """
        rater: list[int] = []
        segment: list[int] = []
        kind: list[int] = []
        credit_rating: list[int] = []
        credit_entry: list[int] = []
        raters: dict[str, int] = {}
        segments: dict[tuple[str, Hashable], int] = {}
        entries: dict[Entry, int] = {}
        excluded: dict[str, str] = {}
        documents: dict[int, Hashable] = {}
        rows = list(ratings)
        for row, rating in enumerate(rows):
            if rating.kind not in KIND_CODES:
                raise RecordError(
                    f"rating {row + 1} has the kind {rating.kind!r}, expected one of {', '.join(KINDS)}"
                )
            rater.append(raters.setdefault(rating.rater, len(raters)))
            segment.append(segments.setdefault((rating.testset, rating.segment), len(segments)))
            kind.append(KIND_CODES[rating.kind])
            for entry in rating.systems:
                credit_rating.append(row)
                credit_entry.append(entries.setdefault(entry, len(entries)))
            if rating.excluded_by:
                excluded[rating.rater] = max(rating.excluded_by, excluded.get(rating.rater, ""))
            if rating.document is not None:
                documents[segment[-1]] = _one_document(
                    documents.get(segment[-1]), rating.document, rating.segment
                )
        table = cls(
            np.array(rater), np.array(segment), np.array(kind), np.array([row.score for row in rows]),
            np.array(credit_rating), np.array(credit_entry), tuple(raters), tuple(segments), tuple(entries),
            tuple(excluded.get(name, "") for name in raters),
            np.array([row.in_averages for row in rows], dtype=bool),
            np.array([row.round for row in rows], dtype=np.int64),
            tuple(documents.get(code) for code in range(len(segments))),
        )  # fmt: skip
        return table.canonical()

    def canonical(self) -> RatingTable:
        """Return the same ratings in an order that does not depend on how they arrived.

        Names are sorted (equal ones united), rows sorted by rater, segment, kind, round and score, and a
        rating credited twice to one entry is credited once; so sums and resamples are the same, bit by bit,
        for any order of rows.
        """
        raters, rater_code = sorted_codes(self.raters, str)
        segments, segment_code = sorted_codes(self.segments, _segment_key)
        entries, entry_code = sorted_codes(self.entries, _entry_key)
        reasons = [""] * len(raters)
        for old, reason in enumerate(self.excluded_by):
            reasons[rater_code[old]] = max(reasons[rater_code[old]], reason)
        rater, segment = rater_code[self.rater], segment_code[self.segment]
        order = row_order(
            (rater, segment, self.kind, self.rounds, self.averaged.astype(np.int64)), self.score
        )
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        width = max(1, len(entries))
        credit = distinct(place[self.credit_rating] * width + entry_code[self.credit_entry])
        documents: list[Hashable | None] = [None] * len(segments)
        for old, document in enumerate(self.documents):
            if document is not None:
                code = segment_code[old]
                documents[code] = _one_document(documents[code], document, segments[code][1])
        return RatingTable(
            rater[order], segment[order], self.kind[order], self.score[order],
            credit // width, credit % width, raters, segments, entries, tuple(reasons),
            self.averaged[order], self.rounds[order], tuple(documents), self.origins[order],
        )  # fmt: skip

    def by_system(self) -> RatingTable:
        """Return the table with conditions forgotten: each entry is its system alone."""
        return replace(self, entries=tuple(Entry(entry.system) for entry in self.entries))


def _one_document(known: Hashable | None, found: Hashable, segment: Hashable) -> Hashable:
    if known is not None and known != found:
        raise RecordError(f"segment {segment} belongs to two documents, {known} and {found}")
    return found


def _segment_key(segment: tuple[str, Hashable]) -> tuple[str, str, Any]:
    testset, key = segment
    sortable = key if isinstance(key, str | int) and not isinstance(key, bool) else repr(key)
    return testset, type(sortable).__name__, sortable


def _entry_key(entry: Entry) -> tuple[tuple[bool, str], ...]:
    return tuple((part is not None, part or "") for part in entry)
