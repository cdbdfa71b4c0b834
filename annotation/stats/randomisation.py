"""Approximate randomisation: is a mean difference larger than signs given at random would make it?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotation.stats.records import FloatArray, IntArray
from annotation.stats.resampling import CHUNK_CELLS, alike, per_unit

NOISE = 1e-12
"""A sum this close to the observed one, relative to the sum of sizes, is equal to it."""


def random_signs(
    rng: np.random.Generator, size: int, resamples: int, chunk_cells: int = CHUNK_CELLS
) -> Iterator[FloatArray]:
    """Yield 1 where a sign is kept and 0 where it is turned, some resamples at a time [b, size]."""
    words = -(-size // 32)
    rows = max(1, min(resamples, chunk_cells // max(1, size)))
    for start in range(0, resamples, rows):
        b = min(rows, resamples - start)
        drawn = rng.integers(0, 2**32, size=(b, words), dtype=np.uint32).astype("<u4")
        yield np.unpackbits(drawn.view(np.uint8), axis=1, count=size).astype(np.float64)


def randomisation_p_values(
    rng: np.random.Generator,
    z: FloatArray,
    pairs: IntArray,
    resamples: int,
    units: IntArray | None = None,
) -> FloatArray:
    """Return the two-sided p of each pair by paired sign flips over the segments that both have [P].

    p = (#{|D*| ≥ |D|} + 1) / (B + 1), where D is the sum of differences and D* the same with the sign of each
    segment's (document's) difference turned with probability ½; the same turns for all pairs (Edgington 1964;
    Noreen 1989). 1 where there is no difference, and where the pair has no common segment.

    Args:
        rng: the source of chance.
        z: value per entry and segment [E, S], nan where there is none.
        pairs: entries (a, b) [P, 2].
        resamples: B.
        units: what is turned together: a code of each segment's document [S]; None: each segment by itself.
    """
    first, second = pairs[:, 0], pairs[:, 1]
    same = alike(z, pairs)
    apart = np.nan_to_num(z[first[~same]] - z[second[~same]])
    sums = per_unit(np.vstack([np.nan_to_num(z), apart]), units)
    observed, noise = _observed(sums, pairs, same, len(z))
    whole = sums.sum(axis=0)
    larger = np.zeros(len(pairs), dtype=np.int64)
    for kept in random_signs(rng, len(sums), resamples):
        turned = 2 * (kept @ sums) - whole
        differences = np.empty((len(kept), len(pairs)))
        differences[:, same] = turned[:, first[same]] - turned[:, second[same]]
        differences[:, ~same] = turned[:, len(z) :]
        larger += np.count_nonzero(np.abs(differences) >= np.abs(observed) - noise, axis=0)
    return (larger + 1) / (resamples + 1)


def _observed(
    sums: FloatArray, pairs: IntArray, same: np.ndarray, entries: int
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of differences of each pair and what is noise beside it [P], [P]."""
    observed, noise = np.empty(len(pairs)), np.empty(len(pairs))
    column = entries
    for place, (a, b) in enumerate(pairs):
        if same[place]:
            own = sums[:, a] - sums[:, b]
        else:
            own, column = sums[:, column], column + 1
        observed[place] = own.sum()
        noise[place] = NOISE * (np.abs(own).sum() + 1)
    return observed, noise
