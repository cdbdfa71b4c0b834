"""Scores of real outputs as they were published, to their printed digits."""

import csv
from functools import cache

import pytest
from sacremoses import MosesTokenizer

from mtcore.metrics import METRICS
from mtcore.metrics.meteor import Meteor
from tests.factories.arpa import write_arpa
from tests.factories.files import write_lines
from tests.factories.metrics import scored
from tests.paths import DATA, needs_data
from tests.realdata.test_metrics_known import KNOWN, read

pytestmark = needs_data
needs_meteor = pytest.mark.skipif(
    not Meteor.is_available(), reason=f"METEOR is absent: {Meteor.install_hint}"
)

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


@needs_meteor
def test_meteor_of_english_is_the_known_answer():
    metric = Meteor("en")
    output, lines = read("nmt-bt/newstest2014-deen.r1.en"), read("nmt-bt/newstest2014-deen.tgt.en")
    assert metric.score(output, [lines]) == pytest.approx(0.46798, abs=5e-6)
    assert "exact stem synonym paraphrase" in metric.signature()


def test_perplexity_under_a_model_of_natural_text(tmp_path):
    """A model of natural English finds a text less surprising than its words in another order."""
    split = MosesTokenizer("en")
    model = write_arpa(tmp_path / "news.arpa", [split.tokenize(line, return_str=True, escape=False)
                                                for line in read("mono/en.txt")[:1500]])  # fmt: skip
    text = read("nmt-bt/newstest2019-enru.src.en")[:150]
    shuffled = [" ".join(sorted(line.split())) for line in text]
    files = [write_lines(tmp_path / name, lines) for name, lines in (("a.en", text), ("b.en", shuffled))]
    found = scored(
        "score_files", "--hypothesis", f"A={files[0]}", f"B={files[1]}", "--metrics", "ppl",
        "--model", f"ppl={model}", "--compare", "A", "B", "--resamples", 200,
    )  # fmt: skip
    own, other = found["results"]
    assert own["value"] < 0.8 * other["value"]
    assert found["comparisons"][0]["p"] < 0.02
    assert 0.1 < own["oov_rate"] < 0.5
