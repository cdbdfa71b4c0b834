"""The sides of comparisons are even for every rater and system, and cannot be guessed."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from annotation.design.sides import SideBalancer, Sides


def excess_of(pairs: list[Sides], swaps: list[bool], n_systems: int) -> list[int]:
    excess = [0] * n_systems
    for (first, second), swap in zip(pairs, swaps, strict=True):
        for system in first:
            excess[system] += -1 if swap else 1
        for system in second:
            excess[system] -= -1 if swap else 1
    return excess


@pytest.mark.parametrize("seed", range(20))
def test_no_system_is_left_more_often_than_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_systems = int(rng.integers(2, 9))
    edges = list(combinations(range(n_systems), 2))
    balancer = SideBalancer(n_systems, rng)
    for _ in range(5):
        picked = rng.integers(len(edges), size=int(rng.integers(1, 60)))
        pairs: list[Sides] = [((edges[edge][0],), (edges[edge][1],)) for edge in picked]
        excess = excess_of(pairs, balancer.choose(pairs), n_systems)
        assert max(map(abs, excess)) <= 1
        assert excess == balancer.last


def test_two_systems_are_even_over_all_raters() -> None:
    rng = np.random.default_rng(1)
    balancer = SideBalancer(2, rng)
    for _ in range(25):
        balancer.choose([((0,), (1,))] * int(rng.integers(1, 12)))
        assert max(map(abs, balancer.total)) <= 1


def test_merged_systems_are_nearly_even() -> None:
    rng = np.random.default_rng(2)
    pairs: list[Sides] = [((0, 1), (2,))] * 15 + [((0,), (1, 2))] * 11 + [((1,), (2,))] * 4
    excess = excess_of(pairs, SideBalancer(3, rng).choose(pairs), 3)
    assert max(map(abs, excess)) <= 4


def test_what_was_shown_before_is_made_up_for() -> None:
    pairs: list[Sides] = [((0,), (1,))] * 10
    swaps = SideBalancer(2, np.random.default_rng(3)).choose(pairs, [4, -4])
    assert excess_of(pairs, swaps, 2) == [-4, 4]


def test_the_next_side_cannot_be_guessed_from_the_last() -> None:
    rng = np.random.default_rng(4)
    alternations = trials = 0
    for _ in range(200):
        swaps = SideBalancer(2, rng).choose([((0,), (1,))] * 100)
        alternations += sum(one != other for one, other in zip(swaps[::2], swaps[1::2], strict=True))
        trials += 50
    chance = 50 / 99  # two of a hundred balanced sides differ a little more often than not
    assert binom.ppf(1e-4, trials, chance) <= alternations <= binom.ppf(1 - 1e-4, trials, chance)
