"""Simulated looks: the error of all looks together is kept, where testing at .05 each time would not."""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.stats.sequential import plan_looks

pytestmark = pytest.mark.slow
RUNS = 20_000
SEGMENTS = 500
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)


def statistics(effect: float, seed: int) -> np.ndarray:
    """Return the paired z at every look [RUNS, looks], from skewed differences as bounded scores give."""
    rng = np.random.default_rng(seed)
    z = np.empty((RUNS, len(SHARES)))
    for block in np.array_split(np.arange(RUNS), 20):
        draws = rng.gamma(4.0, 0.5, size=(len(block), SEGMENTS)) - rng.gamma(
            4.0, 0.5, size=(len(block), SEGMENTS)
        )
        for place, share in enumerate(SHARES):
            part = draws[:, : round(share * SEGMENTS)] + effect
            z[block, place] = part.mean(axis=1) / part.std(axis=1, ddof=1) * np.sqrt(part.shape[1])
    return z


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
def test_the_error_of_all_looks_together_is_kept(spending: str):
    z = statistics(0.0, seed=31)
    boundaries = np.array([current.boundary for current in plan_looks(SHARES, spending=spending)])
    low, high = binom.ppf([5e-5, 1 - 5e-5], RUNS, 0.05)
    assert low <= np.any(np.abs(z) >= boundaries, axis=1).sum() <= high
    # what is spent so far is what has stopped so far
    spent = plan_looks(SHARES, spending=spending)[2].spent
    low, high = binom.ppf([5e-5, 1 - 5e-5], RUNS, spent)
    assert low <= np.any(np.abs(z[:, :3]) >= boundaries[:3], axis=1).sum() <= high
    # and the habit this replaces
    assert np.any(np.abs(z) >= 1.96, axis=1).mean() > 0.12


def test_a_true_difference_ends_the_campaign_early():
    z = statistics(0.25, seed=32)
    looks = plan_looks(SHARES)
    stopped = np.abs(z) >= np.array([current.boundary for current in looks])
    assert stopped.any(axis=1).mean() > 0.9
    first = np.where(stopped.any(axis=1), stopped.argmax(axis=1), len(SHARES) - 1)
    assert np.mean(np.array(SHARES)[first]) < 0.8
