"""Boundaries of sequential looks: published values, the error they spend, and the edges."""

import json
from math import inf, nan

import numpy as np
import pytest
from scipy import stats

from annotation.stats.sequential import (
    Look,
    SequentialError,
    look,
    paired_z,
    plan_looks,
    spend,
    verdict,
)

PUBLISHED = {
    # Lan–DeMets spending, two-sided .05, equal steps (as in the programs LanDeMets and ldBounds)
    ("obrien_fleming", 2): [2.963, 1.969],
    ("obrien_fleming", 3): [3.710, 2.511, 1.993],
    ("obrien_fleming", 4): [4.333, 2.963, 2.359, 2.014],
    ("obrien_fleming", 5): [4.877, 3.357, 2.680, 2.290, 2.031],
    ("pocock", 2): [2.157, 2.201],
    ("pocock", 3): [2.279, 2.295, 2.296],
    ("pocock", 4): [2.368, 2.368, 2.358, 2.350],
    ("pocock", 5): [2.438, 2.427, 2.410, 2.397, 2.386],
}


@pytest.mark.parametrize(("spending", "looks"), list(PUBLISHED))
def test_published_boundaries(spending: str, looks: int):
    found = plan_looks([number / looks for number in range(1, looks + 1)], spending=spending)
    assert [current.boundary for current in found] == pytest.approx(PUBLISHED[spending, looks], abs=5.1e-4)
    assert found[-1].spent == pytest.approx(0.05)
    # half the error on one side has the same boundary: crossing both is out of reach
    one_sided = plan_looks([number / looks for number in range(1, looks + 1)], 0.025, spending, sides=1)
    assert [a.boundary for a in one_sided] == pytest.approx([b.boundary for b in found], abs=1e-3)


def test_one_look_at_the_end_is_the_plain_test():
    for sides, expected in ((2, 1.959964), (1, 1.644854)):
        only = look(1.0, sides=sides)
        assert only.boundary == pytest.approx(expected, abs=1e-6)
        assert only.nominal_p == pytest.approx(0.05)


def test_two_looks_agree_with_the_bivariate_normal_distribution():
    first = look(0.4, spending="pocock")
    second = look(1.0, [first], spending="pocock")
    normal = stats.multivariate_normal(cov=[[1, 0.4**0.5], [0.4**0.5, 1]])
    a, b = first.boundary, second.boundary
    inside = normal.cdf([a, b], lower_limit=[-a, -b])
    assert 1 - inside == pytest.approx(0.05, abs=1e-5)
    assert first.spent == pytest.approx(2 * stats.norm.sf(a))


def test_looks_taken_one_by_one_are_the_planned_ones():
    fractions = [0.13, 0.4, 0.45, 0.9, 1.2]
    planned = plan_looks(fractions, alpha=0.1, spending="pocock")
    taken: list[Look] = []
    for fraction in fractions:
        taken.append(look(fraction, taken, alpha=0.1, spending="pocock"))
    assert taken == planned
    # more information than planned: what is left of the error goes to the last look
    assert taken[-1].spent == pytest.approx(0.1)


def test_a_plan_that_grows_leaves_spent_what_is_spent():
    first = look(96 / 186, information=96)
    assert first[:4] == look(96 / 186)[:4]
    # at first less of the new plan is in than was of the old one: nothing may be spent
    waiting = look(100 / 213, [first], information=100)
    assert waiting.boundary == inf and waiting.spent == first.spent
    last = look(1.0, [first, waiting], information=213)
    assert last.spent == pytest.approx(0.05)
    # crossing at either look happens with 5 %: the correlation is that of what was really in
    normal = stats.multivariate_normal(cov=[[1, (96 / 213) ** 0.5], [(96 / 213) ** 0.5, 1]])
    a, b = first.boundary, last.boundary
    assert 1 - normal.cdf([a, b], lower_limit=[-a, -b]) == pytest.approx(0.05, abs=1e-5)
    with pytest.raises(SequentialError, match="no error is left"):
        look(0.9, [first, look(1.0, [first], information=186)], information=190)


def test_too_early_is_said():
    early = look(0.01)
    assert early.boundary == inf
    assert early.as_row() == {"fraction": 0.01, "boundary": None, "nominal_p": 0.0, "spent": 0.0}
    assert verdict(early, 8.0) == "go_on"
    later = look(1.0, [early])
    assert later.boundary == pytest.approx(1.96, abs=1e-3)
    json.dumps(early.as_row(), allow_nan=False)


def test_spending_is_all_of_alpha_at_the_end_and_grows():
    for spending in ("obrien_fleming", "pocock"):
        for sides in (1, 2):
            spent = [spend(t, 0.05, spending, sides) for t in np.linspace(0.05, 1, 20)]
            assert spent == sorted(spent)
            assert spent[-1] == pytest.approx(0.05)
            assert spend(3.0, 0.05, spending, sides) == pytest.approx(0.05)
    assert spend(0.5) < spend(0.5, spending="pocock")


def test_the_verdict():
    current = look(0.5)
    assert verdict(current, current.boundary) == verdict(current, -current.boundary) == "stop"
    assert verdict(current, 1.0) == "go_on"
    one_sided = look(1.0, sides=1)
    assert verdict(one_sided, -9.0, sides=1) == "no_difference"
    assert verdict(one_sided, 1.7, sides=1) == "stop"


def test_the_paired_statistic():
    values = np.array([1.0, 2.0, nan, 4.0])
    p_value = stats.ttest_1samp([1, 2, 4], 0).pvalue
    assert paired_z(values) == pytest.approx(stats.norm.isf(p_value / 2))
    assert paired_z(-values) == -paired_z(values)
    many = np.random.default_rng(1).normal(0.1, 1, 5000)
    assert paired_z(many) == pytest.approx(stats.ttest_1samp(many, 0).statistic, abs=0.02)
    assert paired_z(np.random.default_rng(1).normal(9, 1, 5000)) == pytest.approx(37, abs=0.2)
    with pytest.raises(SequentialError, match=r"^1 segment has both systems"):
        paired_z(np.array([1.0, nan]))
    for equal in (0.0, 2.5):
        with pytest.raises(SequentialError, match="all 5 differences between the two systems are equal"):
            paired_z(np.full(5, equal))


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_few_segments_stop_no_more_often_than_allowed(n: int):
    rng = np.random.default_rng(n)
    runs = 4000
    crossed = sum(abs(paired_z(rng.normal(size=n))) >= 1.959964 for _ in range(runs))
    assert stats.binom.ppf(1e-4, runs, 0.05) <= crossed <= stats.binom.ppf(1 - 1e-4, runs, 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: look(0.0), "must be above 0"),
        (lambda: look(nan), "must be above 0"),
        (lambda: look(0.5, [look(0.5)]), "this one must be later; found 0.5"),
        (lambda: look(1.5, [look(1.0)]), "no error is left"),
        (lambda: look(0.5, alpha=0.9), "alpha must be from"),
        (lambda: look(0.5, spending="linear"), "spending must be one of obrien_fleming, pocock"),
        (lambda: look(0.5, sides=3), "sides must be 1 or 2"),
        (lambda: plan_looks([n / 60 for n in range(1, 61)]), "50 are the most"),
    ],
)
def test_a_look_that_cannot_be_taken_is_refused(call, message: str):
    with pytest.raises(SequentialError, match=message):
        call()
