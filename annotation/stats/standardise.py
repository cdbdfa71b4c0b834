"""Standardise raw scores per rater: z = (x − mean) / sd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.stats.records import KINDS, BoolArray, FloatArray, IntArray, RatingTable

POPULATIONS: dict[str, tuple[str, ...]] = {
    "all": ("system", "reference", "bad_reference", "repeat"),
    "system_items": ("system",),
    "system_and_repeat": ("system", "repeat"),
}
"""The kinds that make a rater's mean and spread; practice and attention items never do."""

CONSTANT_TOLERANCE = 1e-9
"""A rater whose sd is at most this times max(1, |mean|) is constant."""


class RaterSummary(NamedTuple):
    """A rater's use of the scale over the chosen population.

    `n` counts the ratings in the population; `mean` is None when there are none, `sd` (ddof = 1) when there
    are fewer than two. `no_variance` says that the rater has no z: constant within the tolerance, or fewer
    than two ratings.
    """

    rater: str
    n: int
    mean: float | None
    sd: float | None
    no_variance: bool
    excluded_by: str


@dataclass(frozen=True, eq=False)
class Standardised:
    """The z of each rating.

    Attributes:
        z: standard deviations from the rater's mean [n]; nan where the rater has none and for practice and
            attention items. Callers that write it out write nothing there.
        raters: one summary a rater, in the table's order [R].
    """

    z: FloatArray
    raters: list[RaterSummary]

    def z_or_none(self) -> list[float | None]:
        """Return z as plain numbers, None where there is none [n]."""
        return [None if value != value else value for value in self.z.tolist()]


def standardise(table: RatingTable, population: str = "all") -> Standardised:
    """Standardise every rating by its rater's mean and sample sd over the population.

    Raters are taken as they are, before anyone is excluded. z is given for every rating of a rater who has a
    spread, also for kinds outside the population.

    Raises:
        ValueError: an unknown population.
    """
    if population not in POPULATIONS:
        raise ValueError(f"unknown population {population!r}, expected one of {', '.join(POPULATIONS)}")
    counted = of_kinds(table.kind, POPULATIONS[population])
    n, mean, sd = moments(table.rater[counted], table.score[counted], len(table.raters))
    flat = is_flat(n, mean, sd)
    scale = np.where(flat, np.nan, sd)
    z = (table.score - mean[table.rater]) / scale[table.rater]
    z[~of_kinds(table.kind, POPULATIONS["all"])] = np.nan
    raters = [
        RaterSummary(
            rater=name,
            n=int(n[code]),
            mean=float(mean[code]) if n[code] > 0 else None,
            sd=float(sd[code]) if n[code] > 1 else None,
            no_variance=bool(flat[code]),
            excluded_by=table.excluded_by[code],
        )
        for code, name in enumerate(table.raters)
    ]
    return Standardised(z, raters)


def of_kinds(kind: IntArray, kinds: tuple[str, ...]) -> BoolArray:
    """Return where a kind code is one of the named kinds [n]."""
    return np.array([name in kinds for name in KINDS])[kind]


def moments(rater: IntArray, score: FloatArray, size: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return n, mean and sample sd per rater [R] (two passes; 0 where undefined)."""
    n = np.bincount(rater, minlength=size)
    mean = np.bincount(rater, weights=score, minlength=size) / np.maximum(n, 1)
    squares = np.bincount(rater, weights=(score - mean[rater]) ** 2, minlength=size)
    return n, mean, np.sqrt(squares / np.maximum(n - 1, 1))


def is_flat(n: IntArray, mean: FloatArray, sd: FloatArray) -> BoolArray:
    """Return which raters have no z: fewer than two ratings, or constant within the tolerance [R]."""
    return (n < 2) | (sd <= CONSTANT_TOLERANCE * np.maximum(1.0, np.abs(mean)))
