"""Pairs of systems: all, against a baseline, or an even sample."""

from collections import Counter

import numpy as np
import pytest

from annotation.design.items import PlanError, PlanItem
from annotation.design.pairs import choose_pairs
from annotation.design.plan import plan_campaign
from tests.factories.plans import plan_rows, raters_named
from tests.plan_checker import check_plan

SYSTEMS = ["A", "B", "C", "D"]


def test_all_pairs() -> None:
    pairs = choose_pairs(SYSTEMS, 2, "all", np.random.default_rng(1))
    assert pairs == [[("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")]] * 2


def test_a_baseline_against_every_other_system() -> None:
    assert choose_pairs(SYSTEMS, 1, "C", np.random.default_rng(1)) == [[("A", "C"), ("B", "C"), ("C", "D")]]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_a_sample_uses_systems_and_pairs_evenly(size: int) -> None:
    pairs = choose_pairs(SYSTEMS, 60, f"sample:{size}", np.random.default_rng(1))
    assert all(len(set(own)) == size for own in pairs)
    per_system = Counter(name for own in pairs for pair in own for name in pair)
    per_pair = Counter(pair for own in pairs for pair in own)
    assert max(per_system.values()) - min(per_system.values()) <= 1
    assert len(per_pair) == 6
    assert max(per_pair.values()) - min(per_pair.values()) <= 2


def test_a_sample_is_random_and_repeatable() -> None:
    one, same, other = (
        choose_pairs(SYSTEMS, 20, "sample:2", np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize("mode", ["sample:1", "sample:3", "A"])
def test_chosen_pairs_can_be_planned(mode: str, spread: bool) -> None:
    pairs = choose_pairs(SYSTEMS, 40, mode, np.random.default_rng(3))
    items = [
        PlanItem((segment, 0, 0, number), segment, "t", ((one,), (other,)))
        for segment, own in enumerate(pairs)
        for number, (one, other) in enumerate(own)
    ]
    plan = plan_campaign(items, raters_named(6), 2, np.random.default_rng(1), spread)
    assert check_plan(plan_rows(items, plan), 2, spread=spread) == []


@pytest.mark.parametrize(
    ("systems", "mode", "message"),
    [
        (["A"], "all", "needs 2 systems, there is 1"),
        (["A", "A"], "all", "twice"),
        (SYSTEMS, "E", r"a system's name \(A, B, C, D\), not by 'E'"),
        (SYSTEMS, "sample:0", "between 1 and 6"),
        (SYSTEMS, "sample:7", "between 1 and 6"),
        (SYSTEMS, "sample:x", "between 1 and 6"),
        (SYSTEMS, "sample:", "between 1 and 6"),
    ],
)
def test_what_cannot_be_chosen_is_refused(systems: list[str], mode: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        choose_pairs(systems, 3, mode, np.random.default_rng(1))
