"""Power as predicted and as simulated, with the tests a campaign uses."""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.design.outlook import look_ahead
from annotation.design.power import Components, Size, find_power, segments_needed
from annotation.stats.mixed import fit_mixed
from annotation.stats.options import ScoreOptions
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Habit, Truth, simulate_ratings

pytestmark = pytest.mark.slow
RATERS = tuple(Habit(mean=mean) for mean in (45, 55, 60, 65, 70, 80))


def within(count: int, runs: int, share: float, slack: float = 0.0) -> bool:
    """Return whether a count is within its binomial bounds, the share being known up to some slack."""
    low = binom.ppf(5e-5, runs, max(0.0, share - slack))
    high = binom.ppf(1 - 5e-5, runs, min(1.0, share + slack))
    return bool(low <= count <= high)


@pytest.mark.parametrize("effect", [0.0, 0.08, pytest.param(0.14, marks=pytest.mark.long)])
def test_the_paired_bootstrap_finds_what_was_predicted(effect: float):
    runs, segments = 300, 250
    truth = Truth(effects={"A": effect, "B": 0.0}, segments=segments, raters=RATERS)
    found = 0
    for child in np.random.default_rng(41).spawn(runs):
        table = simulate_ratings(child, truth)
        seed = int(child.integers(2**31))
        (pair,) = score_ratings(table, ScoreOptions(resamples=400, seed=seed))["pairs"]
        found += pair["p_bootstrap_two_sided"] < 0.05
    # in units of quality throughout: z divides difference and components alike
    components = Components(output=truth.output, error=0.5, favour=0.0)
    predicted = find_power(effect, Size(segments, 3, 6), components)
    assert within(found, runs, predicted, slack=0.01)
    assert (0.03 < predicted < 0.07) or (0.3 < predicted < 0.95)


def test_favours_narrow_the_bootstrap_as_predicted():
    runs, segments = 300, 250
    truth = Truth(effects={"A": 0.0, "B": 0.0}, segments=segments, raters=RATERS, judgements=1)
    components = Components(output=truth.output, error=0.5, favour=0.6)
    predicted = find_power(0.0, Size(segments, 1, 6), components)
    rng = np.random.default_rng(42)
    rejected = 0
    for _ in range(runs):
        favour = rng.normal(0, 0.6, (6, 2))
        favour -= favour.mean(axis=0)
        rater = rng.permutation(np.arange(segments) % 6)
        spread = np.sqrt(components.output**2 + components.error**2)
        difference = favour[rater] @ [1, -1] + rng.normal(0, spread * np.sqrt(2), segments)
        rejected += abs(difference.mean()) > 1.96 * difference.std(ddof=1) / np.sqrt(segments)
    assert predicted < 0.03
    assert within(rejected, runs, predicted, slack=0.01)


def test_the_mixed_model_finds_what_was_predicted_for_any_raters():
    runs, segments, effect = 120, 60, 0.6
    truth = Truth(effects={"A": effect, "B": 0.0}, segments=segments, raters=RATERS, interaction=0.4)
    found = 0
    for child in np.random.default_rng(43).spawn(runs):
        (pair,) = fit_mixed(simulate_ratings(child, truth))["pairs"]
        found += pair["system_a"] == "A" and pair["p_value"] < 0.05
    components = Components(output=truth.output, error=0.5, favour=0.4)
    predicted = find_power(effect, Size(segments, 3, 6), components, raters="random")
    assert 0.3 < predicted < 0.9
    assert within(found, runs, predicted, slack=0.03)


def test_as_many_segments_as_asked_for_find_the_difference_as_often_as_asked():
    components = Components(output=0.5, error=0.5, favour=0.0)
    segments = segments_needed(0.12, judgements=2, target=0.8, components=components)
    truth = Truth(effects={"A": 0.12, "B": 0.0}, segments=segments, raters=RATERS, judgements=2)
    found = 0
    for child in np.random.default_rng(44).spawn(300):
        (pair,) = score_ratings(simulate_ratings(child, truth), ScoreOptions(resamples=400))["pairs"]
        found += pair["p_bootstrap_two_sided"] < 0.05
    assert within(found, 300, 0.8, slack=0.015)


def test_the_outlook_of_a_running_campaign_is_right_on_average():
    """A pilot of known difference: the further segments it asks for are those that 80 % power takes."""
    components = Components(output=0.5, error=0.5, favour=0.0)
    needed = segments_needed(0.15, judgements=2, components=components)
    asked = []
    for child in np.random.default_rng(45).spawn(60):
        value = child.normal(0, 0.5, (80, 2, 1)) + child.normal(0, 0.5, (80, 2, 2))
        gap = value.mean(axis=2) @ [1, -1]
        value[:, 0] += 0.15 - gap.mean()
        segment, second, rater = (codes.ravel() for codes in np.indices(value.shape))
        found = look_ahead(value.ravel(), segment, second.astype(bool), rater)
        if not found.separated:
            asked.append(80 + found.more_segments)
    assert len(asked) > 40
    assert np.mean(asked) == pytest.approx(needed, rel=0.06)
