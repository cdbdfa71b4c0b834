"""Quality control is drawn evenly over systems and raters, and stands anywhere in a rater's order."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from annotation.design.plan import Plan, QualityWish, plan_campaign
from tests.factories.plans import make_items, raters_named

ITEMS = make_items(3, 240, n_testsets=1, seed=2)
GAP = 20


@pytest.fixture(scope="module")
def plan() -> Plan:
    wish = QualityWish(bad_references=0.2, repeats=0.2, attention=3)
    return plan_campaign(ITEMS, raters_named(6), 3, np.random.default_rng(8), wish=wish)


def test_shares_are_even_over_systems_and_raters(plan: Plan):
    kinds = {item.key: item.kind for item in plan.followers}
    for kind in ("bad_reference", "repeat"):
        by_system = Counter(item.candidates for item in plan.followers if item.kind == kind)
        assert sum(by_system.values()) == pytest.approx(144, abs=1)
        assert max(by_system.values()) - min(by_system.values()) <= 1
        by_rater = Counter(one.rater for one in plan if kinds.get(one.item) == kind)
        assert len(by_rater) == 6 and max(by_rater.values()) - min(by_rater.values()) <= 2
    own = Counter((one.rater, one.item[2]) for one in plan if kinds.get(one.item) == "attention")
    assert len(own) >= 16 and max(own.values()) <= 2, "about once each"


@pytest.mark.parametrize("kind", ["bad_reference", "repeat"])
def test_a_position_tells_nothing_of_a_kind(plan: Plan, kind: str):
    kinds = {item.key: item.kind for item in plan.followers}
    loads = Counter(one.rater for one in plan)
    late = [one for one in plan if one.position > GAP]
    share = np.mean([kinds.get(one.item) == kind for one in late])
    for part in range(4):
        here = [one for one in late if int(4 * (one.position - 1) / loads[one.rater]) == part]
        found = sum(kinds.get(one.item) == kind for one in here)
        low, high = binom.ppf([1e-4, 1 - 1e-4], len(here), share)
        assert low <= found <= high, (part, found, low, high)


def test_a_pair_is_mostly_near_and_never_too_near(plan: Plan):
    pairs = {item.key: item for item in plan.followers}
    at = {(one.item, one.rater): one.position for one in plan}
    apart = [abs(one.position - at[pairs[one.item].pair, one.rater]) for one in plan if one.item in pairs]
    assert min(apart) >= GAP and np.mean(np.array(apart) <= 2 * GAP + GAP) > 0.7


def test_none_is_drawn_where_none_is_wished():
    plain = plan_campaign(ITEMS[:30], raters_named(3), 2, np.random.default_rng(1))
    empty = plan_campaign(ITEMS[:30], raters_named(3), 2, np.random.default_rng(1), wish=QualityWish())
    assert plain.assignments == empty.assignments and empty.followers == ()
