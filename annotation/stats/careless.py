"""How much likelier a rater's answers are if given carelessly: a stated model, and its likelihood ratio.

The model is in `CarelessModel`. An attentive rater has one of a few skills, unknown beforehand; a careless
one answers at random, always the same, or in haste. The likelihoods are averaged over the kinds and divided:
Λ = log P(evidence | careless) − log P(evidence | attentive). If the model holds, the chance that an attentive
rater's Λ ever reaches log(1 / a), however often one looks, is at most a (Wald 1945; Ville's inequality).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import NamedTuple

import numpy as np

from annotation.stats.records import BoolArray, FloatArray


class Skill(NamedTuple):
    """What an attentive rater's answers look like, in units of the rater's own sd.

    Attributes:
        drop: mean of (system − bad reference).
        drop_sd: its sd.
        repeat_sd: sd of (repeat − first answer), whose mean is 0.
    """

    drop: float
    drop_sd: float
    repeat_sd: float


@dataclass(frozen=True)
class CarelessModel:
    """The assumptions behind Λ.

    The default skills are those of a rater of bad outputs, whose bad references stand out little (on the
    published English-Livonian judgements raters score them .5 to 1.2 of their sd lower), of a noisy one, and
    of a precise one; professional raters of good outputs lie beyond (2.5 sd at WMT24).

    Attributes:
        skills: kinds of attentive rater, equally likely.
        slip: share of an attentive rater's answers that are as if at random, so that no single one decides.
        sticky: chances that an attentive rater gives the score just given again, equally likely. A bad
            reference gets the score of its pair with half this chance.
        straight: the same of a rater who always answers the same; for bad references too.
        seconds: medians of an attentive rater's seconds an item, equally likely; log-normal.
        hasty_seconds: the same of a rater in haste.
        seconds_sd: sd of log seconds.
        times_at_most: the most that times count for; imported times may be wrong for a whole file.
        at_random: share of careless raters who answer at random, taking their time.
        always_same: share who always answer the same; the rest answers at random in haste.
        usual_sd: a rater's sd as a share of the scale, assumed with the weight of `usual_n` answers.
        usual_n: see `usual_sd`.
    """

    skills: tuple[Skill, ...] = (Skill(0.7, 0.9, 0.8), Skill(1.2, 1.05, 1.05), Skill(1.8, 0.7, 0.6))
    slip: float = 0.02
    sticky: tuple[float, ...] = (0.05, 0.15, 0.35, 0.7)
    straight: tuple[float, ...] = (0.9, 0.97)
    seconds: tuple[float, ...] = (8.0, 20.0, 45.0)
    hasty_seconds: tuple[float, ...] = (1.0, 2.5)
    seconds_sd: float = 0.8
    times_at_most: float = log(10)
    at_random: float = 0.5
    always_same: float = 0.25
    usual_sd: float = 0.25
    usual_n: int = 10


class Evidence(NamedTuple):
    """Log-likelihood ratios careless : attentive; above 0 speaks for carelessness.

    `random` is that of answering at random, by bad references and repeats; `same` that of always answering
    the same; `times` that of haste. `total` is the one that is judged.
    """

    random: float
    same: float
    times: float
    total: float


def weigh(
    drops: FloatArray,
    repeats: FloatArray,
    same_as_before: BoolArray,
    seconds: FloatArray,
    sd: float,
    model: CarelessModel,
) -> Evidence:
    """Return the log-likelihood ratios of one rater's answers.

    Args:
        drops: system − bad reference, in points [n].
        repeats: repeat − first answer, in points [r].
        same_as_before: whether each answer but the first equals the one before it [m].
        seconds: seconds an item, where known [s].
        sd: the rater's own sd, in points, above 0.
        model: the assumptions.
    """
    random = _random(drops / sd, repeats / sd, model)
    same = _same(int(same_as_before.sum()), len(same_as_before), int((drops == 0).sum()), len(drops), model)
    times = min(_times(seconds, model), model.times_at_most)
    in_haste = 1 - model.at_random - model.always_same
    total = np.logaddexp.reduce(
        [
            log(model.at_random) + random,
            log(model.always_same) + same,
            log(in_haste) + random + times,
        ]
    )
    return Evidence(random, same, times, float(total))


def usual_sd(scores: FloatArray, width: float, model: CarelessModel) -> float:
    """Return a rater's sd, drawn towards the usual one while answers are few; in points, above 0.

    Args:
        scores: the rater's scores [n].
        width: of the scale, in points, above 0.
        model: the assumptions.
    """
    squares = float(((scores - scores.mean()) ** 2).sum()) if len(scores) else 0.0
    return sqrt(
        (squares + model.usual_n * (model.usual_sd * width) ** 2) / (max(0, len(scores) - 1) + model.usual_n)
    )


def _random(drops: FloatArray, repeats: FloatArray, model: CarelessModel) -> float:
    """Two answers at random differ by N(0, 2 sd²), whatever the item."""
    at_random = _normal(drops, 0.0, sqrt(2)), _normal(repeats, 0.0, sqrt(2))
    attentive = []
    for skill in model.skills:
        seen = _normal(drops, skill.drop, skill.drop_sd), _normal(repeats, 0.0, skill.repeat_sd)
        attentive.append(
            sum(
                float(np.log((1 - model.slip) * own + model.slip * chance).sum())
                for own, chance in zip(seen, at_random, strict=True)
            )
        )
    return sum(float(np.log(part).sum()) for part in at_random) - _mean_exp(attentive)


def _same(same: int, steps: int, tied: int, drops: int, model: CarelessModel) -> float:
    def loglik(chance: float, chance_tied: float) -> float:
        return (
            same * log(chance)
            + (steps - same) * log(1 - chance)
            + tied * log(chance_tied)
            + (drops - tied) * log(1 - chance_tied)
        )

    straight = _mean_exp([loglik(chance, chance) for chance in model.straight])
    return straight - _mean_exp([loglik(chance, chance / 2) for chance in model.sticky])


def _times(seconds: FloatArray, model: CarelessModel) -> float:
    if not len(seconds):
        return 0.0
    # a second is the shortest that is told apart; the log-normal's common factors cancel
    logs = np.log(np.maximum(seconds, 1.0))

    def loglik(medians: tuple[float, ...]) -> float:
        return _mean_exp(
            [-float(((logs - log(median)) ** 2).sum()) / (2 * model.seconds_sd**2) for median in medians]
        )

    return loglik(model.hasty_seconds) - loglik(model.seconds)


def _normal(x: FloatArray, mean: float, sd: float) -> FloatArray:
    # a difference of more than 30 sd has no density in floating point
    return np.maximum(np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * sqrt(2 * pi)), 1e-200)


def _mean_exp(logs: list[float]) -> float:
    """Return log of the mean of exp(logs)."""
    return float(np.logaddexp.reduce(logs)) - log(len(logs))
