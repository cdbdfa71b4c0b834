"""Tests of a difference against published and reference values."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from annotation.stats.significance import (
    BootstrapP,
    bootstrap_p_values,
    bounded,
    is_bound,
    rank_sum_p,
    same_sample,
    sign_test,
    sorted_sample,
    wilson_interval,
)

FILES = Path(__file__).resolve().parent.parent / "files"


def test_bootstrap_p_values_by_hand():
    columns = np.array([[1.0, 1e-13, -1.0], [2.0, 0.0, -2.0], [3.0, -1e-13, -3.0], [-1.0, 0.0, 1.0]])
    p_values = bootstrap_p_values(columns)
    assert p_values.greater.tolist() == [2 / 5, 1.0, 4 / 5]
    assert p_values.less.tolist() == [4 / 5, 1.0, 2 / 5]
    assert p_values.two_sided.tolist() == [4 / 5, 1.0, 4 / 5]


def test_few_units_bound_the_bootstrap_p():
    least, whole = np.full(5, 1 / 1001), np.ones(5)
    found = bounded(BootstrapP(least, whole, 2 * least), np.array([0, 1, 2, 5, 40]))
    assert found.greater.tolist() == [1.0, 0.5, 0.25, 1 / 32, 1 / 1001]
    assert found.less.tolist() == whole.tolist()
    assert found.two_sided.tolist() == [1.0, 1.0, 0.5, 1 / 16, 2 / 1001]
    assert is_bound(0.25, 2) and not is_bound(0.25, 1)
    assert not any(is_bound(p_value, 9) for p_value in (None, 1.0, 2 / 1001, 0.3))


@pytest.mark.parametrize("seed", range(20))
def test_the_rank_sum_equals_the_reference_implementation(seed: int):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, size=2)
    first, second = (
        np.round(rng.normal(loc, 1, size), int(rng.integers(0, 3)))
        for loc, size in zip((0.2, 0), sizes, strict=True)
    )
    if len(np.unique(np.concatenate([first, second]))) == 1:
        first = first + 1
    expected = stats.mannwhitneyu(first, second, alternative="greater", method="asymptotic").pvalue
    assert rank_sum_p(sorted_sample(first), sorted_sample(second)) == pytest.approx(
        min(1, expected), rel=1e-9
    )


def test_the_rank_sum_breaks_no_tie_on_floating_noise():
    first = np.array([0.1 + 0.2, 1.0, 2.0])
    second = np.array([0.3, 1.0, 2.0])
    exact = rank_sum_p(sorted_sample(np.array([0.3, 1.0, 2.0])), sorted_sample(second))
    assert rank_sum_p(sorted_sample(first), sorted_sample(second)) == exact
    assert same_sample(first, second)
    assert not same_sample(first, np.array([0.3, 1.0, np.nan]))


def test_the_rank_sum_with_ties_is_symmetric():
    with (FILES / "sta17_wilcoxon.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    a, b = (sorted_sample(np.array([float(row[name]) for row in rows])) for name in "AB")
    negated_a, negated_b = sorted_sample(-a), sorted_sample(-b)
    assert rank_sum_p(b, a) == pytest.approx(rank_sum_p(negated_a, negated_b), rel=1e-12)
    assert rank_sum_p(a, b) == pytest.approx(rank_sum_p(negated_b, negated_a), rel=1e-12)
    assert rank_sum_p(b, a) < 0.5 < rank_sum_p(a, b)


def test_tied_samples_have_p_of_one():
    tied = np.full(4, 2.5)
    assert rank_sum_p(tied, tied) == 1.0
    assert rank_sum_p(tied[:1], tied[:1]) == 1.0


@pytest.mark.parametrize(
    ("wins", "losses", "one_sided", "two_sided"),
    [
        (28, 16, 0.0481, 0.0961),
        (50, 33, 0.0392, 0.0784),
        (37, 21, 0.0240, 0.0479),
        (0, 0, 1.0, 1.0),
        (0, 3, 1.0, 0.25),
        (5, 5, 0.6230, 1.0),
    ],
)
def test_the_exact_sign_test(wins: int, losses: int, one_sided: float, two_sided: float):
    assert sign_test(wins, losses) == pytest.approx((one_sided, two_sided), abs=5e-5)


@pytest.mark.parametrize(("count", "n"), [(28, 107), (0, 10), (10, 10), (1, 1), (33, 101)])
def test_wilsons_interval_equals_the_reference_implementation(count: int, n: int):
    known = stats.binomtest(count, n).proportion_ci(method="wilson")
    assert wilson_interval(count, n) == pytest.approx((known.low, known.high), abs=1e-12)


def test_wilsons_interval_by_hand():
    # 5 of 10: centre 0.5, half width 1.959964 / (10 + 3.841459) * sqrt(10 / 4 + 3.841459 / 4)
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=5e-5)
    assert wilson_interval(0, 0) is None
