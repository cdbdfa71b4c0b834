"""Coefficients over segments: equal to their own functions, intervals over whole segments."""

import numpy as np
import pytest

from annotation.stats.correlation import CorrelationError, kendall, pearson, spearman
from annotation.stats.pair_accuracy import accuracy_with_ties, kendall_like
from annotation.stats.segment_agreement import difference_p, preference_agreement, segment_agreement


def tables(seed=1, systems=4, segments=60, noise=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=segments) + rng.normal(size=(systems, 1)) * 0.5
    human = np.round(50 + 15 * (truth + rng.normal(size=truth.shape)))
    metric = truth + noise * rng.normal(size=truth.shape)
    human[0, 3] = human[1, 7] = metric[2, 9] = np.nan
    return human, metric


def agreement(human, *metrics, **more):
    strata = np.zeros(human.shape[1], dtype=np.int64)
    return segment_agreement(human, metrics, strata, np.random.default_rng(7), **more)


def test_values_are_those_of_each_coefficient_alone():
    human, metric = tables()
    found = agreement(human, metric, threshold=20.0)[0]
    both = ~(np.isnan(human) | np.isnan(metric))
    estimates = found.estimates
    assert found.n == both.sum() == estimates["pearson"].n and found.n_segments == 60
    assert estimates["pearson"].value == pytest.approx(pearson(human[both], metric[both]).value, abs=1e-12)
    assert estimates["spearman"].value == spearman(human[both], metric[both]).value
    assert estimates["kendall"].value == kendall(human[both], metric[both]).value
    like, ties = kendall_like(human, metric, 20.0), accuracy_with_ties(human, metric)
    assert estimates["kendall_like"].value == like.value
    assert estimates["kendall_like"].n == like.concordant + like.discordant
    assert (estimates["acc_eq"].value, found.epsilon) == (ties.value, ties.epsilon)
    for name in ("pearson", "kendall_like", "acc_eq"):
        assert estimates[name].low < estimates[name].value < estimates[name].high


def test_the_interval_of_r_is_that_of_resampled_segments():
    human, metric = tables()
    found = agreement(human, metric, resamples=400)[0]
    from annotation.stats.resampling import resample_counts

    counts = next(resample_counts(np.random.default_rng(7), np.zeros(60, dtype=np.int64), 400))
    for draw in (0, 5):
        columns = np.repeat(np.arange(60), counts[draw].astype(int))
        h, m = human[:, columns].ravel(), metric[:, columns].ravel()
        both = ~(np.isnan(h) | np.isnan(m))
        assert found.draws[draw] == pytest.approx(np.corrcoef(h[both], m[both])[0, 1], abs=1e-9)


def test_thresholds_are_in_points_of_the_raw_scores():
    human, metric = tables()
    z = (human - np.nanmean(human)) / np.nanstd(human)
    found = agreement(z, metric, ranked=human, threshold=30.0)[0]
    assert found.estimates["kendall_like"].value == kendall_like(human, metric, 30.0).value


def test_metrics_share_resamples_so_their_difference_is_paired():
    human, metric = tables()
    same, _ = agreement(human, metric, metric + 1e-3 * np.arange(60))
    again = agreement(human, metric)[0]
    assert np.array_equal(same.draws, again.draws)
    worse = tables(noise=6.0)[1]
    good, bad = agreement(human, metric, worse)
    assert difference_p(good.draws, bad.draws) < 0.01
    assert difference_p(good.draws, good.draws) == 1.0
    assert difference_p(np.full(0, np.nan), np.full(0, np.nan)) is None


@pytest.mark.parametrize(
    ("human", "metric", "why"),
    [
        (np.full((2, 4), 50.0), np.arange(8.0).reshape(2, 4), "the first series is constant"),
        (np.arange(8.0).reshape(2, 4), np.zeros((2, 4)), "the second series is constant"),
        (np.full((2, 4), np.nan), np.zeros((2, 4)), "no points"),
        (np.array([[1.0]]), np.array([[2.0]]), "one point only"),
    ],
)
def test_what_is_undefined_says_why_and_is_never_nan(human, metric, why):
    found = agreement(human, metric)[0]
    for name in ("pearson", "spearman", "kendall"):
        assert found.estimates[name].value is None and found.estimates[name].caveat == why
    for estimate in found.estimates.values():
        assert estimate.value is None or np.isfinite(estimate.value)
        assert estimate.value is not None or estimate.caveat


def test_order_of_systems_and_segments_does_not_matter():
    human, metric = tables()
    rng = np.random.default_rng(3)
    rows, columns = rng.permutation(4), rng.permutation(60)
    one = agreement(human, metric, resamples=0)[0]
    other = agreement(human[rows][:, columns], metric[rows][:, columns], resamples=0)[0]
    for name, estimate in one.estimates.items():
        assert other.estimates[name].value == pytest.approx(estimate.value, abs=1e-12)


def test_units_are_resampled_whole():
    """Two copies of every segment that are drawn together give the interval of one."""
    human, metric = tables()
    twice = [np.concatenate([own, own], axis=1) for own in (human, metric)]
    strata = np.zeros(60, dtype=np.int64)
    units = np.tile(np.arange(60), 2)
    found = segment_agreement(twice[0], [twice[1]], strata, np.random.default_rng(7), units=units)[0]
    assert np.allclose(found.draws, agreement(human, metric)[0].draws)


def test_preferences_count_pairs_on_segments():
    net = np.array([1.0, 1.0, -1.0, 0.0, 0.5])
    metric = np.array([3.0, -2.0, -4.0, 0.5, np.nan])
    units, strata = np.array([0, 1, 2, 2, 3]), np.zeros(4, dtype=np.int64)
    found = preference_agreement(net, [metric], units, strata, np.random.default_rng(1), 200)[0]
    assert (found.n, found.n_segments) == (4, 3)
    like = found.estimates["kendall_like"]
    assert (like.value, like.n) == (pytest.approx(1 / 3), 3)
    # a width of .5 makes the undecided pair a tie of the metric: 3 of 4
    assert found.epsilon == 0.5 and found.estimates["acc_eq"].value == 0.75
    assert set(found.estimates) == {"kendall_like", "acc_eq"}
    turned = preference_agreement(-net, [-metric], units, strata, np.random.default_rng(1), 200)[0]
    assert turned.estimates == found.estimates


def test_tables_of_another_shape_are_refused():
    with pytest.raises(CorrelationError, match="shapes"):
        agreement(np.zeros((2, 3)), np.zeros((2, 4)))
