"""Resampling of segments."""

import numpy as np
import pytest

from annotation.stats.resampling import (
    bootstrap_means,
    bootstrap_systems,
    percentile_interval,
    resample_counts,
)

STRATA = np.array([0, 0, 0, 1, 1, 0, 1])


def counts(chunk_cells: int) -> np.ndarray:
    return np.vstack(list(resample_counts(np.random.default_rng(3), STRATA, 50, chunk_cells)))


def test_each_resample_draws_from_a_test_set_as_many_segments_as_it_has():
    drawn = counts(10**6)
    assert drawn.shape == (50, 7)
    assert (drawn[:, STRATA == 0].sum(axis=1) == 4).all()
    assert (drawn[:, STRATA == 1].sum(axis=1) == 3).all()
    assert len(np.unique(drawn, axis=0)) > 40


@pytest.mark.parametrize("chunk_cells", [1, 7, 20, 350])
def test_the_size_of_a_chunk_changes_nothing(chunk_cells: int):
    assert np.array_equal(counts(chunk_cells), counts(10**6))


def test_counts_have_the_mean_and_variance_of_a_multinomial():
    drawn = np.vstack(list(resample_counts(np.random.default_rng(1), np.zeros(10, dtype=int), 20_000)))
    # standard errors: 0.0067 of a mean, about 0.013 of a variance
    assert drawn.mean(axis=0) == pytest.approx(np.ones(10), abs=0.04)
    assert drawn.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.08)


def test_a_resample_without_a_draw_is_drawn_again_from_the_rows_own_segments():
    values = np.full((2, 40), np.nan)
    values[0, :2] = [1.0, 3.0]
    values[1] = np.arange(40)
    means = bootstrap_means(np.random.default_rng(5), values, np.zeros(40, dtype=int), 400)
    assert not np.isnan(means).any()
    assert set(np.round(means[:, 0], 6)) >= {1.0, 2.0, 3.0}
    assert 1 <= means[:, 0].min() <= means[:, 0].max() <= 3


def test_a_rows_means_do_not_depend_on_the_other_rows():
    sparse = np.full((1, 40), np.nan)
    sparse[0, :2] = [1.0, 3.0]
    other = np.full((1, 40), np.nan)
    other[0, 5:7] = [9.0, 2.0]
    strata = np.zeros(40, dtype=int)
    alone = bootstrap_means(np.random.default_rng(5), sparse, strata, 200)
    beside = bootstrap_means(np.random.default_rng(5), np.vstack([other, sparse]), strata, 200)
    assert np.array_equal(alone[:, 0], beside[:, 1])


def test_a_row_without_values_has_no_means():
    values = np.array([[np.nan, np.nan], [1.0, 2.0]])
    means = bootstrap_means(np.random.default_rng(5), values, np.zeros(2, dtype=int), 10)
    assert np.isnan(means[:, 0]).all()
    assert not np.isnan(means[:, 1]).any()


def test_all_systems_see_the_same_resample():
    z = np.random.default_rng(2).normal(size=(1, 30)) + np.array([[0.0], [5.0]])
    raw, z_means, differences = bootstrap_systems(
        np.random.default_rng(4), 10 * z, z, np.array([[1, 0]]), np.zeros(30, dtype=int), 100
    )
    assert differences[:, 0] == pytest.approx(np.full(100, 5.0))
    assert raw == pytest.approx(10 * z_means)
    assert z_means[:, 0].std() > 0.05


def test_a_pair_uses_only_segments_that_both_have():
    z = np.array([[1.0, 2.0, 3.0, np.nan], [0.0, 1.0, np.nan, 50.0]])
    *_, differences = bootstrap_systems(
        np.random.default_rng(4), z, z, np.array([[0, 1], [1, 0]]), np.zeros(4, dtype=int), 50
    )
    assert differences[:, 0] == pytest.approx(np.ones(50))
    assert differences[:, 1] == pytest.approx(-np.ones(50))


def test_the_percentile_interval_contains_its_estimate():
    draws = np.column_stack([np.arange(101.0)] * 3)
    interval = percentile_interval(draws, np.array([50.0, 200.0, -9.0]))
    assert interval == pytest.approx(np.array([[2.5, 97.5], [2.5, 200.0], [-9.0, 97.5]]))
