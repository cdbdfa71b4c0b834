"""Correlation against scipy and brute force, for any scores."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from annotation.stats.correlation import bootstrap_correlation, kendall, pearson, spearman, williams_test
from annotation.stats.pair_accuracy import (
    accuracy_with_ties,
    kendall_like,
    pairwise_accuracy,
    pairwise_p_values,
    soft_pairwise_accuracy,
)

patient = settings(deadline=None, max_examples=60)
coarse = st.integers(0, 6).map(float)
fine = st.floats(-100, 100).map(lambda x: round(x, 4))
series = st.integers(3, 25).flatmap(
    lambda n: st.tuples(*[hnp.arrays(np.float64, n, elements=st.one_of(coarse, fine))] * 3)
)
holes = st.one_of(coarse, st.just(np.nan))
tables = st.tuples(st.integers(2, 4), st.integers(1, 6)).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.float64, shape, elements=holes)] * 2)
)


@patient
@given(xyz=series)
def test_coefficients_equal_scipy(xyz: tuple):
    x, y, _ = xyz
    assume(np.ptp(x) > 1e-3 and np.ptp(y) > 1e-3)
    assert pearson(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-10)
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-10)
    assert kendall(x, y).value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-10)
    for correlate in (pearson, spearman, kendall):
        found, order = correlate(x, y), np.random.default_rng(0).permutation(len(x))
        assert correlate(x[order], y[order]) == found
        assert -1 <= found.value <= 1
        if found.low is not None:
            assert -1 <= found.low <= found.value <= found.high <= 1
    if len(x) > 3 and abs(pearson(x, y).value) < 1 - 1e-9:
        low, high = stats.pearsonr(x, y).confidence_interval(0.95)
        assert (pearson(x, y).low, pearson(x, y).high) == pytest.approx((low, high), abs=1e-9)


@settings(deadline=None, max_examples=15)
@given(xyz=series, name=st.sampled_from(["pearson", "spearman", "kendall"]))
def test_a_bootstrap_interval_contains_its_estimate(xyz: tuple, name: str):
    found = bootstrap_correlation(xyz[0], xyz[1], name, np.random.default_rng(1), 30)
    assert (found.value is None) <= (found.low is None)
    if found.low is not None:
        assert found.low <= found.value <= found.high


@patient
@given(xyz=series)
def test_williams_is_antisymmetric_and_follows_its_formula(xyz: tuple):
    human, a, b = xyz
    found, turned = williams_test(human, a, b), williams_test(human, b, a)
    if found.t is None:
        assert found.caveat
        return
    assert 0 <= found.p_two_sided <= 1
    assert turned.t == pytest.approx(-found.t, abs=1e-6)
    if "scale only" in found.caveat:
        return
    n, (r12, r13, r23) = len(human), found[:3]
    k = np.linalg.det(np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]))
    below = 2 * max(k, 0) * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    assume(below > 1e-9)
    assert found.t == pytest.approx((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below), rel=1e-5, abs=1e-8)


@patient
@given(xyz=series)
def test_pairwise_accuracy_equals_counting(xyz: tuple):
    human, metric, _ = xyz
    alike = [
        np.sign(human[a] - human[b]) == np.sign(metric[a] - metric[b])
        for a, b in combinations(range(len(human)), 2)
    ]
    found = pairwise_accuracy(human, metric)
    assert (found.value, found.n) == (pytest.approx(np.mean(alike)), len(alike))


def pairs_by_segment(human: np.ndarray, metric: np.ndarray) -> list[list[tuple[float, float]]]:
    found = []
    for h, m in zip(human.T, metric.T, strict=True):
        segment = [(h[a] - h[b], m[a] - m[b]) for a, b in combinations(range(len(h)), 2)]
        found.append([pair for pair in segment if not np.isnan(pair).any()])
    return [segment for segment in found if segment]


@patient
@given(both=tables, threshold=st.sampled_from([0, 1, 2.5]))
def test_kendall_like_equals_counting(both: tuple, threshold: float):
    pairs = [pair for segment in pairs_by_segment(*both) for pair in segment]
    counted = [(h, m) for h, m in pairs if h != 0 and abs(h) >= threshold]
    concordant = sum(h * m > 0 for h, m in counted)
    found = kendall_like(*both, threshold)
    assert (found.concordant, found.discordant) == (concordant, len(counted) - concordant)
    assert found.metric_ties == sum(m == 0 for _, m in counted)


def accuracy(pairs: list[list[tuple[float, float]]], epsilon: float) -> float:
    def right(h: float, m: float) -> bool:
        return h == 0 if abs(m) <= epsilon else h * m > 0

    return float(np.mean([np.mean([right(h, m) for h, m in segment]) for segment in pairs]))


@patient
@given(both=tables)
def test_tie_calibration_equals_trying_every_width(both: tuple):
    pairs = pairs_by_segment(*both)
    found = accuracy_with_ties(*both)
    if not pairs:
        assert found.value is None
        return
    widths = sorted({0.0, *(abs(m) for segment in pairs for _, m in segment)})
    tried = {width: accuracy(pairs, width) for width in widths}
    best = max(tried.values())
    assert found.value == pytest.approx(best, abs=1e-10)
    assert found.epsilon == min(width for width, value in tried.items() if value >= best - 1e-12)
    assert found.value_without_ties == pytest.approx(tried[0.0], abs=1e-10)
    for width in (0.0, 0.5, 2.0):
        assert accuracy_with_ties(*both, epsilon=width).value == pytest.approx(
            accuracy(pairs, width), abs=1e-10
        )


@settings(deadline=None, max_examples=15)
@given(both=tables)
def test_sign_flips_agree_with_the_exact_permutation_test(both: tuple):
    scores = both[0]
    resamples = 4000
    p = pairwise_p_values(scores, np.random.default_rng(3), resamples)
    for a, b in combinations(range(len(scores)), 2):
        d = (scores[a] - scores[b])[~np.isnan(scores[a] - scores[b])]
        if not len(d):
            assert np.isnan(p[a, b])
            continue
        signs = np.array(np.meshgrid(*[[-1, 1]] * len(d))).reshape(len(d), -1).T
        totals = signs @ d
        exact = np.mean(totals > d.sum() + 1e-9) + 0.5 * np.mean(np.abs(totals - d.sum()) <= 1e-9)
        # the sd of a share is at most ½ / √B; 4.5 of them
        assert p[a, b] == pytest.approx(exact, abs=4.5 * 0.5 / np.sqrt(resamples))
        assert p[a, b] + p[b, a] == pytest.approx(1)
    assert soft_pairwise_accuracy(p, p).value in (1.0, None)
