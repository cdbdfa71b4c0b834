"""How large a difference a campaign can find, before it starts.

The model, in units of z: a score of one output by one rater is the system's quality, plus what the segment
adds to all systems (it cancels in a paired comparison), plus what the output adds (sd `output`), plus what
the rater adds to a system (sd `favour`), plus error (sd `error`). Two systems are judged on the same S
segments, each output by k of R raters with equal loads, so their mean difference has the variance

    (2 output² + 2 error² / k) / S        by segments and errors, and
    2 favour² / R                         by the choice of the raters.

The paired bootstrap over segments takes the raters as they are ("fixed"): it says what these raters would
find on other segments. What other raters would find ("random") has both parts, and few raters limit it
however many segments there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

from scipy import optimize, stats

RATERS = ("fixed", "random")
MOST_SEGMENTS = 10_000_000
NORMAL_FROM = 200.0
"""Degrees of freedom from which Student's t is taken to be normal."""


class PowerError(ValueError):
    """A question about power without an answer; the message says what is missing."""


@dataclass(frozen=True)
class Components:
    """What makes scores differ, as sd in units of z: by the output, by error, by a rater's favour."""

    output: float
    error: float
    favour: float

    def __post_init__(self) -> None:
        """Check the components.

        Raises:
            PowerError: a negative sd, or no variation at all between judgements of a segment.
        """
        if not all(isfinite(sd) and sd >= 0 for sd in (self.output, self.error, self.favour)):
            raise PowerError("the sd of output, error and favour must be numbers from 0 up")
        if self.output == 0 and self.error == 0:
            raise PowerError(
                "either the outputs or the judgements must vary: output or error must be above 0"
            )


PUBLISHED = {
    "WMT22 Czech–English": Components(output=0.342, error=0.759, favour=0.264),
    "WMT22 English–Livonian": Components(output=0.379, error=0.573, favour=0.084),
}
"""From published assessments by the mixed model on z, where different raters judged the same output.

What one rater gave to the same output twice is left out: a rater repeats themselves more closely than others
would, and that would pass for a difference of outputs, which no further judgement averages out.
"""

JUDGED_ONCE = {
    "WMT21 Bengali–Hindi": Components(output=0.0, error=0.944, favour=0.232),
    "WMT24 English–Czech": Components(output=0.0, error=0.863, favour=0.276),
}
"""The same where every output has one judgement: `error` is that of output and judgement together."""

TYPICAL = Components(output=0.40, error=0.74, favour=0.23)
"""The default before a campaign has ratings of its own.

Favour, and output and error together, are the root mean square of all four; output and error are told apart
as where outputs have several judges.
"""


@dataclass(frozen=True)
class Size:
    """The size of a campaign: segments, judgements of each output, and raters in all."""

    segments: int
    judgements: int = 3
    raters: int = 6

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            PowerError: fewer than two segments, no judgement, or fewer raters than judgements.
        """
        if self.segments < 2:
            raise PowerError(f"{self.segments} segments: a difference has no error below two")
        if self.judgements < 1:
            raise PowerError("each output needs at least one judgement")
        if self.raters < self.judgements:
            raise PowerError(
                f"{self.judgements} judgements of an output need as many raters, not {self.raters}"
            )


def find_power(
    difference: float,
    size: Size,
    components: Components = TYPICAL,
    level: float = 0.05,
    raters: str = "fixed",
) -> float:
    """Return how often a true difference is found significant by a two-sided test, 0 to 1.

    Args:
        difference: between the two systems, in units of z.
        size: of the campaign.
        components: what makes scores differ.
        level: of the test.
        raters: "fixed" for the paired bootstrap over segments, by the normal approximation; the differences
            between raters who judged different segments then widen its error without being an error. "random"
            for a test that speaks for other raters too (mixed model), by Student's t with Satterthwaite's
            degrees of freedom.

    Raises:
        PowerError: an option outside what is defined, or one rater where raters are random.
    """
    _check(level, raters)
    spread = 2 * components.output**2 + 2 * components.error**2 / size.judgements
    if raters == "fixed":
        between = 2 * components.favour**2 / size.judgements * (1 - size.judgements / size.raters)
        error = sqrt(spread / size.segments)
        limit = stats.norm.isf(level / 2) * sqrt((spread + between) / size.segments)
        tails = stats.norm.sf(limit, difference, error) + stats.norm.cdf(-limit, difference, error)
        return float(tails)
    if size.raters < 2:
        raise PowerError("one rater says nothing about other raters: two at least, or raters taken as fixed")
    by_segment, by_rater = spread / size.segments, 2 * components.favour**2 / size.raters
    total = by_segment + by_rater
    degrees = total**2 / (by_segment**2 / (size.segments - 1) + by_rater**2 / (size.raters - 1))
    return _t_power(abs(difference) / sqrt(total), degrees, level)


def _t_power(shift: float, degrees: float, level: float) -> float:
    """Return the power of a two-sided t test of a shifted statistic."""
    if degrees >= NORMAL_FROM:
        limit = stats.norm.isf(level / 2)
        return float(stats.norm.sf(limit - shift) + stats.norm.cdf(-limit - shift))
    limit = stats.t.isf(level / 2, degrees)
    if shift > 30 + limit:
        return 1.0
    return float(min(1.0, stats.nct.sf(limit, degrees, shift) + stats.nct.cdf(-limit, degrees, shift)))


def detectable_difference(
    size: Size,
    target: float = 0.8,
    components: Components = TYPICAL,
    level: float = 0.05,
    raters: str = "fixed",
) -> float:
    """Return the difference in units of z that is found with probability `target`.

    Raises:
        PowerError: as for `find_power`, or a target not above the level and below 1.
    """
    _check_target(target, level)

    def lack(difference: float) -> float:
        return find_power(difference, size, components, level, raters) - target

    high = 1e-3
    while lack(high) < 0:
        high *= 2
    return float(optimize.brentq(lack, 0.0, high, xtol=1e-9))


def segments_needed(
    difference: float,
    judgements: int = 3,
    n_raters: int = 6,
    target: float = 0.8,
    components: Components = TYPICAL,
    level: float = 0.05,
    raters: str = "fixed",
) -> int:
    """Return the least number of segments with which a difference is found with probability `target`.

    Raises:
        PowerError: as for `find_power`; no difference; or no number of segments is enough, because the raters
            are too few for how much they favour systems, or the difference is too small.
    """
    _check_target(target, level)
    if difference == 0:
        raise PowerError("a difference of 0 cannot be found")

    def enough(segments: int) -> bool:
        size = Size(segments, judgements, n_raters)
        return find_power(difference, size, components, level, raters) >= target

    if not enough(MOST_SEGMENTS):
        remedy = "more raters are needed" if raters == "random" else "it is too small"
        raise PowerError(
            f"a difference of {abs(difference):g} is not found in {target:.0%} with any number of segments "
            f"and {n_raters} raters: {remedy}"
        )
    low, high = 1, MOST_SEGMENTS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def describe_power(
    difference: float,
    size: Size,
    components: Components = TYPICAL,
    level: float = 0.05,
    raters: str = "fixed",
) -> str:
    """Say what a campaign of this size finds, in one sentence."""
    share = find_power(difference, size, components, level, raters)
    whose = "these raters" if raters == "fixed" else "any such raters"
    return (
        f"{size.segments:,} segments, {size.judgements} judgements, {size.raters} raters: a difference of "
        f"{abs(difference):g} z is found in {100 * share:.0f} % (two-sided at {level:g}, for {whose})."
    )


def _check(level: float, raters: str) -> None:
    if raters not in RATERS:
        raise PowerError(f"raters must be one of {', '.join(RATERS)}; found {raters!r}")
    if not 0 < level < 1:
        raise PowerError(f"the level must be between 0 and 1; found {level!r}")


def _check_target(target: float, level: float) -> None:
    if not level < target < 1:
        raise PowerError(f"the power aimed at must be above the level and below 1; found {target!r}")
