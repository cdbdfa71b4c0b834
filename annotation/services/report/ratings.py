"""Sections of a report of direct assessments that describe: scores, items apart, drift."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.services.report.data import RatedData
from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.description import drift, five_numbers, histogram
from annotation.stats.disagreement import judge_again, usual_points
from annotation.stats.records import BoolArray, FloatArray, IntArray, RatingTable
from annotation.stats.standardise import of_kinds

Row = dict[str, Any]
Scale = tuple[float, float]
MOST_APART = 200
"""Items listed when raters disagree; the count is of all."""


def counted(table: RatingTable) -> BoolArray:
    """Return which ratings count in averages [n]."""
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    return of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater]


def distributions(data: RatedData, scale: Scale, order: list[str]) -> list[Row]:
    """Describe the raw scores of each system, in the given order of names."""
    table = data.ratings.table
    rows = []
    chosen = counted(table)[table.credit_rating]
    names = np.array([entry.system for entry in table.entries], dtype=object)[table.credit_entry[chosen]]
    scores = table.score[table.credit_rating[chosen]]
    for system in order:
        own = scores[names == system]
        rows.append({"system": system, **five_numbers(own), "histogram": histogram(own, *scale)})
    return rows


def progress(data: RatedData) -> Row:
    """Ask whether z changes while raters go on; over ratings that count in averages."""
    chosen = counted(data.ratings.table)
    values = np.where(chosen, data.z, np.nan)
    return drift(values, data.ratings.table.rater, data.answers.order)


def apart_limit(scale: Scale) -> float:
    """Return the difference that still is agreement: 30 points of 100, the same share of other scales."""
    return usual_points(*scale)


def items_apart(data: RatedData, scale: Scale) -> Row:
    """List the items on which raters differ by more than 30 points, the farthest apart first.

    What one rater gave to an item several times counts by its mean.

    Returns:
        `limit`, `n_items` with two raters or more, `n_apart`, and `rows` for the farthest of them.
    """
    table = data.ratings.table
    chosen = np.flatnonzero(counted(table))
    limit = apart_limit(scale)
    if not len(chosen):
        return {"limit": limit, "n_items": 0, "n_apart": 0, "rows": []}
    cell = _cells(table)[chosen]
    width = len(table.raters)
    own, first, place = np.unique(cell * width + table.rater[chosen], return_index=True, return_inverse=True)
    score = np.bincount(place, weights=table.score[chosen]) / np.bincount(place)
    start, item = np.unique(own // width, return_index=True, return_inverse=True)[1:]
    n = np.bincount(item)
    low, high = np.full(len(n), np.inf), np.full(len(n), -np.inf)
    np.minimum.at(low, item, score)
    np.maximum.at(high, item, score)
    apart = np.flatnonzero(judge_again(item, score, len(n), "range", limit))
    ordered = apart[np.lexsort((apart, low[apart] - high[apart]))][:MOST_APART]
    rows = [_apart_row(table, chosen[first[start[code]]], score[item == code]) for code in ordered]
    return {"limit": limit, "n_items": int((n > 1).sum()), "n_apart": len(apart), "rows": rows}


def _cells(table: RatingTable) -> IntArray:
    """Return a code of what each rating is about: its segment and the first entry it is credited to [n]."""
    entry = np.full(len(table.score), len(table.entries), dtype=np.int64)
    np.minimum.at(entry, table.credit_rating, table.credit_entry)
    return entry * len(table.segments) + table.segment


def _apart_row(table: RatingTable, rating: int, scores: FloatArray) -> Row:
    testset, segment = table.segments[table.segment[rating]]
    credited = table.credit_entry[table.credit_rating == rating]
    ordered = sorted(scores.tolist())
    return {
        "testset": testset,
        "segment": str(segment),
        "system": " | ".join(dict.fromkeys(table.entries[code].system for code in credited)),
        "n": len(ordered),
        "low": ordered[0],
        "high": ordered[-1],
        "apart": ordered[-1] - ordered[0],
        "scores": " · ".join(f"{score:g}" for score in ordered),
    }
