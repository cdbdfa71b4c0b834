"""Bias-corrected and accelerated bootstrap intervals (Efron 1987)."""

from __future__ import annotations

import numpy as np
from scipy import stats

from annotation.stats.records import FloatArray, IntArray
from annotation.stats.resampling import per_unit, percentile_interval, unit_strata


def acceleration(values: FloatArray, strata: IntArray, units: IntArray | None = None) -> FloatArray:
    """Return the acceleration of the mean of each row, by leaving out one unit after the other [K].

    With several strata the influences are centred within each and weighted by its size (DiCiccio and Efron
    1996; scipy's multi-sample formula). 0 where a row does not vary.

    Args:
        values: one row a quantity [K, S], nan where it has no value.
        strata: stratum code of each segment [S].
        units: code of each segment's document [S]; None: segments are left out.
    """
    present = ~np.isnan(values)
    numerators = per_unit(np.where(present, values, 0.0), units)
    denominators = per_unit(present.astype(np.float64), units)
    strata_of_units = unit_strata(strata, units)
    rest = denominators.sum(axis=0) - denominators
    left = (numerators.sum(axis=0) - numerators) / np.where(rest > 0, rest, np.nan)
    has = (denominators > 0) & (rest > 0)
    cubes, squares = np.zeros(len(values)), np.zeros(len(values))
    for stratum in np.unique(strata_of_units):
        own = has & (strata_of_units == stratum)[:, None]
        n = own.sum(axis=0)
        mean = np.where(own, left, 0.0).sum(axis=0) / np.maximum(n, 1)
        influence = np.where(own, (n - 1) * (mean - left), 0.0) / np.maximum(n, 1)
        cubes += (influence**3).sum(axis=0)
        squares += (influence**2).sum(axis=0)
    varies = squares > 1e-24
    return np.where(varies, cubes / (6 * np.where(varies, squares, 1.0) ** 1.5), 0.0)


def bca_interval(
    draws: FloatArray, estimate: FloatArray, accelerations: FloatArray, level: float = 0.95
) -> FloatArray:
    """Return the BCa interval of each column, widened where needed to contain its estimate [K, 2].

    The bias correction is Φ⁻¹ of the share of resamples below the estimate, those equal to it counting half;
    a share of 0 or 1 is taken as half a resample. Where the correction is not defined (an acceleration so
    large that 1 − a (z₀ + z) ≤ 0) the interval is the percentile one.

    Args:
        draws: resampled values [B, K].
        estimate: the value from the data [K].
        accelerations: of the quantity, as `acceleration` gives it [K].
        level: the share of resamples inside, in (0, 1).
    """
    resamples = len(draws)
    below = (draws < estimate).sum(axis=0) + (draws <= estimate).sum(axis=0)
    share = np.clip(below / (2 * resamples), 0.5 / resamples, 1 - 0.5 / resamples)
    bias = stats.norm.ppf(share)
    result = percentile_interval(draws, estimate, level)
    quantiles = stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    for column in range(draws.shape[1]):
        moved = bias[column] + quantiles
        scale = 1 - accelerations[column] * moved
        if (scale <= 0).any() or np.isnan(draws[:, column]).any():
            continue
        low, high = np.quantile(draws[:, column], stats.norm.cdf(bias[column] + moved / scale))
        result[column] = min(low, estimate[column]), max(high, estimate[column])
    return result
