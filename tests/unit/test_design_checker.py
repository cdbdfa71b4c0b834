"""The independent checker finds every rule that is broken once."""

from collections.abc import Callable

import numpy as np
import pytest

from annotation.design.plan import plan_campaign
from tests.factories.plans import make_items, plan_rows, raters_named
from tests.plan_checker import check_plan

Rows = list[dict[str, str]]


def rows_of(*, pairwise: bool = False, spread: bool = False, n_systems: int = 4) -> Rows:
    items = make_items(n_systems, 40, pairwise=pairwise)
    return plan_rows(items, plan_campaign(items, raters_named(5), 2, np.random.default_rng(1), spread))


def own(rows: Rows, rater: str) -> Rows:
    return sorted((row for row in rows if row["rater"] == rater), key=lambda row: int(row["position"]))


def hand_over(rows: Rows, moving: Rows, to: str) -> None:
    """Give rows to another rater, at the end."""
    for row in moving:
        row["rater"] = to
        row["position"] = str(1 + max(int(other["position"]) for other in own(rows, to)))


def drop(rows: Rows) -> None:
    rows.pop()


def double(rows: Rows) -> None:
    rows.append(dict(rows[0], position=str(len(own(rows, rows[0]["rater"])) + 1)))


def same_rater_twice(rows: Rows) -> None:
    first = rows[0]
    other = next(
        row for row in rows[1:] if all(row[key] == first[key] for key in ("segment", "left", "right"))
    )
    other["rater"] = first["rater"]


def tear_segment(rows: Rows) -> None:
    mine = {row["segment"] for row in own(rows, "r1")}
    hand_over(rows, [next(row for row in own(rows, "r0") if row["segment"] not in mine)], "r1")


def load_one(rows: Rows) -> None:
    """Move two whole segments of one rater to another: loads differ, segments stay together."""
    mine = {row["segment"] for row in own(rows, "r1")}
    free = list(dict.fromkeys(row["segment"] for row in own(rows, "r0") if row["segment"] not in mine))[:2]
    hand_over(rows, [row for row in own(rows, "r0") if row["segment"] in free], "r1")


def unbalance_systems(rows: Rows) -> None:
    """Exchange items of two systems between two raters, twice."""
    for _ in range(2):
        one = next(
            row
            for row in own(rows, "r0")
            if row["left"] == "s0" and not has(rows, "r1", row["segment"], "s0")
        )
        other = next(
            row
            for row in own(rows, "r1")
            if row["left"] == "s1" and not has(rows, "r0", row["segment"], "s1")
        )
        one["rater"], other["rater"] = "r1", "r0"
        one["position"], other["position"] = other["position"], one["position"]


def has(rows: Rows, rater: str, segment: str, system: str) -> bool:
    return any(row["segment"] == segment and row["left"] == system for row in own(rows, rater))


def come_close(rows: Rows) -> None:
    first, *others = own(rows, "r0")
    again = next(row for row in others if row["segment"] == first["segment"])
    first["position"] = str(int(again["position"]) - 1)
    others[int(again["position"]) - 3]["position"] = "1"


def repeat_position(rows: Rows) -> None:
    mine = own(rows, "r0")
    mine[0]["position"] = mine[1]["position"]


def leave_gap(rows: Rows) -> None:
    own(rows, "r0")[-1]["position"] = "1000"


def flip(rows: Rows) -> None:
    """Show one system left more often: every system was even, so one row is enough."""
    row = next(row for row in own(rows, "r0") if row["right"] == "s0")
    row["left"], row["right"] = row["right"], row["left"]


def against_itself(rows: Rows) -> None:
    rows[0]["right"] = rows[0]["left"]


@pytest.mark.parametrize(
    ("break_rule", "rule", "pairwise", "spread"),
    [
        (drop, "judgements", False, False),
        (drop, "judgements", True, True),
        (double, "judgements", False, False),
        (same_rater_twice, "judgements", False, True),
        (tear_segment, "together", False, False),
        (tear_segment, "together", True, False),
        (load_one, "loads", False, False),
        (load_one, "loads", True, True),
        (unbalance_systems, "systems", False, True),
        (come_close, "spacing", False, False),
        (come_close, "spacing", True, True),
        (repeat_position, "spacing", False, False),
        (leave_gap, "spacing", False, False),
        (flip, "sides", True, False),
        (against_itself, "sides", True, False),
    ],
)
def test_a_broken_rule_is_found(
    break_rule: Callable[[Rows], None], rule: str, pairwise: bool, spread: bool
) -> None:
    rows = rows_of(pairwise=pairwise, spread=spread)
    assert check_plan(rows, 2, spread=spread) == []
    break_rule(rows)
    assert rule in {violation.split(":")[0] for violation in check_plan(rows, 2, spread=spread)}


def test_two_systems_must_be_even_over_all_raters() -> None:
    items = make_items(2, 3, pairwise=True)
    rows = plan_rows(items, plan_campaign(items, raters_named(3), 1, np.random.default_rng(1)))
    assert check_plan(rows, 1) == []
    for row in rows:
        row["left"], row["right"] = "s0", "s1"
    assert check_plan(rows, 1) == ["sides: s0 leans by 3", "sides: s1 leans by -3"]


def test_a_leaver_is_exempt_from_loads_only_when_named() -> None:
    rows = rows_of(n_systems=1)
    rows_kept = [row for row in rows if row["rater"] != "r0" or int(row["position"]) <= 4]
    assert any(text.startswith("loads") for text in check_plan(rows_kept, 2))
    assert not any(text.startswith("loads") for text in check_plan(rows_kept, 2, leavers=["r0"]))


def test_an_empty_plan_is_no_plan() -> None:
    assert check_plan([], 1) == ["judgements: the plan is empty"]
