"""Correlation: published values, known pitfalls, and what has no answer."""

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest

from annotation.stats.correlation import (
    ESTIMATES,
    CorrelationError,
    bootstrap_correlation,
    correlations,
    kendall,
    pearson,
    spearman,
    williams_test,
)
from annotation.stats.metric_agreement import (
    EntryScore,
    compare_source_and_reference,
    metric_correlation,
    segment_correlation,
    system_correlation,
)
from annotation.stats.pair_accuracy import (
    accuracy_with_ties,
    kendall_like,
    pairwise_accuracy,
    pairwise_p_values,
    soft_pairwise_accuracy,
)
from annotation.stats.records import Entry

FILES = Path(__file__).resolve().parent.parent / "files"
ALL = (pearson, spearman, kendall)


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def read(name: str) -> list[dict[str, str]]:
    with (FILES / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def columns(rows: list[dict[str, str]]) -> tuple[list[float], list[float]]:
    return [float(row["metric"]) for row in rows], [float(row["human"]) for row in rows]


@pytest.mark.parametrize("correlate", ALL)
def test_ties_and_the_order_of_rows(correlate):
    rows = read("sta07_corr.csv")
    first = correlate(*columns(rows))
    assert first.value == pytest.approx(0.25, abs=1e-12)
    assert first.low < 0.25 < first.high
    for seed in range(20):
        random.Random(seed).shuffle(rows)
        assert correlate(*columns(rows)) == first


@pytest.mark.parametrize("correlate", ALL)
def test_undefined_correlations_say_why(correlate):
    constant = correlate(*columns(read("sta07_const.csv")))
    assert (constant.value, constant.n) == (None, 3)
    assert "first series is constant" in constant.caveat
    assert correlate([], []).caveat == "no points"
    assert correlate([1.0], [2.0]).caveat == "one point only"
    both = correlate([1.0, 1.0], [2.0, 2.0])
    assert "first and the second series are constant" in both.caveat
    two = correlate([1.0, 2.0], [5.0, 3.0])
    assert (two.value, two.n, two.low) == (-1.0, 2, None)
    assert two.caveat == "two points always correlate perfectly"
    assert correlate([1.0, 2.0, 4.0], [1.0, 3.0, 2.0]).low is None
    assert "perfect" in correlate([1.0, 2.0, 4.0, 5.0], [1.0, 2.0, 4.0, 5.0]).caveat
    json.dumps(correlations([1.0, 1.0], [0.0, 2.0]), allow_nan=False)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_correlation_has_no_interval(name: str, sign: int):
    for n in range(3, 40):
        x = np.random.default_rng(n).normal(size=n)
        for found in (
            ESTIMATES[name](x, sign * 0.1 * x),
            bootstrap_correlation(x, sign * 0.1 * x, name, np.random.default_rng(1), resamples=20),
        ):
            assert (found.value, found.low, found.high) == (sign, None, None)
            assert "perfect" in found.caveat


def test_almost_constant_decimals_are_constant():
    x = [0.1 + 0.2, 0.3, 0.15 + 0.15, 0.3]
    assert pearson(x, [1.0, 2.0, 3.0, 4.0]).value is None


@pytest.mark.parametrize("values", [([1.0], [1.0, 2.0]), ([1.0, np.nan], [1.0, 2.0]), ([[1.0]], [[1.0]])])
def test_series_that_do_not_fit_are_refused(values: tuple):
    with pytest.raises(CorrelationError):
        pearson(*values)


def test_only_eight_points_give_the_published_interval():
    """The first paper: r = .90, 95 % interval .55 to .98, n unsaid."""
    fitting = set()
    for n in range(4, 40):
        for r in np.linspace(0.8951, 0.9049, 99):
            x = np.zeros(n)
            x[:2] = 1, -1
            y = r * x
            y[2:4] = np.sqrt(1 - r**2) * np.array([1, -1])
            found = pearson(x, y)
            assert found.value == pytest.approx(r)
            if (round(found.low, 2), round(found.high, 2)) == (0.55, 0.98):
                fitting.add(n)
    assert fitting == {8}


def test_bootstrap_intervals():
    generator = rng()
    x = generator.normal(size=60)
    y = x + generator.normal(size=60)
    for name, correlate in zip(("pearson", "spearman", "kendall"), ALL, strict=True):
        found, analytic = bootstrap_correlation(x, y, name, rng(), 500), correlate(x, y)
        assert found.value == analytic.value
        assert found.low < found.value < found.high
        assert found.low == pytest.approx(analytic.low, abs=0.1)
    assert bootstrap_correlation([1, 1], [1, 2], "kendall", rng()).value is None
    few = bootstrap_correlation([0, 0, 0, 1], [0, 1, 2, 3], "pearson", rng(), 200)
    assert "constant resamples left out" in few.caveat
    with pytest.raises(CorrelationError):
        bootstrap_correlation(x, y, "cosine", rng())


def test_williams_by_hand():
    # r12 = .8, r13 = .6, r23 = .7, n = 20: K = 1 − .64 − .36 − .49 + .672 = .182
    r = np.array([[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]])
    base = np.linalg.qr(np.column_stack([np.ones(20), rng().normal(size=(20, 3))]))[0][:, 1:]
    human, first, second = (base @ np.linalg.cholesky(r).T).T
    found = williams_test(human, first, second)
    assert (found.r_first, found.r_second, found.r_metrics) == pytest.approx((0.8, 0.6, 0.7))
    t = 0.2 * np.sqrt(19 * 1.7 / (2 * 0.182 * 19 / 17 + 0.49 * 0.3**3))
    assert found.t == pytest.approx(t)
    assert found.df == 17
    assert found.p_two_sided == pytest.approx(2 * found.p_greater)
    turned = williams_test(human, second, first)
    assert turned.t == pytest.approx(-found.t)
    assert turned.p_greater == pytest.approx(1 - found.p_greater)
    assert turned.p_two_sided == pytest.approx(found.p_two_sided)


def test_williams_without_an_answer():
    human = [1.0, 2.0, 3.0, 5.0]
    same = williams_test(human, [1.0, 3.0, 2.0, 4.0], [2.0, 6.0, 4.0, 8.0])
    assert (same.t, same.p_greater, same.p_two_sided) == (0.0, 0.5, 1.0)
    assert "scale only" in same.caveat
    assert "constant" in williams_test(human, [1.0] * 4, human).caveat
    assert "4 points" in williams_test(human[:3], [1.0, 3.0, 2.0], [3.0, 1.0, 2.0]).caveat
    exact = williams_test([1.0, -1, 0, 0], [1.0, -1, 0, 0], [-1.0, 1, 0, 0])
    assert exact.t is None or np.isfinite(exact.t)
    for found in (same, exact):
        json.dumps(found.as_dict(), allow_nan=False)


def test_a_metric_is_averaged_over_the_segments_people_judged():
    human: dict[str, dict] = {}
    for row in read("sta08_human.csv"):
        human.setdefault(row["system"], {})[row["segment_id"]] = float(row["score"])
    metric: dict[str, dict] = {}
    for row in read("sta08_metric.csv"):
        metric.setdefault(row["system"], {})[row["segment_id"]] = float(row["metric"])
    common = metric_correlation(human, metric)
    rows = {row["system"]: row for row in common["systems"]}
    assert (rows["A"]["human"], rows["B"]["human"]) == (85.0, 55.0)
    assert (rows["A"]["metric"], rows["B"]["metric"]) == pytest.approx((0.9, 0.6))
    assert [row["n_metric_segments"] for row in common["systems"]] == [2, 2]
    assert (common["segments"], common["pearson"]["value"]) == ("common", 1.0)
    assert common["pairwise_accuracy"]["value"] == 1.0
    assert "two points" in common["pearson"]["caveat"]
    everything = metric_correlation(human, metric, segments="all")
    rows = {row["system"]: row for row in everything["systems"]}
    assert (rows["A"]["metric"], rows["B"]["metric"]) == pytest.approx((0.5, 0.6))
    assert [row["n_metric_segments"] for row in everything["systems"]] == [4, 4]
    assert (everything["segments"], everything["pearson"]["value"]) == ("all", -1.0)
    with pytest.raises(CorrelationError):
        metric_correlation(human, metric, segments="some")


def test_systems_of_one_side_are_named():
    found = metric_correlation({"A": {1: 50.0}, "B": {2: 60.0}, "C": {}}, {"A": {1: 0.5}, "B": {1: 0.4}})
    assert (found["n"], found["left_out"]) == (1, ["B", "C"])
    assert found["pearson"]["caveat"] == "one point only"
    json.dumps(found, allow_nan=False)
    assert system_correlation({"A": 1.0}, {"B": 1.0})["left_out"] == ["A", "B"]


def test_pairwise_accuracy_by_hand():
    # pairs: AB and AC alike, BC turned round; D ties with C for people only
    assert pairwise_accuracy([3, 2, 1], [30, 10, 20]).value == pytest.approx(2 / 3)
    assert pairwise_accuracy([3, 2, 1, 1], [30, 10, 20, 5]).value == pytest.approx(4 / 6)
    assert pairwise_accuracy([1, 1], [2, 2]).value == 1.0
    grouped = pairwise_accuracy([1, 2, 9, 8], [1, 2, 5, 6], ["de", "de", "ru", "ru"])
    assert (grouped.value, grouped.n) == (0.5, 2)
    assert pairwise_accuracy([1], [2]).caveat == "fewer than two systems"
    with pytest.raises(CorrelationError):
        pairwise_accuracy([1, np.nan], [1, 2])
    with pytest.raises(CorrelationError):
        pairwise_accuracy([1, 2], [1, 2], ["de"])


def test_soft_pairwise_accuracy_by_hand():
    human = [[0.5, 0.01, 0.2], [0.99, 0.5, 0.6], [0.8, 0.4, 0.5]]
    metric = [[0.5, 0.11, 0.1], [0.89, 0.5, np.nan], [0.9, np.nan, 0.5]]
    found = soft_pairwise_accuracy(human, metric)
    assert (found.value, found.n) == (pytest.approx(1 - (0.1 + 0.1) / 2), 2)
    assert "1 pairs without" in found.caveat
    assert soft_pairwise_accuracy(human, human).value == 1.0
    assert soft_pairwise_accuracy([[0.5]], [[0.5]]).value is None
    with pytest.raises(CorrelationError):
        soft_pairwise_accuracy([[0.5, 2], [0, 0.5]], [[0.5, 0], [0, 0.5]])


def test_p_values_of_pairs():
    generator = rng()
    base = generator.normal(size=200)
    gap = np.full(200, np.nan)
    gap[0] = 1.0
    other = np.where(np.isnan(gap), 5.0, np.nan)
    scores = np.vstack([base + 1 + generator.normal(size=200), base, base, gap, other])
    p = pairwise_p_values(scores, rng(), 500)
    assert p[0, 1] == p[0, 2] < 0.01
    assert p[1, 2] == p[2, 1] == 0.5
    assert np.isnan(p[3, 4])
    both = ~np.isnan(p)
    assert (p + p.T)[both] == pytest.approx(1.0)
    assert both.sum() == 25 - 2


def test_kendall_like_by_hand():
    human = [[80, 50, 60], [50, 45, np.nan], [20, 50, 10]]
    metric = [[0.9, 0.3, 0.5], [0.5, 0.2, 0.5], [0.5, 0.1, 0.6]]
    found = kendall_like(human, metric, threshold=30)
    # segment 1: AB and AC agree, BC is a metric tie; segment 2: none differ enough; segment 3: AC disagrees
    assert (found.concordant, found.discordant, found.metric_ties) == (2, 2, 1)
    assert found.value == 0.0
    # without a threshold segment 2 adds AB, which agrees, and BC, which does not; AC is a human tie
    everything = kendall_like(human, metric, threshold=0)
    assert (everything.concordant, everything.discordant) == (3, 3)
    assert "differs by 90" in kendall_like(human, metric, threshold=90).caveat
    with pytest.raises(CorrelationError):
        kendall_like(human, metric, threshold=-1)


def test_accuracy_with_ties_by_hand():
    human = [[3.0, 1.0], [3.0, 2.0], [1.0, np.nan]]
    metric = [[0.80, 0.3], [0.75, 0.5], [0.20, 0.4]]
    # segment 1: AB is a human tie, AC and BC agree; segment 2: AB agrees
    found = accuracy_with_ties(human, metric)
    assert (found.value, found.value_without_ties) == pytest.approx((1.0, (2 / 3 + 1) / 2))
    assert found.epsilon == pytest.approx(0.05)
    assert (found.n_pairs, found.n_segments) == (4, 2)
    assert accuracy_with_ties(human, metric, epsilon=0.04).value == pytest.approx((2 / 3 + 1) / 2)
    assert accuracy_with_ties(human, metric, epsilon=0.05).value == pytest.approx(1.0)
    assert accuracy_with_ties(human, metric, epsilon=9).value == pytest.approx((1 / 3 + 0) / 2)
    assert accuracy_with_ties([[1.0, np.nan]], [[1.0, 2.0]]).caveat
    with pytest.raises(CorrelationError):
        accuracy_with_ties(human, metric, epsilon=-1)


def test_segment_correlations_average_as_asked():
    human = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 1.0, 3.0, np.nan]])
    metric = np.array([[1.0, 2.0, 4.0, 5.0], [3.0, 1.0, 2.0, 9.0]])
    together = segment_correlation(human, metric)
    assert together.n == 7
    assert together.value == pytest.approx(np.corrcoef(human.ravel()[:7], metric.ravel()[:7])[0, 1])
    by_system = segment_correlation(human, metric, "pearson", "system")
    rows = [np.corrcoef(human[0], metric[0])[0, 1], np.corrcoef(human[1, :3], metric[1, :3])[0, 1]]
    assert by_system.value == pytest.approx(np.mean(rows))
    by_item = segment_correlation(human, metric, "kendall", "item")
    # segment 3 is a tie of the human scores, segment 4 has one system
    assert (by_item.value, by_item.n_groups, by_item.n_undefined) == (1.0, 2, 2)
    nothing = segment_correlation([[1.0, 1.0]], [[1.0, 2.0]], average="item")
    assert nothing.value is None
    assert nothing.caveat
    with pytest.raises(CorrelationError):
        segment_correlation(human, metric, average="document")


def entry(system: str, input_: str, reference: str | None = None) -> Entry:
    return Entry(system, "t", input_, reference, "direct")


def test_a_source_based_score_held_against_two_references_is_one_output():
    source = [
        EntryScore(entry("OP", "X"), -0.2),
        EntryScore(entry("BT", "X"), 0.1),
        EntryScore(entry("OP", "X**"), 0.0),
        EntryScore(entry("BT", "X**"), 0.4),
        EntryScore(entry("BT", "X*"), 0.4),
    ]
    reference = [
        EntryScore(entry("OP", "X", "Y*"), -0.3),
        EntryScore(entry("BT", "X", "Y*"), 0.0),
        EntryScore(entry("OP", "X", "Y**"), -0.1),
        EntryScore(entry("OP", "X**", "Y*"), 0.1),
        EntryScore(entry("BT", "X**", "Y*"), None),
        EntryScore(entry("BT", "Z", "Y*"), 0.3),
    ]
    found = compare_source_and_reference(source, reference)
    json.dumps(found, allow_nan=False)
    assert (found["n"], found["n_distinct_outputs"]) == (4, 3)
    assert "4 points share 3 outputs" in found["caveat"]
    expected = np.corrcoef([-0.2, 0.1, -0.2, 0.0], [-0.3, 0.0, -0.1, 0.1])[0, 1]
    assert found["pearson"]["value"] == pytest.approx(expected)
    assert found["unpaired"] == ["BT t X* direct", "BT t X** Y* direct", "BT t Z Y* direct"]
    assert compare_source_and_reference(source[:2], reference[:2])["caveat"] == ""
    assert compare_source_and_reference([], [])["pearson"]["value"] is None


def test_two_scores_for_one_output_are_refused():
    twice = [EntryScore(entry("OP", "X"), 0.1)] * 2
    with pytest.raises(CorrelationError, match="OP t X direct has two source-based scores"):
        compare_source_and_reference(twice, [])
    with pytest.raises(CorrelationError, match="two reference-based"):
        compare_source_and_reference([], twice)
