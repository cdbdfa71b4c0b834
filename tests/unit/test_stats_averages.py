"""Standardising and averaging, by hand."""

from math import sqrt

import numpy as np
import pytest

from annotation.stats.aggregate import aggregate
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.standardise import standardise

A, B = Entry("A"), Entry("B")


def table(*rows: tuple) -> RatingTable:
    return RatingTable.from_ratings(Rating(*row) for row in rows)


MIXED = (
    ("r", (A,), "1", "t", 10.0, "system"),
    ("r", (A,), "2", "t", 30.0, "system"),
    ("r", (A,), "2", "t", 50.0, "repeat"),
    ("r", (A,), "3", "t", 90.0, "reference"),
    ("r", (A,), "4", "t", 0.0, "bad_reference"),
    ("r", (A,), "5", "t", 100.0, "practice"),
    ("r", (A,), "6", "t", 77.0, "attention"),
)


@pytest.mark.parametrize(
    ("population", "n", "mean", "sd"),
    [
        ("all", 5, 36.0, sqrt((26**2 + 6**2 + 14**2 + 54**2 + 36**2) / 4)),
        ("system_items", 2, 20.0, sqrt(200)),
        ("system_and_repeat", 3, 30.0, 20.0),
    ],
)
def test_the_population_decides_mean_and_sample_sd(population: str, n: int, mean: float, sd: float):
    result = standardise(table(*MIXED), population)
    (rater,) = result.raters
    assert (rater.n, rater.no_variance) == (n, False)
    assert rater.mean == pytest.approx(mean)
    assert rater.sd == pytest.approx(sd)
    expected = [(score - mean) / sd for score in (10, 30, 50, 90, 0)]
    assert result.z[:5] == pytest.approx(expected)
    assert result.z_or_none()[5:] == [None, None]


def test_a_rater_without_ratings_in_the_population_has_no_z():
    rows = table(("r", (A,), "1", "t", 10.0, "repeat"), ("r", (A,), "2", "t", 30.0, "repeat"))
    result = standardise(rows, "system_items")
    assert result.raters == [("r", 0, None, None, True, "")]
    assert result.z_or_none() == [None, None]


def test_an_unknown_population_is_refused():
    with pytest.raises(ValueError, match="unknown population 'everything'"):
        standardise(table(*MIXED), "everything")


def test_excluded_raters_keep_their_own_mean_but_leave_the_averages():
    rows = table(
        ("r1", (A,), "1", "t", 10.0, "system"),
        ("r1", (A,), "2", "t", 30.0, "system"),
        ("r2", (A,), "1", "t", 90.0, "system", "slow"),
        ("r2", (A,), "9", "t", 70.0, "system", "slow"),
    )
    result = standardise(rows)
    assert result.raters[1][:3] == ("r2", 2, 80.0)
    assert result.raters[1].excluded_by == "slow"
    averages = aggregate(rows, result.z)
    assert averages.raw_mean.tolist() == [20.0]
    assert averages.n_segments.tolist() == [2]
    assert averages.n_raters.tolist() == [1]


def test_a_superseded_round_stays_in_the_raters_mean_only():
    rows = table(
        ("r", (A,), "1", "t", 10.0, "system", "", False),
        ("r", (A,), "1", "t", 20.0, "system"),
        ("r", (A,), "2", "t", 60.0, "system"),
    )
    result = standardise(rows)
    assert result.raters[0].mean == pytest.approx(30.0)
    assert aggregate(rows, result.z).raw_mean.tolist() == [40.0]


def test_repeats_flat_or_within_the_rater_first():
    rows = table(
        ("r1", (A,), "1", "t", 20.0, "system"),
        ("r1", (A,), "1", "t", 40.0, "repeat"),
        ("r2", (A,), "1", "t", 90.0, "system"),
        ("r2", (A,), "2", "t", 10.0, "system"),
    )
    z = standardise(rows).z
    assert aggregate(rows, z, "flat").raw_mean[0] == pytest.approx((50 + 10) / 2)
    within = aggregate(rows, z, "within_rater_first")
    assert within.raw_mean[0] == pytest.approx(((30 + 90) / 2 + 10) / 2)
    assert within.z[0, 0] == pytest.approx(((z[0] + z[1]) / 2 + z[2]) / 2)
    assert within.n_judgements.tolist() == [4]
    with pytest.raises(ValueError, match="repeats"):
        aggregate(rows, z, "sometimes")


def test_merged_outputs_give_each_system_the_same_cell():
    rows = table(("r", (A, B), "1", "t", 20.0), ("r", (A,), "2", "t", 60.0), ("r", (B,), "2", "t", 40.0))
    averages = aggregate(rows, standardise(rows).z)
    assert averages.raw.tolist() == [[20.0, 60.0], [20.0, 40.0]]
    assert averages.n_judgements.tolist() == [2, 2]


def test_segments_with_quality_control_only_are_no_segments():
    rows = table(*MIXED)
    averages = aggregate(rows, standardise(rows).z)
    assert averages.raw.tolist() == [[10.0, 40.0]]
    assert averages.strata.tolist() == [0, 0]
    assert averages.n_judgements.tolist() == [3]


def test_raw_means_use_raters_without_spread_and_z_means_do_not():
    rows = table(
        ("flat", (A,), "1", "t", 50.0),
        ("flat", (A,), "2", "t", 50.0),
        ("r", (A,), "1", "t", 10.0),
        ("r", (A,), "3", "t", 30.0),
    )
    averages = aggregate(rows, standardise(rows).z)
    assert averages.raw[0].tolist() == [30.0, 50.0, 30.0]
    assert averages.z[0] == pytest.approx([-sqrt(0.5), np.nan, sqrt(0.5)], nan_ok=True)
    assert (averages.n_segments[0], averages.n_judgements[0], averages.n_z[0]) == (3, 4, 2)
