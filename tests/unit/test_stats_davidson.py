"""Strengths from preferences with ties, and ranges of ranks."""

import numpy as np
import pytest
from scipy.optimize import minimize

from annotation.stats.davidson import PRIOR, fit_strengths
from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.ranking import bootstrap_rank_ranges, rank_ranges
from annotation.stats.records import Comparison

FEW = ScoreOptions(resamples=200, preference_resamples=500)


def all_pairs(n: int) -> np.ndarray:
    return np.array([(i, j) for i in range(n) for j in range(i + 1, n)])


def loss(x: np.ndarray, wins: np.ndarray, ties: np.ndarray, pairs: np.ndarray, n: int) -> float:
    """Return the negative log-likelihood written out, with the mean strength held at 0."""
    total = x[:n].sum() ** 2
    for (i, j), (first, second), tied in zip(pairs, wins, ties, strict=True):
        tie = x[n] + (x[i] + x[j]) / 2
        normal = np.logaddexp(np.logaddexp(x[i], x[j]), tie)
        total -= first * (x[i] - normal) + second * (x[j] - normal) + tied * (tie - normal)
    return float(total)


@pytest.mark.parametrize(("first", "second", "equal"), [(7, 3, 5), (7, 3, 0), (28, 16, 63), (1, 1, 4)])
def test_two_systems_have_the_log_odds_of_their_wins(first: int, second: int, equal: int):
    fit = fit_strengths(np.array([[[first, second]]]), np.array([[equal]]), all_pairs(2), 2)
    assert fit.theta[0, 0] - fit.theta[0, 1] == pytest.approx(np.log(first / second), abs=1e-10)
    assert not fit.regularised[0]


def test_many_data_sets_at_once_give_what_a_general_optimiser_gives():
    rng, n, rows = np.random.default_rng(3), 4, 12
    pairs = all_pairs(n)
    wins = rng.integers(0, 4, (rows, len(pairs), 2)).astype(float)
    ties = rng.integers(0, 3, (rows, len(pairs))).astype(float)
    fit = fit_strengths(wins, ties, pairs, n)
    for row in range(rows):
        counted = wins[row] + PRIOR * fit.regularised[row]
        found = minimize(loss, np.zeros(n + 1), args=(counted, ties[row], pairs, n), options={"gtol": 1e-9})
        assert fit.theta[row] == pytest.approx(found.x[:n] - found.x[:n].mean(), abs=1e-5)


def test_expected_points_equal_observed_ones():
    rng, n = np.random.default_rng(5), 5
    pairs = all_pairs(n)
    wins, ties = rng.integers(1, 30, (1, len(pairs), 2)), rng.integers(0, 20, (1, len(pairs)))
    theta = fit_strengths(wins.astype(float), ties.astype(float), pairs, n).theta[0]

    # at the maximum a system's wins + ties/2 are those expected, whatever the tie parameter; find that one
    def points(eta: float) -> tuple[np.ndarray, float]:
        expected, tied = np.zeros(n), 0.0
        for (i, j), (first, second), equal in zip(pairs, wins[0], ties[0], strict=True):
            odds = np.exp([theta[i], theta[j], eta + (theta[i] + theta[j]) / 2])
            share = odds / odds.sum() * (first + second + equal)
            expected[i] += share[0] + share[2] / 2
            expected[j] += share[1] + share[2] / 2
            tied += share[2]
        return expected, tied

    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if points(middle)[1] < ties.sum() else (low, middle)
    observed = np.zeros(n)
    for (i, j), (first, second), equal in zip(pairs, wins[0], ties[0], strict=True):
        observed[i] += first + equal / 2
        observed[j] += second + equal / 2
    assert points(low)[0] == pytest.approx(observed, abs=1e-7)


@pytest.mark.parametrize(
    ("wins", "ties", "separated"),
    [
        ([[3, 0]], [0], True),  # never lost
        ([[3, 0]], [2], True),  # strength and ties can grow together for ever
        ([[3, 1]], [0], False),
        ([[0, 0]], [4], True),  # ties alone: nothing is decided
        ([[2, 0], [0, 0], [2, 0]], [0, 0, 0], True),
        ([[2, 0], [0, 2], [2, 0]], [0, 0, 0], False),  # a circle
        ([[2, 0], [0, 2], [2, 0]], [1, 1, 1], False),
        ([[2, 1], [0, 0], [1, 0]], [0, 0, 1], False),  # the tie holds the third system
        ([[2, 1], [0, 0], [0, 0]], [0, 0, 0], True),  # nobody met the third system
    ],
)
def test_infinite_strengths_are_held_by_a_prior_and_said(wins: list, ties: list, separated: bool):
    n = 2 if len(wins) == 1 else 3
    fit = fit_strengths(np.array([wins], dtype=float), np.array([ties], dtype=float), all_pairs(n), n)
    assert fit.regularised[0] == separated
    assert np.abs(fit.theta).max() < 10


def compare(winner: str, segment: int, left: str = "A", right: str = "B") -> Comparison:
    return Comparison("r", (left,), (right,), segment, "t", winner)  # type: ignore[arg-type]


def test_strengths_and_rank_ranges_of_a_clear_order():
    rng, rows = np.random.default_rng(2), []
    for segment in range(150):
        for better, worse in (("A", "B"), ("B", "C"), ("A", "C")):
            winner = rng.choice(["left", "right", "equal"], p=[0.6, 0.2, 0.2])
            rows.append(compare(winner, segment, better, worse))
    systems = score_comparisons(rows, options=FEW)["systems"]
    assert [row["system"] for row in systems] == ["A", "B", "C"]
    assert [row["rank_range"] for row in systems] == [[1, 1], [2, 2], [3, 3]]
    assert sum(row["strength"] for row in systems) == pytest.approx(0, abs=1e-9)
    for row in systems:
        assert row["strength_ci"][0] < row["strength"] < row["strength_ci"][1]
        assert row["strength_regularised"] is False


def test_equal_systems_share_their_ranks():
    rows = [compare("left" if segment % 2 else "right", segment) for segment in range(40)]
    systems = score_comparisons(rows, options=FEW)["systems"]
    assert [row["rank_range"] for row in systems] == [[1, 2], [1, 2]]
    assert [row["strength"] for row in systems] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_one_segment_has_a_strength_and_no_interval():
    for row in score_comparisons([compare("left", 1)], options=FEW)["systems"]:
        assert row["strength_regularised"] is True
        assert row["strength_ci"] is None
        assert row["rank_range"] is None


def test_a_declared_direction_of_preferences():
    rows = [compare("left", n) for n in range(12)] + [compare("right", n) for n in range(20, 25)]
    (post_hoc,) = score_comparisons(rows, options=FEW)["pairs"]
    (right,) = score_comparisons(rows, options=ScoreOptions(hypothesis=("A", "B")))["pairs"]
    (wrong,) = score_comparisons(rows, options=ScoreOptions(hypothesis=("B", "A")))["pairs"]
    assert [pair["one_sided"] for pair in (post_hoc, right, wrong)] == ["post_hoc", "declared", "declared"]
    assert {pair["system_a"] for pair in (post_hoc, right, wrong)} == {"A"}
    assert right["p_sign_one_sided"] == post_hoc["p_sign_one_sided"] < 0.1
    assert wrong["p_sign_one_sided"] > 0.9
    assert wrong["p_bootstrap"] > 0.9 > right["p_bootstrap"]
    assert right["p_sign_two_sided"] == wrong["p_sign_two_sided"]


def test_documents_of_preferences_are_drawn_whole():
    rows = [compare("left" if n < 60 else "right", n)._replace(document=n // 20) for n in range(100)]
    (segments,) = score_comparisons(rows, options=ScoreOptions())["pairs"]
    (documents,) = score_comparisons(rows, options=ScoreOptions(unit="document"))["pairs"]
    assert documents["p_bootstrap"] > 3 * segments["p_bootstrap"]
    with pytest.raises(OptionsError, match="segment 7 has none"):
        score_comparisons([compare("left", 7)], options=ScoreOptions(unit="document"))


def test_preferences_are_corrected_over_pairs():
    rows = [compare("left", n) for n in range(12)] + [compare("left", n, "B", "C") for n in range(7)]
    pairs = score_comparisons(rows, options=ScoreOptions(correction="holm", preference_resamples=200))[
        "pairs"
    ]
    assert [pair["p_holm"] for pair in pairs] == pytest.approx([2 * 2 / 2**12, 2 / 2**7])


def test_rank_ranges_by_hand():
    beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    assert rank_ranges(beats) == [(1, 1), (2, 3), (2, 3)]
    draws = np.array([[3.0, 2.0, 1.0]] * 90 + [[2.0, 3.0, 1.0]] * 10)
    assert bootstrap_rank_ranges(draws, np.array([3.0, 2.0, 1.0])) == [(1, 2), (1, 2), (3, 3)]
    assert bootstrap_rank_ranges(draws[:90], np.array([1.0, 2.0, 3.0])) == [(1, 3), (2, 2), (1, 3)]
