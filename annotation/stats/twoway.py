"""Resample raters and segments together: the pigeonhole bootstrap (Owen 2007).

A rating of rater r on segment s has in a resample the weight w_r · c_s:
how often its rater and its segment (its document) were drawn. Where resampling segments alone asks what these
raters would say of other segments, this asks what other raters of their kind would say of other segments.

It counts the error of single ratings up to three times, as that of raters, of segments and of both. With
three ratings of each output that makes it conservative; with one it rejects a true null practically never,
and so misses true differences too. With few raters it is as coarse as they are, and too narrow where they
favour systems.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from annotation.stats.aggregate import Averages, Credits, rating_weights, take
from annotation.stats.records import BoolArray, FloatArray, IntArray
from annotation.stats.resampling import CHUNK_CELLS, alike, resample_counts, unit_strata


@dataclass(frozen=True, eq=False)
class _Cells:
    """C cells (entry, segment) with ratings of R raters, in order of entry.

    Attributes:
        entry: [C].
        segment: [C].
        values: sums of weighted values, sparse [C, R].
        weights: sums of weights, sparse [C, R]; a row adds up to 1.
    """

    entry: IntArray
    segment: IntArray
    values: sparse.csr_matrix
    weights: sparse.csr_matrix

    def resampled(self, raters: FloatArray, segments: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the numerator and the denominator of each cell [b, C] from counts [b, R] and [b, S]."""
        drawn = segments[:, self.segment]
        return (self.values @ raters.T).T * drawn, (self.weights @ raters.T).T * drawn

    def part(self, chosen: IntArray) -> _Cells:
        """Return the chosen cells and their raters only."""
        weights = self.weights[chosen]
        raters = np.unique(weights.indices)
        return _Cells(
            self.entry[chosen], self.segment[chosen], self.values[chosen][:, raters], weights[:, raters]
        )


def bootstrap_twoway(
    rng: np.random.Generator,
    averages: Averages,
    pairs: IntArray,
    resamples: int,
    repeats: str = "flat",
    units: IntArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Resample the means of all entries and the differences of all pairs with the same raters and segments.

    Without weights (all 1) the means are those of `aggregate`: a rating's weight in its segment's mean is
    kept. z is taken as it is: raters are not standardised anew. A resample that drew no rating of an entry
    (or of either side of a pair) is drawn again from its own raters and segments.

    Args:
        rng: the source of chance.
        averages: with the ratings that count.
        pairs: entries (a, b) [P, 2].
        resamples: B.
        repeats: as in `aggregate`.
        units: code of each segment's document [S]; None: segments are drawn.

    Returns:
        Raw means [B, E], z means [B, E], and differences z_a − z_b over the segments that both have [B, P].
    """
    of_raw, of_z = rng.spawn(2)
    strata, found = averages.strata, averages.credits
    scored = take(found, ~np.isnan(found.z))
    size, none = averages.raw.shape, np.empty((0, 2), dtype=np.int64)
    raw, _ = _bootstrap(
        of_raw, _cells(found, found.raw, size, repeats), averages.raw, none, strata, units, resamples
    )
    z, differences = _bootstrap(
        of_z, _cells(scored, scored.z, size, repeats), averages.z, pairs, strata, units, resamples
    )
    return raw, z, differences


def _cells(found: Credits, value: FloatArray, size: tuple[int, int], repeats: str) -> _Cells:
    codes, row = np.unique(found.entry * max(1, size[1]) + found.segment, return_inverse=True)
    raters, column = np.unique(found.rater, return_inverse=True)
    weight = rating_weights(found, size, repeats)
    shape = (len(codes), len(raters))
    return _Cells(
        codes // max(1, size[1]),
        codes % max(1, size[1]),
        sparse.csr_matrix((weight * value, (row, column)), shape=shape),
        sparse.csr_matrix((weight, (row, column)), shape=shape),
    )


def _bootstrap(
    rng: np.random.Generator,
    cells: _Cells,
    table: FloatArray,
    pairs: IntArray,
    strata: IntArray,
    units: IntArray | None,
    resamples: int,
) -> tuple[FloatArray, FloatArray]:
    """Return resampled means [B, E] and differences [B, P]; nan for an entry or a pair without any cell."""
    present = ~np.isnan(table)
    own = [np.flatnonzero(cells.entry == entry) for entry in range(len(table))]
    sides = _sides(cells, own, present, pairs, alike(table, pairs))
    main, redraw = rng.spawn(2)
    means = np.full((resamples, len(table)), np.nan)
    differences = np.full((resamples, len(pairs)), np.nan)
    start = 0
    for values, weights in _draws(main, cells, strata, units, resamples):
        stop = start + len(values)
        for entry, where in enumerate(own):
            means[start:stop, entry] = _ratio(values, weights, where)
        for place, (a, b) in enumerate(sides):
            differences[start:stop, place] = _ratio(values, weights, a) - _ratio(values, weights, b)
        start = stop
    base = int(redraw.integers(2**63))
    for entry, where in enumerate(own):
        _fill(np.random.default_rng([base, 0, entry]), cells, (where,), strata, units, means[:, entry])
    for place, (a, b) in enumerate(sides):
        child = np.random.default_rng([base, 1, place])
        _fill(child, cells, (a, b), strata, units, differences[:, place])
    return means, differences


def _sides(
    cells: _Cells, own: list[IntArray], present: BoolArray, pairs: IntArray, same: BoolArray
) -> list[tuple[IntArray, IntArray]]:
    """Return the cells of both sides of each pair on the segments that both have."""
    sides = []
    for (a, b), complete in zip(pairs.tolist(), same, strict=True):
        if complete:
            sides.append((own[a], own[b]))
        else:
            common = present[a] & present[b]
            sides.append((own[a][common[cells.segment[own[a]]]], own[b][common[cells.segment[own[b]]]]))
    return sides


def _draws(
    rng: np.random.Generator, cells: _Cells, strata: IntArray, units: IntArray | None, resamples: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield numerators and denominators of each cell, some resamples at a time [b, C], [b, C]."""
    raters = np.zeros(cells.weights.shape[1], dtype=np.int64)
    drawn = unit_strata(strata, units)
    rows = max(1, CHUNK_CELLS // max(1, len(cells.entry), len(drawn), len(raters)))
    streams = rng.spawn(2)
    of_raters = resample_counts(streams[0], raters, resamples, rows * max(1, len(raters)))
    of_units = resample_counts(streams[1], drawn, resamples, rows * max(1, len(drawn)))
    for rater_counts, counts in zip(of_raters, of_units, strict=True):
        yield cells.resampled(rater_counts, counts if units is None else counts[:, units])


def _ratio(values: FloatArray, weights: FloatArray, where: IntArray) -> FloatArray:
    """Return Σ values / Σ weights over the given cells [b], nan where nothing was drawn."""
    total = weights[:, where].sum(axis=1)
    drawn = total > 1e-12
    result: FloatArray = values[:, where].sum(axis=1) / np.where(drawn, total, np.nan)
    return result


def _fill(
    rng: np.random.Generator,
    cells: _Cells,
    sides: tuple[IntArray, ...],
    strata: IntArray,
    units: IntArray | None,
    column: FloatArray,
) -> None:
    """Draw again, in place, what is nan in the column, from the raters and segments of the sides alone."""
    if any(len(side) == 0 for side in sides) or not np.isnan(column).any():
        return
    part = cells.part(np.concatenate(sides))
    segments, places = np.unique(part.segment, return_inverse=True)
    part = _Cells(part.entry, places, part.values, part.weights)
    own_units = None if units is None else np.unique(units[segments], return_inverse=True)[1]
    bounds = np.cumsum([0, *(len(side) for side in sides)])
    parts = [np.arange(bounds[i], bounds[i + 1]) for i in range(len(sides))]
    while (again := np.flatnonzero(np.isnan(column))).size:
        done = 0
        for values, weights in _draws(rng, part, strata[segments], own_units, len(again)):
            ratios = [_ratio(values, weights, where) for where in parts]
            fresh = ratios[0] - ratios[1] if len(ratios) == 2 else ratios[0]
            column[again[done : done + len(fresh)]] = fresh
            done += len(fresh)
