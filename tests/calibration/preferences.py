"""Pairwise campaigns with a known truth: 100 segments, each compared by one rater or by three."""

from collections.abc import Iterator
from math import log, sqrt

import numpy as np
from scipy.stats import norm

from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.simulate import Habit, Truth, simulate_comparisons
from tests.calibration.share import Shares, count, holds

RUNS = 600
SEGMENTS = 100
TIE_WIDTH = 0.3
EFFECT = 0.3
"""The planted difference, in units of quality."""

OPTIONS = {"preference_resamples": 2000, "resamples": 400}
LEVEL = 0.05


def shares(effect: float) -> tuple[float, float, float]:
    """Return how often A is better, B is better and neither is, over all segments and raters."""
    habit, truth = Habit(), Truth()
    spread = sqrt(2 * (truth.output**2 + habit.noise**2))
    better = float(norm.sf(TIE_WIDTH, effect, spread))
    worse = float(norm.cdf(-TIE_WIDTH, effect, spread))
    return better, worse, 1 - better - worse


def measure(judgements: int, seed: int) -> Shares:
    """Return how often each test rejects, and each interval holds its truth.

    Names are "reject TEST" on campaigns without a difference, "any INTERVAL" on those with one.
    """
    better, worse, _ = shares(EFFECT)
    strength = log(better / worse) / 2

    def simulate(rng: np.random.Generator, number: int) -> Iterator[tuple[str, bool]]:
        null, planted = (
            score_comparisons(
                simulate_comparisons(
                    rng,
                    Truth(effects={"A": effect, "B": 0.0}, segments=SEGMENTS, judgements=judgements),
                    ("A", "B"),
                    TIE_WIDTH,
                ),
                options=ScoreOptions(seed=int(rng.integers(2**31)), **OPTIONS),  # type: ignore[arg-type]
            )
            for effect in (0.0, EFFECT)
        )
        (row,) = null["pairs"]
        as_declared = row["system_a"] == "A"
        for name, key in (
            ("sign", "p_sign_two_sided"),
            ("majority", "p_sign_majority_two_sided"),
            ("bootstrap", "p_bootstrap_two_sided"),
        ):
            yield f"reject {name}", row[key] < LEVEL
        for name, key in (
            ("sign", "p_sign_one_sided"),
            ("majority", "p_sign_majority_one_sided"),
            ("bootstrap", "p_bootstrap"),
        ):
            yield f"reject {name} declared", as_declared and row[key] < LEVEL
            yield f"reject {name} post hoc", row[key] < LEVEL
        yield "reject position", null["position"]["p_two_sided"] < LEVEL
        (row,) = planted["pairs"]
        key = "a_better" if row["system_a"] == "A" else "b_better"
        yield "any share", holds(row["shares"][key][1:], better)
        yield "any share by segment", holds(row[f"{key}_ci"], better)
        (of_a,) = (each for each in planted["systems"] if each["system"] == "A")
        yield "any strength", holds(of_a["strength_ci"], strength)

    return count(seed, RUNS, simulate)
