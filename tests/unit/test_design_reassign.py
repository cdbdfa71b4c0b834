"""A rater leaves: the others take over without breaking the plan, or a message says what is short."""

from collections import Counter

import numpy as np
import pytest

from annotation.design.items import PlanError, Rater
from annotation.design.plan import plan_campaign
from annotation.design.reassign import GivenAssignment, reassign
from tests.factories.plans import apply, count_done, make_items, part_way, plan_rows, raters_named
from tests.plan_checker import check_plan


def parts_of(raters: list[Rater], seed: int) -> dict[Rater, float]:
    rng = np.random.default_rng(seed)
    return {rater: 0.4 if rater == "r0" else rng.uniform(0.1, 0.8) for rater in raters}


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_rater_leaves_at_forty_percent(pairwise: bool, spread: bool, seed: int) -> None:
    items = make_items(5, 101, n_testsets=2, merged=0.15, pairwise=pairwise, seed=seed)
    raters = raters_named(7)
    rng = np.random.default_rng(seed)
    given = part_way(plan_campaign(items, raters, 3, rng, spread), parts_of(raters, seed))
    change = reassign(items, given, "r0", raters, 3, rng, spread)
    after = apply(given, change)
    assert change.short == ()
    assert len(change.added) == len(change.released) > 100
    rows = plan_rows(items, after)
    assert check_plan(rows, 3, spread=spread, leavers=["r0"], done=count_done(given, change.order)) == []
    assert [one for one in after if one.done] == [one for one in given if one.done]


def test_raters_leave_one_after_another() -> None:
    items = make_items(4, 60, n_testsets=2)
    staying = raters_named(8)
    rng = np.random.default_rng(3)
    given = part_way(plan_campaign(items, staying, 2, rng), parts_of(staying, 3))
    done: dict[str, int] = {}
    for number, leaver in enumerate(["r0", "r1", "r2"], start=1):
        change = reassign(items, given, leaver, staying, 2, rng)
        assert change.short == ()
        done |= count_done(given, change.order)
        given = apply(given, change)
        staying.remove(leaver)
        leavers = [f"r{index}" for index in range(number)]
        assert check_plan(plan_rows(items, given), 2, leavers=leavers, done=done) == []


def test_nobody_is_left_who_has_not_seen_an_item() -> None:
    items = make_items(2, 6)
    raters = raters_named(3)
    given = part_way(plan_campaign(items, raters, 3, np.random.default_rng(1)), dict.fromkeys(raters, 0.5))
    change = reassign(items, given, "r0", raters, 3, np.random.default_rng(1))
    assert change.added == ()
    assert change.order == {}
    assert change.short == (
        "6 items now have 2 of 3 judgements: no rater is left who has not seen them; "
        "add 1 rater (add_raters)",
    )


def test_a_new_rater_fills_what_was_short() -> None:
    items = make_items(2, 6)
    raters = raters_named(3)
    given = part_way(plan_campaign(items, raters, 3, np.random.default_rng(1)), dict.fromkeys(raters, 0.5))
    given = apply(given, reassign(items, given, "r0", raters, 3, np.random.default_rng(1)))
    change = reassign(items, given, None, ["r1", "r2", "new"], 3, np.random.default_rng(2))
    assert change.released == ()
    assert {new.rater for new in change.added} == {"new"}
    assert [new.position for new in change.added] == [1, 2, 3, 4, 5, 6]
    counts = Counter(one.item for one in apply(given, change))
    assert set(counts.values()) == {3}


def test_the_last_rater_leaves() -> None:
    items = make_items(2, 2)
    given = part_way(plan_campaign(items, ["r0"], 1, np.random.default_rng(1)), {"r0": 0.5})
    change = reassign(items, given, "r0", ["r0"], 1, np.random.default_rng(1))
    assert len(change.released) == 2
    assert change.short == (
        "2 items now have 0 of 1 judgements: no rater is left who has not seen them; "
        "add 1 rater (add_raters)",
    )


def test_open_items_of_a_segment_stay_together() -> None:
    items = make_items(4, 30)
    raters = raters_named(6)
    rng = np.random.default_rng(5)
    given = part_way(plan_campaign(items, raters, 2, rng), dict.fromkeys(raters, 0.4))
    change = reassign(items, given, "r0", raters, 2, rng)
    segment = {item.key: item.segment for item in items}
    before = {(one.rater, segment[one.item]) for one in given}
    takers: dict[object, set[Rater]] = {}
    for new in change.added:
        takers.setdefault(segment[new.item], set()).add(new.rater)
        assert (new.rater, segment[new.item]) not in before
    assert all(len(own) == 1 for own in takers.values())


def test_torn_segments_are_reported() -> None:
    """Each of the others has seen one of the two open items of the only segment."""
    items = make_items(2, 1)
    one, other = (item.key for item in items)
    given = [
        GivenAssignment(one, "r0", 1, False),
        GivenAssignment(other, "r0", 2, False),
        GivenAssignment(one, "r1", 1, True),
        GivenAssignment(other, "r2", 1, True),
    ]
    change = reassign(items, given, "r0", ["r1", "r2"], 2, np.random.default_rng(1))
    assert {(new.item, new.rater) for new in change.added} == {(other, "r1"), (one, "r2")}
    assert change.short == ("the open items of 1 segment go to several raters: none can take all",)


def test_places_too_few_for_the_distance_are_reported() -> None:
    items = make_items(4, 12)
    raters = raters_named(4)
    rng = np.random.default_rng(1)
    given = part_way(plan_campaign(items, raters, 1, rng), {**dict.fromkeys(raters, 1.0), "r0": 0.1})
    change = reassign(items, given, "r0", raters, 1, rng)
    assert any("apart, not" in text for text in change.short)
    done = count_done(given, change.order)
    assert check_plan(plan_rows(items, apply(given, change)), 1, leavers=["r0"], done=done) == []


def test_a_foreign_assignment_is_refused() -> None:
    with pytest.raises(PlanError, match="not in the campaign"):
        reassign(
            make_items(1, 1), [GivenAssignment("x", "r", 1, False)], None, ["r"], 1, np.random.default_rng(1)
        )
