"""Average ratings: rating → (segment, entry) → entry."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.stats.codes import distinct
from annotation.stats.disagreement import counted_rounds
from annotation.stats.records import BoolArray, Entry, FloatArray, IntArray, RatingTable
from annotation.stats.standardise import of_kinds

AVERAGED_KINDS = ("system", "repeat")
"""The kinds that count in averages; a hidden reference ranked as a system is of kind system."""

REPEATS = ("flat", "within_rater_first")


@dataclass(frozen=True, eq=False)
class Credits:
    """The ratings that count, once for each entry they are credited to.

    Attributes:
        entry: [m].
        segment: code among the segments in use [m].
        rater: [m].
        raw: raw score [m].
        z: z, nan where there is none [m].
    """

    entry: IntArray
    segment: IntArray
    rater: IntArray
    raw: FloatArray
    z: FloatArray


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages of E entries over the S segments that at least one counted rating is about.

    Attributes:
        entries: [E].
        listed: entries with any rating of an averaged kind, also if none of them counts [E].
        strata: test set code of each segment [S].
        documents: document code of each segment, -1 where the document is unknown [S].
        raw: mean raw score per entry and segment [E, S], nan where there is none.
        z: mean z per entry and segment [E, S], nan where there is none (raters without spread give none).
        raw_mean: mean over segments of `raw` [E], nan where there is none.
        z_mean: mean over segments of `z` [E], nan where there is none.
        n_segments: segments with a raw score [E].
        n_judgements: ratings counted [E].
        n_z: ratings counted that have a z [E].
        n_raters: distinct raters of the ratings counted [E].
        credits: the ratings counted [m].
    """

    entries: Sequence[Entry]
    listed: BoolArray
    strata: IntArray
    documents: IntArray
    raw: FloatArray
    z: FloatArray
    raw_mean: FloatArray
    z_mean: FloatArray
    n_segments: IntArray
    n_judgements: IntArray
    n_z: IntArray
    n_raters: IntArray
    credits: Credits


def aggregate(
    table: RatingTable, z: FloatArray, repeats: str = "flat", disagreement: str = "replace"
) -> Averages:
    """Average ratings over raters within a segment, then over segments.

    Ratings of excluded raters, of other kinds than system and repeat, and those not `in_averages` do not
    count.

    Args:
        table: the ratings.
        z: their z [n], nan where there is none.
        repeats: "flat" averages every rating of a segment alike; "within_rater_first" averages what one rater
            gave to the same entry and segment before it averages over raters.
        disagreement: which rounds count where an item was judged again, as in `counted_rounds`.

    Raises:
        ValueError: an unknown way of handling repeats or disagreement.
    """
    if repeats not in REPEATS:
        raise ValueError(f"unknown handling of repeats {repeats!r}, expected one of {', '.join(REPEATS)}")
    of_kind = of_kinds(table.kind, AVERAGED_KINDS)
    found, active = _credits(table, z, of_kind, disagreement)
    strata, documents = _segment_codes(table, active)
    size = (len(table.entries), len(strata))
    has_z = ~np.isnan(found.z)
    raw_cells = _cell_means(found, found.raw, size, repeats)
    z_found = found if has_z.all() else take(found, has_z)
    z_cells = _cell_means(z_found, z_found.z, size, repeats)
    width = max(1, len(table.raters))
    return Averages(
        entries=table.entries,
        listed=listed_entries(table),
        strata=strata,
        documents=documents,
        raw=raw_cells,
        z=z_cells,
        raw_mean=row_means(raw_cells),
        z_mean=row_means(z_cells),
        n_segments=np.count_nonzero(~np.isnan(raw_cells), axis=1),
        n_judgements=np.bincount(found.entry, minlength=size[0]),
        n_z=np.bincount(z_found.entry, minlength=size[0]),
        n_raters=np.bincount(distinct(found.entry * width + found.rater) // width, minlength=size[0]),
        credits=found,
    )


def listed_entries(table: RatingTable) -> BoolArray:
    """Return which entries are ranked [E]; others have ratings of quality control only."""
    of_kind = of_kinds(table.kind, AVERAGED_KINDS)
    return np.bincount(table.credit_entry[of_kind[table.credit_rating]], minlength=len(table.entries)) > 0


def n_counted(table: RatingTable) -> int:
    """Return how many ratings count in averages, each once however many entries it is credited to."""
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    counted = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater]
    return len(np.unique(table.credit_rating[counted[table.credit_rating]]))


def take(found: Credits, chosen: BoolArray | IntArray) -> Credits:
    """Return the chosen credits."""
    return Credits(
        found.entry[chosen], found.segment[chosen], found.rater[chosen], found.raw[chosen], found.z[chosen]
    )


def row_means(cells: FloatArray) -> FloatArray:
    """Return the mean of each row over its cells that are not nan [E]; nan for a row without any."""
    present = ~np.isnan(cells)
    n = np.count_nonzero(present, axis=1)
    total = np.where(present, cells, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def row_sds(cells: FloatArray) -> FloatArray:
    """Return the sample sd of each row over its cells that are not nan [E]; nan for fewer than two."""
    present = ~np.isnan(cells)
    n = np.count_nonzero(present, axis=1)
    apart = np.where(present, cells - row_means(cells)[:, None], 0.0)
    return np.where(n > 1, np.sqrt((apart**2).sum(axis=1) / np.maximum(n - 1, 1)), np.nan)


def rating_weights(found: Credits, size: tuple[int, int], repeats: str) -> FloatArray:
    """Return the weight of each credit in the mean of its entry and segment [m]; they add up to 1 a cell."""
    cell = found.entry * size[1] + found.segment
    if repeats == "within_rater_first" and cell.size:
        width = int(found.rater.max()) + 1
        own, inverse, times = np.unique(cell * width + found.rater, return_inverse=True, return_counts=True)
        raters = np.bincount(own // width, minlength=size[0] * size[1])
        weights: FloatArray = 1.0 / (raters[cell] * times[inverse])
        return weights
    return 1.0 / np.bincount(cell, minlength=size[0] * size[1])[cell]


def _credits(
    table: RatingTable, z: FloatArray, of_kind: BoolArray, disagreement: str
) -> tuple[Credits, BoolArray]:
    """Return the credits that count, and which of the table's segments they are about."""
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    counted = of_kind & table.averaged & kept[table.rater]
    chosen = counted[table.credit_rating]
    row, entry = table.credit_rating, table.credit_entry
    if not chosen.all():
        row, entry = row[chosen], entry[chosen]
    segment = table.segment[row]
    rounds = counted_rounds(
        entry * max(1, len(table.segments)) + segment, table.rounds[row], table.rater[row], disagreement
    )
    if not rounds.all():
        row, entry, segment = row[rounds], entry[rounds], segment[rounds]
    active = np.zeros(len(table.segments), dtype=bool)
    active[segment] = True
    renumbered = np.cumsum(active) - 1
    return Credits(entry, renumbered[segment], table.rater[row], table.score[row], z[row]), active


def _segment_codes(table: RatingTable, active: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the test set code and the document code of each segment in use [S]."""
    testsets = {name: code for code, name in enumerate(sorted({testset for testset, _ in table.segments}))}
    documents: dict[tuple[str, Hashable], int] = {}
    strata = [testsets[testset] for testset, _ in table.segments]
    codes = [
        -1 if document is None else documents.setdefault((testset, document), len(documents))
        for (testset, _), document in zip(table.segments, table.documents, strict=True)
    ]
    return np.array(strata, dtype=np.int64)[active], np.array(codes, dtype=np.int64)[active]


def _cell_means(found: Credits, value: FloatArray, size: tuple[int, int], repeats: str) -> FloatArray:
    """Return the mean value of each cell [E, S], nan where there is none."""
    cell, cells = found.entry * size[1] + found.segment, size[0] * size[1]
    if repeats == "within_rater_first" and cell.size:
        width = int(found.rater.max()) + 1
        own, inverse, times = np.unique(cell * width + found.rater, return_inverse=True, return_counts=True)
        value = np.bincount(inverse, weights=value) / times
        cell = own // width
    n = np.bincount(cell, minlength=cells)
    total = np.bincount(cell, weights=value, minlength=cells)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan).reshape(size)
