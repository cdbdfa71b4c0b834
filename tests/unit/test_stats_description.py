"""Descriptions of answers: histograms, five numbers, drift, runs."""

import numpy as np
import pytest
from scipy import stats

from annotation.stats.description import drift, five_numbers, histogram, longest_run, places


def test_histogram_counts_every_value_once_ends_included():
    values = np.array([0.0, 9.9, 10.0, 55.0, 99.0, 100.0])
    assert histogram(values, 0, 100) == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]
    assert histogram(np.array([]), 0, 100) == [0] * 10
    assert sum(histogram(np.array([-3.0, 104.0]), 0, 100)) == 2


def test_five_numbers_of_nothing_one_and_several():
    assert five_numbers(np.array([])) == {
        "n": 0, "mean": None, "sd": None, "minimum": None, "lower_quartile": None, "median": None,
        "upper_quartile": None, "maximum": None,
    }  # fmt: skip
    assert five_numbers(np.array([7.0]))["sd"] is None
    found = five_numbers(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found["mean"], found["median"], found["minimum"], found["maximum"]) == (2.5, 2.5, 1.0, 4.0)
    assert found["sd"] == pytest.approx(np.std([1, 2, 3, 4], ddof=1))


def test_places_lie_evenly_inside_each_raters_way():
    rater = np.array([0, 1, 0, 1, 0, 0])
    order = np.array([5, 1, 2, 0, 9, 7])
    assert places(rater, order).tolist() == [0.375, 0.75, 0.125, 0.25, 0.875, 0.625]


def test_slope_is_the_t_test_over_raters_own_slopes():
    rng = np.random.default_rng(4)
    rater = np.repeat(np.arange(5), 40)
    order = rng.permutation(200)
    values = rng.normal(size=200) + 0.8 * places(rater, order)
    found = drift(values, rater, order)["slope"]
    own = []
    for code in range(5):
        rows = np.flatnonzero(rater == code)
        rows = rows[np.argsort(order[rows])]
        way = (np.arange(40) + 0.5) / 40
        own.append(stats.linregress(way, values[rows]).slope)
    test = stats.ttest_1samp(own, 0.0)
    assert found["mean"] == pytest.approx(np.mean(own))
    assert found["p_value"] == pytest.approx(test.pvalue)
    assert found["ci"] == pytest.approx(list(test.confidence_interval()))
    assert found["n_raters"] == 5


def test_parts_hold_everybody_once_and_their_intervals_are_over_raters():
    rater, order = np.repeat([0, 1, 2], 20), np.tile(np.arange(20), 3)
    values = np.repeat([1.0, 2.0, 6.0], 20)
    parts = drift(values, rater, order)["parts"]
    assert [row["n"] for row in parts] == [6] * 10
    half = stats.t.ppf(0.975, 2) * np.std([1, 2, 6], ddof=1) / np.sqrt(3)
    assert parts[0]["mean"] == pytest.approx(3.0)
    assert parts[0]["ci"] == pytest.approx([3 - half, 3 + half])


def test_drift_without_enough_raters_has_no_slope_and_no_interval():
    nothing = drift(np.array([np.nan]), np.array([0]), np.array([0]))
    assert nothing == {"parts": [], "slope": None}
    one = drift(np.array([1.0, 2.0, 3.0]), np.zeros(3, dtype=int), np.arange(3))
    assert one["slope"] is None and all(row["ci"] is None for row in one["parts"])
    flat = drift(np.ones(8), np.repeat([0, 1], 4), np.tile(np.arange(4), 2))
    assert flat["slope"] is None


@pytest.mark.parametrize(
    ("values", "run"), [([], 0), ([3.0], 1), ([1.0, 1.0, 2.0, 2.0, 2.0, 1.0], 3), ([1.0, 2.0, 1.0], 1)]
)
def test_longest_run(values, run):
    assert longest_run(np.array(values)) == run
