"""How well the rules of a plan hold where raters come and go: compared with the best a plan does.

`python -m pytest tests/recovery/test_pool_arrivals.py -s` prints the rows of the table in the documentation.
"""

import random

import numpy as np
import pytest

from annotation.models import Assignment
from tests.factories.campaigns import make_campaign
from tests.factories.pool import arrive_and_go, faults, spread_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SYSTEMS = ("A", "B", "C", "D")


@pytest.fixture(autouse=True)
def _seeded(monkeypatch):
    """Draw what a pool draws from one stream: where raters tear segments differs much from run to run."""
    real, source = np.random.default_rng, np.random.default_rng(11)
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: source if seed is None else real(seed))


def arrivals(stay, n_segments, protocol="source_da", seed=1):
    campaign = make_campaign(
        protocol, n_segments=n_segments, systems=SYSTEMS, raters=4, judgements=3, pool=True, name=f"{stay}"
    )
    came = arrive_and_go(campaign, random.Random(seed), stay=stay)
    assert not any(faults(campaign).values()), faults(campaign)
    found = spread_of(campaign)
    released = Assignment.objects.filter(item__campaign=campaign, state="released").count()
    print(f"\nstay {stay}: {came} raters, {released} items freed, {found}")
    return found


def test_raters_who_stay_keep_segments_whole():
    found = arrivals(60, 20)
    assert found["torn"] <= 0.75 and found["systems"] <= 6


@pytest.mark.long
@pytest.mark.parametrize("stay", [15, 40, 120, 400])
def test_the_table_of_arrivals(stay):
    found = arrivals(stay, 60)
    assert found["systems"] <= 12


@pytest.mark.long
def test_sides_are_even_whoever_comes():
    found = arrivals(40, 20, "pairwise_fluency")
    assert found["sides"] <= 6
