"""The plan of a campaign keeps its rules, is repeatable, and says what is short."""

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from annotation.design.items import PlanError, PlanItem
from annotation.design.plan import plan_campaign
from annotation.design.verify import verify_plan
from tests.factories.plans import make_items, plan_rows, raters_named
from tests.paths import ROOT
from tests.plan_checker import check_plan


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("merged", [0.0, 0.15])
def test_a_campaign_over_two_test_sets_keeps_every_rule(pairwise: bool, spread: bool, merged: float) -> None:
    items = make_items(5, 101, n_testsets=2, merged=merged, pairwise=pairwise)
    plan = plan_campaign(items, raters_named(7), 3, np.random.default_rng(1), spread)
    assert len(plan) == 3 * len(items)
    assert plan.notes == ()
    assert set(plan.gaps.values()) == {20}
    assert check_plan(plan_rows(items, plan), 3, spread=spread) == []


@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("spread", [False, True])
def test_several_inputs_of_one_segment(pairwise: bool, spread: bool) -> None:
    items = make_items(3, 40, n_inputs=2, pairwise=pairwise)
    plan = plan_campaign(items, raters_named(4), 2, np.random.default_rng(2), spread)
    assert check_plan(plan_rows(items, plan), 2, spread=spread) == []


def test_five_batches_for_seven_raters() -> None:
    items = make_items(2, 5)
    plan = plan_campaign(items, raters_named(7), 2, np.random.default_rng(5))
    loads = Counter(given.rater for given in plan)
    assert len(loads) == 7
    assert max(loads.values()) - min(loads.values()) <= 2
    assert all(len({given.rater for given in plan if given.item == item.key}) == 2 for item in items)
    assert check_plan(plan_rows(items, plan), 2) == []


@pytest.mark.parametrize("spread", [False, True])
def test_as_many_judgements_as_raters(spread: bool) -> None:
    items = make_items(3, 11)
    plan = plan_campaign(items, raters_named(4), 4, np.random.default_rng(5), spread)
    assert Counter(given.rater for given in plan) == dict.fromkeys(raters_named(4), len(items))
    assert check_plan(plan_rows(items, plan), 4, spread=spread) == []


def test_two_judgements_of_an_item_come_from_two_raters() -> None:
    items = make_items(1, 1)
    plan = plan_campaign(items, raters_named(10), 2, np.random.default_rng(3))
    assert len(plan) == 2
    assert len({given.rater for given in plan}) == 2


def test_a_merged_item_is_shown_once_and_counts_for_every_system() -> None:
    items = [
        PlanItem("yes", 1, "t", (("sysA", "sysB", "sysC"),)),
        PlanItem("day", 2, "t", (("sysA", "sysB"),)),
        PlanItem("day-c", 2, "t", (("sysC",),)),
    ]
    plan = plan_campaign(items, ["one"], 1, np.random.default_rng(1))
    assert sorted(str(given.item) for given in plan) == ["day", "day-c", "yes"]
    credited = Counter(
        name for given in plan for item in items if item.key == given.item for name in item.systems
    )
    assert credited == {"sysA": 2, "sysB": 2, "sysC": 2}


@pytest.mark.parametrize(
    ("raters", "judgements", "message"),
    [
        (2, 3, "3 judgements an item need 3 raters, there are 2: add 1 rater or ask for 2 judgements"),
        (1, 4, "4 judgements an item need 4 raters, there is 1: add 3 raters or ask for 1 judgement"),
        (0, 1, "1 judgement an item needs 1 rater, there are 0: add 1 rater"),
        (3, 0, "an item needs at least 1 judgement, not 0"),
    ],
)
def test_a_shortfall_is_named(raters: int, judgements: int, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan_campaign(make_items(2, 3), raters_named(raters), judgements, np.random.default_rng(1))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "nothing to judge"),
        ([PlanItem(1, 1, "t", (("A",),)), PlanItem(1, 2, "t", (("A",),))], "unique"),
        ([PlanItem(1, 1, "t", (("A",),)), PlanItem(2, 1, "t", (("A",), ("B",)))], "has 2 texts"),
        ([PlanItem(1, 1, "t", (("A",), ()))], "belongs to no system"),
        ([PlanItem(1, 1, "t", (("A", "B"), ("B",)))], "with itself"),
        ([PlanItem(1, 1, "t", ())], "has 0 texts"),
    ],
)
def test_malformed_items_are_refused(items: list[PlanItem], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        plan_campaign(items, ["r"], 1, np.random.default_rng(1))


def test_a_rater_named_twice_is_refused() -> None:
    with pytest.raises(PlanError, match="twice"):
        plan_campaign(make_items(2, 3), ["r", "r"], 1, np.random.default_rng(1))


@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("spread", [False, True])
def test_the_same_seed_gives_the_same_plan(pairwise: bool, spread: bool) -> None:
    items = make_items(4, 12, merged=0.3, pairwise=pairwise)
    plans = [
        plan_campaign(items, raters_named(5), 2, np.random.default_rng(seed), spread) for seed in (7, 7, 8)
    ]
    assert plans[0].assignments == plans[1].assignments
    assert plans[0].assignments != plans[2].assignments


PRINT_PLANS = """
import numpy as np
from annotation.design.plan import plan_campaign
from annotation.design.reassign import reassign
from tests.factories.plans import make_items, part_way, raters_named
for pairwise in (False, True):
    for spread in (False, True):
        items = make_items(4, 9, merged=0.3, pairwise=pairwise)
        rng = np.random.default_rng(7)
        plan = plan_campaign(items, raters_named(5), 2, rng, spread)
        given = part_way(plan, dict.fromkeys(raters_named(5), 0.4))
        print(plan.assignments, reassign(items, given, "r0", raters_named(5), 2, rng, spread))
"""


def test_the_plan_does_not_depend_on_hash_randomisation() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT_PLANS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(printed[0]) > 1000
    assert printed[0] == printed[1]


def test_too_many_items_a_segment_come_as_far_apart_as_possible() -> None:
    """Eight items of each of five segments: forty places, ten apart wanted, five possible."""
    items = make_items(8, 5)
    plan = plan_campaign(items, ["r"], 1, np.random.default_rng(1))
    assert plan.gaps == {"r": 5}
    assert "only 5 positions apart, not 10" in plan.notes[0]
    assert check_plan(plan_rows(items, plan), 1) == []


def test_test_sets_are_shared_evenly() -> None:
    items = make_items(3, 60, n_testsets=3)
    plan = plan_campaign(items, raters_named(7), 3, np.random.default_rng(4))
    testset = {item.key: item.testset for item in items}
    for name in ("t0", "t1", "t2"):
        counts = Counter(given.rater for given in plan if testset[given.item] == name)
        assert len(counts) == 7
        assert max(counts.values()) - min(counts.values()) <= 2 * 3


def test_raters_with_the_same_items_have_different_orders() -> None:
    items = make_items(4, 100)
    plan = plan_campaign(items, raters_named(3), 3, np.random.default_rng(4))
    places = {
        rater: {given.item: given.position for given in plan if given.rater == rater}
        for rater in raters_named(3)
    }
    keys = [item.key for item in items]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        first, second = ([places[f"r{number}"][key] for key in keys] for number in (one, other))
        # items of a segment come near each other: beyond 0.38 has p < 1e-4 for 100 independent places
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.38


def test_systems_are_even_at_every_moment() -> None:
    """Whoever stops early has judged the systems about equally often."""
    items = make_items(5, 101, n_testsets=2)
    plan = plan_campaign(items, raters_named(7), 3, np.random.default_rng(6))
    system = {item.key: item.candidates[0][0] for item in items}
    for rater in raters_named(7):
        counts = Counter({f"s{number}": 0 for number in range(5)})
        for given in plan:
            if given.rater == rater:
                counts[system[given.item]] += 1
                assert max(counts.values()) - min(counts.values()) <= 4


def test_systems_in_some_test_sets_only() -> None:
    items = [
        PlanItem((segment, 0, 0, number), segment, f"t{segment % 2}", ((f"s{number}",),))
        for segment in range(60)
        for number in range(4)
        if segment % 2 or number % 2
    ]
    for spread in (False, True):
        plan = plan_campaign(items, raters_named(5), 2, np.random.default_rng(1), spread)
        assert check_plan(plan_rows(items, plan), 2, spread=spread) == []


def test_a_plan_is_a_sequence_of_assignments() -> None:
    plan = plan_campaign(make_items(2, 3), ["r"], 1, np.random.default_rng(1))
    assert [given.position for given in plan] == [1, 2, 3, 4, 5, 6]
    assert plan[0] == plan.assignments[0]
    assert plan[1:3] == plan.assignments[1:3]


def test_the_planner_sees_its_own_mistakes() -> None:
    items = make_items(3, 8, pairwise=True)
    raters = raters_named(4)
    plan = plan_campaign(items, raters, 2, np.random.default_rng(1))

    def rules(assignments: list) -> set[str]:
        return {found.rule for found in verify_plan(items, raters, 2, assignments, gaps=plan.gaps)}

    good = list(plan)
    assert rules(good) == set()
    assert {"judgements", "together", "spacing"} <= rules(good[1:])
    to_first = [type(given)(given.item, "r0", given.position, given.swap) for given in good]
    assert {"judgements", "loads", "spacing"} <= rules(to_first)
    same_side = [type(given)(given.item, given.rater, given.position, False) for given in good]
    assert rules(same_side) == {"sides"}
    uneven = [given for given in good if given.rater != "r0" or given.item[3] == 0]
    assert "systems" in rules(uneven)
