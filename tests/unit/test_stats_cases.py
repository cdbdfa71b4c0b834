"""Known pitfalls, each with a file and the answer it must give."""

import csv
import json
from pathlib import Path

import pytest

from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.records import Comparison, Entry, Rating, RatingTable
from annotation.stats.score import score_ratings
from annotation.stats.standardise import standardise

FILES = Path(__file__).resolve().parent.parent / "files"


def read(name: str) -> list[dict[str, str]]:
    with (FILES / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def ratings(name: str) -> list[Rating]:
    return [
        Rating(row["rater"], (Entry(row["system"]),), row["segment_id"], "", float(row["score"]))
        for row in read(name)
    ]


def systems(result: dict) -> dict[str, dict]:
    json.dumps(result, allow_nan=False)
    return {row["system"]: row for row in result["systems"]}


def raters(result: dict) -> dict[str, dict]:
    return {row["rater"]: row for row in result["raters"]}


def test_constant_and_single_raters_have_no_z_and_are_named():
    table = RatingTable.from_ratings(ratings("sta01_constant.csv"))
    z = standardise(table).z_or_none()
    # rows are sorted by rater, segment, score: r1 B1 60, A1 80, B2 50, A2 70
    assert z[:4] == pytest.approx([-0.3873, 1.1619, -1.1619, 0.3873], abs=5e-5)
    assert z[4:] == [None] * 4
    result = score_ratings(table)
    rows = systems(result)
    assert rows["A"]["z_mean"] == pytest.approx(0.7746, abs=5e-5)
    assert rows["B"]["z_mean"] == pytest.approx(-0.7746, abs=5e-5)
    assert {name: row["no_variance"] for name, row in raters(result).items()} == {
        "r1": False,
        "r2": True,
        "r3": True,
    }
    assert raters(result)["r3"] == {
        "rater": "r3", "n": 1, "mean": 90.0, "sd": None, "no_variance": True, "excluded_by": "",
    }  # fmt: skip
    assert (rows["A"]["n_judgements"], rows["A"]["n_z"], rows["A"]["n_raters"]) == (5, 2, 3)
    assert rows["A"]["raw_mean"] == pytest.approx(((80 + 50 + 90) / 3 + (70 + 50) / 2) / 2)


def test_almost_constant_decimals_are_constant():
    result = score_ratings(RatingTable.from_ratings(ratings("sta02_const_float.csv")))
    assert raters(result)["r1"]["no_variance"] is True
    assert systems(result)["A"]["z_mean"] == pytest.approx(0.8492, abs=5e-5)
    assert systems(result)["B"]["z_mean"] == pytest.approx(-0.8492, abs=5e-5)


def test_a_segment_rated_ten_times_counts_once():
    result = score_ratings(RatingTable.from_ratings(ratings("sta04_unbalanced.csv")))
    assert systems(result)["A"]["raw_mean"] == pytest.approx(50.0)


@pytest.mark.parametrize("rule", ["strict", "wmt"])
def test_identical_systems_share_a_cluster_with_p_of_one(rule: str):
    table = RatingTable.from_ratings(ratings("sta05_identical.csv"))
    result = score_ratings(table, ScoreOptions(clusters=rule))
    rows = systems(result)
    assert {name: row["cluster"] for name, row in rows.items()} == {"A": [1, 2], "B": [1, 2], "C": [3, 3]}
    assert {name: row["wins"] for name, row in rows.items()} == {"A": 1, "B": 1, "C": 0}
    twins = result["pairs"][0]
    assert (twins["system_a"], twins["system_b"], twins["z_difference"]) == ("A", "B", 0.0)
    assert twins["p_bootstrap_one_sided"] == twins["p_bootstrap_two_sided"] == twins["p_rank_sum"] == 1.0
    assert [pair["p_bootstrap_two_sided"] for pair in result["pairs"][1:]] == [2 / 1001] * 2


def test_ties_count_half_in_the_win_rate_and_not_at_all_in_expected_wins():
    winners = {"tie": "equal"}
    comparisons = [
        Comparison(
            row["rater"],
            (row["system_1"],),
            (row["system_2"],),
            row["segment_id"],
            "",
            winners.get(row["preferred"], "left" if row["preferred"] == row["system_1"] else "right"),
        )
        for row in read("sta10_pairwise.csv")
    ]
    result = score_comparisons(comparisons, options=ScoreOptions(preference_resamples=1000))
    rows = systems(result)
    assert rows["A"]["win_rate"] == pytest.approx(0.40)
    assert rows["B"]["win_rate"] == pytest.approx(0.50)
    assert rows["A"]["expected_wins"] == pytest.approx(0.40)
    assert rows["B"]["expected_wins"] == pytest.approx(0.50)
    order = [row["system"] for row in result["systems"]]
    assert order.index("B") < order.index("A")
    assert [row["n"] for row in result["systems"]] == [200, 100, 100]


@pytest.mark.parametrize("resamples", [0, 1, -5, 10**9, "abc", 1e3, True, None])
def test_silly_resample_numbers_are_refused_with_the_limits(resamples: object):
    with pytest.raises(OptionsError, match=r"resamples must be a whole number from 2 to 100,000; found"):
        ScoreOptions(resamples=resamples)  # type: ignore[arg-type]


@pytest.mark.parametrize("resamples", [2, 3, 1000])
def test_every_p_is_a_probability(resamples: int):
    table = RatingTable.from_ratings(ratings("sta05_identical.csv"))
    for pair in score_ratings(table, ScoreOptions(resamples=resamples))["pairs"]:
        values = [pair[key] for key in pair if key.startswith("p_")]
        assert len(values) == 5
        assert all(0 < value <= 1 for value in values)


def test_zero_is_a_score():
    result = score_ratings(RatingTable.from_ratings(ratings("exp03_zero.csv")))
    assert systems(result)["A"]["raw_mean"] == 50.0
    assert systems(result)["A"]["n_segments"] == 2
