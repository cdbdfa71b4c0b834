"""Simulated campaigns have the shape and the truth that was asked for."""

import numpy as np
import pytest

from annotation.stats.records import Entry
from annotation.stats.simulate import (
    HABITS,
    Habit,
    Truth,
    simulate_choice,
    simulate_comparisons,
    simulate_ratings,
    simulate_scores,
)


def test_outputs_of_a_segment_go_to_the_same_raters_and_loads_are_even():
    truth = Truth(effects={"A": 0.0, "B": 0.5, "C": 1.0}, segments=101, raters=(Habit(),) * 7, judgements=3)
    table = simulate_ratings(np.random.default_rng(1), truth)
    assert len(table.score) == 101 * 3 * 3
    assert table.entries == (Entry("A"), Entry("B"), Entry("C"))
    for segment in range(101):
        seen = [
            set(table.rater[(table.segment == segment) & (table.credit_entry == code)]) for code in range(3)
        ]
        assert len(seen[0]) == 3
        assert seen[0] == seen[1] == seen[2]
    loads = np.bincount(table.rater, minlength=7) // 3
    assert loads.max() - loads.min() <= 1


def test_the_same_generator_gives_the_same_campaign():
    first, second, other = (simulate_ratings(np.random.default_rng(seed), Truth()) for seed in (1, 1, 2))
    assert np.array_equal(first.score, second.score)
    assert not np.array_equal(first.score, other.score)


def test_scores_are_whole_and_inside_the_scale():
    quality = np.random.default_rng(0).normal(0, 5, 500)
    for habit in HABITS.values():
        scores = simulate_scores(np.random.default_rng(1), habit, quality, (1, 100))
        assert scores.min() >= 1
        assert scores.max() <= 100
        assert np.array_equal(scores, np.rint(scores))


def test_habits_are_what_they_say():
    quality = np.random.default_rng(0).normal(0, 1, 3000)
    scores = {
        name: simulate_scores(np.random.default_rng(1), habit, quality) for name, habit in HABITS.items()
    }
    assert scores["strict"].mean() + 15 < scores["typical"].mean() < scores["generous"].mean() - 10
    correlation = {
        name: np.corrcoef(quality, each)[0, 1] for name, each in scores.items() if name != "constant"
    }
    assert correlation["typical"] > correlation["noisy"] > correlation["careless"]
    assert set(scores["constant"]) == {65.0}


def test_choices_follow_quality():
    rng = np.random.default_rng(3)
    steady = Habit(noise=0.01)
    assert simulate_choice(rng, steady, 2.0, 0.0) == "left"
    assert simulate_choice(rng, steady, 0.0, 2.0) == "right"
    assert simulate_choice(rng, steady, 0.0, 0.05) == "equal"
    assert simulate_choice(rng, HABITS["constant"], 9.0, 0.0) == "equal"
    careless = {simulate_choice(rng, Habit(careless=1.0), 9.0, 0.0) for _ in range(60)}
    assert careless == {"left", "right", "equal"}


def test_comparisons_show_both_sides():
    truth = Truth(effects={"A": 0.0, "B": 0.0}, segments=80, judgements=2)
    rows = simulate_comparisons(np.random.default_rng(1), truth, ("B", "A"))
    assert len(rows) == 160
    assert {row.left for row in rows} == {("A",), ("B",)}
    assert all(row.left != row.right for row in rows)
    by_segment: dict[object, list[str]] = {}
    for row in rows:
        by_segment.setdefault(row.segment, []).append(row.rater)
    assert all(len(set(raters)) == 2 for raters in by_segment.values())


@pytest.mark.parametrize("judgements", [0, 7])
def test_more_judgements_than_raters_are_refused(judgements: int):
    with pytest.raises(ValueError, match="there are 6 raters"):
        simulate_ratings(np.random.default_rng(1), Truth(judgements=judgements))
