"""From the rows of a file of judgements to statistical records, as `records` makes them from the database."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from annotation.formats import ComparisonRow, RatingRow
from annotation.services.records import Comparisons, Condition
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.records import KIND_CODES, Comparison, Entry, IdenticalPair, RatingTable


def _condition(row: RatingRow | ComparisonRow, protocol: str) -> Condition:
    reference = row.context if protocol == "reference_da" else ""
    return (row.testset or None, row.input or None, reference or None, row.direction or None)


def table_of(rows: Sequence[RatingRow], protocol: str) -> RatingTable:
    """Return ratings as columns, a row of the table for each row of the file, in its order."""
    raters: dict[str, int] = {}
    segments: dict[tuple[str, str], int] = {}
    entries: dict[Entry, int] = {}
    excluded: dict[str, str] = {}
    documents: dict[tuple[str, str], str] = {}
    rater, segment, credit_rating, credit_entry = [], [], [], []
    for number, row in enumerate(rows):
        unit = (row.testset, row.segment)
        rater.append(raters.setdefault(row.rater, len(raters)))
        segment.append(segments.setdefault(unit, len(segments)))
        if row.excluded_by:
            excluded[row.rater] = row.excluded_by
        if row.document:
            documents[unit] = row.document
        condition = _condition(row, protocol)
        for system in dict.fromkeys(row.systems):
            credit_rating.append(number)
            entry = Entry(system, *condition)
            credit_entry.append(entries.setdefault(entry, len(entries)))
    return RatingTable(
        rater=np.array(rater, dtype=np.int64),
        segment=np.array(segment, dtype=np.int64),
        kind=np.array([KIND_CODES[row.kind] for row in rows], dtype=np.int64),
        score=np.array([row.score for row in rows], dtype=np.float64),
        credit_rating=np.array(credit_rating, dtype=np.int64),
        credit_entry=np.array(credit_entry, dtype=np.int64),
        raters=tuple(raters),
        segments=tuple(segments),
        entries=tuple(entries),
        excluded_by=tuple(excluded.get(name, "") for name in raters),
        round=np.array([row.round for row in rows], dtype=np.int64),
        documents=tuple(documents.get(unit) for unit in segments),
    )


def comparisons_of(rows: Sequence[ComparisonRow]) -> Comparisons:
    """Return the choices that count, and the pairs that nobody was shown, by condition."""
    found = Comparisons({}, {})
    for row in rows:
        condition = _condition(row, "")
        if row.identical:
            names = list(dict.fromkeys((*row.left, *row.right)))
            pairs = [IdenticalPair(a, b, row.segment, row.testset) for a, b in combinations(names, 2)]
            found.identical.setdefault(condition, []).extend(pairs)
        elif row.kind in AVERAGED_KINDS and row.winner:
            found.shown.setdefault(condition, []).append(
                Comparison(
                    row.rater, row.left, row.right, row.segment, row.testset, row.winner,
                    row.excluded_by, row.document or None,
                )
            )  # fmt: skip
    return found
