"""Simulated truth: the tests reject a true null at their level, planted differences are found and covered."""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.score import score_ratings
from annotation.stats.simulate import HABITS, Habit, Truth, simulate_comparisons, simulate_ratings

pytestmark = pytest.mark.slow
RUNS = 400
RATERS = (Habit(), Habit(mean=45), Habit(mean=80, spread=8), Habit(spread=16), Habit(mean=55), Habit(mean=70))


def within_binomial_bounds(count: int, runs: int, share: float) -> bool:
    low, high = binom.ppf([5e-5, 1 - 5e-5], runs, share)
    return bool(low <= count <= high)


def pairs(effect: float, runs: int, seed: int, **options: object) -> list[dict]:
    truth = Truth(effects={"A": effect, "B": 0.0}, segments=500, raters=RATERS, judgements=3)
    found = []
    for child in np.random.default_rng(seed).spawn(runs):
        table = simulate_ratings(child, truth)
        seed_of_run = int(child.integers(2**31))
        (pair,) = score_ratings(table, ScoreOptions(seed=seed_of_run, **options))["pairs"]  # type: ignore[arg-type]
        found.append(pair)
    return found


def test_without_a_difference_the_tests_reject_at_their_level():
    found = pairs(0.0, RUNS, seed=11, hypothesis=("A", "B"))
    two_sided = sum(pair["p_bootstrap_two_sided"] < 0.05 for pair in found)
    declared = sum(pair["p_bootstrap_one_sided"] < 0.05 for pair in found)
    post_hoc = sum(pair["p_bootstrap_two_sided"] < 0.10 for pair in found)
    assert within_binomial_bounds(two_sided, RUNS, 0.05)
    assert within_binomial_bounds(declared, RUNS, 0.05)
    assert within_binomial_bounds(post_hoc, RUNS, 0.10)
    # the unpaired test ignores what segments share, so it is conservative here
    assert sum(pair["p_rank_sum"] < 0.05 for pair in found) <= two_sided + declared


def test_a_planted_difference_is_found_and_covered():
    effect, runs = 0.2, 300
    truth = Truth(effects={"A": effect, "B": 0.0}, raters=RATERS).z_effects
    difference = truth["A"] - truth["B"]
    found = pairs(effect, runs, seed=12)
    assert all(pair["system_a"] == "A" for pair in found)
    assert sum(pair["p_bootstrap_two_sided"] < 0.05 for pair in found) > 0.95 * runs
    covered = sum(pair["z_difference_ci"][0] <= difference <= pair["z_difference_ci"][1] for pair in found)
    assert within_binomial_bounds(covered, runs, 0.95)
    assert np.mean([pair["z_difference"] for pair in found]) == pytest.approx(difference, rel=0.03)


def test_raters_with_favourites_are_not_covered_by_resampling_segments():
    truth = Truth(segments=500, raters=RATERS, interaction=0.17)
    rejected = 0
    for child in np.random.default_rng(13).spawn(150):
        (pair,) = score_ratings(simulate_ratings(child, truth))["pairs"]
        rejected += pair["p_bootstrap_two_sided"] < 0.05
    assert rejected > binom.ppf(1 - 1e-4, 150, 0.05)


def test_the_order_of_systems_is_recovered_in_spite_of_bad_raters():
    effects = {"worst": -0.6, "middle": 0.0, "good": 0.6, "best": 1.2}
    raters = tuple(HABITS.values())
    truth = Truth(effects=effects, segments=400, raters=raters, judgements=3, scale=(1, 100))
    for child in np.random.default_rng(14).spawn(20):
        result = score_ratings(simulate_ratings(child, truth), ScoreOptions(resamples=100))
        assert [row["system"] for row in result["systems"]] == ["best", "good", "middle", "worst"]
        assert [row["cluster"] for row in result["systems"]] == [[n, n] for n in range(1, 5)]
        assert [row["no_variance"] for row in result["raters"]] == [False] * 5 + [True]


def test_preferences_without_a_difference_reject_at_their_level_and_find_a_planted_one():
    options = ScoreOptions(preference_resamples=2000, resamples=20)  # strengths are not looked at here

    def pair_of(child, effects):
        truth = Truth(effects=effects, segments=150, judgements=1, raters=RATERS)
        return score_comparisons(simulate_comparisons(child, truth, ("A", "B")), options=options)["pairs"][0]

    null, planted = np.random.default_rng(15).spawn(2)
    pairs = [pair_of(child, Truth().effects) for child in null.spawn(200)]
    # the direction is read off the data: α = .025 one-sided is .05 in both directions
    assert within_binomial_bounds(sum(pair["p_bootstrap"] < 0.025 for pair in pairs), 200, 0.05)
    pairs = [pair_of(child, {"A": 0.0, "B": 0.5}) for child in planted.spawn(60)]
    assert sum(pair["system_a"] == "B" and pair["p_bootstrap"] < 0.05 for pair in pairs) > 54
