"""Quality control is drawn evenly over systems and raters, and stands anywhere in a rater's order."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, rankdata

from annotation.design.plan import Plan, PlanItem, QualityWish, plan_campaign
from annotation.design.quality_items import USUAL_BAD, USUAL_REPEATS
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
    share = np.mean([kinds.get(one.item) == kind for one in plan])
    for part in range(4):
        here = [one for one in plan if int(4 * (one.position - 1) / loads[one.rater]) == part]
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


def guesses(plan: Plan, bins: int) -> tuple[float, float, float]:
    """Guess what is quality control from how often, and how long ago, a rater had the source.

    The shares are learnt from the other raters.

    Returns:
        The share of right guesses, that of always guessing the same, and the area under the curve.
    """
    kinds = {item.key: item for item in plan.followers}
    segment = {item.key: item.segment for item in plan.followers} | {
        one.item: one.item // 4 for one in plan if one.item not in kinds
    }
    rows = []
    for rater in dict.fromkeys(one.rater for one in plan):
        times: Counter[object] = Counter()
        last: dict[object, int] = {}
        for one in sorted((one for one in plan if one.rater == rater), key=lambda one: one.position):
            source = segment[one.item]
            ago = (one.position - last[source]) * bins // 200 if source in last else -1
            rows.append((rater, (times[source], min(ago, bins)), one.item in kinds))
            times[source] += 1
            last[source] = one.position
    right, told = 0, []
    for rater in dict.fromkeys(row[0] for row in rows):
        seen = Counter(row[1] for row in rows if row[0] != rater)
        control = Counter(row[1] for row in rows if row[0] != rater and row[2])
        for who, what, truth in rows:
            if who == rater:
                share = control[what] / seen[what] if seen[what] else 0.0
                right += (share > 0.5) == truth
                told.append((share, truth))
    truth = np.array([one for _, one in told])
    rank = rankdata([share for share, _ in told])
    n = int(truth.sum())
    area = (rank[truth].sum() - n * (n + 1) / 2) / (n * (len(truth) - n))
    return right / len(rows), max(truth.mean(), 1 - truth.mean()), float(area)


@pytest.mark.parametrize("bins", [0, 8])
@pytest.mark.parametrize(("systems", "compared"), [(1, False), (2, False), (3, False), (3, True)])
def test_how_often_a_source_came_tells_nothing_of_kinds(systems: int, compared: bool, bins: int):
    names = [f"s{number}" for number in range(systems)]
    sides = list(combinations(names, 2)) if compared else [(name,) for name in names]
    items = [
        PlanItem(4 * place + number, place, "t", tuple((name,) for name in side))
        for place in range(160)
        for number, side in enumerate(sides)
    ]
    wish = QualityWish(USUAL_BAD, USUAL_REPEATS)
    plan = plan_campaign(items, range(6), 3, np.random.default_rng(systems), wish=wish)
    right, usual, area = guesses(plan, bins)
    assert right <= usual + 0.02 and area <= (0.58 if systems == 1 else 0.56), (right, usual, area)
    control = Counter(item.segment for item in plan.followers)
    share = (USUAL_BAD + USUAL_REPEATS) * len(sides)
    assert set(control.values()) | {0} <= {0, int(share), int(share) + 1}
    assert systems == 1 or (min(control.values()) >= int(share) and len(control) == 160)
    at = {(one.item, one.rater): one.position for one in plan}
    pairs = {item.key: item.pair for item in plan.followers}
    for kind in ("bad_reference", "repeat"):
        own = [one for one in plan if one.item in pairs and one.item[0] == kind]
        later = sum(one.position > at[pairs[one.item], one.rater] for one in own)
        low, high = binom.ppf([1e-4, 1 - 1e-4], len(own), 0.5)
        assert low <= later <= high, (kind, later, len(own))
