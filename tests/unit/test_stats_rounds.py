"""Which ratings count where items were judged again, condition by condition."""

import pytest

from annotation.services.score_notes import round_note
from annotation.stats.options import ScoreOptions
from annotation.stats.records import Entry, Rating, RatingTable
from annotation.stats.rounds import numbers_again
from annotation.stats.score import score_ratings


def rating(rater, score, condition, segment="1", round_=1):
    entry = Entry("OP", "set", condition, None, "direct")
    return Rating(rater, (entry,), segment, "set", score, round=round_)


def table():
    """One segment in two conditions: X is judged again (10, 90 → 50, 54), X** is not (20, 24)."""
    return RatingTable.from_ratings(
        [
            rating("a", 10, "X"), rating("b", 90, "X"), rating("a", 50, "X", round_=2),
            rating("b", 54, "X", round_=2), rating("a", 20, "X**"), rating("b", 24, "X**"),
            rating("a", 30, "X", "2"), rating("b", 40, "X", "2"),
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("treatment", "first"),
    [
        ("replace", (50 + 54 + 20 + 24) / 4),
        ("none", (10 + 90 + 20 + 24) / 4),
        ("pool", (10 + 90 + 50 + 54 + 20 + 24) / 6),
    ],
)
def test_an_item_judged_again_says_nothing_of_another_condition(treatment, first):
    options = ScoreOptions(resamples=10, disagreement=treatment)
    (row,) = score_ratings(table(), options)["systems"]
    assert row["raw_mean"] == pytest.approx((first + 35) / 2)


def test_the_numbers_of_a_note():
    assert numbers_again(table()) == (1, 2, 0)


def test_half_an_extra_round_changes_no_score_and_is_said():
    rows = [rating(name, score, "X") for name, score in (("a", 10), ("b", 90), ("c", 20))]
    half = RatingTable.from_ratings([*rows, rating("d", 100, "X", round_=2)])
    (row,) = score_ratings(half, ScoreOptions(resamples=10))["systems"]
    assert row["raw_mean"] == pytest.approx(40)
    assert numbers_again(half) == (1, 3, 1)
    said = round_note(numbers_again(half), "replace")
    assert "1 item of them has fewer judgements" in said[1] and "first judgements count until then" in said[1]
    assert len(round_note(numbers_again(table()), "replace")) == 1
