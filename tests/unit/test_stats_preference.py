"""Pairwise preferences."""

import json
from itertools import product

import pytest
from scipy import stats
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from annotation.stats.options import ScoreOptions
from annotation.stats.preference import rank_systems, score_comparisons
from annotation.stats.records import Comparison, IdenticalPair, RecordError

FEW = ScoreOptions(preference_resamples=2000)


def compare(winner: str, segment: object, left: str = "A", right: str = "B", **more: str) -> Comparison:
    return Comparison("r", tuple(left.split("|")), tuple(right.split("|")), segment, "t", winner, **more)  # type: ignore[arg-type]


def counts(wins: int, losses: int, ties: int) -> list[Comparison]:
    """Build comparisons with the side of A alternating."""
    outcomes = ["A"] * wins + ["B"] * losses + ["="] * ties
    rows = []
    for n, best in enumerate(outcomes):
        left, right = "AB" if n % 2 else "BA"
        winner = "equal" if best == "=" else "left" if best == left else "right"
        rows.append(compare(winner, n, left, right))
    return rows


@pytest.mark.parametrize(
    ("shown", "one_sided", "two_sided", "bootstrap"),
    [
        ((28, 16, 63), 0.0481, 0.0961, 0.0392),
        ((50, 33, 18), 0.0392, 0.0784, 0.0335),
        ((37, 21, 42), 0.0240, 0.0479, 0.0192),
    ],
)
def test_published_counts_give_the_known_p_values(
    shown: tuple[int, int, int], one_sided: float, two_sided: float, bootstrap: float
):
    (pair,) = score_comparisons(counts(*shown))["pairs"]
    assert (pair["system_a"], pair["a_better"], pair["b_better"], pair["equal"]) == ("A", *shown)
    assert pair["p_sign_one_sided"] == pytest.approx(one_sided, abs=5e-5)
    assert pair["p_sign_two_sided"] == pytest.approx(two_sided, abs=5e-5)
    # the Monte-Carlo sd of the bootstrap p is at most 0.00044 at 200,000 resamples
    assert pair["p_bootstrap"] == pytest.approx(bootstrap, abs=0.0018)
    share, low, high = pair["shares"]["a_better"]
    assert share == pytest.approx(shown[0] / sum(shown))
    assert low < share < high


def test_the_one_preferred_more_often_comes_first_whatever_its_name():
    (pair,) = score_comparisons(counts(3, 9, 2), options=FEW)["pairs"]
    assert (pair["system_a"], pair["a_better"], pair["b_better"]) == ("B", 9, 3)
    (even,) = score_comparisons(counts(4, 4, 2), options=FEW)["pairs"]
    assert (even["system_a"], even["p_sign_two_sided"]) == ("A", 1.0)
    assert even["p_bootstrap"] > 0.4


def test_only_ties_give_p_of_one():
    (pair,) = score_comparisons(counts(0, 0, 5), options=FEW)["pairs"]
    assert {pair[key] for key in pair if key.startswith("p_")} == {1.0}
    assert pair["shares"]["equal"][0] == 1.0


def test_identical_outputs_are_counted_by_segment_and_tested_nowhere():
    same = [IdenticalPair("B", "A", n, "t") for n in (7, 8, 8)] + [IdenticalPair("A", "C", 1, "t")]
    result = score_comparisons(counts(2, 1, 1), same, FEW)
    json.dumps(result, allow_nan=False)
    shown, never = result["pairs"]
    assert (shown["identical"], shown["a_better"], shown["equal"]) == (2, 2, 1)
    assert (never["system_a"], never["system_b"], never["identical"]) == ("A", "C", 1)
    assert {never[key] for key in never if key.startswith("p_")} == {1.0}
    assert (never["n_units"], never["a_better_ci"]) == (0, None)
    assert never["shares"] == {"a_better": None, "b_better": None, "equal": None}
    last = result["systems"][-1]
    assert (last["system"], last["n"]) == ("C", 0)
    assert {value for key, value in last.items() if key not in ("system", "n")} == {None}


def test_expected_wins_are_a_mean_over_opponents():
    rows = [
        *(compare("left", n, "A", "B") for n in range(3)),
        compare("right", 3, "A", "B"),
        compare("left", 4, "C", "A"),
        compare("equal", 5, "A", "C"),
        compare("equal", 6, "B", "C"),
    ]
    by_name = {row["system"]: row for row in score_comparisons(rows, options=FEW)["systems"]}
    assert by_name["A"]["expected_wins"] == pytest.approx((3 / 4 + 0) / 2)
    assert by_name["A"]["win_rate"] == pytest.approx(3.5 / 6)
    assert by_name["A"]["n"] == 6
    assert by_name["B"]["expected_wins"] == pytest.approx(1 / 4)  # C never decided against B
    assert by_name["C"]["expected_wins"] == 1.0


def test_an_order_without_tests_is_that_of_the_scores():
    rows = [
        compare(winner, n, left, right, excluded_by="absent" if n % 7 == 0 else "")
        for n, (winner, left, right) in enumerate(
            product(["left", "right", "equal", "left"], ["A", "B|C", "D"], ["B", "C", "A|D"])
        )
    ]
    identical = [IdenticalPair("A", "B", "s", "t")]
    scored = score_comparisons(rows, identical, FEW)["systems"]
    counted = rank_systems(rows, identical)
    own = ("system", "expected_wins", "win_rate", "n")
    assert [[row[key] for key in own] for row in counted] == [[row[key] for key in own] for row in scored]
    assert len(counted) == 4 and {row["strength"] for row in counted} == {None}


def test_merged_candidates_credit_every_system_and_never_against_itself():
    result = score_comparisons([compare("left", 1, "A|B", "B|C")], options=FEW)
    tallies = {(p["system_a"], p["system_b"]): (p["a_better"], p["b_better"]) for p in result["pairs"]}
    assert tallies == {("A", "B"): (1, 0), ("A", "C"): (1, 0), ("B", "C"): (1, 0)}
    assert score_comparisons([compare("left", 1, "A", "A")], options=FEW)["pairs"] == []


def test_several_raters_of_a_segment_are_resampled_together():
    # two segments with five raters each: the bootstrap must not treat ten judgements as independent
    rows = (
        [compare("left", 1) for _ in range(5)]
        + [compare("right", 2) for _ in range(4)]
        + [compare("equal", 2)]
    )
    (pair,) = score_comparisons(rows, options=ScoreOptions(preference_resamples=20_000))["pairs"]
    # net is +5 or −4: the sum of two draws is at most 0 only when both are the second segment, 1 in 4
    assert pair["p_bootstrap"] == pytest.approx(0.25, abs=0.015)


def test_test_sets_are_strata():
    rows = [compare("left", n) for n in range(8)]
    rows += [row._replace(testset="u", winner="right") for row in rows[:7]]
    (pair,) = score_comparisons(rows, options=FEW)["pairs"]
    # each resample has eight wins from one set and seven losses from the other
    assert pair["p_bootstrap"] == 1 / 2001


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_few_segments_are_as_sure_as_a_sign_test_at_most(n: int):
    rows = [compare("left", place) for place in range(n) for _ in range(3)] + [compare("equal", n)]
    (pair,) = score_comparisons(rows, options=FEW)["pairs"]
    assert pair["p_bootstrap"] == 0.5**n


def test_position_counts_what_was_chosen_by_side():
    rows = [compare("left", n) for n in range(9)] + [compare("right", 10), compare("equal", 11)]
    position = score_comparisons(rows, options=FEW)["position"]
    assert (position["left"], position["right"], position["equal"]) == (9, 1, 1)
    assert position["p_two_sided"] == pytest.approx(0.021484, abs=1e-6)


def test_excluded_raters_count_nowhere_and_are_named():
    rows = [compare("left", 1), compare("right", 2, excluded_by="too fast")._replace(rater="s")]
    result = score_comparisons(rows, options=FEW)
    assert (result["pairs"][0]["a_better"], result["pairs"][0]["b_better"]) == (1, 0)
    assert result["position"]["right"] == 0
    assert result["raters"] == [
        {"rater": "r", "n": 1, "excluded_by": ""},
        {"rater": "s", "n": 1, "excluded_by": "too fast"},
    ]


def test_nothing_compared_gives_an_empty_result():
    result = score_comparisons([])
    assert (result["systems"], result["pairs"], result["raters"]) == ([], [], [])
    assert result["position"]["p_two_sided"] == 1.0


@pytest.mark.parametrize("row", [compare("A", 1), Comparison("r", (), ("B",), 1, "t", "left")])
def test_impossible_comparisons_are_refused(row: Comparison):
    with pytest.raises(RecordError):
        score_comparisons([row])


def test_a_preference_that_rests_on_one_segment_has_no_bootstrap_p():
    rows = [Comparison("r", ("A",), ("B",), "1", "t", "left")] * 2
    (pair,) = score_comparisons(rows)["pairs"]
    assert pair["p_bootstrap"] is None and pair["p_sign_two_sided"] == 0.5
    assert pair["hypothesis"] == "A>B"


def judged(*segments: str) -> list[Comparison]:
    """Return comparisons of A and B, a string a segment: "aab=" is twice A, once B, once neither."""
    winner = {"a": "left", "b": "right", "=": "equal"}
    return [
        Comparison(f"r{rater}", ("A",), ("B",), place, "t", winner[mark])
        for place, marks in enumerate(segments)
        for rater, mark in enumerate(marks)
    ]


def test_majorities_of_segments_are_tested_exactly():
    (pair,) = score_comparisons(judged("aab", "aaa", "bba", "a=b", "aa=", "aab", "aaa"), options=FEW)["pairs"]
    assert (pair["majority_a"], pair["majority_b"], pair["n_units"]) == (5, 1, 7)
    assert pair["p_sign_majority_two_sided"] == pytest.approx(2 * 7 / 64)
    assert pair["p_sign_majority_one_sided"] == pytest.approx(7 / 64)
    assert pair["p_sign_two_sided"] == pytest.approx(binomtest(14, 19).pvalue)


def test_majorities_follow_the_claim_and_the_system_preferred_more_often():
    segments = ("abb", "bbb", "bb=", "aab")
    (found,) = score_comparisons(judged(*segments), options=FEW)["pairs"]
    assert (found["system_a"], found["majority_a"], found["majority_b"]) == ("B", 3, 1)
    claim = ScoreOptions(resamples=50, preference_resamples=2000, hypothesis=("A", "B"))
    (against,) = score_comparisons(judged(*segments), options=claim)["pairs"]
    assert against["p_sign_majority_one_sided"] == pytest.approx(15 / 16)
    assert (against["majority_a"], against["majority_b"]) == (3, 1)
    assert against["p_bootstrap"] > 0.5 > found["p_bootstrap"]
    assert against["p_bootstrap_two_sided"] == pytest.approx(found["p_bootstrap_two_sided"], abs=0.05)


def test_one_comparison_a_segment_makes_majorities_the_sign_test():
    (pair,) = score_comparisons(counts(9, 3, 2), options=FEW)["pairs"]
    for side in ("one", "two"):
        assert pair[f"p_sign_majority_{side}_sided"] == pair[f"p_sign_{side}_sided"]
    assert pair["n_units"] == 14
    assert pair["p_bootstrap_two_sided"] == pytest.approx(2 * pair["p_bootstrap"])


def test_judgements_of_one_segment_are_worth_less_in_the_interval_of_a_share():
    alike = judged(*["aaa"] * 30, *["bbb"] * 20)
    (pair,) = score_comparisons(alike, options=FEW)["pairs"]
    share, low, high = pair["shares"]["a_better"]
    own_low, own_high = pair["a_better_ci"]
    assert share == 0.6
    assert own_low < low < share < high < own_high
    # three judgements that always agree are worth one: 150 / 3, less a little for estimating it
    quantile = stats.norm.ppf(0.975) / stats.t.ppf(0.975, 49)
    worth = 150 / (3 * 50 / 49) * quantile**2
    expected = proportion_confint(0.6 * worth, worth, method="wilson")
    assert pair["a_better_ci"] == pytest.approx(expected)
    # equal ones never came: a segment is worth one comparison, and the interval still has a width
    assert pair["equal_ci"][0] == 0.0 < pair["equal_ci"][1] < 0.1


def test_holm_corrects_the_test_of_majorities():
    options = ScoreOptions(resamples=50, preference_resamples=2000, correction="holm")
    rows = judged(*["aaa"] * 8, *["bbb"] * 2)
    others = [one._replace(right=("C",)) for one in judged(*["aaa"] * 7, "bbb")]
    pairs = score_comparisons([*rows, *others], options=options)["pairs"]
    values = [pair["p_sign_majority_two_sided"] for pair in pairs]
    assert values == [pytest.approx(0.109375), pytest.approx(0.0703125)]
    assert [pair["p_holm"] for pair in pairs] == [pytest.approx(0.140625), pytest.approx(0.140625)]
