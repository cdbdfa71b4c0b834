"""How far a rater's preferences can be relied on: damaged texts, repeats, runs and times.

A comparison of a text with its damaged self has a right answer. Passing takes an exact binomial test that
the whole text is preferred; failing takes evidence of carelessness under a stated model, as for ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from scipy import stats

from annotation.stats.careless import CarelessModel, Evidence, haste
from annotation.stats.records import FloatArray
from annotation.stats.reliability import ReliabilityOptions

#: Chances that an attentive rater prefers the whole text, neither, the damaged one; each kind equally likely.
WHOLE = ((0.55, 0.3, 0.15), (0.75, 0.17, 0.08), (0.4, 0.5, 0.1))
#: Chances that an attentive rater answers a repeat as before.
AGAIN = (0.55, 0.7, 0.85)
#: Chances of the same side again: of attentive raters, and of those who always answer the same.
STICKY, STRAIGHT = (0.3, 0.45, 0.65), (0.92, 0.98)
MIN_COMPARED = 5


@dataclass(frozen=True)
class ChoiceEvidence:
    """What one rater chose.

    Attributes:
        whole: times the whole text was preferred to its damaged self.
        neither: times the two were called equal.
        damaged: times the damaged one was preferred.
        agreed: repeats answered as before.
        repeats: repeats whose first answer is known.
        sides: all choices as shown (`left`, `equal`, `right`), in order of time.
        seconds: seconds an item, where known [s].
    """

    whole: int
    neither: int
    damaged: int
    agreed: int
    repeats: int
    sides: Sequence[str]
    seconds: FloatArray


def assess_choices(evidence: ChoiceEvidence, options: ReliabilityOptions | None = None) -> dict[str, Any]:
    """Judge one rater of comparisons.

    Returns:
        `state` with its `reason`; `n` answers; `pairs` (`n_pairs` comparisons with a damaged text, `whole`,
        `neither`, `damaged`, `p_value` of the one-sided exact test without ties, None without any);
        `repeats` (`n`, `agreed`); `carelessness` as for ratings; `longest_run` of one side. Strict JSON.
    """
    options = options or ReliabilityOptions()
    decided = evidence.whole + evidence.damaged
    p_value = (
        float(stats.binomtest(evidence.whole, decided, alternative="greater").pvalue) if decided else None
    )
    weighed = _weigh(evidence, options.model)
    state, reason = _state(evidence, p_value, weighed, options)
    return {
        "state": state,
        "reason": reason,
        "n": len(evidence.sides),
        "pairs": {
            "n_pairs": decided + evidence.neither,
            "whole": evidence.whole,
            "neither": evidence.neither,
            "damaged": evidence.damaged,
            "p_value": p_value,
        },
        "repeats": {"n": evidence.repeats, "agreed": evidence.agreed},
        "carelessness": {**weighed._asdict(), "threshold": options.threshold},
        "longest_run": _longest_run(evidence.sides),
    }


def _state(
    evidence: ChoiceEvidence, p_value: float | None, weighed: Evidence, options: ReliabilityOptions
) -> tuple[str, str]:
    n = evidence.whole + evidence.neither + evidence.damaged
    told = f"{evidence.whole} of {n} damaged texts told, {evidence.damaged} preferred"
    if weighed.total >= options.threshold:
        if weighed.same >= max(weighed.random, weighed.random + weighed.times):
            return "failed", "always chooses the same side"
        return "failed", f"chooses at random: {told}; {evidence.agreed} of {evidence.repeats} repeats alike"
    if p_value is not None and p_value < options.level:
        return "passed", f"{told}: p = {p_value:.3g}"
    if not n:
        return "undecided", "no damaged text seen yet"
    if n < MIN_COMPARED:
        return "undecided", f"only {n} damaged text{'' if n == 1 else 's'} seen, too few to tell"
    return "undecided", f"not decided yet: {told}"


def _weigh(evidence: ChoiceEvidence, model: CarelessModel) -> Evidence:
    ties = (sum(side == "equal" for side in evidence.sides) + 1) / (len(evidence.sides) + 3)
    side = (1 - ties) / 2
    counts = np.array([evidence.whole, evidence.neither, evidence.damaged])
    again = np.array([evidence.agreed, evidence.repeats - evidence.agreed])
    alike = ties**2 + 2 * side**2
    by_chance = float(counts @ np.log([side, ties, side]) + again @ np.log([alike, 1 - alike]))
    attentive = [
        float(counts @ np.log(whole) + again @ np.log([same, 1 - same])) for whole in WHOLE for same in AGAIN
    ]
    random = by_chance - _mean_exp(attentive)
    steps = len(evidence.sides) - 1 if evidence.sides else 0
    n_same = sum(one == other for one, other in zip(evidence.sides, evidence.sides[1:], strict=False))
    same = _mean_exp([_steps(n_same, steps, chance) for chance in STRAIGHT]) - _mean_exp(
        [_steps(n_same, steps, chance) for chance in STICKY]
    )
    times = min(haste(evidence.seconds, model), model.times_at_most)
    in_haste = 1 - model.at_random - model.always_same
    total = np.logaddexp.reduce(
        [log(model.at_random) + random, log(model.always_same) + same, log(in_haste) + random + times]
    )
    return Evidence(random, same, times, float(total))


def _steps(same: int, steps: int, chance: float) -> float:
    return same * log(chance) + (steps - same) * log(1 - chance)


def _mean_exp(logs: Sequence[float]) -> float:
    return float(np.logaddexp.reduce(logs)) - log(len(logs))


def _longest_run(sides: Sequence[str]) -> int:
    longest = run = 0
    for place, side in enumerate(sides):
        run = run + 1 if place and sides[place - 1] == side else 1
        longest = max(longest, run)
    return longest
