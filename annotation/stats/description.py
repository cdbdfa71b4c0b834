"""Describe answers before anything is tested: spread, histograms, and drift while a rater goes on."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from scipy import stats

from annotation.stats.records import BoolArray, FloatArray, IntArray

PARTS = 10
FEWEST_FOR_A_SLOPE = 3
LEVEL = 0.95


def histogram(values: FloatArray, low: float, high: float, bins: int = 10) -> list[int]:
    """Count values over equal parts of the scale; what lies outside counts in the first or last part."""
    return [int(n) for n in np.bincount(bins_of(values, low, high, bins), minlength=bins)]


def bins_of(values: FloatArray, low: float, high: float, bins: int) -> IntArray:
    """Return in which of equal parts of the scale each value lies, 0 to bins − 1 [n]."""
    width = (high - low) or 1.0
    place = np.floor((values - low) / width * bins).astype(np.int64)
    found: IntArray = np.clip(place, 0, bins - 1)
    return found


def five_numbers(values: FloatArray) -> dict[str, Any]:
    """Return n, mean, sd (ddof = 1), minimum, quartiles and maximum; None where undefined."""
    n = len(values)
    names = ("minimum", "lower_quartile", "median", "upper_quartile", "maximum")
    if not n:
        return {"n": 0, "mean": None, "sd": None, **dict.fromkeys(names)}
    quantiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    sd = float(values.std(ddof=1)) if n > 1 else None
    return {
        "n": n,
        "mean": float(values.mean()),
        "sd": sd,
        **dict(zip(names, map(float, quantiles), strict=True)),
    }


def places(rater: IntArray, order: IntArray) -> FloatArray:
    """Return how far its rater had come at each answer [n], inside (0, 1): (rank − ½) / n of the rater."""
    sequence = np.lexsort((order, rater))
    counts = np.bincount(rater) if len(rater) else np.zeros(0, dtype=np.int64)
    starts = np.cumsum(counts) - counts
    rank = np.empty(len(rater))
    rank[sequence] = np.arange(len(rater)) - starts[rater[sequence]]
    return (rank + 0.5) / counts[rater]


def drift(values: FloatArray, rater: IntArray, order: IntArray) -> dict[str, Any]:
    """Ask whether values change as raters go on.

    Args:
        values: one an answer [n], nan where there is none.
        rater: code of the rater [n].
        order: the sequence of a rater's answers [n].

    Returns:
        parts: for each tenth of a rater's way `part` (1 to 10), `n`, `mean` and its 95 % interval
            (mean ± t · sd / √n over raters' means; None for fewer than two raters).

        slope: the mean over raters of the least-squares slope against the way (0 at the first answer, 1 at
            the last), its 95 % interval and two-sided p from Student's t over raters, so that each rater
            counts once; None with fewer than two raters of three answers or more, or without any spread.
    """
    known = ~np.isnan(values)
    part = parts_of_way(known, rater, order)[known]
    values, rater, order = values[known], rater[known], order[known]
    if not len(values):
        return {"parts": [], "slope": None}
    return {
        "parts": [_part(number, values[part == number], rater[part == number]) for number in range(PARTS)],
        "slope": _slope(values, rater, places(rater, order)),
    }


def parts_of_way(known: BoolArray, rater: IntArray, order: IntArray) -> IntArray:
    """Return in which tenth of its rater's way each answer lies, 0 to 9 [n]; −1 for what is not known."""
    part = np.full(len(known), -1, dtype=np.int64)
    place = places(rater[known], order[known])
    part[known] = np.minimum(PARTS - 1, (place * PARTS).astype(np.int64))
    return part


def _part(number: int, values: FloatArray, rater: IntArray) -> dict[str, Any]:
    if not len(values):
        return {"part": number + 1, "n": 0, "mean": None, "ci": None}
    counts = np.bincount(rater)
    own = np.bincount(rater, weights=values)[counts > 0] / counts[counts > 0]
    mean = float(values.mean())
    half = _half_width(own)
    ci = None if half is None else [mean - half, mean + half]
    return {"part": number + 1, "n": len(values), "mean": mean, "ci": ci}


def _half_width(values: FloatArray) -> float | None:
    n = len(values)
    if n < 2:
        return None
    return float(stats.t.ppf((1 + LEVEL) / 2, n - 1) * values.std(ddof=1) / sqrt(n))


def _slope(values: FloatArray, rater: IntArray, place: FloatArray) -> dict[str, Any] | None:
    n = np.bincount(rater)
    kept = n >= FEWEST_FOR_A_SLOPE
    safe = np.maximum(n, 1)
    mean_place = np.bincount(rater, weights=place) / safe
    away = place - mean_place[rater]
    square = np.bincount(rater, weights=away**2)
    slopes = (np.bincount(rater, weights=away * values) / np.where(square > 0, square, 1.0))[kept]
    if len(slopes) < 2:
        return None
    half = _half_width(slopes) or 0.0
    if half == 0.0:
        return None
    mean = float(slopes.mean())
    error = float(slopes.std(ddof=1)) / sqrt(len(slopes))
    p_value = float(2 * stats.t.sf(abs(mean) / error, len(slopes) - 1))
    return {"mean": mean, "ci": [mean - half, mean + half], "p_value": p_value, "n_raters": len(slopes)}


def longest_run(values: FloatArray) -> int:
    """Return the length of the longest run of equal values, in the given order."""
    if not len(values):
        return 0
    edges = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
    return int(np.diff(edges).max())
