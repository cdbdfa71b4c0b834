"""Which items are judged again, and which of their ratings count then."""

import numpy as np
import pytest

from annotation.stats.disagreement import DisagreementError, counted_rounds, judge_again
from annotation.stats.options import ScoreOptions
from annotation.stats.records import Entry, Rating, RatingTable, RecordError
from annotation.stats.score import score_ratings


def again(*triples: tuple[float, ...], reading: str = "range", points: float = 30.0) -> list[bool]:
    item = [place for place, triple in enumerate(triples) for _ in triple]
    score = [value for triple in triples for value in triple]
    return judge_again(np.array(item), np.array(score), len(triples), reading, points).tolist()


def test_a_range_of_thirty_is_still_agreement():
    assert again((40, 55, 70), (40, 55, 71), (80, 10, 80), (5, 5, 5)) == [False, True, True, False]
    assert again((40.2, 70.2), (99.0,), points=30.0) == [False, False]
    assert again((1.0, 1.4, 1.5), points=0.4) == [True]


def test_pairwise_needs_both_neighbours_apart():
    triples = ((0, 31, 62), (0, 30, 61), (0, 31, 61), (62, 0, 31), (10, 90, 90))
    assert again(*triples, reading="pairwise") == [True, False, False, True, False]
    assert again(*triples) == [True] * 5


def test_pairwise_is_defined_for_three_only():
    with pytest.raises(DisagreementError, match="pairwise needs three ratings of each item; item 1 has 2"):
        again((1, 2, 3), (1, 2), reading="pairwise")
    with pytest.raises(DisagreementError, match="unknown reading 'sd', expected one of range, pairwise"):
        again((1, 2, 3), reading="sd")


def test_items_without_ratings_are_not_judged_again():
    assert judge_again(np.array([2]), np.array([5.0]), 4).tolist() == [False] * 4
    assert judge_again(np.array([], dtype=int), np.array([]), 2).tolist() == [False, False]


def test_rounds_that_count():
    cell, rounds = np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 2, 2, 1, 1])
    rater = np.array([0, 1, 0, 2, 0, 1])
    expected = [False, False, True, True, True, True]
    assert counted_rounds(cell, rounds, rater, "replace").tolist() == expected
    assert counted_rounds(cell, rounds, rater, "pool").all()
    assert counted_rounds(cell, rounds, rater, "none").tolist() == [True, True, False, False, True, True]
    with pytest.raises(DisagreementError, match="unknown handling of disagreement 'mean'"):
        counted_rounds(cell, rounds, rater, "mean")


@pytest.mark.parametrize(
    ("first", "second", "replaced"),
    [((0, 1, 2), (3,), False), ((0, 1, 2), (3, 4), False), ((0, 1, 2), (3, 4, 5), True),
     ((0, 1, 2), (0, 1, 1), False),  # one rater twice
     ((0, 0, 1, 1), (3, 4), True),  # repeats stay with the first round
     ((0, 1), (3, 4), True), ((), (3,), True)],
)  # fmt: skip
def test_an_extra_round_replaces_the_first_only_once_as_many_raters_judged_in_it(first, second, replaced):
    rater = np.array([*first, *second])
    rounds = np.array([1] * len(first) + [2] * len(second))
    counted = counted_rounds(np.zeros(len(rater), dtype=int), rounds, rater)
    assert counted.tolist() == ((rounds == 2) == replaced).tolist()


def rounds_of_a_campaign() -> list[Rating]:
    first = {"r1": (20.0, 60.0), "r2": (90.0, 62.0), "r3": (50.0, 70.0)}
    rows = [
        Rating(rater, (Entry("A"),), segment, "t", score)
        for rater, scores in first.items()
        for segment, score in enumerate(scores)
    ]
    second = {"r4": (70.0, 30.0), "r5": (80.0, 10.0), "r6": (75.0, 99.0)}
    for rater, (score, elsewhere) in second.items():
        rows.append(Rating(rater, (Entry("A"),), 0, "t", score, round=2))
        rows.append(Rating(rater, (Entry("B"),), 1, "t", elsewhere))
    return rows


@pytest.mark.parametrize(
    ("treatment", "first_segment", "n"),
    [("replace", 75.0, 6), ("pool", 385 / 6, 9), ("none", 160 / 3, 6)],
)
def test_the_new_round_replaces_joins_or_is_ignored(treatment: str, first_segment: float, n: int):
    table = RatingTable.from_ratings(rounds_of_a_campaign())
    result = score_ratings(table, ScoreOptions(disagreement=treatment))
    row = next(row for row in result["systems"] if row["system"] == "A")
    assert row["raw_mean"] == pytest.approx((first_segment + 64.0) / 2)
    assert (row["n_judgements"], row["n_segments"]) == (n, 2)
    # old and new ratings alike stay in their raters' means
    assert [rater["n"] for rater in result["raters"]] == [2] * 6
    assert result["raters"][0]["mean"] == 40.0


def test_without_an_extra_round_the_treatment_changes_nothing():
    rows = [row._replace(round=1) for row in rounds_of_a_campaign()]
    results = [
        score_ratings(RatingTable.from_ratings(rows), ScoreOptions(disagreement=treatment))
        for treatment in ("replace", "pool", "none")
    ]
    assert results[0] == results[1] == results[2]


def test_a_round_is_a_number_from_one():
    with pytest.raises(RecordError, match="the round 0, expected 1 or more"):
        RatingTable.from_ratings([rounds_of_a_campaign()[0]._replace(round=0)])
