"""Items whose raters disagree: which are to be judged again, and which of their ratings count then.

Edunov et al. (2020, §3.4): three judgements an item; an item is judged again when its raters differ by more
than 30 points. There is one extra round, never two.
"""

from __future__ import annotations

import numpy as np

from annotation.stats.codes import FloatArray, IntArray
from annotation.stats.records import BoolArray

READINGS = ("range", "pairwise")
TREATMENTS = ("none", "replace", "pool")
POINTS = 30.0
"""The difference, in points, that is still agreement."""

TOLERANCE = 1e-9
"""A difference larger than the limit by no more than this is floating-point noise."""


USUAL_WIDTHS = (99.0, 100.0)
"""Widths of the scales on which the usual difference was meant: 1 to 100 and 0 to 100."""


def usual_points(low: float, high: float) -> float:
    """Return the difference that is still agreement on a scale: 30 points of 100, else the same share."""
    width = high - low
    return POINTS if width in USUAL_WIDTHS else POINTS / 100 * width


class DisagreementError(ValueError):
    """A reading that is not defined for these ratings."""


def judge_again(
    item: IntArray, score: FloatArray, items: int, reading: str = "range", points: float = POINTS
) -> BoolArray:
    """Tell which items are to be judged again [items].

    Args:
        item: item code of each rating, 0 to items − 1 [n].
        score: raw scores, in points [n].
        items: number of items; one without ratings is not to be judged again.
        reading: "range": highest − lowest is more than `points`. "pairwise", for sorted a ≤ b ≤ c: both b − a
            and c − b are more than `points`.
        points: the difference that is still agreement.

    Raises:
        DisagreementError: an unknown reading, or `pairwise` where an item has not exactly three ratings.
    """
    if reading not in READINGS:
        raise DisagreementError(f"unknown reading {reading!r}, expected one of {', '.join(READINGS)}")
    order = np.lexsort((score, item))
    ordered = np.asarray(score, dtype=np.float64)[order]
    n = np.bincount(item, minlength=items)
    last = np.cumsum(n) - 1
    present = n > 0
    apart = np.zeros(items)
    if reading == "range":
        apart[present] = ordered[last[present]] - ordered[last[present] - n[present] + 1]
    else:
        odd = np.flatnonzero(present & (n != 3))
        if len(odd):
            raise DisagreementError(
                f"the reading pairwise needs three ratings of each item; item {odd[0]} has {n[odd[0]]}"
            )
        low, middle, high = (ordered[last[present] - back] for back in (2, 1, 0))
        apart[present] = np.minimum(middle - low, high - middle)
    return apart > points + TOLERANCE


def counted_rounds(
    cell: IntArray, rounds: IntArray, rater: IntArray, treatment: str = "replace"
) -> BoolArray:
    """Tell which ratings count in the averages where some items were judged again [n].

    Those that do not count stay in their raters' mean and spread.

    Args:
        cell: code of what a rating is about (entry and segment) [n].
        rounds: 1, and 2 for ratings of the extra round [n].
        rater: code of the rater [n].
        treatment: "replace": the newest round of a cell in which as many raters judged as in the first counts
            alone; until there is one, the first. "pool": all count. "none": the first round alone counts, as
            if nothing had been judged again.

    Raises:
        DisagreementError: an unknown treatment.
    """
    if treatment not in TREATMENTS:
        raise DisagreementError(
            f"unknown handling of disagreement {treatment!r}, expected one of {', '.join(TREATMENTS)}"
        )
    if treatment == "pool" or not len(rounds) or rounds.max() == 1:
        return np.ones(len(rounds), dtype=bool)
    if treatment == "none":
        return rounds == 1
    newest = np.zeros(int(cell.max()) + 1, dtype=np.int64)
    whole = whole_rounds(cell, rounds, rater)
    np.maximum.at(newest, cell[whole], rounds[whole])
    return rounds == newest[cell]


def whole_rounds(cell: IntArray, rounds: IntArray, rater: IntArray) -> BoolArray:
    """Tell which ratings are of the first round, or of one in which as many raters judged their cell [n]."""
    if not len(rounds):
        return np.ones(0, dtype=bool)
    n_rounds, n_raters = int(rounds.max()) + 1, int(rater.max()) + 1
    place = cell * n_rounds + rounds
    size = (int(cell.max()) + 1) * n_rounds
    judged = np.bincount(np.unique(place * n_raters + rater) // n_raters, minlength=size)
    first = judged[cell * n_rounds + 1]
    found: BoolArray = judged[place] >= first
    return found
