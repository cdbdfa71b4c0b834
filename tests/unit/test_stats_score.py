"""Scores as they leave the package."""

import json

import numpy as np
import pytest

from annotation.stats.options import OptionsError, ScoreOptions, parse_hypothesis, signature
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Truth, simulate_ratings

OP, BT = Entry("OP"), Entry("BT")
SYSTEM_KEYS = [
    "system", "testset", "input", "reference", "direction", "raw_mean", "raw_sd", "z_mean", "z_sd",
    "raw_ci", "z_ci", "n_segments", "n_judgements", "n_z", "n_raters", "wins", "cluster", "rank_range",
]  # fmt: skip


def campaign(effect: float = 0.5, seed: int = 1, **truth: object) -> RatingTable:
    effects = {"BT": effect, "OP": 0.0}
    return simulate_ratings(np.random.default_rng(seed), Truth(effects=effects, segments=60, **truth))  # type: ignore[arg-type]


def test_the_result_is_strict_json_with_the_documented_keys():
    result = score_ratings(campaign())
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert list(result) == ["systems", "pairs", "raters"]
    assert [list(row) for row in result["systems"]] == [SYSTEM_KEYS] * 2
    assert {"system_a", "system_b", "z_difference", "p_bootstrap_one_sided", "p_bootstrap_two_sided",
            "p_rank_sum", "n_common"} <= set(result["pairs"][0])  # fmt: skip
    assert list(result["raters"][0]) == ["rater", "n", "mean", "sd", "no_variance", "excluded_by"]
    best, worst = result["systems"]
    assert (best["system"], worst["system"], result["pairs"][0]["system_a"]) == ("BT", "OP", "BT")
    assert result["pairs"][0]["z_difference"] == pytest.approx(best["z_mean"] - worst["z_mean"])
    assert all(row["z_ci"][0] <= row["z_mean"] <= row["z_ci"][1] for row in result["systems"])
    assert (best["n_segments"], best["n_judgements"], best["n_raters"]) == (60, 180, 6)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    table = campaign()
    assert score_ratings(table) == score_ratings(table)
    other = score_ratings(table, ScoreOptions(seed=2))
    assert other["systems"][0]["z_ci"] != score_ratings(table)["systems"][0]["z_ci"]
    assert other["systems"][0]["z_mean"] == score_ratings(table)["systems"][0]["z_mean"]


def test_two_systems_with_equal_means_both_appear():
    rows = [
        Rating("r", (entry,), n, "t", score) for n, score in enumerate((10.0, 30.0)) for entry in (OP, BT)
    ]
    result = score_ratings(RatingTable.from_ratings(rows))
    assert [(row["system"], row["z_mean"]) for row in result["systems"]] == [("BT", 0.0), ("OP", 0.0)]
    assert (result["pairs"][0]["system_a"], result["pairs"][0]["p_bootstrap_two_sided"]) == ("BT", 1.0)


def test_a_declared_direction_is_tested_also_when_the_data_point_the_other_way():
    table = campaign(effect=0.4)
    post_hoc = score_ratings(table)["pairs"][0]
    right = score_ratings(table, ScoreOptions(hypothesis=("BT", "OP")))["pairs"][0]
    wrong = score_ratings(table, ScoreOptions(hypothesis=("OP", "BT")))["pairs"][0]
    assert (post_hoc["one_sided"], right["one_sided"], wrong["one_sided"]) == (
        "post_hoc",
        "declared",
        "declared",
    )
    assert right["p_bootstrap_one_sided"] == post_hoc["p_bootstrap_one_sided"] < 0.05
    assert wrong["p_bootstrap_one_sided"] > 0.95
    assert wrong["system_a"] == "BT"
    with pytest.raises(OptionsError, match="'XX', which has no ratings"):
        score_ratings(table, ScoreOptions(hypothesis=("XX", "OP")))


def test_what_is_not_defined_is_none():
    rows = [
        Rating("r", (OP,), 1, "t", 10.0),
        Rating("r", (BT,), 2, "t", 30.0),
        Rating("flat", (Entry("C"),), 1, "t", 50.0),
        Rating("gone", (Entry("D"),), 1, "t", 50.0, excluded_by="left"),
        Rating("r", (Entry("Q"),), 1, "t", 0.0, "bad_reference"),
    ]
    result = score_ratings(RatingTable.from_ratings(rows))
    json.dumps(result, allow_nan=False)
    by_name = {row["system"]: row for row in result["systems"]}
    assert [row["system"] for row in result["systems"]] == ["BT", "OP", "C", "D"]
    assert (by_name["C"]["raw_mean"], by_name["C"]["z_mean"], by_name["C"]["wins"]) == (50.0, None, None)
    assert (by_name["D"]["raw_mean"], by_name["D"]["n_judgements"], by_name["D"]["cluster"]) == (
        None,
        0,
        None,
    )
    assert by_name["BT"]["raw_ci"] is None
    assert len(result["pairs"]) == 6
    for pair in result["pairs"]:
        assert pair["n_common"] == 0
        assert [pair[key] for key in pair if key.startswith(("p_", "z_"))] == [None] * 7


def test_no_ratings_give_an_empty_result():
    assert score_ratings(RatingTable.from_ratings([])) == {"systems": [], "pairs": [], "raters": []}


def test_quality_control_alone_gives_raters_only():
    rows = [Rating("r", (OP,), n, "t", 10.0 * n, "bad_reference") for n in range(3)]
    result = score_ratings(RatingTable.from_ratings(rows))
    assert (result["systems"], result["pairs"]) == ([], [])
    assert result["raters"][0]["n"] == 3


def conditions() -> RatingTable:
    rng = np.random.default_rng(7)
    rows = []
    for testset, direction in (("ende", "direct"), ("deen", "reverse")):
        for version in ("src", "r1.r1"):
            for segment in range(20):
                for system, effect in (("OP", 0.0), ("BT", 8.0 if testset == "ende" else -8.0)):
                    entry = Entry(system, testset, version, "ref", direction)
                    score = float(np.clip(60 + effect + rng.normal(0, 6), 1, 100))
                    rows.append(Rating(f"r{segment % 3}", (entry,), str(segment), testset, score))
    return RatingTable.from_ratings(rows)


def test_by_condition_there_is_a_row_a_system_and_condition():
    result = score_ratings(conditions(), ScoreOptions(by_condition=True))
    assert len(result["systems"]) == 8
    assert len(result["pairs"]) == 4
    for pair in result["pairs"]:
        assert pair["n_common"] == 20
        assert pair["system_a"] == ("BT" if pair["testset"] == "ende" else "OP")
        assert pair["direction"] == ("direct" if pair["testset"] == "ende" else "reverse")
        assert (pair["input"] in ("src", "r1.r1"), pair["reference"]) == (True, "ref")
    assert all(row["cluster"] in ([1, 1], [2, 2]) for row in result["systems"])
    assert all(row["wins"] == 2 - row["cluster"][0] for row in result["systems"])


def test_without_conditions_all_of_a_system_is_one_row():
    result = score_ratings(conditions())
    assert [row["n_segments"] for row in result["systems"]] == [40, 40]
    assert {
        row[key] for row in result["systems"] for key in ("testset", "input", "reference", "direction")
    } == {None}
    assert "testset" not in result["pairs"][0]
    # z is taken over all conditions together either way
    cut = score_ratings(conditions(), ScoreOptions(by_condition=True))
    assert cut["raters"] == result["raters"]


def test_changing_one_score_moves_only_what_depends_on_it():
    rows = [
        Rating(
            f"r{rater}", (Entry(system),), segment, "t", float((37 * rater + 11 * segment + 5 * number) % 90)
        )
        for rater in range(3)
        for segment in range(12)
        for number, system in enumerate("ABC" if rater < 2 else "CD")
    ]
    changed = list(rows)
    place = next(n for n, row in enumerate(rows) if row.rater == "r2" and row.systems[0].system == "D")
    changed[place] = rows[place]._replace(score=95.0)
    before, after = (score_ratings(RatingTable.from_ratings(each)) for each in (rows, changed))
    old, new = ({row["system"]: row for row in result["systems"]} for result in (before, after))
    for system in "AB":  # r2 never saw them
        for key in ("raw_mean", "raw_ci", "z_mean", "z_ci", "n_judgements"):
            assert old[system][key] == new[system][key]
    assert old["C"]["raw_mean"] == new["C"]["raw_mean"]
    assert old["C"]["z_mean"] != new["C"]["z_mean"]
    assert new["D"]["raw_mean"] > old["D"]["raw_mean"]
    assert before["raters"][:2] == after["raters"][:2]
    assert before["raters"][2] != after["raters"][2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"population": "some"}, "population must be one of all, system_items"),
        ({"repeats": "no"}, "repeats must be one of"),
        ({"clusters": "x"}, "clusters must be one of strict, wmt"),
        ({"interval": "normal"}, "interval must be one of percentile, bca"),
        ({"unit": "paragraph"}, "unit must be one of segment, document"),
        ({"raters": "some"}, "raters must be one of fixed, random"),
        ({"test": "t"}, "test must be one of bootstrap, randomisation, signed_rank, rank_sum"),
        ({"correction": "bonferroni"}, "correction must be one of none, holm"),
        ({"scope": "world"}, "scope must be one of campaign, study"),
        ({"disagreement": "average"}, "disagreement must be one of none, replace, pool"),
        ({"interval": "bca", "raters": "random"}, "bca is defined for raters fixed only"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"preference_resamples": 1}, "preference_resamples must be"),
        ({"hypothesis": ("A", "A")}, "two different systems"),
    ],
)
def test_options_outside_what_is_defined_are_refused(wrong: dict, message: str):
    with pytest.raises(OptionsError, match=message):
        ScoreOptions(**wrong)


def test_a_hypothesis_names_two_known_systems():
    assert parse_hypothesis("BT>OP", ["OP", "BT"]) == ("BT", "OP")
    assert parse_hypothesis("a > b>c", ["a", "b>c"]) == ("a", "b>c")
    for text in ("BT", "BT>XX", "BT<OP", "OP>OP", ">"):
        with pytest.raises(OptionsError, match="must be BETTER>WORSE with two of the systems: BT, OP"):
            parse_hypothesis(text, ["OP", "BT"])


def test_the_signature_states_every_choice_in_one_line():
    options = ScoreOptions(hypothesis=("BT", "OP"), by_condition=True, seed=5)
    line = signature(options, "source_da", 2, {"code": "1.0", "numpy": "2.0"}, "rating")
    assert line == (
        "protocol:source_da|population:all|scope:campaign|repeats:flat|disagreement:replace|clusters:strict|"
        "test:koehn|interval:percentile|raters:fixed|unit:segment|correction:none|resamples:1000|seed:5|"
        "by:condition|hypothesis:BT>OP|exclusions:2|code:1.0|numpy:2.0"
    )
    assert "hypothesis:none|" in signature(ScoreOptions(), "source_da", 0, {"code": "1.0"})


def test_the_signature_of_preferences_states_only_what_applies_to_them():
    options = ScoreOptions(clusters="wmt", unit="document", correction="holm")
    assert signature(options, "pairwise_fluency", 0, {"code": "1.0"}, "comparison") == (
        "protocol:pairwise_fluency|test:sign|model:davidson|interval:percentile|unit:document|correction:holm|"
        "resamples:1000|preference_resamples:200000|seed:1|by:system|hypothesis:none|exclusions:0|code:1.0"
    )
    with pytest.raises(OptionsError, match="record must be one of rating, comparison"):
        signature(options, "pairwise_fluency", 0, {}, "vote")
