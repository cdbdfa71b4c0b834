"""BEER, BERTScore and fluency on real text, from the commands; official scores to every printed digit."""

import csv

import pytest
from sacremoses import MosesTokenizer

from mtcore.metrics import METRICS
from tests.factories.arpa import write_arpa
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.metrics import scored
from tests.factories.runners import needs
from tests.paths import DATA, needs_data
from tests.realdata.test_metrics_known import read

CSEN = "human/wmt22-csen-da"
pytestmark = needs_data


def test_beer_of_known_sentences_from_the_command(tmp_path):
    rows = [line.split("\t") for line in (DATA / "beer" / "known.tsv").read_text("utf-8").split("\n")[1:-1]]
    files = [
        write_lines(tmp_path / name, [row[place] for row in rows]) for place, name in ((1, "h"), (2, "r"))
    ]
    found = scored("score_files", "--hypothesis", files[0], "--reference", files[1], "--metrics", "beer",
                   "--model", f"beer={DATA / 'beer'}", "--segments", "--resamples", 0)  # fmt: skip
    expected = [float(row[3]) for row in rows]
    assert found["results"][0]["segments"] == pytest.approx(expected, abs=1e-9)
    assert found["results"][0]["value"] == pytest.approx(sum(expected) / len(expected), abs=1e-9)


@needs("bert-score", "torch", "transformers")
def test_bertscore_with_the_packaged_model_from_the_command(tmp_path):
    """Of 40 real lines: a translation by people is near its reference, and permuted lines are not."""
    lines = read("nmt-bt/newstest2014-deen.r1.en")[:40]
    reference = write_lines(tmp_path / "ref.en", read("nmt-bt/newstest2014-deen.tgt.en")[:40])
    files = {"own": lines, "permuted": lines[1:] + lines[:1], "blank": [*lines[:-1], ""]}
    named = [f"{name}={write_lines(tmp_path / name, own)}" for name, own in files.items()]
    found = scored("score_files", "--hypothesis", *named, "--reference", reference, "--metrics", "bertscore",
                   "--model", "bertscore=packaged-minilm", "--segments", "--compare", "own", "permuted",
                   "--resamples", 200)  # fmt: skip
    own, permuted, blank = found["results"]
    assert 0.7 < own["value"] < 1 and permuted["value"] < own["value"] - 0.2
    assert own["precision"] != own["recall"] and found["comparisons"][0]["p"] < 0.02
    assert blank["segments"][-1] == 0 and blank["segments"][:-1] == pytest.approx(
        own["segments"][:-1], abs=1e-5
    )
    assert any("blank: 1 of 40 empty segments" in notice for notice in found["notices"])


@pytest.mark.django_db
def test_a_language_model_breaks_a_tie_of_bleu(tmp_path):
    """BLEU does not tell two systems of WMT22 apart; a model of natural news, disjoint, does."""
    split = MosesTokenizer("en")
    natural = [split.tokenize(line, return_str=True, escape=False) for line in read("mono/en.txt")]
    model = write_arpa(tmp_path / "news.arpa", natural)
    run(
        "import_testset", "csen", "--languages", "cs-en", "--direction", "direct",
        "--source", DATA / CSEN / "source.cs", "--reference", DATA / CSEN / "reference.B.en",
    )  # fmt: skip
    names = ("CUNI-DocTransformer", "CUNI-Transformer", "Online-B")
    for name in names:
        run("import_output", "csen", name, DATA / CSEN / "outputs" / f"{name}.en")
    found = scored(
        "fluency", "csen", "--systems", *names, "--lm", model, "--lm-text", DATA / "mono" / "en.txt",
        "--bt-text", DATA / "nmt-bt" / "newstest2014-ende.src.en", "--refuse-overlap",
    )  # fmt: skip
    verdicts = {(one["a"], one["b"]): one for one in found["verdicts"]}
    tie = verdicts["CUNI-DocTransformer", "CUNI-Transformer"]
    assert tie["outcome"] == "tie/b" and tie["bleu"]["p"] > 0.3 and tie["ppl"]["p"] < 0.01
    assert verdicts["CUNI-DocTransformer", "Online-B"]["outcome"] == "b/b"
    assert verdicts["CUNI-Transformer", "Online-B"]["outcome"] == "b/tie"
    assert (found["disjoint"][0]["lines"], found["disjoint"][0]["shared"]) == (3986, 0)
    assert all(0.1 < row["oov_rate"] < 0.13 for row in found["results"] if row["metric"] == "ppl")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "letters", "count"), [("wmt22-csen-da", "CB", 66), ("wmt22-enliv-appraise", "A", 20)]
)
def test_every_official_score_of_wmt22_to_every_digit(name: str, letters: str, count: int):
    """Both references stand in the order C, B: chrF takes the first of two that match a segment as well."""
    folder = DATA / "human" / name
    with (folder / "official" / "automatic-scores.tsv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    language = rows[0]["pair"].partition("-")[2]
    references = {letter: read(f"human/{name}/reference.{letter}.{language}") for letter in letters}
    seen = 0
    for row in rows:
        metric, _, kind = row["metric"].partition("-")
        if metric in ("bleu", "chrf"):
            lines = [references[letter] for letter in (letters if kind == "all" else kind)]
            output = read(f"human/{name}/outputs/{row['system']}.{language}")
            own = METRICS[metric](language).score(output, lines)
            assert own == pytest.approx(float(row["score"]), abs=5e-5), row
            seen += 1
    assert seen == count
