"""How many more judgements would separate two systems, from what a running campaign has seen of them."""

from __future__ import annotations

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from annotation.design.power import PowerError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
MOST = 10_000_000
"""Numbers of judgements above this are not worth telling apart."""


class Outlook(NamedTuple):
    """What a pair of systems looks like now, and what it would take.

    Attributes:
        difference: mean over common segments of first − second, in the units of the values.
        ci: its 95 % interval (normal).
        n_segments: segments that both have.
        n_judgements: judgements of both on these.
        separated: the difference is significant now, two-sided.
        more_judgements: on further segments, as many each as so far, until a true difference as large as
            the one seen is found with the power aimed at; 0 when separated, None when no difference is seen.
        more_low: the same if the true difference is as large as the upper end of the interval.
        more_high: the same for the lower end; None when the interval holds 0: perhaps no number is enough.
        more_segments: the segments that `more_judgements` are of.
        more_on_same_segments: judgements needed when there are no further segments; None when the outputs
            vary too much for that, or no output has two judgements, so the error is unknown.
        words: one sentence.
    """

    difference: float
    ci: tuple[float, float]
    n_segments: int
    n_judgements: int
    separated: bool
    more_judgements: int | None
    more_low: int | None
    more_high: int | None
    more_segments: int | None
    more_on_same_segments: int | None
    words: str


class _Seen(NamedTuple):
    """Statistics of a pair over the S segments that both have.

    Attributes:
        differences: first − second [S].
        n_judgements: of both.
        error: variance of judgements of one output, None when none has two.
        per_segment: mean number of judgements of both.
        inverse: mean of 1/k₁ + 1/k₂.
    """

    differences: FloatArray
    n_judgements: int
    error: float | None
    per_segment: float
    inverse: float


def look_ahead(
    value: FloatArray,
    segment: IntArray,
    is_second: BoolArray,
    rater: IntArray,
    level: float = 0.05,
    target: float = 0.8,
) -> Outlook:
    """Look ahead from all judgements of two systems.

    The number of segments needed is ((z_{level/2} + z_{1−target}) s / D)², with D and s the mean and sd of
    the differences by segment so far. Raters are taken as they are: with a favourite among them, more
    judgements by the same raters make the difference surer only for them.

    Args:
        value: z of each judgement [n].
        segment: what it is a judgement of, a code [n].
        is_second: of the second system, not the first [n].
        rater: who judged, a code [n].
        level: of the two-sided test.
        target: power aimed at.

    Raises:
        PowerError: fewer than two raters or common segments, equal differences, or a level or target outside
            what is defined.
    """
    if not 0 < level < target < 1:
        raise PowerError("the level must be above 0, and the power aimed at between the level and 1")
    if len(np.unique(rater)) < 2:
        raise PowerError(
            "fewer than two raters judged these two systems: ask another one before looking ahead"
        )
    seen = _summarise(np.asarray(value, dtype=np.float64), segment, is_second)
    n, difference = len(seen.differences), float(seen.differences.mean())
    spread = float(seen.differences.std(ddof=1))
    if spread <= 1e-12:
        raise PowerError(
            "the two systems differ by the same on every segment: there is no error to reckon with"
        )
    half = float(stats.norm.isf(0.025)) * spread / sqrt(n)
    separated = abs(difference) * sqrt(n) / spread >= float(stats.norm.isf(level / 2))
    reach = float(stats.norm.isf(level / 2) + stats.norm.isf(1 - target))
    ci = (difference - half, difference + half)
    far, near = sorted((abs(ci[0]), abs(ci[1])), reverse=True)
    if ci[0] <= 0 <= ci[1]:
        near = 0.0

    def more_segments(size: float) -> float | None:
        if size <= 1e-12:
            return None
        return 0.0 if separated else max(0.0, (reach * spread / size) ** 2 - n)

    more, low, high = (
        _whole(segments, seen.per_segment) for segments in map(more_segments, (abs(difference), far, near))
    )
    same = 0 if separated else _on_same_segments(seen, abs(difference), spread, reach)
    return Outlook(
        difference, ci, n, seen.n_judgements, separated, more, low, high,
        _whole(more_segments(abs(difference)), 1.0), same, _words(separated, more, low, high, target),
    )  # fmt: skip


def _summarise(value: FloatArray, segment: IntArray, is_second: BoolArray) -> _Seen:
    codes = np.unique(segment, return_inverse=True)[1]
    size = int(codes.max()) + 1 if len(codes) else 0
    cell = codes * 2 + is_second
    count = np.bincount(cell, minlength=2 * size)
    mean = np.bincount(cell, value, minlength=2 * size) / np.maximum(count, 1)
    common = (count.reshape(-1, 2) > 0).all(axis=1)
    if np.count_nonzero(common) < 2:
        raise PowerError(
            f"{np.count_nonzero(common)} segments have judgements of both systems, at least two are needed"
        )
    squares = float(((value - mean[cell]) ** 2).sum())
    degrees = int((count[count > 0] - 1).sum())
    own = count.reshape(-1, 2)[common]
    pairs = mean.reshape(-1, 2)[common]
    return _Seen(
        differences=pairs[:, 0] - pairs[:, 1],
        n_judgements=int(own.sum()),
        error=squares / degrees if degrees else None,
        per_segment=float(own.sum(axis=1).mean()),
        inverse=float((1 / own).sum(axis=1).mean()),
    )


def _on_same_segments(seen: _Seen, difference: float, spread: float, reach: float) -> int | None:
    """Return how many more judgements of the same outputs are needed, None when none or an unknown number.

    The variance of a difference by segment is that of the outputs plus the error's, error² (1/k₁ + 1/k₂);
    only the latter shrinks with more judgements.
    """
    if seen.error is None or difference <= 1e-12:
        return None
    n = len(seen.differences)
    outputs = max(0.0, spread**2 - seen.error * seen.inverse)
    room = n * (difference / reach) ** 2 - outputs
    if room <= 0:
        return None
    judgements = 2 * seen.error / room
    return _whole(max(0.0, 2 * n * (judgements - seen.per_segment / 2)), 1.0)


def _whole(number: float | None, times: float) -> int | None:
    """Return a number rounded up, at most `MOST`."""
    return None if number is None else int(min(MOST, ceil(number * times - 1e-9)))


def _words(separated: bool, more: int | None, low: int | None, high: int | None, target: float) -> str:
    if separated:
        return "These two are separated already."
    if more is None:
        return "No difference is seen between these two, so no number of judgements can be named."
    upper = f"to {high:,}" if high is not None else "upwards"
    return (
        f"About {more:,} more judgements separate these two in {target:.0%} of cases, if the difference is "
        f"what it seems (from {low or 0:,} {upper})."
    )
