"""Where the mixed model and the z-score disagree."""

import json

import numpy as np
import pytest

from annotation.stats.mixed import MixedOptions, fit_mixed
from annotation.stats.mixed_compare import compare_with_z
from annotation.stats.options import ScoreOptions
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.score import score_ratings
from annotation.stats.simulate import Habit, Truth, simulate_ratings


def mixed(estimates: dict[str, float], p_values: dict[str, float]) -> dict:
    names = sorted(estimates, key=lambda name: -estimates[name])
    pairs = [
        {"system_a": a, "system_b": b, "difference": estimates[a] - estimates[b], "p_value": p_values[a + b],
         "testset": None, "input": None, "reference": None, "direction": None}
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    ]  # fmt: skip
    return {"systems": [{"system": name, "estimate": estimates[name]} for name in names], "pairs": pairs}


def scores(means: dict[str, float | None], p_values: dict[str, float]) -> dict:
    return {
        "systems": [{"system": name, "z_mean": mean} for name, mean in means.items()],
        "pairs": [
            {"system_a": pair[0], "system_b": pair[1], "p_bootstrap_two_sided": p_value}
            for pair, p_value in p_values.items()
        ],
    }


def test_every_kind_of_disagreement_is_named():
    model = mixed(
        {"A": 4.0, "B": 3.0, "C": 2.0, "D": 1.0},
        {"AB": 0.9, "AC": 0.01, "AD": 0.01, "BC": 0.9, "BD": 0.01, "CD": 0.9},
    )
    by_z = scores(
        {"B": 0.4, "A": 0.3, "C": 0.2, "D": 0.31},
        {"BA": 0.9, "AC": 0.9, "DA": 0.01, "BC": 0.01, "BD": 0.01, "DC": 0.9},
    )
    found = compare_with_z(model, by_z)
    kinds = {row["system_a"] + row["system_b"]: row["kind"] for row in found["disagreements"]}
    assert kinds == {"AB": "order", "AC": "mixed_only", "AD": "opposite", "BC": "z_only", "CD": "order"}
    assert (found["n_pairs"], found["n_agree"]) == (6, 1)
    # discordant: AB, AD, CD
    assert found["kendall_tau"] == pytest.approx(0.0)
    assert {row["system"]: (row["rank_z"], row["rank_mixed"]) for row in found["systems"]} == {
        "B": (1, 2), "D": (2, 4), "A": (3, 1), "C": (4, 3),
    }  # fmt: skip
    assert found["words"] == (
        "The mixed model and the z-score agree about 1 of 6 pairs at 0.05. Different by the z-score only: 1; "
        "by the mixed model only: 1; opposite: 1; undecided by both, in another order: 2."
    )


def test_a_system_without_z_is_left_out_and_a_tie_is_no_order():
    model = mixed({"A": 2.0, "B": 1.0, "C": 0.0}, {"AB": 0.5, "AC": 0.01, "BC": 0.01})
    found = compare_with_z(model, scores({"A": 0.1, "B": 0.1, "C": None}, {"AB": 1.0}))
    assert found["n_pairs"] == found["n_agree"] == 1
    assert found["kendall_tau"] is None
    assert [row["rank_z"] for row in found["systems"]] == [1, 1]


def test_nothing_in_common_is_refused():
    with pytest.raises(ValueError, match="no system in common"):
        compare_with_z(mixed({"A": 1.0}, {}), scores({"B": 1.0}, {}))


def test_both_find_a_clear_difference_and_raters_with_favourites_make_the_model_careful():
    raters = tuple(Habit(mean=mean) for mean in (45, 55, 60, 65, 75, 85))
    clear = Truth(effects={"A": 1.0, "B": 0.0}, segments=100, raters=raters)
    table = simulate_ratings(np.random.default_rng(1), clear)
    found = compare_with_z(fit_mixed(table), score_ratings(table))
    assert found["words"] == "The mixed model and the z-score agree at 0.05 (1 pair)."
    favour = Truth(segments=500, raters=raters, interaction=0.4)
    kinds = []
    for child in np.random.default_rng(3).spawn(6):
        table = simulate_ratings(child, favour)
        found = compare_with_z(fit_mixed(table), score_ratings(table))
        kinds += [row["kind"] for row in found["disagreements"]]
        json.dumps(found, allow_nan=False)
    assert set(kinds) == {"z_only"}
    assert len(kinds) >= 4


def test_conditions_are_kept_apart():
    rng = np.random.default_rng(4)
    ratings = [
        Rating(f"r{r}", (Entry(name, "t", version),), s, "t", 50 + 5 * (name == "A") + rng.normal(0, 5))
        for r in range(3)
        for s in range(10)
        for name in "AB"
        for version in ("X", "X**")
    ]
    table = RatingTable.from_ratings(ratings)

    found = compare_with_z(
        fit_mixed(table, MixedOptions(by_condition=True)),
        score_ratings(table, ScoreOptions(by_condition=True)),
    )
    assert found["n_pairs"] == 2
    assert [row["input"] for row in found["systems"]] == ["X", "X", "X**", "X**"]
    assert {row["rank_z"] for row in found["systems"]} == {1, 2}
