"""Careless raters fail before 60 items of a plan with the usual quality control; honest ones do not."""

import pytest
from scipy.stats import binom

from tests.calibration.careless import GENERATORS, failures

pytestmark = pytest.mark.slow


def check(name: str, runs: int, slack: bool) -> None:
    failed = sum(after is not None for after in failures(name, runs))
    if GENERATORS[name].careless:
        assert failed >= (binom.ppf(1e-4, runs, 0.95) if slack else 0.95 * runs)
    else:
        assert failed <= (binom.ppf(1 - 1e-4, runs, 0.02) if slack else 0.02 * runs)


@pytest.mark.parametrize("name", ["random", "constant", "fast", "one-sided", "very noisy", "strict"])
def test_a_few_raters(name: str):
    check(name, 24, slack=True)


@pytest.mark.long
@pytest.mark.parametrize("name", list(GENERATORS))
def test_two_hundred_raters(name: str):
    check(name, 200, slack=False)
