"""The published assessments from which the power calculation takes what makes scores differ."""

import csv
from functools import cache
from typing import NamedTuple

import numpy as np

from annotation.stats.aggregate import aggregate
from annotation.stats.records import Entry, FloatArray, IntArray, Rating, RatingTable
from annotation.stats.standardise import standardise
from tests.paths import DATA
from tests.realdata.test_stats_rankings import KINDS, judgements

TUTORIAL = 1_000_001


@cache
def table_of(name: str) -> RatingTable:
    """Return a set; the repeats of a rater count in the rater's mean and spread only."""
    own = {"wmt22-enliv-appraise": _livonian, "wmt24-encs-esa": _czech}
    rows = own[name]() if name in own else judgements(name)
    return RatingTable.from_ratings(
        row._replace(in_averages=False) if row.kind == "repeat" else row for row in rows
    )


def _livonian() -> list[Rating]:
    path = DATA / "human" / "wmt22-enliv-appraise" / "appraise-export.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        return [
            Rating(rater, (Entry(system),), item, "", float(score), KINDS[kind])
            for rater, system, item, kind, _, _, score, _, _ in csv.reader(handle)
        ]


def _czech() -> list[Rating]:
    """Return each rater's newest score of an output, without tutorials and what was not finished."""
    newest = {}
    path = DATA / "human" / "wmt24-encs-esa" / "esa_generalMT2024_wave2.eng-ces.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        for rater, system, item, kind, _, _, score, document, *_ in csv.reader(handle):
            odd = any(mark in document for mark in ("#incomplete", "#dup", "#bad"))
            if kind == "TGT" and int(item) < TUTORIAL and not odd:
                key = (rater, system, item, document)
                newest[key] = Rating(rater, (Entry(system),), item, "", float(score))
    return list(newest.values())


class Cells(NamedTuple):
    """What raters gave to outputs, in units of z.

    Attributes:
        systems: names [E].
        mean: mean z of each system and segment [E, S], nan where nobody judged.
        n: raters of each [E, S].
    """

    systems: list[str]
    mean: FloatArray
    n: IntArray


def cells_of(name: str) -> Cells:
    """Return the mean z and the number of judgements of every system and segment."""
    table = table_of(name).by_system().canonical()
    found = aggregate(table, standardise(table).z)
    known = ~np.isnan(found.credits.z)
    place = found.credits.entry[known] * found.z.shape[1] + found.credits.segment[known]
    n = np.bincount(place, minlength=found.z.size).reshape(found.z.shape)
    systems = [entry.system for entry, listed in zip(table.entries, found.listed, strict=True) if listed]
    return Cells(systems, found.z[found.listed], n[found.listed])
