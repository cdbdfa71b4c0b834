"""Average ratings: rating → (segment, entry) → entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.stats.records import BoolArray, Entry, FloatArray, IntArray, RatingTable
from annotation.stats.standardise import of_kinds

AVERAGED_KINDS = ("system", "repeat")
"""The kinds that count in averages; a hidden reference ranked as a system is of kind system."""

REPEATS = ("flat", "within_rater_first")


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages of E entries over the S segments that at least one counted rating is about.

    Attributes:
        entries: [E].
        listed: entries with any rating of an averaged kind, also if none of them counts [E].
        strata: test set code of each segment [S].
        raw: mean raw score per entry and segment [E, S], nan where there is none.
        z: mean z per entry and segment [E, S], nan where there is none (raters without spread give none).
        raw_mean: mean over segments of `raw` [E], nan where there is none.
        z_mean: mean over segments of `z` [E], nan where there is none.
        n_segments: segments with a raw score [E].
        n_judgements: ratings counted [E].
        n_z: ratings counted that have a z [E].
        n_raters: distinct raters of the ratings counted [E].
    """

    entries: Sequence[Entry]
    listed: BoolArray
    strata: IntArray
    raw: FloatArray
    z: FloatArray
    raw_mean: FloatArray
    z_mean: FloatArray
    n_segments: IntArray
    n_judgements: IntArray
    n_z: IntArray
    n_raters: IntArray


def aggregate(table: RatingTable, z: FloatArray, repeats: str = "flat") -> Averages:
    """Average ratings over raters within a segment, then over segments.

    Ratings of excluded raters, of other kinds than system and repeat, and those not `in_averages` do not
    count.

    Args:
        table: the ratings.
        z: their z [n], nan where there is none.
        repeats: "flat" averages every rating of a segment alike; "within_rater_first" averages what one rater
            gave to the same entry and segment before it averages over raters.

    Raises:
        ValueError: an unknown way of handling repeats.
    """
    if repeats not in REPEATS:
        raise ValueError(f"unknown handling of repeats {repeats!r}, expected one of {', '.join(REPEATS)}")
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    of_kind = of_kinds(table.kind, AVERAGED_KINDS)
    counted = of_kind & table.averaged & kept[table.rater]
    chosen = counted[table.credit_rating]
    row, entry = table.credit_rating[chosen], table.credit_entry[chosen]
    segment, strata = _active_segments(table, row)
    size = (len(table.entries), len(strata))
    cell = entry * size[1] + segment
    rater = table.rater[row]
    has_z = ~np.isnan(z[row])
    raw_cells = _cell_means(cell, rater, table.score[row], size, repeats)
    z_cells = _cell_means(cell[has_z], rater[has_z], z[row][has_z], size, repeats)
    seen = np.unique(entry * max(1, len(table.raters)) + rater)
    return Averages(
        entries=table.entries,
        listed=np.bincount(table.credit_entry[of_kind[table.credit_rating]], minlength=size[0]) > 0,
        strata=strata,
        raw=raw_cells,
        z=z_cells,
        raw_mean=row_means(raw_cells),
        z_mean=row_means(z_cells),
        n_segments=np.count_nonzero(~np.isnan(raw_cells), axis=1),
        n_judgements=np.bincount(entry, minlength=size[0]),
        n_z=np.bincount(entry[has_z], minlength=size[0]),
        n_raters=np.bincount(seen // max(1, len(table.raters)), minlength=size[0]),
    )


def row_means(cells: FloatArray) -> FloatArray:
    """Return the mean of each row over its cells that are not nan [E]; nan for a row without any."""
    present = ~np.isnan(cells)
    n = np.count_nonzero(present, axis=1)
    total = np.where(present, cells, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _active_segments(table: RatingTable, row: IntArray) -> tuple[IntArray, IntArray]:
    """Return the new segment code of each credit [m] and the test set code of each segment in use [S]."""
    active = np.zeros(len(table.segments), dtype=bool)
    active[table.segment[row]] = True
    testsets = {name: code for code, name in enumerate(sorted({testset for testset, _ in table.segments}))}
    strata = np.array([testsets[testset] for testset, _ in table.segments], dtype=np.int64)
    renumbered = np.cumsum(active) - 1
    return renumbered[table.segment[row]], strata[active]


def _cell_means(
    cell: IntArray, rater: IntArray, value: FloatArray, size: tuple[int, int], repeats: str
) -> FloatArray:
    """Return the mean value of each cell [E, S], nan where there is none."""
    if repeats == "within_rater_first" and cell.size:
        width = int(rater.max()) + 1
        own, inverse, times = np.unique(cell * width + rater, return_inverse=True, return_counts=True)
        value = np.bincount(inverse, weights=value) / times
        cell = own // width
    cells = size[0] * size[1]
    n = np.bincount(cell, minlength=cells)
    total = np.bincount(cell, weights=value, minlength=cells)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan).reshape(size)
