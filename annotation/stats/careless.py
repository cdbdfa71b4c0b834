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
    """What an attentive rater's answers look like, in units of the sd of the rater's scores of usual items.

    Attributes:
        drop: how much lower a bad reference is scored than usual items, on average.
        reliability: correlation of the scores of an item and of the same again, or of its bad reference.
        drop_sd: sd of what is lost by the damage, over items.
        weight: how many attentive raters are like this, as a share.
    """

    drop: float
    reliability: float
    drop_sd: float
    weight: float


@dataclass(frozen=True)
class CarelessModel:
    """The assumptions behind Λ.

    The default skills are those of a rater of bad outputs, whose bad references stand out little (on the
    published English-Livonian judgements raters score them .5 to 1.2 of their sd lower), who is rare; of two
    noisy ones, and of a precise one. Professional raters of good outputs lie beyond (2.5 sd at WMT24).

    Attributes:
        skills: kinds of attentive rater.
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

    skills: tuple[Skill, ...] = (
        Skill(0.7, 0.5, 0.5, 0.05),
        Skill(1.2, 0.45, 0.5, 0.2),
        Skill(1.7, 0.3, 0.5, 0.3),
        Skill(2.1, 0.75, 0.7, 0.45),
    )
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
    usual_n: int = 1


class Evidence(NamedTuple):
    """Log-likelihood ratios careless : attentive; above 0 speaks for carelessness.

    `random` is that of answering at random, by bad references and repeats; `same` that of always answering
    the same; `times` that of haste. `total` is the one that is judged.
    """

    random: float
    same: float
    times: float
    total: float


class Control(NamedTuple):
    """A rater's scores of quality control, less the rater's mean and divided by the sd of usual items.

    Attributes:
        pairs: item and its bad reference [n, 2].
        alone: bad references whose item the rater has not seen yet [a].
        repeats: item and the same again [r, 2].
        n_usual: usual items that mean and sd are of.
        n_tied: pairs of equal scores.
    """

    pairs: FloatArray
    alone: FloatArray
    repeats: FloatArray
    n_usual: int
    n_tied: int


def weigh(control: Control, same_as_before: BoolArray, seconds: FloatArray, model: CarelessModel) -> Evidence:
    """Return the log-likelihood ratios of one rater's answers.

    Args:
        control: the scores of quality control.
        same_as_before: whether each answer but the first equals the one before it [m].
        seconds: seconds an item, where known [s].
        model: the assumptions.
    """
    random = _random(control, model)
    n_same = int(same_as_before.sum())
    same = _same(n_same, len(same_as_before), control.n_tied, len(control.pairs), model)
    times = min(haste(seconds, model), model.times_at_most)
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


def _random(control: Control, model: CarelessModel) -> float:
    """Answers at random have nothing to do with the item: bad references are as high, repeats as far apart.

    The rater's mean is known from `n_usual` answers only, which all scores share as an error.
    """
    error = 1 / max(1, control.n_usual)
    by_chance = [
        _normal(control.pairs[:, 0], 0.0, 1 + error) + _normal(control.pairs[:, 1], 0.0, 1 + error),
        _normal(control.alone, 0.0, 1 + error),
        _normal(control.repeats[:, 0], 0.0, 1 + error) + _normal(control.repeats[:, 1], 0.0, 1 + error),
    ]
    attentive = []
    for skill in model.skills:
        lost = skill.drop_sd**2
        own = [
            _normal_pair(control.pairs, -skill.drop, 1 + error, 1 + lost + error, skill.reliability + error),
            _normal(control.alone, -skill.drop, 1 + lost + error),
            _normal_pair(control.repeats, 0.0, 1 + error, 1 + error, skill.reliability + error),
        ]
        told = log(skill.weight)
        for seen, chance in zip(own, by_chance, strict=True):
            told += float(np.logaddexp(log(1 - model.slip) + seen, log(model.slip) + chance).sum())
        attentive.append(told)
    weights = log(sum(skill.weight for skill in model.skills))
    return sum(float(part.sum()) for part in by_chance) - float(np.logaddexp.reduce(attentive)) + weights


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


def haste(seconds: FloatArray, model: CarelessModel) -> float:
    """Return the log-likelihood ratio of answers in haste, by their times [s]."""
    if not len(seconds):
        return 0.0
    # a second is the shortest that is told apart; the log-normal's common factors cancel
    logs = np.log(np.maximum(seconds, 1.0))

    def loglik(medians: tuple[float, ...]) -> float:
        return _mean_exp(
            [-float(((logs - log(median)) ** 2).sum()) / (2 * model.seconds_sd**2) for median in medians]
        )

    return loglik(model.hasty_seconds) - loglik(model.seconds)


def _normal(x: FloatArray, mean: float, variance: float) -> FloatArray:
    """Return log densities of normal numbers [n]."""
    return -((x - mean) ** 2) / (2 * variance) - log(2 * pi * variance) / 2


def _normal_pair(x: FloatArray, mean: float, first: float, second: float, covariance: float) -> FloatArray:
    """Return log densities of normal pairs [n], of variances `first` and `second`, means 0 and `mean`."""
    determinant = first * second - covariance**2
    a, b = x[:, 0], x[:, 1] - mean
    squares = second * a**2 - 2 * covariance * a * b + first * b**2
    return -squares / (2 * determinant) - log(2 * pi) - log(determinant) / 2


def _mean_exp(logs: list[float]) -> float:
    """Return log of the mean of exp(logs)."""
    return float(np.logaddexp.reduce(logs)) - log(len(logs))
