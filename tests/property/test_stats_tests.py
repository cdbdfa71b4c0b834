"""Tests and intervals against independent implementations, for any data."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from annotation.stats.bca import acceleration, bca_interval
from annotation.stats.disagreement import judge_again
from annotation.stats.randomisation import randomisation_p_values
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.resampling import bootstrap_systems, percentile_interval
from annotation.stats.significance import holm
from annotation.stats.wilcoxon import rank_sum_p, signed_rank, sorted_sample

patient = settings(deadline=None, max_examples=60)
whole = st.integers(-6, 6).map(float)
real = st.floats(-100, 100).map(lambda value: round(value, 6))


@given(st.lists(real, min_size=1, max_size=50, unique_by=abs).filter(lambda each: 0.0 not in each))
@patient
def test_signed_rank_without_ties_is_scipys_exact_test(differences: list[float]):
    found = signed_rank(np.array(differences))
    for name, alternative in (("greater", "greater"), ("less", "less"), ("two_sided", "two-sided")):
        expected = stats.wilcoxon(differences, alternative=alternative, method="exact").pvalue
        assert getattr(found, name) == pytest.approx(expected, abs=1e-10)


@given(st.lists(whole, min_size=1, max_size=9).filter(any))
@patient
def test_signed_rank_with_ties_counts_all_signs(differences: list[float]):
    kept = np.array([d for d in differences if d])
    ranks = stats.rankdata(np.abs(kept))
    signs = (np.arange(2 ** len(kept))[:, None] >> np.arange(len(kept))) & 1
    sums, observed = signs @ ranks, ranks[kept > 0].sum()
    found = signed_rank(np.array(differences))
    assert found.greater == pytest.approx(np.mean(sums >= observed - 1e-9), abs=1e-10)
    assert found.less == pytest.approx(np.mean(sums <= observed + 1e-9), abs=1e-10)


@given(st.integers(0, 10**6), st.integers(70, 140), st.sampled_from(["wilcox", "pratt"]))
@patient
def test_signed_rank_of_many_is_scipys_approximation(seed: int, n: int, zero_method: str):
    rng = np.random.default_rng(seed)
    differences = rng.integers(-9, 11, n).astype(float)
    found = signed_rank(differences, zero_method)
    for name, alternative in (("greater", "greater"), ("less", "less"), ("two_sided", "two-sided")):
        expected = stats.wilcoxon(
            differences, alternative=alternative, zero_method=zero_method, method="asymptotic"
        ).pvalue
        assert getattr(found, name) == pytest.approx(expected, abs=1e-10)


@given(st.lists(whole, min_size=2, max_size=40), st.lists(whole, min_size=2, max_size=40))
@patient
def test_rank_sum_with_ties_is_scipys(first: list[float], second: list[float]):
    if len({*first, *second}) == 1:
        expected = 1.0
    else:
        expected = stats.mannwhitneyu(first, second, alternative="greater", method="asymptotic").pvalue
    found = rank_sum_p(sorted_sample(np.array(first)), sorted_sample(np.array(second)))
    assert found == pytest.approx(expected, abs=1e-10)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@patient
def test_holm_is_statsmodels(p_values: list[float]):
    with mock.patch(
        "gc.collect"
    ):  # it collects garbage at each call, which takes its time in a large process
        expected = multipletests(p_values, method="holm")[1]
    assert holm(np.array(p_values)) == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(5, 40))
@patient
def test_bca_is_scipys(seed: int, n: int):
    rng = np.random.default_rng(seed)
    values = rng.gamma(1.5, size=(1, n)) * 10
    draws = rng.choice(values[0], size=(400, n)).mean(axis=1)
    known = stats.bootstrap((values[0],), np.mean, n_resamples=2, method="percentile", rng=1)
    known.bootstrap_distribution = draws
    expected = stats.bootstrap(
        (values[0],), np.mean, n_resamples=0, bootstrap_result=known, method="BCa"
    ).confidence_interval
    strata = np.zeros(n, dtype=np.int64)
    estimate = values.mean(axis=1)
    (low, high) = bca_interval(draws[:, None], estimate, acceleration(values, strata))[0]
    assert low == pytest.approx(min(expected.low, estimate[0]), abs=1e-10)
    assert high == pytest.approx(max(expected.high, estimate[0]), abs=1e-10)


@given(st.integers(0, 10**6), st.integers(3, 20), st.integers(3, 20))
@patient
def test_acceleration_over_two_test_sets_is_scipys_of_two_samples(seed: int, n: int, m: int):
    rng = np.random.default_rng(seed)
    first, second = rng.gamma(2.0, size=n), 3 + rng.gamma(1.0, size=m)

    def mean(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.concatenate([x, y], axis=axis).mean(axis=axis)

    cubes = squares = 0.0
    for own, other, size in ((first, second, n), (second, first, m)):
        left = np.array([mean(np.delete(own, place), other) for place in range(size)])
        influence = (size - 1) * (left.mean() - left)
        cubes += (influence**3).sum() / size**3
        squares += (influence**2).sum() / size**2
    strata = np.repeat([0, 1], [n, m])
    found = acceleration(np.concatenate([first, second])[None], strata)
    assert found[0] == pytest.approx(cubes / (6 * squares**1.5), abs=1e-10)


@given(st.integers(0, 10**6), st.integers(2, 9), st.floats(0, 0.5))
@patient
def test_every_interval_contains_its_estimate(seed: int, size: int, missing: float):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2, size))
    z[rng.random(z.shape) < missing] = np.nan
    z[:, 0] = 1.0, 2.0
    strata = np.sort(rng.integers(0, 2, size))
    units = np.unique(np.minimum(np.arange(size), size // 2), return_inverse=True)[1]
    strata = strata[np.unique(units, return_index=True)[1]][units]
    pairs = np.array([[0, 1]])
    for own in (None, units):
        raw, _, apart = bootstrap_systems(np.random.default_rng(1), z, z, pairs, strata, 15, own)
        for draws, values in ((raw, z), (apart, z[:1] - z[1:])):
            estimate = np.nanmean(values, axis=1)
            for interval in (
                percentile_interval(draws, estimate),
                bca_interval(draws, estimate, acceleration(values, strata, own)),
            ):
                assert (interval[:, 0] <= estimate).all()
                assert (estimate <= interval[:, 1]).all()


@given(st.integers(0, 10**6), st.integers(1, 8))
@patient
def test_randomisation_is_symmetric_and_near_all_sign_patterns(seed: int, n: int):
    z = np.round(np.random.default_rng(seed).normal(size=(2, n)), 1)
    apart = z[0] - z[1]
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    exact = np.mean(np.abs(signs @ apart) >= abs(apart.sum()) - 1e-9)
    forth, back = (
        randomisation_p_values(np.random.default_rng(2), z, np.array([pair]), 2000)[0]
        for pair in ([0, 1], [1, 0])
    )
    assert forth == back
    low, high = stats.binom.ppf([1e-6, 1 - 1e-6], 2000, exact) / 2000
    assert low - 1e-3 <= forth <= high + 1e-3


@given(st.lists(st.lists(st.integers(0, 100), min_size=3, max_size=3), min_size=1, max_size=20))
@patient
def test_items_judged_again_are_those_a_plain_loop_finds(triples: list[list[int]]):
    item = np.repeat(np.arange(len(triples)), 3)
    score = np.array(triples, dtype=float).ravel()
    apart = [sorted(triple) for triple in triples]
    ranged = judge_again(item, score, len(triples))
    assert ranged.tolist() == [c - a > 30 for a, _, c in apart]
    pairwise = judge_again(item, score, len(triples), "pairwise")
    assert pairwise.tolist() == [b - a > 30 and c - b > 30 for a, b, c in apart]


@given(st.data(), st.lists(st.tuples(*[st.integers(0, 3)] * 4, st.floats(0, 9)), max_size=30), st.booleans())
@patient
def test_rows_have_one_order_whether_scores_are_whole_or_not(data: st.DataObject, rows: list, rounded: bool):
    given_rows = [
        Rating(f"r{a}", (Entry(f"s{b}"),), c, "t", float(round(score)) if rounded else score, round=1 + d % 2)
        for a, b, c, d, score in rows
    ]
    shuffled = data.draw(st.permutations(given_rows))
    one, two = RatingTable.from_ratings(given_rows), RatingTable.from_ratings(shuffled)
    for name in ("rater", "segment", "kind", "score"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
    assert one.rounds.tolist() == two.rounds.tolist()
