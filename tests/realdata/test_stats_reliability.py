"""Reliability of the raters of published campaigns."""

import csv
from collections import Counter, defaultdict

import pytest

from annotation.stats.rater_evidence import Answer
from annotation.stats.reliability import ReliabilityOptions, assess_all
from tests.paths import DATA, needs_data
from tests.realdata.test_stats_rankings import KINDS, read_tsv

pytestmark = needs_data


def crowd() -> list[Answer]:
    return [
        Answer(
            row["rater"],
            KINDS[row["item_type"]],
            (row["hit_id"], row["sys_id"], row["line"]),
            float(row["raw"]),
        )
        for row in read_tsv(DATA / "human" / "wmt22-csen-da" / "judgments.tsv")
    ]


def test_half_of_the_raters_that_were_kept_tell_bad_references():
    rows = assess_all(crowd(), ReliabilityOptions(test="signed_rank"))
    assert len(rows) == 156
    assert sum(row["pairs"]["n_pairs"] for row in rows) == 2493
    # a signed-rank test of fewer than six pairs hardly ever gets below .05
    testable = [row for row in rows if row["pairs"]["n_pairs"] >= 6 and not row["pairs"]["reason"]]
    assert len(testable) == 151
    assert sum(row["pairs"]["p_value"] < 0.05 for row in testable) == 78
    by_t = Counter(row["pairs"]["p_value"] < 0.05 for row in assess_all(crowd()))
    assert by_t[True] == 78
    # nobody's times are known apart from whole batches, so none count
    assert all(row["carelessness"]["times"] == 0 for row in rows)


def test_professional_raters_are_not_failed():
    answers = []
    at: dict[str, int] = defaultdict(int)
    path = DATA / "human" / "wmt22-enliv-appraise" / "appraise-export.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        rows = sorted(csv.reader(handle), key=lambda row: float(row[7]))
    for username, system, item, kind, _, _, score, start, end in rows:
        at[username] += 1
        seconds = float(end) - float(start)
        answers.append(Answer(username, KINDS[kind], (system, item), float(score), seconds, at[username]))
    found = assess_all(answers)
    assert len(found) == 15
    assert {row["state"] for row in found} == {"passed"}
    assert all(row["carelessness"]["total"] < 1 for row in found), "the threshold is above 3"
    assert sorted(row["seconds"]["median"] for row in found)[7] == pytest.approx(23, abs=1)
