"""Shares that were counted in simulations, and the bounds that chance sets to them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from annotation.stats.records import FloatArray

ERROR = 1e-4
"""The chance that a share of the right size lies outside its bounds."""


class Share(NamedTuple):
    """How often something happened in n simulations."""

    count: int
    n: int

    @property
    def value(self) -> float:
        """Return the share, 0 to 1."""
        return self.count / self.n

    def within(self, expected: float) -> bool:
        """Tell whether the count lies between the binomial bounds of a share."""
        low, high = bounds(self.n, expected)
        return low <= self.value <= high

    def above(self, expected: float) -> bool:
        """Tell whether the count lies above the upper binomial bound of a share."""
        return self.value > bounds(self.n, expected)[1]

    def below(self, expected: float) -> bool:
        """Tell whether the count lies below the lower binomial bound of a share."""
        return self.value < bounds(self.n, expected)[0]


Shares = dict[str, Share]
Outcomes = Iterable[tuple[str, bool]]


def bounds(n: int, expected: float) -> tuple[float, float]:
    """Return the shares between which a binomial count of n lies but for one case in 10,000."""
    low, high = binom.ppf([ERROR / 2, 1 - ERROR / 2], n, expected)
    return float(low) / n, float(high) / n


def count(seed: int, runs: int, simulate: Callable[[np.random.Generator, int], Outcomes]) -> Shares:
    """Simulate `runs` times and count what came true.

    Args:
        seed: of all runs.
        runs: number of simulations; each has a child generator and its number.
        simulate: one simulation → named outcomes; a name may come several times.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for number, child in enumerate(np.random.default_rng(seed).spawn(runs)):
        for name, outcome in simulate(child, number):
            found[name].append(bool(outcome))
    return {name: Share(sum(outcomes), len(outcomes)) for name, outcomes in found.items()}


def holds(interval: Iterable[float] | FloatArray, truth: float) -> bool:
    """Tell whether an interval, its bounds in any order, holds a value."""
    low, high = sorted(interval)
    return bool(low <= truth <= high)
