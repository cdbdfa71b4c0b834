"""Agreement and correlation with a known truth: do their intervals hold it?"""

from collections.abc import Iterator
from math import asin, pi

import numpy as np

from annotation.stats.alpha import krippendorff_alpha
from annotation.stats.correlation import bootstrap_correlation, kendall, pearson, spearman, williams_test
from annotation.stats.icc import classic_icc
from tests.calibration.share import Shares, count, holds

RUNS = 1000
ITEMS, RATERS = 300, 6
UNIT, RATER, ERROR = 0.7, 0.4, 1.0
"""Sd of items, of raters' leniency, and of error."""

CORRELATION = 0.8
LEVEL = 0.05


def measure(systems: int, seed: int) -> Shares:
    """Return coverage of the intervals of agreement, and of correlations of this many systems' scores."""
    single = UNIT**2 / (UNIT**2 + RATER**2 + ERROR**2)
    mean = UNIT**2 / (UNIT**2 + (RATER**2 + ERROR**2) / RATERS)
    alpha = UNIT**2 / (UNIT**2 + ERROR**2)

    def simulate(rng: np.random.Generator, number: int) -> Iterator[tuple[str, bool]]:
        alike = rng.normal(0, UNIT, (ITEMS, 1)) + rng.normal(0, ERROR, (ITEMS, 3))
        unit = np.repeat(np.arange(ITEMS), 3)
        found = krippendorff_alpha(unit, alike.ravel(), rng=rng, resamples=400)
        yield "alpha", holds((found.low or 0.0, found.high or 0.0), alpha)
        table = rng.normal(0, UNIT, (ITEMS, 1)) + rng.normal(0, ERROR, (ITEMS, RATERS))
        classic = classic_icc(table + rng.normal(0, RATER, RATERS))
        for name, estimate, truth in (
            ("ICC(2,1)", classic.single, single),
            ("ICC(2,k)", classic.average, mean),
        ):
            yield name, holds((estimate.low or 0.0, estimate.high or 0.0), truth)
        human = rng.normal(size=systems)
        metrics = CORRELATION * human + np.sqrt(1 - CORRELATION**2) * rng.normal(size=(2, systems))
        truths = (CORRELATION, 6 / pi * asin(CORRELATION / 2), 2 / pi * asin(CORRELATION))
        for function, truth in zip((pearson, spearman, kendall), truths, strict=True):
            estimate = function(human, metrics[0])
            yield function.__name__, holds((estimate.low or 0.0, estimate.high or 0.0), truth)
        again = bootstrap_correlation(human, metrics[0], "pearson", rng, resamples=200)
        yield "bootstrap", holds((again.low or 0.0, again.high or 0.0), CORRELATION)
        p_value = williams_test(human, *metrics).p_two_sided
        yield "reject williams", p_value is not None and p_value < LEVEL

    return count(seed, RUNS, simulate)
