"""Careless raters are caught and attentive ones are not: 60 items, 30 % bad references, 30 % repeats.

A bad reference is 2.5 units of quality worse than its pair, about 1.8 sd of a typical rater's scores. Raters
are looked at after every answer, as a server does.
"""

import numpy as np
import pytest
from scipy.stats import binom

from annotation.stats.rater_evidence import collect_evidence
from annotation.stats.reliability import assess, failed_after
from annotation.stats.simulate import HABITS, Habit
from tests.factories.answers import answers_of

pytestmark = pytest.mark.slow
RUNS = 120
CARELESS = Habit(careless=1.0)


def failed(habit: Habit, seed: int, runs: int = RUNS, **options: float) -> list[int]:
    """Return after how many answers each failed rater failed."""
    found = []
    for child in np.random.default_rng(seed).spawn(runs):
        (evidence,) = collect_evidence(answers_of(child, habit, **options))  # type: ignore[arg-type]
        after = failed_after(evidence)
        if after is not None:
            found.append(after)
    return found


@pytest.mark.parametrize(
    ("name", "habit", "seconds"),
    [("typical", HABITS["typical"], 15.0), ("strict", HABITS["strict"], None),
     ("generous", HABITS["generous"], None), ("unsteady", Habit(noise=1.0), 8.0),
     ("noisy", HABITS["noisy"], None)],
)  # fmt: skip
def test_attentive_raters_are_not_failed(name: str, habit: Habit, seconds: float | None):
    assert len(failed(habit, seed=len(name), seconds=seconds)) <= binom.ppf(1 - 1e-4, RUNS, 0.02)


@pytest.mark.parametrize(
    ("habit", "seconds"),
    [(CARELESS, None), (CARELESS, 20.0), (CARELESS, 2.0), (HABITS["constant"], None),
     (Habit(constant=True, careless=0.05), None)],
)  # fmt: skip
def test_careless_raters_are_failed_within_sixty_items(habit: Habit, seconds: float | None):
    assert len(failed(habit, seed=20, seconds=seconds)) >= binom.ppf(1e-4, RUNS, 0.95)


def test_fewer_quality_control_items_catch_fewer():
    plain = failed(CARELESS, seed=21, bad=0.12, repeats=0.12)
    assert 0.5 * RUNS < len(plain) < 0.9 * RUNS
    assert len(failed(CARELESS, seed=21, bad=0.12, repeats=0.12, items=120)) > len(plain)


def test_weak_bad_references_leave_attentive_raters_undecided_rather_than_failed():
    states = [
        assess(collect_evidence(answers_of(child, Habit(), bad=0.12, repeats=0.12, drop=0.7))[0])["state"]
        for child in np.random.default_rng(22).spawn(RUNS)
    ]
    assert states.count("failed") <= binom.ppf(1 - 1e-4, RUNS, 0.02)
    assert states.count("undecided") > 0.1 * RUNS
    assert states.count("passed") > 0.1 * RUNS
