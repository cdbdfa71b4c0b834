"""Records and their columnar form."""

import numpy as np
import pytest

from annotation.stats.records import Entry, Rating, RatingTable, RecordError

A, B = Entry("A"), Entry("B")


def test_names_and_rows_come_in_an_order_of_their_own():
    rows = [
        Rating("r2", (B,), 2, "t", 5.0),
        Rating("r1", (A,), 10, "t", 7.0),
        Rating("r1", (A,), 2, "t", 9.0),
        Rating("r1", (B,), 2, "s", 8.0),
    ]
    table = RatingTable.from_ratings(rows)
    assert table.raters == ("r1", "r2")
    assert table.segments == (("s", 2), ("t", 2), ("t", 10))
    assert table.entries == (A, B)
    assert table.score.tolist() == [8.0, 9.0, 7.0, 5.0]
    assert table.credit_entry.tolist() == [1, 0, 0, 1]
    again = RatingTable.from_ratings(reversed(rows))
    assert again.score.tolist() == table.score.tolist()
    assert again.credit_entry.tolist() == table.credit_entry.tolist()


def test_the_same_segment_key_in_two_test_sets_is_two_segments():
    table = RatingTable.from_ratings([Rating("r", (A,), "1", "s", 1.0), Rating("r", (A,), "1", "t", 2.0)])
    assert len(table.segments) == 2


def test_keys_of_different_types_can_be_mixed():
    keys = ["1", 1, ("d", 1), None]
    table = RatingTable.from_ratings([Rating("r", (A,), key, "t", 1.0) for key in keys])
    assert {key for _, key in table.segments} == set(keys)


def test_merged_outputs_are_one_rating_credited_to_each():
    table = RatingTable.from_ratings([Rating("r", (A, B), "1", "t", 40.0)])
    assert table.score.tolist() == [40.0]
    assert (table.credit_rating.tolist(), table.credit_entry.tolist()) == ([0, 0], [0, 1])


def test_forgetting_conditions_credits_a_system_once():
    first, second = Entry("A", "t", "src", "ref1", "direct"), Entry("A", "t", "src", "ref2", "direct")
    table = RatingTable.from_ratings([Rating("r", (first, second), "1", "t", 40.0)])
    assert len(table.credit_entry) == 2
    plain = table.by_system().canonical()
    assert plain.entries == (A,)
    assert plain.credit_rating.tolist() == [0]


def test_the_reason_of_an_exclusion_stays_with_its_rater():
    rows = [Rating("r2", (A,), "1", "t", 1.0, excluded_by="too fast"), Rating("r1", (A,), "1", "t", 2.0)]
    assert RatingTable.from_ratings(rows).excluded_by == ("", "too fast")


@pytest.mark.parametrize(
    ("rating", "message"),
    [
        (Rating("r", (A,), "1", "t", float("nan")), "finite number"),
        (Rating("r", (A,), "1", "t", float("inf")), "finite number"),
        (Rating("r", (A,), "1", "t", 1.0, "TGT"), "kind 'TGT'"),
    ],
)
def test_records_that_cannot_be_are_refused(rating: Rating, message: str):
    with pytest.raises(RecordError, match=message):
        RatingTable.from_ratings([rating])


@pytest.mark.parametrize(
    "columns",
    [
        {"rater": [0, 1]},
        {"rater": [1]},
        {"segment": [-1]},
        {"kind": [6]},
        {"credit_entry": [1]},
        {"credit_rating": [1]},
        {"credit_rating": []},
        {"excluded_by": ("", "x")},
    ],
)
def test_columns_that_contradict_each_other_are_refused(columns: dict):
    good = {
        "rater": [0],
        "segment": [0],
        "kind": [0],
        "score": [5],
        "credit_rating": [0],
        "credit_entry": [0],
        "raters": ("r",),
        "segments": (("t", "1"),),
        "entries": (A,),
    }
    assert RatingTable(**good).score.dtype == np.float64
    with pytest.raises(RecordError):
        RatingTable(**{**good, **columns})


def test_no_ratings_make_an_empty_table():
    table = RatingTable.from_ratings([])
    assert len(table.score) == len(table.raters) == len(table.entries) == 0
