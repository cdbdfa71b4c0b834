"""Simulated truth: the mixed model finds its variances, keeps its level and covers, favourites included."""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.stats.mixed import fit_mixed
from annotation.stats.simulate import Habit, Truth, simulate_ratings

pytestmark = pytest.mark.slow
SPREAD = 12.0
RATERS = tuple(Habit(mean=mean, spread=SPREAD) for mean in (45, 55, 60, 65, 70, 80))


def fits(truth: Truth, runs: int, seed: int) -> list[dict]:
    return [fit_mixed(simulate_ratings(child, truth)) for child in np.random.default_rng(seed).spawn(runs)]


def within_binomial_bounds(count: int, runs: int, share: float) -> bool:
    low, high = binom.ppf([5e-5, 1 - 5e-5], runs, share)
    return bool(low <= count <= high)


@pytest.mark.parametrize("interaction", [pytest.param(0.0, marks=pytest.mark.long), 0.3])
def test_the_level_is_kept_and_the_interval_covers_with_few_raters(interaction: float):
    """With six raters a normal approximation would reject a true null in 10 % when they have favourites."""
    runs = 200
    truth = Truth(effects={"A": 0.3, "B": 0.0}, segments=120, raters=RATERS, interaction=interaction)
    found = fits(truth, runs, seed=21)
    assert all(result["model"]["converged"] for result in found)
    covered = 0
    for result in found:
        (pair,) = result["pairs"]
        sign = 1 if pair["system_a"] == "A" else -1
        low, high = sorted(sign * bound for bound in pair["ci"])
        covered += low <= 0.3 * SPREAD <= high
    if interaction:
        assert within_binomial_bounds(covered, runs, 0.95)
    else:
        # a variance cannot be estimated below 0, so the interval is a little wide here
        assert covered >= binom.ppf(5e-5, runs, 0.95)


def test_the_variances_are_recovered():
    truth = Truth(
        effects={"A": 0.0, "B": 0.2, "C": 0.4}, segments=200, raters=RATERS * 3, judgements=3, interaction=0.3
    )
    found = fits(truth, 30, seed=22)
    expected = {"rater_system": 0.3, "segment": truth.difficulty, "output": truth.output, "residual": 0.5}
    for name, sd in expected.items():
        variances = [result["variances"][name]["variance"] / SPREAD**2 for result in found]
        error = np.std(variances, ddof=1) / np.sqrt(len(variances))
        assert abs(np.mean(variances) - sd**2) < 4 * error
    assert [row["system"] for row in found[0]["systems"]] == ["C", "B", "A"]
