"""Krippendorff's α: agreement of raters who each judged some of the units.

α = 1 − D_o / D_e over the units with at least two values (Krippendorff 2011, Computing Krippendorff's
alpha-reliability). D_o is the mean squared difference within units, each pair weighted by 1 / (m_u − 1);
D_e is the same over all pairs of values. No coincidence matrix is built: for the interval level both are sums
of squares, for the ordinal level sums of squares of mid-ranks, for the nominal level counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy import sparse

from annotation.stats.estimate import Estimate, undefined
from annotation.stats.records import FloatArray, IntArray
from annotation.stats.resampling import percentile_interval, resample_counts

LEVELS = ("interval", "ordinal", "nominal")
NO_PAIRS = "no unit was judged by two raters"
ALL_EQUAL = "all judgements are equal, so agreement by chance is certain"
Counts = Iterator[FloatArray]


class AgreementError(ValueError):
    """Judgements that do not fit together, or an unknown level of measurement."""


class _Units:
    """The units with at least two values.

    Attributes:
        unit: unit code of each value [N], 0 to U − 1.
        value: [N].
        m: values a unit [U].
        domain: the distinct values in order [K].
        category: code into `domain` of each value [N].
    """

    def __init__(self, unit: npt.ArrayLike, value: npt.ArrayLike) -> None:
        codes, values = np.asarray(unit), np.asarray(value, dtype=np.float64)
        if codes.shape != values.shape or codes.ndim != 1:
            raise AgreementError(f"{codes.shape} units, but {values.shape} values; one of each was expected")
        if not np.isfinite(values).all():
            raise AgreementError("a judgement is not a finite number")
        if codes.size:
            codes = np.unique(codes, return_inverse=True)[1]
            several = np.bincount(codes)[codes] > 1
            codes, values = np.unique(codes[several], return_inverse=True)[1], values[several]
        self.unit: IntArray = codes.astype(np.int64)
        self.value: FloatArray = values
        self.m = np.bincount(self.unit).astype(np.float64)
        self.domain, self.category = np.unique(values, return_inverse=True)

    def within(self, scaled: FloatArray) -> FloatArray:
        """Return Σ (x − x')² over ordered pairs / (m − 1) of each unit [U]."""
        mean = np.bincount(self.unit, weights=scaled) / self.m
        squares = np.bincount(self.unit, weights=(scaled - mean[self.unit]) ** 2)
        return 2 * self.m / (self.m - 1) * squares

    def table(self) -> sparse.csr_array:
        """Return how often each category occurs in each unit [U, K]."""
        ones = np.ones(len(self.unit))
        shape = (len(self.m), len(self.domain))
        return sparse.csr_array((ones, (self.unit, self.category)), shape=shape)


def krippendorff_alpha(
    unit: npt.ArrayLike,
    value: npt.ArrayLike,
    level: str = "interval",
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
) -> Estimate:
    """Return α with a percentile interval from resampled units.

    A rater gives a unit at most one value: average or choose before. `n` is the number of units with two
    values or more; the others say nothing about agreement and are left out.

    Args:
        unit: what was judged, codes or names [n].
        value: the judgements [n], finite; at the nominal and ordinal levels any numbers naming categories.
        level: "interval", "ordinal" or "nominal".
        rng: the source of chance; None leaves the interval out.
        resamples: bootstrap resamples of units; those in which all values are equal have no α and are left
            out.

    Raises:
        AgreementError: lengths differ, a value is not finite, or the level is unknown.
    """
    if level not in LEVELS:
        raise AgreementError(f"unknown level {level!r}, expected one of {', '.join(LEVELS)}")
    units = _Units(unit, value)
    n = len(units.m)
    if n == 0:
        return undefined(0, NO_PAIRS)
    if len(units.domain) == 1:
        return undefined(n, ALL_EQUAL)
    resampled = {"interval": _interval, "ordinal": _ordinal, "nominal": _nominal}[level](units)
    estimate = float(resampled(np.ones((1, n)))[0])
    if rng is None:
        return Estimate(estimate, n)
    draws = [resampled(counts) for counts in resample_counts(rng, np.zeros(n, dtype=np.int64), resamples)]
    return _with_interval(estimate, n, np.concatenate(draws))


def _with_interval(estimate: float, n: int, draws: FloatArray) -> Estimate:
    defined = draws[~np.isnan(draws)]
    if n < 2 or not len(defined):
        return Estimate(estimate, n, caveat="one unit only, so no interval" if n < 2 else "no interval")
    low, high = percentile_interval(defined[:, None], np.array([estimate]))[0].tolist()
    left_out = len(draws) - len(defined)
    caveat = f"{left_out} resamples of equal judgements left out" if left_out else ""
    return Estimate(estimate, n, low, high, caveat)


def _ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return 1 − D_o / D_e, nan where nothing disagrees [b]."""
    flat = expected <= 0
    return np.where(flat, np.nan, 1 - observed / np.where(flat, 1.0, expected))


def _interval(units: _Units) -> Callable[[FloatArray], FloatArray]:
    """Return α as a function of how often each unit counts, [b, U] → [b]."""
    scaled = units.value - units.value.mean()
    scaled = scaled / np.abs(scaled).max()
    sums = np.column_stack(
        [
            units.within(scaled),
            units.m,
            np.bincount(units.unit, weights=scaled),
            np.bincount(units.unit, weights=scaled**2),
        ]
    )

    def alpha(counts: FloatArray) -> FloatArray:
        within, n, total, squares = (counts @ sums).T
        spread = squares - total**2 / n
        spread[spread <= 1e-12 * squares] = 0.0
        return _ratio(within / n, 2 * spread / (n - 1))

    return alpha


def _nominal(units: _Units) -> Callable[[FloatArray], FloatArray]:
    table = units.table()
    same = np.asarray(table.multiply(table).sum(axis=1)).ravel()
    within = (units.m**2 - same) / (units.m - 1)

    def alpha(counts: FloatArray) -> FloatArray:
        n = counts @ units.m
        categories = (table.T @ counts.T).T
        between = (n**2 - (categories**2).sum(axis=1)) / (n * (n - 1))
        return _ratio(counts @ within / n, between)

    return alpha


def _ordinal(units: _Units) -> Callable[[FloatArray], FloatArray]:
    """Return α over mid-ranks, which every resample has its own of.

    The ordinal difference Σ_{g=c..k} n_g − (n_c + n_k) / 2 is the difference of the mid-ranks of c and k.
    """
    table = units.table()

    def alpha(counts: FloatArray) -> FloatArray:
        n = counts @ units.m
        categories = (table.T @ counts.T).T
        ranks = np.cumsum(categories, axis=1) - categories / 2 - n[:, None] / 2
        sums, squares = table @ ranks.T, table @ (ranks**2).T
        pairs = 2 * (units.m[:, None] * squares - sums**2) / (units.m[:, None] - 1)
        observed = (counts.T * pairs).sum(axis=0) / n
        spread = (categories * ranks**2).sum(axis=1) - (categories * ranks).sum(axis=1) ** 2 / n
        spread[categories.max(axis=1) >= n] = 0.0
        return _ratio(observed, 2 * spread / (n - 1))

    return alpha
