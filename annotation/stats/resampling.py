"""Resample segments, or documents: one set of counts for all systems, then matrix products.

Koehn (2004), Statistical significance tests for machine translation evaluation. Test sets are strata: each
resample draws from a test set as many segments (documents) as it has.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np

from annotation.stats.records import BoolArray, FloatArray, IntArray

CHUNK_CELLS = 4_000_000
"""Counts held at once; results do not depend on it."""

LONG_STRATUM = 256
"""Strata of this size are counted row by row, which stays in the cache."""


def resample_counts(
    rng: np.random.Generator, strata: IntArray, resamples: int, chunk_cells: int = CHUNK_CELLS
) -> Iterator[FloatArray]:
    """Yield how often each unit was drawn, some resamples at a time.

    Args:
        rng: one child generator a stratum is spawned from it, so that the size of a chunk changes nothing.
        strata: stratum code of each unit [U].
        resamples: B, the number of resamples in all.
        chunk_cells: counts made at once.

    Yields:
        Counts [b, U]; the b add up to B; each row sums within a stratum to the stratum's size.
    """
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    children = rng.spawn(len(members))
    rows = max(1, min(resamples, chunk_cells // max(1, len(strata))))
    for start in range(0, resamples, rows):
        b = min(rows, resamples - start)
        drawn = [_tally(child, b, len(where)) for child, where in zip(children, members, strict=True)]
        if len(members) == 1:
            yield drawn[0]
            continue
        counts = np.empty((b, len(strata)), dtype=np.float64)
        for own, where in zip(drawn, members, strict=True):
            counts[:, where] = own
        yield counts


def per_unit(values: FloatArray, units: IntArray | None) -> FloatArray:
    """Return the sums over the segments of each unit [U, K] of values [K, S]; units None: segments."""
    if units is None:
        return values.T
    size = int(units.max()) + 1 if len(units) else 0
    return np.column_stack([np.bincount(units, weights=row, minlength=size) for row in values])


def unit_strata(strata: IntArray, units: IntArray | None) -> IntArray:
    """Return the stratum of each unit [U], from that of each segment [S]."""
    return strata if units is None else strata[np.unique(units, return_index=True)[1]]


def bootstrap_means(
    rng: np.random.Generator,
    values: FloatArray,
    strata: IntArray,
    resamples: int,
    units: IntArray | None = None,
) -> FloatArray:
    """Return the mean of each row in each resample [B, K].

    A row's mean in a resample is Σ c_s v_s / Σ c_s over the segments that the row has, c_s being how often
    the unit of segment s was drawn. A resample that drew none of them is drawn again from these segments'
    units alone, the same for all rows that have the same ones, whatever the other rows are.

    Args:
        rng: the source of chance.
        values: one row a quantity [K, S], nan where it has no value.
        strata: stratum code of each segment [S].
        resamples: B.
        units: what is drawn: a code of each segment's document, from 0 without gaps [S]; None: segments.

    Returns:
        Means [B, K]; nan only in columns of rows without any value.
    """
    present = ~np.isnan(values)
    masks, mask_of_row = _distinct_masks(present)
    numerators = per_unit(np.where(present, values, 0.0), units)
    denominators = per_unit(masks.astype(np.float64), units)
    strata_of_units = unit_strata(strata, units)
    main, redraw = rng.spawn(2)
    means = np.empty((resamples, len(values)))
    totals = np.empty((resamples, len(masks)))
    start = 0
    for counts in resample_counts(main, strata_of_units, resamples):
        stop = start + len(counts)
        means[start:stop] = counts @ numerators
        totals[start:stop] = np.rint(counts @ denominators)
        start = stop
    empty = totals == 0
    means /= np.where(empty, np.nan, totals)[:, mask_of_row]
    base = int(redraw.integers(2**63))
    for mask in np.flatnonzero(empty.any(axis=0)):
        again = np.flatnonzero(empty[:, mask])
        where = np.flatnonzero(denominators[:, mask])
        if len(where):
            child = np.random.default_rng([base, zlib.crc32(np.packbits(masks[mask]).tobytes())])
            rows = np.flatnonzero(mask_of_row == mask)
            means[np.ix_(again, rows)] = _redrawn(
                child,
                numerators[np.ix_(where, rows)],
                denominators[where, mask],
                strata_of_units[where],
                len(again),
            )
    return means


def bootstrap_systems(
    rng: np.random.Generator,
    raw: FloatArray,
    z: FloatArray,
    pairs: IntArray,
    strata: IntArray,
    resamples: int,
    units: IntArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Resample the means of all entries and the differences of all pairs with the same segments.

    Args:
        rng: the source of chance.
        raw: raw score per entry and segment [E, S], nan where there is none.
        z: z per entry and segment [E, S], nan where there is none.
        pairs: entries (a, b) [P, 2].
        strata: stratum code of each segment [S].
        resamples: B.
        units: what is drawn, as in `bootstrap_means`.

    Returns:
        Raw means [B, E], z means [B, E], and differences z_a − z_b over the segments that both have [B, P].
    """
    same = alike(z, pairs)
    first, second = pairs[:, 0], pairs[:, 1]
    apart = z[first[~same]] - z[second[~same]]
    draws = bootstrap_means(rng, np.vstack([raw, z, apart]), strata, resamples, units)
    size = len(raw)
    z_draws = draws[:, size : 2 * size]
    differences = np.empty((resamples, len(pairs)))
    differences[:, same] = z_draws[:, first[same]] - z_draws[:, second[same]]
    differences[:, ~same] = draws[:, 2 * size :]
    return draws[:, :size], z_draws, differences


def alike(z: FloatArray, pairs: IntArray) -> BoolArray:
    """Tell which pairs [P, 2] of rows of z [E, S] have values on the same segments [P]."""
    masks = _distinct_masks(~np.isnan(z))[1]
    return masks[pairs[:, 0]] == masks[pairs[:, 1]]


def percentile_interval(draws: FloatArray, estimate: FloatArray, level: float = 0.95) -> FloatArray:
    """Return the percentile interval of each column, widened where needed to contain its estimate [K, 2].

    Args:
        draws: resampled values [B, K].
        estimate: the value from the data [K].
        level: the share of resamples inside, in (0, 1).
    """
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return np.column_stack([np.minimum(low, estimate), np.maximum(high, estimate)])


def _tally(rng: np.random.Generator, rows: int, size: int) -> FloatArray:
    """Draw `size` of `size` things, `rows` times, and count them [rows, size]."""
    draws = rng.integers(0, size, size=(rows, size), dtype=np.int32)
    if size >= LONG_STRATUM:
        counts = np.empty((rows, size))
        for place, row in enumerate(draws):
            counts[place] = np.bincount(row, minlength=size)
        return counts
    places = draws + np.arange(rows)[:, None] * size
    return np.bincount(places.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)


def _distinct_masks(present: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the distinct rows [G, S] and which of them each row is [K]."""
    number: dict[bytes, int] = {}
    of_row = np.array(
        [number.setdefault(np.packbits(row).tobytes(), len(number)) for row in present], dtype=np.int64
    )
    first = [int(np.flatnonzero(of_row == mask)[0]) for mask in range(len(number))]
    return present[first], of_row


def _redrawn(
    rng: np.random.Generator,
    numerators: FloatArray,
    denominators: FloatArray,
    strata: IntArray,
    resamples: int,
) -> FloatArray:
    """Return resampled means over the given units only, each of which has a value [resamples, K]."""
    chunks = [
        (counts @ numerators) / (counts @ denominators)[:, None]
        for counts in resample_counts(rng, strata, resamples)
    ]
    return np.vstack(chunks)
