"""Simulate raters with known habits and campaigns with a known truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.stats.records import Comparison, Entry, FloatArray, IntArray, RatingTable, Winner


@dataclass(frozen=True)
class Habit:
    """How a simulated rater uses a scale of 0 to 100.

    Attributes:
        mean: score given to an item of quality 0, in points.
        spread: points per unit of quality.
        noise: sd of the rater's own error, in units of quality.
        careless: share of answers given at random over the whole scale, 0 to 1.
        constant: gives the same score to everything.
    """

    mean: float = 65.0
    spread: float = 12.0
    noise: float = 0.5
    careless: float = 0.0
    constant: bool = False


HABITS: dict[str, Habit] = {
    "typical": Habit(),
    "strict": Habit(mean=45.0),
    "generous": Habit(mean=80.0, spread=8.0),
    "noisy": Habit(noise=1.5, spread=15.0),
    "careless": Habit(careless=0.8),
    "constant": Habit(constant=True),
}
"""Kinds of rater that real campaigns meet."""


@dataclass(frozen=True)
class Truth:
    """What is true of a simulated campaign; qualities are in units of sd of an unremarkable item.

    Attributes:
        effects: system → its mean quality.
        segments: number of segments, in one test set.
        raters: the habits of the raters, one each.
        judgements: raters who see a segment, all its systems each (at most the number of raters).
        difficulty: sd of what a segment adds to all its systems.
        output: sd of what an output adds to its system's quality.
        interaction: sd of what a rater adds to a system (a rater's favour), in units of quality.
        scale: lowest and highest score; scores are whole numbers inside it. None leaves them as they fall.
    """

    effects: Mapping[str, float] = field(default_factory=lambda: {"A": 0.0, "B": 0.0})
    segments: int = 500
    raters: Sequence[Habit] = (Habit(),) * 6
    judgements: int = 3
    difficulty: float = 0.7
    output: float = 0.5
    interaction: float = 0.0
    scale: tuple[int, int] | None = None

    @property
    def z_effects(self) -> dict[str, float]:
        """Return each system's expected z, relative to the mean system, on an open scale.

        For attentive raters without favourites; z divides by the sd of all their scores, so effects shrink.
        """
        effects = np.array(list(self.effects.values()))
        common = self.difficulty**2 + self.output**2 + effects.var()
        shrink = np.mean([1 / np.sqrt(common + habit.noise**2) for habit in self.raters])
        return {name: float((value - effects.mean()) * shrink) for name, value in self.effects.items()}


def simulate_qualities(rng: np.random.Generator, truth: Truth) -> FloatArray:
    """Draw the quality of every output [segments, systems], systems in the order of `truth.effects`."""
    effects = np.array(list(truth.effects.values()))
    difficulty = rng.normal(0.0, truth.difficulty, size=(truth.segments, 1))
    return effects + difficulty + rng.normal(0.0, truth.output, size=(truth.segments, len(effects)))


def simulate_scores(
    rng: np.random.Generator, habit: Habit, quality: FloatArray, scale: tuple[int, int] | None = (0, 100)
) -> FloatArray:
    """Draw a rater's scores for items of known quality [n]: whole numbers in the scale, if there is one."""
    low, high = scale or (0, 100)
    n = len(quality)
    if habit.constant:
        scores = np.full(n, habit.mean)
    else:
        scores = habit.mean + habit.spread * (quality + rng.normal(0.0, habit.noise, size=n))
    at_random = rng.random(n) < habit.careless
    scores = np.where(at_random, rng.uniform(low, high, size=n), scores)
    return scores if scale is None else np.clip(np.rint(scores), low, high)


def simulate_ratings(rng: np.random.Generator, truth: Truth) -> RatingTable:
    """Draw a campaign in which every output of a segment goes to the same raters.

    Raters are dealt to segments so that their loads differ by at most one segment; they are named r01, r02 …
    """
    quality = simulate_qualities(rng, truth)
    systems = quality.shape[1]
    who = _deal(rng, truth)
    favour = rng.normal(0.0, truth.interaction, size=(len(truth.raters), systems))
    rater = np.repeat(who, systems, axis=1).ravel()
    segment = np.repeat(np.arange(truth.segments), truth.judgements * systems)
    entry = np.tile(np.arange(systems), truth.segments * truth.judgements)
    seen = quality[segment, entry] + favour[rater, entry]
    score = np.empty(len(rater))
    for code, habit in enumerate(truth.raters):
        own = rater == code
        score[own] = simulate_scores(rng, habit, seen[own], truth.scale)
    return RatingTable(
        rater=rater,
        segment=segment,
        kind=np.zeros(len(rater), dtype=np.int64),
        score=score,
        credit_rating=np.arange(len(rater)),
        credit_entry=entry,
        raters=tuple(f"r{number:02d}" for number in range(1, len(truth.raters) + 1)),
        segments=tuple(("simulated", number) for number in range(1, truth.segments + 1)),
        entries=tuple(Entry(name) for name in truth.effects),
    )


def simulate_choice(
    rng: np.random.Generator, habit: Habit, left: float, right: float, tie_width: float = 0.3
) -> Winner:
    """Draw a rater's choice between two candidates of known quality.

    Args:
        rng: the source of chance.
        habit: the rater; noise blurs each quality, a careless answer is any of the three.
        left: quality of the left candidate.
        right: quality of the right candidate.
        tie_width: seen differences up to this are called equal, in units of quality.
    """
    answers: tuple[Winner, ...] = ("left", "right", "equal")
    if rng.random() < habit.careless:
        return answers[int(rng.integers(3))]
    difference = left - right + rng.normal(0.0, habit.noise * np.sqrt(2))
    if habit.constant or abs(difference) <= tie_width:
        return "equal"
    return "left" if difference > 0 else "right"


def simulate_comparisons(
    rng: np.random.Generator, truth: Truth, pair: tuple[str, str], tie_width: float = 0.3
) -> list[Comparison]:
    """Draw a pairwise campaign over one pair of the systems, sides at random."""
    names = list(truth.effects)
    quality = simulate_qualities(rng, truth)[:, [names.index(name) for name in pair]]
    who = _deal(rng, truth)
    comparisons = []
    for segment, raters in enumerate(who.tolist()):
        for code in raters:
            left = int(rng.integers(2))
            winner = simulate_choice(
                rng, truth.raters[code], quality[segment, left], quality[segment, 1 - left], tie_width
            )
            sides = ((pair[left],), (pair[1 - left],))
            comparisons.append(Comparison(f"r{code + 1:02d}", *sides, segment + 1, "simulated", winner))
    return comparisons


def _deal(rng: np.random.Generator, truth: Truth) -> IntArray:
    """Return the raters of each segment [segments, judgements], loads differing by at most one."""
    size, k = len(truth.raters), truth.judgements
    if not 1 <= k <= size:
        raise ValueError(f"{k} judgements need at least {k} raters and at least one; there are {size} raters")
    slots = np.arange(truth.segments * k).reshape(truth.segments, k) % size
    return rng.permutation(size)[slots[rng.permutation(truth.segments)]]
