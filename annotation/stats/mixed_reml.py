"""Estimate the variances of a crossed mixed model by (restricted) maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg, optimize

from annotation.stats.mixed_algebra import CrossedModel, Factor, Sparse
from annotation.stats.records import FloatArray

METHODS = ("reml", "ml")
Deviance = Callable[[FloatArray], float]
START = 0.5
STEP = 1e-3
SINGULAR = 1e13
"""Condition of an information matrix that cannot be inverted."""
NEGLIGIBLE = 1e-4
"""A gain in deviance that is none."""
LARGEST = 1000.0
"""Bound of a random effect's sd over the residual sd."""
ZERO = 1e-4
"""A random effect's sd below this share of the residual sd is 0."""
PERFECT = 1e-5
"""A residual below this share of the variance of the scores is none."""
PROBE = 0.03
"""Where an estimate of 0 is probed: the likelihood is flat at 0, so an optimiser could be stuck there."""
HELD = 100.0
"""The sd, over the residual sd, of effects that are as good as fixed: it shrinks them by nothing."""


class Fixed(NamedTuple):
    """A grouping whose effects are taken as they are: its variance is held so large that it is no guess.

    Attributes:
        name: of the term, "" for none.
        rank: effects that the fixed effects of the model do not give already.
    """

    name: str = ""
    rank: int = 0


NOTHING_FIXED = Fixed()


@dataclass(frozen=True, eq=False)
class Estimate:
    """A fitted model.

    Attributes:
        beta: fixed effects [p].
        covariance: of `beta` [p, p].
        variances: one a random term, in the order of the model's names, a fixed grouping left out [k].
        residual: variance of the error.
        log_likelihood: restricted if the method is "reml".
        converged: whether no neighbouring ratio of sd is better, and none is at its upper bound.
        message: the optimiser's last word.
        slopes: derivative of `covariance` by each variance that is not 0, the residual's last [v, p, p].
        information: asymptotic covariance of those variances [v, v]; None when it is singular, or when
            `residual` is below `PERFECT`: no error is left to estimate it from, and `slopes` are 0.
    """

    beta: FloatArray
    covariance: FloatArray
    variances: FloatArray
    residual: float
    log_likelihood: float
    converged: bool
    message: str
    slopes: FloatArray
    information: FloatArray | None

    def degrees_of_freedom(self, contrasts: FloatArray) -> FloatArray:
        """Return Satterthwaite's degrees of freedom of each contrast [c, p] → [c], at least 1, perhaps inf.

        df = 2 (l'Cl)² / (g' A g), with C the covariance of the estimates, g the slopes of l'Cl by the
        variances and A the variances' own covariance (Giesbrecht and Burns 1985).
        """
        if self.information is None:
            return np.full(len(contrasts), np.inf)
        variance = np.einsum("cp,pq,cq->c", contrasts, self.covariance, contrasts)
        slope = np.einsum("cp,vpq,cq->cv", contrasts, self.slopes, contrasts)
        spread = np.einsum("cv,vw,cw->c", slope, self.information, slope)
        positive = spread > 0
        return np.where(positive, np.maximum(1.0, 2 * variance**2 / np.where(positive, spread, 1.0)), np.inf)


def estimate(model: CrossedModel, method: str = "reml", fixed: Fixed = NOTHING_FIXED) -> Estimate:
    """Fit the model: profile the fixed effects and the residual out, optimise over the ratios of sd.

    Args:
        model: what is fitted.
        method: "reml" or "ml".
        fixed: a grouping that is not random; degrees of freedom are taken for it by either method.

    Raises:
        ValueError: an unknown method.
        numpy.linalg.LinAlgError: the fixed effects are not of full rank.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}, expected one of {', '.join(METHODS)}")
    degrees = (model.n - model.p if method == "reml" else model.n) - fixed.rank
    free = np.array([name != fixed.name for name in model.names], dtype=bool)

    def factorised(ratios: FloatArray) -> Factor:
        every = np.full(len(free), HELD)
        every[free] = ratios
        return model.factor(every**2)

    def deviance(ratios: FloatArray) -> float:
        """Return −2 log-likelihood, a constant apart."""
        factor = factorised(ratios)
        value = degrees * np.log(max(factor.residual, 1e-300) / degrees) + factor.log_det
        return float(value + np.linalg.slogdet(factor.xvx)[1] if method == "reml" else value)

    ratios, lowest, converged, message = _optimise(deviance, int(free.sum()), model.n)
    factor = factorised(ratios)
    lowest -= 2 * fixed.rank * float(np.log(HELD))
    residual = factor.residual / degrees
    slopes: FloatArray = np.zeros((1, model.p, model.p))
    information = None
    if residual >= PERFECT:
        present = [z for name, z in zip(model.names, model.indicators(), strict=True) if name != fixed.name]
        present = [z for z, ratio in zip(present, ratios, strict=True) if ratio > 0]
        slopes, information = _uncertainty(model, factor, present, residual)
    return Estimate(
        beta=factor.beta,
        covariance=residual * linalg.inv(factor.xvx),
        variances=ratios**2 * residual,
        residual=residual,
        log_likelihood=float(-0.5 * (lowest + degrees * (1 + np.log(2 * np.pi)))),
        converged=converged,
        message=message,
        slopes=slopes,
        information=information,
    )


def _optimise(deviance: Deviance, size: int, n: int) -> tuple[FloatArray, float, bool, str]:
    """Return the ratios of sd [size], the deviance there, whether it converged, and the message."""
    if size == 0:
        return np.zeros(0), deviance(np.zeros(0)), True, "there is no random effect to estimate"

    def scaled(ratios: FloatArray) -> float:
        return deviance(ratios) / n

    start = np.full(size, START)
    for _ in range(size + 1):
        found = optimize.minimize(
            scaled,
            start,
            method="L-BFGS-B",
            bounds=[(0.0, LARGEST)] * size,
            options={"ftol": 1e-11, "gtol": 1e-7, "maxiter": 200},
        )
        best = np.where(found.x < ZERO, 0.0, found.x)
        lowest = deviance(best)
        start = _leave_zero(deviance, best, lowest)
        if np.array_equal(start, best):
            break
    return best, lowest, _is_lowest(deviance, best, lowest), str(found.message)


def _is_lowest(deviance: Deviance, best: FloatArray, lowest: float) -> bool:
    """Return whether a step to either side in each ratio of sd gains nothing, inside the bounds."""
    for place, ratio in enumerate(best):
        for step in (-STEP, STEP):
            moved = best.copy()
            moved[place] = max(0.0, ratio * (1 + step) + step)
            if deviance(moved) < lowest - NEGLIGIBLE:
                return False
    return bool(np.all(best < LARGEST * 0.99))


def _leave_zero(deviance: Deviance, best: FloatArray, lowest: float) -> FloatArray:
    """Return the same ratios, or a better point where one that is 0 is not."""
    for place in np.flatnonzero(best == 0.0):
        probe = best.copy()
        probe[place] = PROBE
        if deviance(probe) < lowest - 1e-6:
            return probe
    return best


def _uncertainty(
    model: CrossedModel, factor: Factor, present: list[Sparse], residual: float
) -> tuple[FloatArray, FloatArray | None]:
    """Return the slopes of the covariance by the variances of the present terms, and these' covariance.

    The latter is the inverse of the average information ½ y'P V_i P V_j P y (Gilmour, Thompson and Cullis
    1995).
    """
    x, y = model.x, model.y
    vx = factor.solve(x) / residual
    covariance = linalg.inv(factor.xvx / residual)
    py = factor.solve((y - x @ factor.beta)[:, None])[:, 0] / residual
    slopes, working = [], []
    for z in present:
        by_group = z.T @ vx @ covariance
        slopes.append(by_group.T @ by_group)
        working.append(z @ (z.T @ py))
    by_row = vx @ covariance
    slopes.append(by_row.T @ by_row)
    working.append(py)
    f = np.column_stack(working)
    projected = factor.solve(f) / residual - vx @ (covariance @ (vx.T @ f))
    average = 0.5 * f.T @ projected
    average = (average + average.T) / 2
    singular = np.linalg.cond(average) > SINGULAR
    return np.stack(slopes), None if singular else linalg.inv(average)
