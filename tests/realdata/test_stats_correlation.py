"""Metrics against published human scores."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from annotation.stats.correlation import williams_test
from annotation.stats.metric_agreement import system_correlation
from tests.paths import DATA, needs_data

pytestmark = needs_data


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def metric(name: str, reference: str, column: str) -> dict[str, float]:
    rows = read(DATA / "human" / name / "sacrebleu-2.6.0.tsv")
    return {row["system"]: float(row[column]) for row in rows if row["reference"] == reference}


def human(name: str, file: str = "official.tsv") -> dict[str, float]:
    return {row["system"]: float(row["ave_z"]) for row in read(DATA / "human" / name / file)}


@pytest.mark.parametrize(
    ("name", "reference", "column", "n", "r", "tau"),
    [
        ("wmt22-csen-da", "B", "chrf2", 11, 0.960, 0.782),
        ("wmt22-csen-da", "B", "bleu_13a", 11, 0.965, None),
        ("wmt21-bnhi-da", "A", "chrf2", 9, 0.942, 0.778),
    ],
)
def test_known_correlations(name: str, reference: str, column: str, n: int, r: float, tau: float | None):
    found = system_correlation(human(name), metric(name, reference, column))
    assert found["n"] == n
    assert found["pearson"]["value"] == pytest.approx(r, abs=0.0006)
    low, high = found["pearson"]["ci"]
    assert low < r < high
    if tau is not None:
        assert found["kendall"]["value"] == pytest.approx(tau, abs=0.0006)
    assert 0.8 < found["pairwise_accuracy"]["value"] < 1
    # what no metric has: the human translation that was ranked as a system
    assert found["left_out"] == (["HUMAN-C"] if name == "wmt22-csen-da" else [])


def test_a_weak_correlation_over_twenty_systems():
    scores = human("wmt21-ende-mqm", "official_da.tsv")
    found = system_correlation(scores, metric("wmt21-ende-mqm", "A", "chrf2"))
    assert found["n"] == 20
    assert found["pearson"]["value"] == pytest.approx(0.536, abs=0.0006)
    assert found["kendall"]["value"] == pytest.approx(0.368, abs=0.0006)


def test_two_metrics_of_one_ranking_compared():
    people = human("wmt22-csen-da")
    bleu, chrf = (metric("wmt22-csen-da", "B", column) for column in ("bleu_13a", "chrf2"))
    names = sorted(set(people) & set(bleu))
    columns = [np.array([scores[name] for name in names]) for scores in (people, bleu, chrf)]
    found = williams_test(*columns)
    r = {(a, b): stats.pearsonr(columns[a], columns[b]).statistic for a, b in combinations(range(3), 2)}
    assert found[:3] == pytest.approx((r[0, 1], r[0, 2], r[1, 2]))
    assert (found.n, found.df) == (11, 8)
    assert found.t > 0
    assert found.p_two_sided > 0.5
