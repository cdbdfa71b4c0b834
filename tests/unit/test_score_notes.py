"""What notes say of scores that rest on little."""

from annotation.services.score_notes import notes
from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.records import Comparison, Entry, Rating, RatingTable
from annotation.stats.score import score_ratings

FEW = ScoreOptions(resamples=50, preference_resamples=2000)


def preferred(*pairs: tuple[str, str], n: int = 8) -> dict:
    """Score preferences of the first over the second of each pair, on n segments."""
    rows = [Comparison("r", (a,), (b,), place, "t", "left") for a, b in pairs for place in range(n)]
    return score_comparisons(rows, options=FEW)


def rated(n: int) -> dict:
    """Score two systems of which the first is always better, on n segments."""
    rows = [
        Rating(rater, (Entry(name),), place, "t", score + place)
        for rater in "uv"
        for place in range(n)
        for name, score in (("A", 80.0), ("B", 40.0))
    ]
    return score_ratings(RatingTable.from_ratings(rows))


def test_groups_that_were_never_compared_are_named():
    (note,) = notes(preferred(("C", "D"), ("A", "B"), n=20), 0, 0)
    assert note == (
        "A, B and C, D were never compared with each other, directly or through others: their order in one "
        "list means nothing."
    )
    assert notes(preferred(("A", "B"), ("C", "D"), ("D", "B"), n=20), 0, 0) == []


def test_groups_are_named_within_their_condition():
    scores = preferred(("A", "B"), ("C", "D"), n=20)
    for place, row in enumerate(scores["pairs"]):
        row |= {"testset": "news", "input": "x", "reference": None, "direction": str(place)}
    assert notes(scores, 0, 0) == []
    for row in scores["pairs"]:
        row["direction"] = "forward"
    (note,) = notes(scores, 0, 0)
    assert "A, B and C, D were never compared with each other (news, x, forward)" in note


def test_a_bounded_p_is_told():
    (note,) = notes(rated(2), 0, 0)
    assert note.startswith("Few segments tell 1 pair of systems apart. A bootstrap p is never below")
    assert notes(rated(30), 0, 0) == []
    (note,) = notes(preferred(("A", "B"), n=3), 0, 0)
    assert "Few segments tell 1 pair" in note


def test_two_segments_are_never_significant():
    (pair,) = rated(2)["pairs"]
    assert (pair["p_bootstrap_one_sided"], pair["p_bootstrap_two_sided"]) == (0.25, 0.5)


def test_several_comparisons_of_a_segment_are_told():
    rows = [Comparison(name, ("A",), ("B",), place, "t", "left") for place in range(20) for name in "uv"]
    scores = score_comparisons(rows, options=FEW)
    (note,) = notes(scores, 0, 0)
    assert note.startswith("1 pair of systems has several comparisons of one segment.")
    assert "the bootstrap, the sign test of majorities" in note
    (note,) = notes(scores, 0, 0, "document")
    assert "several comparisons of one document" in note
