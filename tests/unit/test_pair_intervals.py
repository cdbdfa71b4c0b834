"""Agreement over pairs of systems: values by hand, intervals by leaving systems out."""

from itertools import combinations

import numpy as np
import pytest

from annotation.stats.correlation import CorrelationError
from annotation.stats.pair_accuracy import pairwise_accuracy, soft_pairwise_accuracy
from annotation.stats.pair_intervals import order_agreement, pair_mean, soft_agreement

HUMAN = [0.3, 0.2, 0.1, -0.1, -0.4]
METRIC = [30.0, 31.0, 25.0, 24.0, 24.0]


def test_the_mean_is_pairwise_accuracy():
    table = order_agreement(HUMAN, METRIC, ["a"] * 5)
    found = pair_mean(table)
    # of ten pairs one is the other way round, one is a tie of the metric alone
    assert found.value == pytest.approx(0.8)
    assert found.value == pairwise_accuracy(HUMAN, METRIC).value
    assert found.n == 10
    assert 0 <= found.low < 0.8 < found.high == 1.0


def test_the_interval_is_the_jackknife_over_systems():
    rng = np.random.default_rng(5)
    human, metric = rng.normal(size=7), rng.normal(size=7)
    table = order_agreement(human, metric, [""] * 7)
    found = pair_mean(table)
    left = []
    for out in range(7):
        rest = [pair for pair in combinations(range(7), 2) if out not in pair]
        left.append(np.mean([table[pair] for pair in rest]))
    spread = np.sqrt(6 / 7 * np.sum((np.array(left) - np.mean(left)) ** 2))
    half = 2.4469118487916806 * spread  # Student's quantile for 6 degrees of freedom
    assert (found.low, found.high) == pytest.approx((max(0, found.value - half), min(1, found.value + half)))


def test_soft_agreement_has_the_mean_of_soft_pairwise_accuracy():
    rng = np.random.default_rng(6)
    upper = np.triu(rng.random((2, 6, 6)), 1)
    h, m = (one + np.tril(1 - one.T, -1) for one in upper)
    found = pair_mean(soft_agreement(h, m, [""] * 6))
    assert found.value == pytest.approx(soft_pairwise_accuracy(h, m).value)
    assert found.n == 15


def test_only_systems_of_one_condition_make_pairs():
    table = order_agreement([1, 2, 1, 2], [1, 2, 5, 4], ["direct", "direct", "reverse", "reverse"])
    found = pair_mean(table)
    assert (found.value, found.n) == (0.5, 2)


@pytest.mark.parametrize(
    ("human", "groups", "n", "caveat"),
    [
        ([], [], 0, "fewer than two systems"),
        ([1.0], ["a"], 0, "fewer than two systems"),
        ([1.0, 2.0], ["a", "b"], 0, "no pair of systems to compare"),
        ([1.0, 2.0], ["a", "a"], 1, "2 systems are too few for an interval"),
        ([1.0, 2.0, 3.0, 4.0], ["a"] * 4, 6, "all systems agree alike, so no interval"),
    ],
)
def test_what_has_no_interval_says_why(human, groups, n, caveat):
    table = order_agreement(human, human, groups) if human else np.zeros((0, 0))
    found = pair_mean(table)
    assert found.n == n and found.low is None and found.caveat == caveat
    assert found.value == (1.0 if n else None)


def test_a_table_that_is_not_square_is_refused():
    with pytest.raises(CorrelationError, match="square"):
        pair_mean(np.zeros((2, 3)))
