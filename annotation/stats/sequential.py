"""Look at a campaign while it runs, without looking oneself into a false difference.

Testing at .05 at every look rejects a true null far more often than in 5 % of campaigns. Here the error is
spent (Lan and DeMets 1983): by the share t of the planned information that is in, at most α(t) of it may be
used up. Each look gets the boundary at which a campaign without a difference stops with exactly what is spent
since the last look, found by integrating the density of the test statistic from look to look (Armitage,
McPherson and Rowe 1969). The looks need no schedule, but whether to look must not depend on the difference
seen so far. When the plan changes between looks, what was spent stays spent: later looks share what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, e, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, stats

from annotation.stats.records import FloatArray

SPENDING = ("obrien_fleming", "pocock")
MOST_LOOKS = 50
TAIL = 9.0
"""Where the density is cut, in sd; beyond lies less than 1e-18."""
LEAST_SPENT = 1e-13
"""Error that cannot be told from the integration's own; a look that may spend no more cannot stop."""


class SequentialError(ValueError):
    """A look that cannot be taken; the message says why."""


class Look(NamedTuple):
    """A look at the data and the boundary it has.

    Attributes:
        fraction: share of the information planned at that time that is in, above 0; information is
            proportional to the number of segments judged (or of judgements, when each segment gets the same
            number).
        boundary: the |z| (one-sided: z) from which the difference is significant; inf when it is too early
            for any.
        nominal_p: the p-value, of as many sides as the test, that corresponds to the boundary.
        spent: error used up to this look and with it, at most α.
        information: how much was in, in a unit that all looks share; the fraction where no plan changed.
    """

    fraction: float
    boundary: float
    nominal_p: float
    spent: float
    information: float

    def as_row(self) -> dict[str, Any]:
        """Return the look as a row; a boundary that cannot be reached is None."""
        return {
            "fraction": self.fraction,
            "boundary": None if self.boundary == inf else self.boundary,
            "nominal_p": self.nominal_p,
            "spent": self.spent,
        }


def spend(fraction: float, alpha: float = 0.05, spending: str = "obrien_fleming", sides: int = 2) -> float:
    """Return the error that may be used up when this share of the information is in.

    Per side with a = α / sides: "obrien_fleming" 2 (1 − Φ(z_{a/2} / √t)), little early and nearly all at the
    end; "pocock" a ln(1 + (e − 1) t), about the same at each look. All of α from t = 1 on.

    Raises:
        SequentialError: an option outside what is defined.
    """
    _check(alpha, spending, sides)
    if not 0 < fraction < inf:
        raise SequentialError(f"the share of information must be above 0; found {fraction!r}")
    share, a = min(1.0, fraction), alpha / sides
    if spending == "pocock":
        return sides * a * log(1 + (e - 1) * share)
    return float(sides * 2 * stats.norm.sf(stats.norm.isf(a / 2) / sqrt(share)))


def look(
    fraction: float,
    previous: Sequence[Look] = (),
    alpha: float = 0.05,
    spending: str = "obrien_fleming",
    sides: int = 2,
    information: float | None = None,
) -> Look:
    """Return the boundary of a look.

    Args:
        fraction: share of the planned information that is in; more than 1 when more came in than planned.
        previous: the looks taken before, none of which stopped, in order, each with the plan it was taken by.
        alpha: error of all looks together.
        spending: "obrien_fleming" or "pocock".
        sides: 2, or 1 when only a positive z counts (a direction declared beforehand).
        information: how much is in, in the unit of the looks before, for a plan that changed since; by
            default the fraction.

    Raises:
        SequentialError: an option outside what is defined, no new information since the last look, nothing
            left to spend, or too many looks.
    """
    known = fraction if information is None else information
    _check_turn(known, previous)
    density = _Density(sides)
    for earlier in previous:
        density.advance(earlier.information, earlier.boundary)
    return _take(density, fraction, known, previous, alpha, spending)


def plan_looks(
    fractions: Sequence[float], alpha: float = 0.05, spending: str = "obrien_fleming", sides: int = 2
) -> list[Look]:
    """Return the boundaries of planned looks, in order of their shares of the information."""
    looks: list[Look] = []
    density = _Density(sides)
    for fraction in fractions:
        _check_turn(fraction, looks)
        looks.append(_take(density, fraction, fraction, looks, alpha, spending))
        density.advance(fraction, looks[-1].boundary)
    return looks


def _check_turn(information: float, previous: Sequence[Look]) -> None:
    """Check that another look can be taken."""
    if previous and information <= previous[-1].information:
        raise SequentialError(
            f"the last look was at {previous[-1].information:g} of the planned information, so this one must "
            f"be later; found {information:g}"
        )
    if previous and previous[-1].fraction >= 1:
        raise SequentialError("all information was in at the last look, no error is left for another")
    if len(previous) >= MOST_LOOKS:
        raise SequentialError(f"there were {len(previous)} looks already, {MOST_LOOKS} are the most")


def _take(
    density: _Density,
    fraction: float,
    information: float,
    previous: Sequence[Look],
    alpha: float,
    spending: str,
) -> Look:
    """Spend what may be used up by now and is not spent yet; nothing that is spent comes back."""
    total = spend(fraction, alpha, spending, density.sides)
    spent = previous[-1].spent if previous else 0.0
    allowed = total - spent
    if allowed < LEAST_SPENT:
        return Look(fraction, inf, 0.0, spent, information)
    boundary = density.boundary(information, allowed)
    return Look(fraction, boundary, float(density.sides * stats.norm.sf(boundary)), total, information)


def verdict(current: Look, z: float, sides: int = 2) -> str:
    """Return "stop" when the statistic reaches the boundary, "no_difference" at the end, else "go_on"."""
    if (abs(z) if sides == 2 else z) >= current.boundary:
        return "stop"
    return "no_difference" if current.fraction >= 1 else "go_on"


def paired_z(differences: FloatArray) -> float:
    """Return the paired t statistic of segments as the z of the same tail: z = Φ⁻¹(F(t)), F with n − 1 df.

    With few segments t is wider than a normal z, so t itself would cross a normal boundary too often. z is
    within ±37, where the tail ends.

    Args:
        differences: one a segment that both systems have [n], nan where there is none.

    Raises:
        SequentialError: fewer than two differences, or all equal.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if len(values) < 2:
        have = "1 segment has" if len(values) == 1 else f"{len(values)} segments have"
        raise SequentialError(f"{have} both systems, at least two are needed")
    error = float(values.std(ddof=1)) / sqrt(len(values))
    if error <= 1e-12:
        raise SequentialError(
            f"all {len(values):,} differences between the two systems are equal, so their error is unknown "
            "and there is no z"
        )
    t = float(values.mean()) / error
    tail = max(float(stats.t.sf(abs(t), len(values) - 1)), 1e-300)
    return float(copysign(stats.norm.isf(tail), t))


class _Density:
    """The density of S = z √t over the campaigns that no look has stopped, on Gauss–Legendre nodes."""

    def __init__(self, sides: int) -> None:
        self.sides = sides
        self.information = 0.0
        self.nodes = np.zeros(1)
        self.mass = np.ones(1)

    def advance(self, information: float, boundary: float) -> None:
        """Go on to a look, and leave out what it stops."""
        step, root = sqrt(information - self.information), sqrt(information)
        high = min(boundary, TAIL) * root
        low = -high if self.sides == 2 else -TAIL * root
        size = int(np.clip(np.ceil(4 * (high - low) / step), 64, 1200))
        unit, weight = np.polynomial.legendre.leggauss(size)
        nodes = low + (high - low) * (unit + 1) / 2
        kernel = stats.norm.pdf((nodes[:, None] - self.nodes) / step) / step
        self.mass = (kernel @ self.mass) * weight * (high - low) / 2
        self.nodes, self.information = nodes, information

    def boundary(self, information: float, allowed: float) -> float:
        """Return the boundary that stops exactly this share of all campaigns at a look."""
        step, root = sqrt(information - self.information), sqrt(information)

        def excess(z: float) -> float:
            crossed = float(self.mass @ stats.norm.sf((z * root - self.nodes) / step))
            if self.sides == 2:
                crossed += float(self.mass @ stats.norm.cdf((-z * root - self.nodes) / step))
            return log(max(crossed, 1e-300)) - log(allowed)

        low = -TAIL if self.sides == 1 else 0.0
        if excess(low) <= 0:
            return low
        return float(optimize.brentq(excess, low, TAIL, xtol=1e-10))


def _check(alpha: float, spending: str, sides: int) -> None:
    if spending not in SPENDING:
        raise SequentialError(f"spending must be one of {', '.join(SPENDING)}; found {spending!r}")
    if sides not in (1, 2):
        raise SequentialError(f"sides must be 1 or 2; found {sides!r}")
    if not 1e-6 <= alpha <= 0.5:
        raise SequentialError(f"alpha must be from 0.000001 to 0.5; found {alpha!r}")
