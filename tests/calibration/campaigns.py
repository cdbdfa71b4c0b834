"""Campaigns of ratings with a known truth, and what tests and intervals make of them.

Two shapes: the paper's (2 systems, 500 segments, each judged by 3 of 6 raters who see both outputs) and WMT's
(12 systems, 1,300 segments, 150 raters; every output is dealt to one rater by itself, one in ten to a second
one). A rater's favours are drawn anew for each campaign.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.stats.mixed import MixedOptions, fit_mixed
from annotation.stats.options import ScoreOptions
from annotation.stats.records import Entry, FloatArray, IntArray, RatingTable
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Habit, Truth, simulate_qualities, simulate_scores
from tests.calibration.share import Shares, count, holds

HABITS = tuple(
    Habit(mean=mean, spread=spread)
    for mean, spread in ((65, 12), (45, 12), (80, 8), (65, 16), (55, 12), (70, 12))
)
"""Lenient and strict raters, who use more or less of the scale; 12 points a unit of quality on average."""

FAVOUR = 2 / 12
"""Sd of what a rater adds to a system: 2 points, in units of quality."""

STEP = 0.2
"""The planted difference, in units of quality."""

TWOWAY_RESAMPLES = 400
LEVEL = 0.05
Pair = tuple[str, str]


@dataclass(frozen=True)
class Shape:
    """The shape of a campaign.

    Attributes:
        name: of the shape.
        effects: system → quality.
        nulls: disjoint pairs of equal quality.
        planted: disjoint pairs whose first system is better by `STEP`.
        segments: number of segments.
        raters: their habits.
        judgements: raters of a segment who see all its outputs; None deals every output by itself.
        runs: campaigns simulated.
        z_runs: those of them to which the mixed model is fitted on z.
        raw_runs: the same on raw scores.
    """

    name: str
    effects: dict[str, float]
    nulls: tuple[Pair, ...]
    planted: tuple[Pair, ...]
    segments: int
    raters: tuple[Habit, ...]
    judgements: int | None
    runs: int
    z_runs: int
    raw_runs: int


def paper(effect: float) -> Shape:
    """Return the paper's shape, with the first system better by `effect`."""
    pairs: tuple[Pair, ...] = (("A", "B"),)
    null, planted = (pairs, ()) if effect == 0 else ((), pairs)
    return Shape("paper", {"A": effect, "B": 0.0}, null, planted, 500, HABITS, 3, 800, 300, 300)


def wmt() -> Shape:
    """Return WMT's shape: six levels of quality, two systems each."""
    names = [f"S{number:02d}" for number in range(12)]
    effects = {name: STEP * (5 - place // 2) for place, name in enumerate(names)}
    nulls = tuple((names[place], names[place + 1]) for place in range(0, 12, 2))
    planted = tuple((names[place], names[place + 2]) for place in (0, 1, 4, 5, 8, 9))
    return Shape("wmt", effects, nulls, planted, 1300, HABITS * 25, None, 40, 20, 3)


@dataclass(frozen=True, eq=False)
class Campaign:
    """A simulated campaign.

    Attributes:
        table: its ratings.
        z: expected z of each system by each rater, relative to the rater's mean system [R, E].
        raw: expected raw score of each system by each rater [R, E].
    """

    table: RatingTable
    z: FloatArray
    raw: FloatArray


def draw(rng: np.random.Generator, shape: Shape, favour: float) -> Campaign:
    """Draw a campaign in which raters favour systems by `favour` (sd, in units of quality)."""
    truth = Truth(effects=shape.effects, segments=shape.segments, raters=shape.raters)
    quality = simulate_qualities(rng, truth)
    favours = rng.normal(0.0, favour, size=(len(shape.raters), len(shape.effects)))
    rater, segment, system = _deal(rng, shape)
    score = np.empty(len(rater))
    for code, habit in enumerate(shape.raters):
        own = np.flatnonzero(rater == code)
        seen = quality[segment[own], system[own]] + favours[code, system[own]]
        score[own] = simulate_scores(rng, habit, seen, scale=None)
    table = RatingTable(
        rater=rater, segment=segment, kind=np.zeros_like(rater), score=score,
        credit_rating=np.arange(len(rater)), credit_entry=system,
        raters=tuple(f"r{number:03d}" for number in range(len(shape.raters))),
        segments=tuple(("simulated", number) for number in range(shape.segments)),
        entries=tuple(Entry(name) for name in shape.effects),
    )  # fmt: skip
    own_quality = np.array(list(shape.effects.values())) + favours
    mean = np.array([[habit.mean] for habit in shape.raters])
    spread = np.array([[habit.spread] for habit in shape.raters])
    return Campaign(table, expected_z(truth, own_quality), mean + spread * own_quality)


def expected_z(truth: Truth, quality: FloatArray) -> FloatArray:
    """Return the z that raters give on average to systems of these qualities, as they see them [R, E]."""
    noise = truth.raters[0].noise
    variance = truth.difficulty**2 + truth.output**2 + noise**2 + quality.var(axis=1, keepdims=True)
    return (quality - quality.mean(axis=1, keepdims=True)) / np.sqrt(variance)


def expected_of_any(shape: Shape, favour: float) -> FloatArray:
    """Return the mean z that infinitely many such raters would give to each system [E]."""
    rng = np.random.default_rng(0)
    favours = rng.normal(0.0, favour, size=(50_000, len(shape.effects)))
    quality = np.array(list(shape.effects.values())) + np.vstack([favours, -favours])
    truth = Truth(effects=shape.effects, raters=shape.raters)
    return np.asarray(expected_z(truth, quality).mean(axis=0))


def _deal(rng: np.random.Generator, shape: Shape) -> tuple[IntArray, IntArray, IntArray]:
    """Return rater, segment and system of each rating [n], the raters' loads differing by one at most."""
    size, systems = len(shape.raters), len(shape.effects)
    if shape.judgements is None:
        cells = np.arange(shape.segments * systems)
        cells = np.concatenate([cells, rng.choice(cells, len(cells) // 10, replace=False)])
        rater = rng.permutation(np.arange(len(cells)) % size)
        return rater, cells // systems, cells % systems
    slots = np.arange(shape.segments * shape.judgements).reshape(shape.segments, -1) % size
    who = rng.permutation(size)[slots[rng.permutation(shape.segments)]]
    rater = np.repeat(who, systems, axis=1).ravel()
    segment = np.repeat(np.arange(shape.segments), shape.judgements * systems)
    return rater, segment, np.tile(np.arange(systems), shape.segments * shape.judgements)


def measure(shape: Shape, favour: float, seed: int) -> Shares:
    """Return how often each test rejects, and each interval holds its truth.

    Names are "reject TEST" over the pairs without a difference, and over the planted ones "these INTERVAL"
    and "any INTERVAL": the truth of the raters who took part, and of all such raters.
    """
    any_z = expected_of_any(shape, favour)
    spread = float(np.mean([habit.spread for habit in shape.raters]))
    any_raw = spread * np.array(list(shape.effects.values()))

    def simulate(rng: np.random.Generator, number: int) -> Iterator[tuple[str, bool]]:
        campaign = draw(rng, shape, favour)
        own = int(rng.integers(2**31))
        found = {
            "percentile": score_ratings(campaign.table, ScoreOptions(seed=own)),
            "bca": score_ratings(campaign.table, ScoreOptions(seed=own, interval="bca")),
            "twoway": score_ratings(
                campaign.table, ScoreOptions(seed=own, raters="random", resamples=TWOWAY_RESAMPLES)
            ),
        }
        pairs = {name: _by_pair(result["pairs"]) for name, result in found.items()}
        for scale, runs in (("z", shape.z_runs), ("raw", shape.raw_runs)):
            if number < runs:
                fitted = fit_mixed(campaign.table, MixedOptions(scale=scale))
                pairs[f"mixed {scale}"] = _by_pair(fitted["pairs"])
        for pair in shape.nulls:
            yield from _rejections(pair, {name: rows[frozenset(pair)] for name, rows in pairs.items()})
        places = {name: place for place, name in enumerate(shape.effects)}
        for pair in shape.planted:
            first, second = (places[name] for name in pair)
            for name, rows in pairs.items():
                interval = _oriented(rows[frozenset(pair)], pair)
                own, anyone = (campaign.raw, any_raw) if name == "mixed raw" else (campaign.z, any_z)
                these = float((own[:, first] - own[:, second]).mean())
                yield f"these difference {name}", holds(interval, these)
                yield f"any difference {name}", holds(interval, float(anyone[first] - anyone[second]))
        yield from _means(found, campaign, any_z, places)

    return count(seed, shape.runs, simulate)


def _by_pair(rows: list[dict[str, Any]]) -> dict[frozenset[str], dict[str, Any]]:
    return {frozenset((row["system_a"], row["system_b"])): row for row in rows}


def _oriented(row: dict[str, Any], pair: Pair) -> list[float]:
    """Return the interval of first − second."""
    interval: list[float] = row["z_difference_ci"] if "z_difference_ci" in row else row["ci"]
    return interval if row["system_a"] == pair[0] else [-bound for bound in interval]


def _rejections(pair: Pair, rows: dict[str, dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield what each test decides; a direction declared as first > second is rejected if it came out so."""
    row = rows["percentile"]
    as_declared = row["system_a"] == pair[0]
    for name, key in (("bootstrap", "p_bootstrap_one_sided"), ("rank-sum", "p_rank_sum")):
        yield f"reject {name} declared", as_declared and row[key] < LEVEL
        yield f"reject {name} post hoc", row[key] < LEVEL
    yield "reject bootstrap", row["p_bootstrap_two_sided"] < LEVEL
    yield "reject randomisation", row["p_randomisation"] < LEVEL
    yield "reject signed-rank", row["p_signed_rank"] < LEVEL
    yield "reject twoway", rows["twoway"]["p_bootstrap_two_sided"] < LEVEL
    for name in ("mixed z", "mixed raw"):
        if name in rows:
            yield f"reject {name}", rows[name]["p_value"] < LEVEL


def _means(
    found: dict[str, dict[str, Any]], campaign: Campaign, any_z: FloatArray, places: dict[str, int]
) -> Iterator[tuple[str, bool]]:
    """Yield whether the intervals of the first system's means hold what these and any raters would give."""
    system = min(places)
    own_z, own_raw = campaign.z[:, places[system]].mean(), campaign.raw[:, places[system]].mean()
    for name, result in found.items():
        (row,) = (each for each in result["systems"] if each["system"] == system)
        yield f"these z mean {name}", holds(row["z_ci"], own_z)
        yield f"any z mean {name}", holds(row["z_ci"], float(any_z[places[system]]))
        yield f"these raw mean {name}", holds(row["raw_ci"], own_raw)
