"""Reliability of raters: hand computations, the three states, and what has no answer."""

import csv
import json
from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from annotation.stats.careless import CarelessModel, Control, Skill, usual_sd, weigh
from annotation.stats.rater_evidence import Answer, ReliabilityError, collect_evidence
from annotation.stats.reliability import (
    ReliabilityOptions,
    assess,
    assess_all,
    failed_after,
    longest_run,
    pair_test,
)
from annotation.stats.simulate import HABITS, Habit
from tests.factories.answers import answers_of

FILES = Path(__file__).resolve().parent.parent / "files"
KINDS = {"TGT": "system", "BAD": "bad_reference"}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def only(answers: list[Answer], options: ReliabilityOptions | None = None) -> dict:
    (row,) = assess_all(answers, options)
    json.dumps(row, allow_nan=False)
    return row


@pytest.mark.parametrize("test", ["t", "signed_rank"])
def test_one_pair_and_equal_pairs_decide_nothing(test: str):
    with (FILES / "sta12_qc.csv").open(encoding="utf-8", newline="") as handle:
        answers = [
            Answer(row["rater"], KINDS[row["item_type"]], row["pair"], float(row["score"]))
            for row in csv.DictReader(handle)
        ]
    rows = {row["rater"]: row for row in assess_all(answers, ReliabilityOptions(test=test))}
    json.dumps(rows, allow_nan=False)
    assert rows["q1"]["state"] == rows["q2"]["state"] == "undecided"
    assert "not enough pairs: 1" in rows["q1"]["reason"]
    assert rows["q1"]["pairs"]["p_value"] is None
    assert "does not tell good from bad" in rows["q2"]["reason"]
    assert (rows["q2"]["pairs"]["p_value"], rows["q2"]["pairs"]["n_pairs"]) == (1.0, 3)


def test_the_paired_test_is_scipys():
    d = np.array([20.0, 5.0, -3.0, 12.0, 30.0, 0.0, 8.0])
    assert pair_test(d).p_value == pytest.approx(stats.ttest_1samp(d, 0, alternative="greater").pvalue)
    expected = stats.wilcoxon(d, alternative="greater").pvalue
    assert pair_test(d, "signed_rank").p_value == pytest.approx(expected)
    assert pair_test(-d).p_value == pytest.approx(1 - pair_test(d).p_value)


def test_equal_differences_have_an_exact_p():
    assert pair_test(np.array([20.0] * 5)).p_value == 0.5**5
    assert pair_test(np.array([-20.0] * 5)).p_value == 1.0
    assert pair_test(np.array([0.1 + 0.2, 0.3, 0.3])).p_value == 0.125
    assert pair_test(np.array([])).p_value is None


def test_a_bad_reference_is_paired_with_its_own_item_only():
    answers = [
        Answer("r", "system", "a", 70),
        Answer("r", "system", "a", 90),
        Answer("r", "system", "b", 50),
        Answer("r", "bad_reference", "a", 30),
        Answer("r", "bad_reference", "c", 10),
        Answer("r", "repeat", "b", 44),
        Answer("r", "system", None, 99),
        Answer("r", "practice", "a", 0),
        Answer("s", "bad_reference", "b", 0),
    ]
    first, second = collect_evidence(answers)
    bad, good = first.differences("bad_reference")
    assert (bad.tolist(), good.tolist()) == ([30.0], [80.0])
    again, before = first.differences("repeat")
    assert (again.tolist(), before.tolist()) == ([44.0], [50.0])
    assert len(first.scores) == 7
    assert not len(second.differences("bad_reference")[0])


def test_what_is_reported_of_a_rater():
    answers = [
        Answer("r", "system", 1, 60, 10.0, 3),
        Answer("r", "system", 2, 80, 20.0, 1),
        Answer("r", "system", 3, 80, 30.0, 2),
        Answer("r", "repeat", 1, 64, None, 4),
        Answer("r", "repeat", 2, 78, 40.0, 5),
        Answer("r", "repeat", 3, 86, -5.0, 6),
        Answer("r", "reference", 2, 100, 50.0, 7),
    ]
    row = only(answers)
    assert row["n"] == 7
    assert row["repeats"]["n"] == 3
    assert row["repeats"]["mean_absolute_difference"] == pytest.approx(4.0)
    assert row["repeats"]["correlation"]["value"] == pytest.approx(
        np.corrcoef([60, 80, 80], [64, 78, 86])[0, 1]
    )
    assert row["longest_run"] == 2
    assert row["most_common"] == {"value": 80.0, "share": pytest.approx(2 / 7)}
    assert row["scale_use"]["min"] == 60.0
    assert row["scale_use"]["max"] == 100.0
    assert (
        row["scale_use"]["quartiles"]
        == np.quantile([60, 80, 80, 64, 78, 86, 100], [0.25, 0.5, 0.75]).tolist()
    )
    assert row["seconds"] == {"n": 5, "median": 30.0, "quartiles": [20.0, 40.0]}
    assert row["reference_above_systems"] == pytest.approx(100 - 220 / 3)


def test_a_rater_without_counted_answers():
    row = only([Answer("r", "practice", 1, 50)])
    assert (row["n"], row["state"], row["scale_use"], row["longest_run"]) == (0, "undecided", None, 0)
    assert "not enough pairs: 0" in row["reason"]
    assert row["seconds"]["median"] is None
    assert assess_all([]) == []


@pytest.mark.parametrize(("scores", "expected"), [([], 0), ([1], 1), ([1, 1, 2, 2, 2, 1], 3), ([1, 2, 3], 1)])
def test_longest_run(scores: list, expected: int):
    assert longest_run(np.array(scores, dtype=float)) == expected


def control(pairs=(), alone=(), repeats=(), n_usual=10**9, n_tied=0) -> Control:
    return Control(
        np.array(pairs, dtype=float).reshape(-1, 2), np.array(alone, dtype=float),
        np.array(repeats, dtype=float).reshape(-1, 2), n_usual, n_tied,
    )  # fmt: skip


NOTHING = np.array([], dtype=bool)
NO_TIMES = np.array([])


def test_the_ratio_of_bad_references_by_hand():
    model = CarelessModel(skills=(Skill(1.0, 0.5, 0.6, 1.0),), slip=1e-12)
    # unseen pair, .2 sd below the mean: at random N(0, 1), attentive N(-1, 1 + .36)
    found = weigh(control(alone=[-0.2]), NOTHING, NO_TIMES, model)
    by_hand = stats.norm.logpdf(-0.2, 0, 1) - stats.norm.logpdf(-0.2, -1, np.sqrt(1.36))
    assert found.random == pytest.approx(by_hand)
    assert found.total == pytest.approx(log(0.75 * np.exp(by_hand) + 0.25))
    pair = weigh(control(pairs=[(0.3, -0.9)]), NOTHING, NO_TIMES, model)
    attentive = stats.multivariate_normal([0, -1], [[1, 0.5], [0.5, 1.36]]).logpdf([0.3, -0.9])
    by_hand = stats.norm.logpdf(0.3) + stats.norm.logpdf(-0.9) - attentive
    assert pair.random == pytest.approx(by_hand)
    again = weigh(control(repeats=[(1.0, 0.5)]), NOTHING, NO_TIMES, model)
    attentive = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).logpdf([1.0, 0.5])
    assert again.random == pytest.approx(stats.norm.logpdf(1.0) + stats.norm.logpdf(0.5) - attentive)


def test_no_single_answer_decides():
    for drop in (-500.0, -3.0, 0.0, 3.0, 500.0):
        found = weigh(
            control(pairs=[(drop, 0)], alone=[drop], repeats=[(drop, 0)]), NOTHING, NO_TIMES, CarelessModel()
        )
        assert np.isfinite(found.total)
        assert found.random < 3 * -np.log(CarelessModel().slip) + 1


def test_times_alone_never_fail_a_rater():
    found = weigh(control(), np.zeros(99, dtype=bool), np.zeros(100), CarelessModel())
    assert found.times == CarelessModel().times_at_most
    assert found.total < ReliabilityOptions().threshold
    slow = weigh(control(), np.zeros(99, dtype=bool), np.full(100, 30.0), CarelessModel())
    assert slow.times < -20


def test_the_sd_of_few_answers_is_drawn_to_the_usual_one():
    model = CarelessModel()
    assert usual_sd(np.array([]), 100, model) == pytest.approx(25)
    assert usual_sd(np.array([50.0] * 10_000), 100, model) == pytest.approx(0, abs=1)
    assert usual_sd(rng().normal(50, 10, 10_000), 100, model) == pytest.approx(10, abs=0.3)


def test_an_attentive_rater_passes():
    row = only(answers_of(rng(), Habit(), seconds=15))
    assert row["state"] == "passed"
    assert row["pairs"]["p_value"] < 0.001
    assert row["carelessness"]["total"] < 0
    assert "lower" in row["reason"]


def test_answers_at_random_fail_and_say_so():
    row = only(answers_of(rng(3), Habit(careless=1.0), items=200))
    assert row["state"] == "failed"
    assert "answers at random" in row["reason"]
    assert row["carelessness"]["total"] >= row["carelessness"]["threshold"]
    hasty = only(answers_of(rng(3), Habit(careless=1.0), items=200, seconds=1.5))
    assert "in haste" in hasty["reason"]


def test_a_constant_rater_fails_even_without_quality_control():
    answers = answers_of(rng(), HABITS["constant"], bad=0, repeats=0)
    row = only(answers)
    assert row["state"] == "failed"
    assert "always answers the same: more than a million times likelier" in row["reason"]
    (evidence,) = collect_evidence(answers)
    after = failed_after(evidence)
    assert 10 < after < 30
    assert assess(evidence.until(after))["state"] == "failed"
    assert assess(evidence.until(after - 1))["state"] == "undecided"


def test_scores_that_are_equal_because_outputs_are_good_do_not_fail_a_rater():
    """Nine in ten items get 100, but bad references do not."""
    answers = []
    for number in range(60):
        answers.append(Answer("r", "system", number, 90.0 if number % 10 == 9 else 100.0))
        if number % 8 == 7:
            answers.append(Answer("r", "bad_reference", number, 35.0 + number % 3))
    row = only(answers)
    assert row["longest_run"] >= 5
    assert row["state"] == "passed"


def test_an_attentive_rater_is_never_said_to_fail_at_any_look():
    (evidence,) = collect_evidence(answers_of(rng(), Habit(), seconds=15))
    assert failed_after(evidence) is None


@pytest.mark.parametrize(
    "options",
    [{"test": "z"}, {"level": 0}, {"false_alarm": 1.0}, {"miss": -0.1}, {"scale": (5, 5)},
     {"false_alarm": 0.6, "miss": 0.6}],
)  # fmt: skip
def test_silly_options_are_refused(options: dict):
    with pytest.raises(ReliabilityError):
        ReliabilityOptions(**options)


def test_silly_answers_are_refused():
    with pytest.raises(ReliabilityError, match="answer 1 has the kind 'good'"):
        assess_all([Answer("r", "good", 1, 50)])
    with pytest.raises(ReliabilityError, match="nan"):
        assess_all([Answer("r", "system", 1, float("nan"))])
