"""Agreement: published examples, hand computations, and what has no answer."""

import json
import math

import numpy as np
import pytest

from annotation.stats.agreement import (
    comparison_agreement,
    judged_comparisons,
    judged_ratings,
    rating_agreement,
)
from annotation.stats.alpha import AgreementError, krippendorff_alpha
from annotation.stats.icc import classic_icc, variance_components
from annotation.stats.kappa import wmt_kappa
from annotation.stats.records import Comparison, Entry, Rating, RatingTable
from annotation.stats.standardise import standardise

N = math.nan
# Krippendorff (2011), example C: four observers, twelve units
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
# Shrout and Fleiss (1979), table 2: six targets, four judges
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def long(matrix: list[list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unit, rater and value of each number in a table [raters, units]."""
    table = np.array(matrix, dtype=float)
    rater, unit = np.nonzero(~np.isnan(table))
    return unit, rater, table[rater, unit]


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example(level: str, value: float):
    unit, _, scores = long(OBSERVERS)
    alpha = krippendorff_alpha(unit, scores, level, rng=rng())
    assert alpha.value == pytest.approx(value, abs=0.0006)
    assert alpha.n == 11  # the twelfth unit has one value
    assert alpha.low < alpha.value < alpha.high <= 1


def test_alpha_says_why_there_is_none():
    assert krippendorff_alpha([], []).value is None
    alone = krippendorff_alpha([1, 2, 3], [5.0, 6.0, 7.0], rng=rng())
    assert (alone.value, alone.n) == (None, 0)
    assert "two raters" in alone.caveat
    equal = krippendorff_alpha([1, 1, 2, 2], [5.0] * 4, rng=rng())
    assert (equal.value, equal.n) == (None, 2)
    assert "equal" in equal.caveat
    one_unit = krippendorff_alpha([1, 1], [5.0, 6.0], rng=rng())
    assert one_unit.value == pytest.approx(0.0)
    assert one_unit.as_dict()["ci"] is None
    assert "one unit" in one_unit.caveat


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_resamples_without_any_variation_are_left_out(level: str):
    alpha = krippendorff_alpha([1, 1, 2, 2, 3, 3], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0], level, rng=rng())
    assert alpha.value == 1.0
    assert (alpha.low, alpha.high) == (1.0, 1.0)
    assert "left out" in alpha.caveat


@pytest.mark.parametrize(
    ("unit", "value", "level"), [([1], [1.0, 2.0], "interval"), ([1], [N], "interval"), ([1], [1.0], "ratio")]
)
def test_alpha_refuses_what_it_cannot_read(unit: list, value: list, level: str):
    with pytest.raises(AgreementError):
        krippendorff_alpha(unit, value, level)


def test_the_bootstrap_of_alpha_is_that_of_whole_units():
    generator = rng()
    unit = np.repeat(np.arange(40), 3)
    value = generator.normal(size=40)[unit] + generator.normal(size=120)
    alpha = krippendorff_alpha(unit, value, rng=rng(), resamples=2000)
    by_hand = []
    draw = np.random.default_rng(99)
    for _ in range(2000):
        chosen = draw.integers(0, 40, 40)
        by_hand.append(
            krippendorff_alpha(unit, value[np.repeat(chosen, 3) * 3 + np.tile([0, 1, 2], 40)]).value
        )
    assert (alpha.low, alpha.high) == pytest.approx(np.quantile(by_hand, [0.025, 0.975]), abs=0.03)


def test_shrout_and_fleiss():
    icc = classic_icc(TARGETS)
    assert icc.single.value == pytest.approx(0.29, abs=0.005)
    assert icc.average.value == pytest.approx(0.62, abs=0.005)
    # McGraw and Wong's interval as R's psych prints it: .019 to .76 and .07 to .93
    assert (icc.single.low, icc.single.high) == pytest.approx((0.019, 0.761), abs=0.001)
    assert (icc.average.low, icc.average.high) == pytest.approx((0.071, 0.927), abs=0.001)


def test_variance_components_of_a_complete_table_are_the_classic_ones():
    unit, rater, value = long(np.array(TARGETS).T.tolist())
    found = variance_components(unit, rater, value)
    assert found.single == pytest.approx(classic_icc(TARGETS).single.value, abs=1e-10)
    assert found.average == pytest.approx(classic_icc(TARGETS).average.value, abs=1e-10)
    assert (found.k, found.n_units, found.n_raters) == (pytest.approx(4), 6, 4)


def test_a_negative_component_is_zero_and_said():
    # the units' means are equal, so the estimate of their variance is below 0
    found = variance_components([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [1, 3, 3, 1, 2, 2])
    assert (found.unit, found.single, found.average) == (0.0, 0.0, 0.0)
    assert "units was estimated below 0" in found.caveat


@pytest.mark.parametrize(
    ("unit", "rater", "value", "reason"),
    [
        ([], [], [], "no judgements"),
        ([0, 1, 2], [0, 0, 0], [1, 2, 3], "one rater only"),
        ([0, 1, 2], [0, 1, 2], [1, 2, 3], "too few"),
        ([0, 0, 1, 1, 2, 2], [0, 1] * 3, [4] * 6, "all judgements are equal"),
    ],
)
def test_components_say_why_there_are_none(unit: list, rater: list, value: list, reason: str):
    found = variance_components(unit, rater, value)
    assert (found.single, found.unit, found.residual) == (None, None, None)
    assert reason in found.caveat


@pytest.mark.parametrize("table", [[[1, 2]], [[1], [2]], [[3, 3], [3, 3]]])
def test_classic_icc_says_why_there_is_none(table: list):
    icc = classic_icc(table)
    assert icc.single.value is None
    assert icc.single.caveat


def test_raters_who_differ_by_a_constant_have_no_interval():
    icc = classic_icc([[1, 2], [2, 3], [5, 6]])
    assert 0.8 < icc.single.value < 1
    assert icc.single.low is None
    assert "no interval" in icc.single.caveat


def choice(rater: str, left: str, right: str, winner: str, segment: int = 1) -> Comparison:
    return Comparison(rater, (left,), (right,), segment, "t", winner)  # type: ignore[arg-type]


LABELS = [
    choice("r1", "A", "B", "left"),
    choice("r2", "A", "B", "left"),
    choice("r2", "A", "B", "equal"),
    choice("r3", "B", "A", "right"),
    choice("r3", "A", "B", "left", segment=2),
]


def test_kappa_by_hand():
    # same order: (r1, r2), (r1, r2), (r2, r2); one pair agrees; 1 tie of 5 labels
    same = wmt_kappa(LABELS)
    assert (same.agree, same.comparable, same.ties, same.labels) == (1, 3, 1, 5)
    assert same.p_expected == pytest.approx(0.2**2 + 2 * 0.4**2)
    assert same.value == pytest.approx((1 / 3 - 0.36) / 0.64)
    # either order: r3's label turned round agrees with two of the three
    either = wmt_kappa(LABELS, order="either")
    assert (either.agree, either.comparable) == (3, 6)
    within = wmt_kappa(LABELS, order="either", pairs="within")
    between = wmt_kappa(LABELS, order="either", pairs="between")
    assert (within.agree, within.comparable) == (0, 1)
    assert (between.agree, between.comparable) == (3, 5)


def test_kappa_says_why_there_is_none():
    assert wmt_kappa([]).caveat == "no comparisons"
    assert "comparable" in wmt_kappa(LABELS[:1], rng=rng()).caveat
    tied = wmt_kappa([choice("r1", "A", "B", "equal"), choice("r2", "A", "B", "equal")], rng=rng())
    assert (tied.value, tied.p_agree) == (None, 1.0)
    assert "tie" in tied.caveat


def test_kappa_refuses_unknown_choices():
    with pytest.raises(AgreementError):
        wmt_kappa(LABELS, order="any")
    with pytest.raises(AgreementError):
        wmt_kappa([choice("r1", "A", "B", "both")])


def rating(rater: str, systems: str, segment: int, score: float, kind: str = "system") -> Rating:
    return Rating(rater, tuple(map(Entry, systems)), segment, "t", score, kind)


def test_repeats_are_averaged_and_merged_outputs_are_one_item():
    rows = [
        rating("r1", "A", 1, 40),
        rating("r1", "A", 1, 60, "repeat"),
        rating("r2", "A", 1, 80),
        rating("r1", "AB", 2, 10),
        rating("r2", "AB", 2, 20),
        rating("r2", "B", 1, 30),
        rating("r2", "B", 1, 0, "bad_reference"),
    ]
    table = RatingTable.from_ratings(rows)
    judged = judged_ratings(table, table.score)
    values: dict[int, list[float]] = {}
    for unit, value in zip(judged.unit.tolist(), judged.value.tolist(), strict=True):
        values.setdefault(unit, []).append(value)
    assert sorted(map(sorted, values.values())) == [[10, 20], [30], [50, 80]]
    without = [row._replace(excluded_by="left" if row.rater == "r2" else "") for row in rows]
    assert (
        len(judged_ratings(RatingTable.from_ratings(without), np.array([r.score for r in rows])).value) == 2
    )


def test_the_report_of_a_crossed_campaign():
    generator = np.random.default_rng(3)
    rows = [
        rating(f"r{r}", "A", s, float(np.clip(50 + quality + 5 * r + noise, 0, 100)))
        for s, quality in enumerate(generator.normal(0, 15, 60))
        for r, noise in enumerate(generator.normal(0, 8, 3))
    ]
    table = RatingTable.from_ratings(rows)
    report = rating_agreement(table, standardise(table).z, rng(), resamples=200)
    json.dumps(report, allow_nan=False)
    assert (report["n_items"], report["n_items_of_several"], report["n_raters"]) == (60, 60, 3)
    for part in ("raw", "z"):
        low, high = report[part]["alpha"]["ci"]
        assert low <= report[part]["alpha"]["value"] <= high
        assert report[part]["icc_2_k"]["value"] > report[part]["icc_2_1"]["value"]
    raw, standard = report["raw"], report["z"]
    assert raw["components"]["single"] == pytest.approx(raw["icc_2_1"]["value"], abs=1e-9)
    # every rater's z have the mean 0, so nothing is left between raters
    assert standard["components"]["rater"] == 0
    assert "raters was estimated below 0" in standard["components"]["caveat"]
    assert standard["alpha"]["value"] > raw["alpha"]["value"]


def test_the_report_of_one_rater_has_no_numbers_but_reasons():
    table = RatingTable.from_ratings([rating("r1", "A", s, 50.0 + s) for s in range(3)])
    report = rating_agreement(table, standardise(table).z, rng(), resamples=20)
    json.dumps(report, allow_nan=False)
    assert report["raw"]["alpha"]["value"] is None
    assert report["raw"]["components"]["caveat"] == "one rater only"


def test_the_report_of_no_ratings_at_all():
    table = RatingTable.from_ratings([])
    report = rating_agreement(table, standardise(table).z, rng(), resamples=20)
    json.dumps(report, allow_nan=False)
    assert report["n_values"] == 0


def test_preferences_are_turned_to_name_order_and_first_judgements_count():
    judged = judged_comparisons(LABELS)
    assert judged.value.tolist() == [1.0, 1.0, 1.0, 1.0]
    report = comparison_agreement([*LABELS, choice("r1", "A", "B", "right", 2)], rng(), resamples=50)
    json.dumps(report, allow_nan=False)
    assert report["alpha_nominal"]["n"] == report["alpha_ordinal"]["n"] == 2
    assert report["kappa_wmt"]["comparable"] == 4
    assert report["kappa"]["all"]["comparable"] == 7
    assert report["kappa"]["between"]["comparable"] + report["kappa"]["within"]["comparable"] == 7


@pytest.mark.parametrize("seed", range(12))
def test_raters_with_the_same_mean_differ_in_nothing(seed: int):
    scores = np.random.default_rng(seed).integers(0, 101, (3, 3)).astype(float)
    z = (scores - scores.mean(axis=1, keepdims=True)) / scores.std(axis=1, ddof=1, keepdims=True)
    unit, rater, value = long(z.tolist())
    found = variance_components(unit, rater, value)
    by_unit, error = z.mean(axis=0), z - z.mean(axis=0)
    between = 3 * float((by_unit**2).sum()) / 2
    residual = float((error**2).sum()) / 4
    assert found.rater == 0.0
    assert found.residual == pytest.approx(residual, rel=1e-9)
    assert found.unit == pytest.approx(max(0.0, (between - residual) / 3), rel=1e-9)


def test_one_unit_has_no_components_and_says_why():
    found = variance_components([1, 1, 1], [1, 2, 3], [60.0, 70.0, 90.0])
    assert found.single is None and "too few units" in found.caveat


def test_raters_without_a_z_are_not_said_to_have_judged_nothing():
    rows = [rating(f"r{r}", "A", s, 50.0) for s in range(3) for r in range(2)]
    table = RatingTable.from_ratings(rows)
    report = rating_agreement(table, standardise(table).z, rng(), resamples=20)
    for measure in ("alpha", "components"):
        assert report["z"][measure]["caveat"] == "no rating has a z"
        assert report["raw"][measure]["caveat"].startswith("all judgements are equal")


def test_ratings_that_are_out_of_the_averages_do_not_count_for_agreement():
    rows = [rating(f"r{r}", "A", s, 10.0 * s + r) for s in range(3) for r in range(2)]
    left = [row._replace(in_averages=row.segment > 0) for row in rows]
    table = RatingTable.from_ratings(left)
    assert len(judged_ratings(table, table.score).value) == 4
