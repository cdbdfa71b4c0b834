"""Intraclass correlation: the share of variance that lies between the things judged.

`variance_components` serves raters who each judged some of the units, `classic_icc` a complete table.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse, stats
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg

from annotation.stats.alpha import AgreementError
from annotation.stats.estimate import Estimate, undefined
from annotation.stats.records import FloatArray, IntArray

SOLVER_TOLERANCE = 1e-13
NOTHING = 1e-24
"""A share of the sum of squares that is rounding."""


class Components(NamedTuple):
    """Variance components of score = mean + unit + rater + residual, and the ICCs made of them.

    Variances are never negative: a negative estimate is 0 and named in `caveat`. All are None when they
    cannot be told apart. `single` is the reliability of one rater's judgement, `average` that of the mean
    over `k` raters, the harmonic mean of raters a unit.
    """

    unit: float | None
    rater: float | None
    residual: float | None
    single: float | None
    average: float | None
    k: float | None
    n_ratings: int
    n_units: int
    n_raters: int
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def variance_components(unit: npt.ArrayLike, rater: npt.ArrayLike, value: npt.ArrayLike) -> Components:
    """Estimate the components of an unbalanced crossed design by Henderson's method III (1953).

    With R(·) the reduction in sum of squares of a fit by fixed effects, n_ij the ratings of rater j for unit
    i and r = I + J − (connected parts of the design) the rank of the full fit:

    - residual = [y'y − R(u, r)] / (n − r),
    - unit = [R(u, r) − R(r) − (r − J) · residual] / [n − Σ_ij n_ij² / n_·j],
    - rater = [R(u, r) − R(u) − (r − I) · residual] / [n − Σ_ij n_ij² / n_i·].

    On a complete table these are the estimates of the analysis of variance, and `single` is ICC(2,1). The
    cost is that of a few dozen sparse products; nothing of size n × n, I × J or J × J is built.

    Args:
        unit: what was judged, codes or names [n].
        rater: who judged it, codes or names [n].
        value: the judgements [n], finite.

    Raises:
        AgreementError: lengths differ or a value is not finite.
    """
    y = np.asarray(value, dtype=np.float64)
    if not np.shape(unit) == np.shape(rater) == y.shape or y.ndim != 1:
        raise AgreementError("units, raters and values must be as many")
    if not np.isfinite(y).all():
        raise AgreementError("a judgement is not a finite number")
    if not y.size:
        return _none(0, 0, 0, "no judgements")
    i, j = (np.unique(np.asarray(codes), return_inverse=True)[1] for codes in (unit, rater))
    n, units, raters = len(y), int(i.max()) + 1, int(j.max()) + 1
    table = sparse.csr_array((np.ones(n), (i, j)), shape=(units, raters))
    rank = units + raters - _parts(i, j, (units, raters))
    of_unit, of_rater = np.bincount(i), np.bincount(j)
    squares = table.power(2)
    weight_unit = n - float((np.ravel(squares.sum(axis=0)) / of_rater).sum())
    weight_rater = n - float((np.ravel(squares.sum(axis=1)) / of_unit).sum())
    if raters < 2:
        return _none(n, units, raters, "one rater only")
    if weight_rater <= 0 or weight_unit <= 0 or n <= rank:
        return _none(n, units, raters, "too few units were judged by two raters to tell raters from error")
    y = y - y.mean()
    full, by_unit, by_rater = _reductions(table, i, j, y)
    residual = max(0.0, float(y @ y) - full) / (n - rank)
    unit_variance = (full - by_rater - (rank - raters) * residual) / weight_unit
    rater_variance = (full - by_unit - (rank - units) * residual) / weight_rater
    return _components(unit_variance, rater_variance, residual, units / float((1 / of_unit).sum()), n, table)


def _parts(i: IntArray, j: IntArray, size: tuple[int, int]) -> int:
    """Return the number of connected parts of the graph of units and raters."""
    nodes = sum(size)
    graph = sparse.csr_matrix((np.ones(len(i)), (i, size[0] + j)), shape=(nodes, nodes))
    return int(connected_components(graph, directed=False)[0])


def _reductions(
    table: sparse.csr_array, i: IntArray, j: IntArray, y: FloatArray
) -> tuple[float, float, float]:
    """Return R(units and raters), R(units), R(raters), about the grand mean taken out before.

    The larger of the two factors is absorbed; the normal equations of the other are solved by conjugate
    gradients, which a singular but consistent system does not disturb.
    """
    by_unit, by_rater = (np.bincount(codes, weights=y) for codes in (i, j))
    of_unit, of_rater = np.bincount(i).astype(np.float64), np.bincount(j).astype(np.float64)
    alone = float((by_unit**2 / of_unit).sum()), float((by_rater**2 / of_rater).sum())
    wide = table.shape[0] < table.shape[1]
    crossed = table.T.tocsr() if wide else table
    absorbed, kept, sums, kept_sums = (
        (of_rater, of_unit, by_rater, by_unit) if wide else (of_unit, of_rater, by_unit, by_rater)
    )
    right = kept_sums - crossed.T @ (sums / absorbed)
    known = alone[1 if wide else 0]
    # what is 0 but for rounding lies in the null space, where the solver would divide by 0
    if float((right**2 / kept).sum()) <= NOTHING * float(y @ y):
        return known, alone[0], alone[1]
    size = len(kept)

    def normal(x: FloatArray) -> FloatArray:
        x = np.ravel(x)
        return kept * x - crossed.T @ ((crossed @ x) / absorbed)

    operator = LinearOperator((size, size), matvec=normal, dtype=np.float64)
    scale = LinearOperator((size, size), matvec=lambda x: np.ravel(x) / kept, dtype=np.float64)
    solution, failed = cg(operator, right, rtol=SOLVER_TOLERANCE, maxiter=20 * size + 100, M=scale)
    left_over = float(np.linalg.norm(normal(solution) - right))
    if not isfinite(left_over) or (failed and left_over > 1e-8 * np.linalg.norm(right)):
        raise AgreementError(
            "the raters and units are so thinly connected that their effects cannot be found"
        )
    return known + float(right @ solution), alone[0], alone[1]


def _components(
    unit: float, rater: float, residual: float, k: float, n: int, table: sparse.csr_array
) -> Components:
    total = max(unit, 0.0) + max(rater, 0.0) + residual
    units, raters = table.shape
    if total <= 0:
        return _none(n, units, raters, "all judgements are equal")
    # an estimate that is 0 but for rounding is 0
    unit, rater = (0.0 if abs(part) <= 1e-12 * total else part for part in (unit, rater))
    negative = [name for name, part in (("units", unit), ("raters", rater)) if part < 0]
    caveat = " and ".join(
        f"the variance between {name} was estimated below 0 and set to 0" for name in negative
    )
    unit, rater = max(unit, 0.0), max(rater, 0.0)
    single = unit / (unit + rater + residual) if unit else 0.0
    average = unit / (unit + (rater + residual) / k) if unit else 0.0
    return Components(unit, rater, residual, single, average, k, n, units, raters, caveat)


def _none(n: int, units: int, raters: int, caveat: str) -> Components:
    return Components(None, None, None, None, None, None, n, units, raters, caveat)


class ClassicIcc(NamedTuple):
    """ICC(2,1) and ICC(2,k) of k raters who all judged the same units; `n` of each is the units."""

    single: Estimate
    average: Estimate
    k: int


def classic_icc(table: npt.ArrayLike, level: float = 0.95) -> ClassicIcc:
    """Return ICC(2,1) and ICC(2,k) of a complete table (Shrout and Fleiss 1979).

    With BMS, JMS and EMS the mean squares between units, between raters and residual:
    ICC(2,1) = (BMS − EMS) / (BMS + (k − 1) EMS + k (JMS − EMS) / n),
    ICC(2,k) = (BMS − EMS) / (BMS + (JMS − EMS) / n). Intervals: McGraw and Wong (1996), case A. Both may be
    negative.

    Args:
        table: judgements [n units, k raters], finite.
        level: of the interval, in (0, 1).

    Raises:
        AgreementError: the table is not two-dimensional or holds something that is not finite.
    """
    x = np.asarray(table, dtype=np.float64)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise AgreementError("a complete table of units by raters was expected")
    n, k = x.shape
    if n < 2 or k < 2:
        nothing = undefined(n, "two raters and two units at least are needed")
        return ClassicIcc(nothing, nothing, k)
    bms, jms, ems = mean_squares(x)
    below = bms + (k - 1) * ems + k * (jms - ems) / n
    if bms + jms + ems <= 1e-20 or below <= 0:
        nothing = undefined(n, "all judgements are equal")
        return ClassicIcc(nothing, nothing, k)
    single = (bms - ems) / below
    average_below = bms + (jms - ems) / n
    average = (bms - ems) / average_below if average_below > 0 else None
    low, high, caveat = _mcgraw_wong(bms, jms, ems, n, k, single, level)
    one = Estimate(single, n, low, high, caveat)
    if average is None:
        return ClassicIcc(one, undefined(n, "the variance of the mean was estimated below 0"), k)
    low, high = _spearman_brown(low, k), _spearman_brown(high, k)
    return ClassicIcc(one, Estimate(average, n, low, high, caveat), k)


def mean_squares(x: FloatArray) -> tuple[float, float, float]:
    """Return the mean squares between units, between raters and residual of a table [n ≥ 2, k ≥ 2]."""
    n, k = x.shape
    x = x - x.mean()
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0)
    return (
        k * float((x.mean(axis=1) ** 2).sum()) / (n - 1),
        n * float((x.mean(axis=0) ** 2).sum()) / (k - 1),
        float((rest**2).sum()) / ((n - 1) * (k - 1)),
    )


def _mcgraw_wong(
    bms: float, jms: float, ems: float, n: int, k: int, icc: float, level: float
) -> tuple[float | None, float | None, str]:
    """Return the interval of ICC(2,1) = ICC(A,1)."""
    if ems <= 1e-12 * (bms + jms):
        return None, None, "raters agree but for constants, so no interval"
    a = k * icc / (n * (1 - icc))
    b = 1 + k * icc * (n - 1) / (n * (1 - icc))
    df = (a * jms + b * ems) ** 2 / ((a * jms) ** 2 / (k - 1) + (b * ems) ** 2 / ((n - 1) * (k - 1)))
    tail = (1 + level) / 2
    lower, upper = float(stats.f.ppf(tail, n - 1, df)), float(stats.f.ppf(tail, df, n - 1))
    if not np.isfinite([lower, upper]).all():
        return None, None, "too few units or raters for an interval"
    others = k * jms + (k * n - k - n) * ems
    low = n * (bms - lower * ems) / (lower * others + n * bms)
    high = n * (upper * bms - ems) / (others + n * upper * bms)
    return min(low, icc), max(high, icc), ""


def _spearman_brown(icc: float | None, k: int) -> float | None:
    """Return the reliability of a mean over k raters, None where the formula has no positive denominator."""
    if icc is None or 1 + (k - 1) * icc <= 0:
        return None
    return k * icc / (1 + (k - 1) * icc)
