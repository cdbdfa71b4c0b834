"""How far a rater can be relied on: quality control, repeats, runs, use of the scale, and time.

Graham et al. 2013: a bad reference is a damaged item that must score lower than what it was made from. That
test shows that a rater attends; not passing it shows nothing. A rater fails by evidence of carelessness alone
(`annotation.stats.careless`). The result says what is known: people and the server decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.careless import CarelessModel, Control, Evidence, usual_sd, weigh
from annotation.stats.correlation import pearson
from annotation.stats.rater_evidence import Answer, RaterEvidence, ReliabilityError, collect_evidence
from annotation.stats.records import FloatArray
from annotation.stats.wilcoxon import RANK_DECIMALS, signed_rank

TESTS = ("t", "signed_rank")
STATES = ("passed", "undecided", "failed")
MIN_PAIRS = 2


@dataclass(frozen=True)
class ReliabilityOptions:
    """How raters are judged.

    Attributes:
        test: of system > bad reference: "t" (paired t-test) or "signed_rank" (Wilcoxon), both one-sided.
        level: a rater passes when p is below it.
        false_alarm: chance a to fail an attentive rater, in (0, 1).
        miss: chance b to let a careless one go; a rater fails when Λ ≥ log((1 − b) / a) (Wald).
        scale: lowest and highest score.
        model: the assumptions about careless and attentive raters.
    """

    test: str = "t"
    level: float = 0.05
    false_alarm: float = 0.04
    miss: float = 0.05
    scale: tuple[float, float] = (0.0, 100.0)
    model: CarelessModel = field(default_factory=CarelessModel)

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            ReliabilityError: naming the option.
        """
        if self.test not in TESTS:
            raise ReliabilityError(f"test must be one of {', '.join(TESTS)}; found {self.test!r}")
        for name in ("level", "false_alarm", "miss"):
            if not 0 < getattr(self, name) < 1:
                raise ReliabilityError(f"{name} must lie between 0 and 1; found {getattr(self, name)!r}")
        if self.false_alarm + self.miss >= 1:
            raise ReliabilityError("false_alarm and miss must add up to less than 1")
        if not self.scale[0] < self.scale[1]:
            raise ReliabilityError(f"the scale must rise; found {self.scale}")

    @property
    def width(self) -> float:
        """Return the width of the scale, in points."""
        return self.scale[1] - self.scale[0]

    @property
    def threshold(self) -> float:
        """Return the Λ from which a rater fails."""
        return log((1 - self.miss) / self.false_alarm)


class PairTest(NamedTuple):
    """A one-sided test that system items score higher than their bad references.

    `p_value` is None below two pairs; `reason` says what keeps a p-value from deciding.
    """

    n_pairs: int
    mean_difference: float | None
    p_value: float | None
    reason: str = ""


def pair_test(differences: FloatArray, test: str = "t") -> PairTest:
    """Test whether differences system − bad reference are above 0.

    Differences that are all 0 have p = 1; differences that are all equal and above 0, which no t-test can
    judge, have the exact p of all signs agreeing, ½ⁿ.

    Args:
        differences: [n] points.
        test: "t" or "signed_rank" (zeros left out; see `annotation.stats.wilcoxon.signed_rank`).
    """
    d = np.round(differences, RANK_DECIMALS)
    n = len(d)
    mean = float(d.mean()) if n else None
    if n < MIN_PAIRS:
        return PairTest(n, mean, None, f"not enough pairs: {n}, at least {MIN_PAIRS} are needed")
    if not d.any():
        return PairTest(n, mean, 1.0, "does not tell good from bad: every difference is 0")
    if test == "t" and np.ptp(d) == 0:
        return PairTest(n, mean, 0.5**n if d[0] > 0 else 1.0)
    if test == "t":
        p = float(stats.ttest_1samp(d, 0.0, alternative="greater").pvalue)
    else:
        p = signed_rank(d).greater
    return PairTest(n, mean, p)


def assess(evidence: RaterEvidence, options: ReliabilityOptions | None = None) -> dict[str, Any]:
    """Judge one rater.

    Returns:
        `state` ("passed", "undecided" or "failed") with its `reason` in words; `n` answers; `pairs` (see
        `PairTest`); `carelessness` (log-likelihood ratios, see `Evidence`, and the `threshold`); `repeats`
        (`n`, `mean_absolute_difference`, `correlation`); `longest_run` of one score; `most_common` value and
        its `share`; `scale_use` (`min`, `quartiles`, `max`); `seconds` an item (`n`, `median`,
        `quartiles`); `reference_above_systems`, mean score of references shown as systems above that of
        system items. Undefined values are None. Strict JSON.
    """
    options = options or ReliabilityOptions()
    bad, good = evidence.differences("bad_reference")
    again, before = evidence.differences("repeat")
    pairs = pair_test(good - bad, options.test)
    weighed = _weigh(evidence, options)
    state, reason = _state(pairs, weighed, options)
    references, systems = evidence.of("reference"), evidence.of("system")
    return {
        "rater": evidence.rater,
        "state": state,
        "reason": reason,
        "n": len(evidence.scores),
        "pairs": pairs._asdict(),
        "carelessness": {**weighed._asdict(), "threshold": options.threshold},
        "repeats": {
            "n": len(again),
            "mean_absolute_difference": float(np.abs(again - before).mean()) if len(again) else None,
            "correlation": pearson(before, again).as_dict(),
        },
        "longest_run": longest_run(evidence.scores),
        **_use_of_scale(evidence.scores),
        "seconds": _seconds(evidence.seconds),
        "reference_above_systems": float(references.mean() - systems.mean())
        if len(references) and len(systems)
        else None,
    }


def assess_all(answers: Iterable[Answer], options: ReliabilityOptions | None = None) -> list[dict[str, Any]]:
    """Judge every rater, in order of name; see `assess`."""
    return [assess(evidence, options) for evidence in collect_evidence(answers)]


def longest_run(scores: FloatArray) -> int:
    """Return the length of the longest row of equal scores, 0 without any."""
    if not len(scores):
        return 0
    edges = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1], [True]]))
    return int(np.diff(edges).max())


def failed_after(evidence: RaterEvidence, options: ReliabilityOptions | None = None) -> int | None:
    """Return after how many answers the rater failed for the first time, None if never.

    This is what a server sees that looks after every answer; the chance to fail an attentive rater at any of
    these looks is still at most a / (1 − b).
    """
    options = options or ReliabilityOptions()
    for n in range(2, len(evidence.scores) + 1):
        if _weigh(evidence.until(n), options).total >= options.threshold:
            return n
    return None


def _weigh(evidence: RaterEvidence, options: ReliabilityOptions) -> Evidence:
    bad, good = evidence.differences("bad_reference")
    again, before = evidence.differences("repeat")
    scores, seconds = evidence.scores, evidence.seconds
    usual = np.concatenate([evidence.of("system"), evidence.of("repeat")])
    mean = float(usual.mean()) if len(usual) else float(np.mean(options.scale))
    sd = usual_sd(usual, options.width, options.model)
    control = Control(
        pairs=(np.stack([good, bad], axis=1) - mean) / sd,
        alone=(evidence.lonely("bad_reference") - mean) / sd,
        repeats=(np.stack([before, again], axis=1) - mean) / sd,
        n_usual=len(usual),
        n_tied=int((good == bad).sum()),
    )
    return weigh(control, scores[1:] == scores[:-1], seconds[~np.isnan(seconds)], options.model)


def _state(pairs: PairTest, weighed: Evidence, options: ReliabilityOptions) -> tuple[str, str]:
    if weighed.total >= options.threshold:
        shares = {
            "answers at random": weighed.random,
            "always answers the same": weighed.same,
            "answers at random in haste": weighed.random + weighed.times,
        }
        how = max(shares, key=lambda name: shares[name])
        return "failed", f"{how}: {_times_likelier(weighed.total)} likelier than attention"
    if pairs.p_value is not None and pairs.p_value < options.level:
        return "passed", f"scores bad references lower: p = {pairs.p_value:.3g} over {pairs.n_pairs} pairs"
    if pairs.reason:
        return "undecided", pairs.reason
    return "undecided", f"not decided yet: p = {pairs.p_value:.2f} over {pairs.n_pairs} pairs"


def _times_likelier(log_ratio: float) -> str:
    if log_ratio > log(1e6):
        return "more than a million times"
    return f"{exp(log_ratio):,.0f} times"


def _use_of_scale(scores: FloatArray) -> dict[str, Any]:
    if not len(scores):
        return {"most_common": {"value": None, "share": None}, "scale_use": None}
    counted = Counter(scores.tolist())
    value = min(counted, key=lambda score: (-counted[score], score))
    return {
        "most_common": {"value": value, "share": counted[value] / len(scores)},
        "scale_use": {
            "min": float(scores.min()),
            "quartiles": np.quantile(scores, [0.25, 0.5, 0.75]).tolist(),
            "max": float(scores.max()),
        },
    }


def _seconds(seconds: FloatArray) -> dict[str, Any]:
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return {"n": 0, "median": None, "quartiles": None}
    low, median, high = np.quantile(known, [0.25, 0.5, 0.75]).tolist()
    return {"n": len(known), "median": median, "quartiles": [low, high]}
