"""Scores of real outputs as they were published, to their printed digits."""

import csv
from functools import cache

import pytest

from mtcore.metrics import METRICS
from tests.factories.metrics import scored
from tests.paths import DATA, needs_data
from tests.realdata.test_metrics_known import KNOWN, read

pytestmark = needs_data

SETS = {
    "wmt22-csen-da": ("en", "Online-W"),
    "wmt21-bnhi-da": ("hi", "GTCOM"),
    "wmt21-ende-mqm": ("de", "Facebook-AI"),
    "wmt22-enliv-appraise": ("liv", "TAL-SJTU"),
}
COLUMNS = {"bleu_13a": "bleu", "chrf2": "chrf"}


@cache
def table(name: str, file: str) -> list[dict[str, str]]:
    with (DATA / "human" / name / file).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


def output(name: str, system: str) -> list[str]:
    return read(f"human/{name}/outputs/{system}.{SETS[name][0]}")


def reference(name: str, letter: str) -> list[str]:
    return read(f"human/{name}/reference.{letter}.{SETS[name][0]}")


def check_own_tables(name: str, systems: set[str]) -> int:
    """Compare rows of sacrebleu-2.6.0.tsv; return how many numbers agreed."""
    seen = 0
    for row in table(name, "sacrebleu-2.6.0.tsv"):
        if row["system"] not in systems:
            continue
        lines = reference(name, row["reference"])
        for column, metric in COLUMNS.items():
            own = METRICS[metric](SETS[name][0])
            assert own.score(output(name, row["system"]), [lines]) == pytest.approx(
                float(row[column]), abs=5.1e-5
            ), row
            seen += 1
    return seen


@pytest.mark.parametrize("name", SETS)
def test_a_row_of_each_table_of_scores(name: str):
    assert check_own_tables(name, {SETS[name][1]}) >= 2


@pytest.mark.long
@pytest.mark.parametrize("name", SETS)
def test_every_row_of_each_table_of_scores(name: str):
    rows = table(name, "sacrebleu-2.6.0.tsv")
    assert check_own_tables(name, {row["system"] for row in rows}) == 2 * len(rows)


@pytest.mark.parametrize(("kind", "letters"), [("B", "B"), ("C", "C"), ("all", "BC")])
def test_official_scores_of_wmt22_to_every_digit(kind: str, letters: str):
    name, system = "wmt22-csen-da", "SHOPLINE-PL"
    official = {
        row["metric"]: float(row["score"])
        for row in table(name, "official/automatic-scores.tsv")
        if row["system"] == system
    }
    lines = [reference(name, letter) for letter in letters]
    for metric in ("bleu", "chrf"):
        found = METRICS[metric]("en").score(output(name, system), lines)
        assert found == pytest.approx(official[f"{metric}-{kind}"], abs=5e-5)


def test_known_answers_from_the_command():
    for (hypothesis, against), expected in list(KNOWN.items())[:2]:
        folder = DATA / "nmt-bt"
        found = scored(
            "score_files", "--hypothesis", folder / hypothesis, "--reference", folder / against,
            "--resamples", 0,
        )  # fmt: skip
        assert [row["value"] for row in found["results"]] == pytest.approx(expected, abs=5e-5)
