"""Known scores of real outputs, and strengths in the official order."""

import csv
from functools import cache

import pytest

from annotation.stats.options import ScoreOptions
from annotation.stats.preference import score_comparisons
from annotation.stats.records import RatingTable
from annotation.stats.score import score_ratings
from mtcore.metrics import METRICS
from tests.paths import DATA, needs_data
from tests.realdata.test_stats_rankings import comparisons, judgements

pytestmark = needs_data

KNOWN = {
    ("newstest2014-ende.tgt.de", "newstest2014-ende.r1.de"): (37.1790, 63.0761, 52.6913),
    ("newstest2014-deen.r1.en", "newstest2014-deen.tgt.en"): (59.3214, 75.7474, 33.2273),
    ("newstest2019-enru.r1.r1.en", "newstest2019-enru.src.en"): (25.3578, 56.7770, 65.2392),
    ("newstest2019-ruen.src.ru", "newstest2019-ruen.r1.r1.ru"): (45.6343, 69.1903, 43.7871),
}


def read(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize(("output", "reference"), KNOWN)
def test_known_answers(output: str, reference: str):
    lines = [read(f"nmt-bt/{name}") for name in (output, reference)]
    found = [METRICS[name](output[-2:]).score(lines[0], lines[1:]) for name in ("bleu", "chrf", "ter")]
    assert found == pytest.approx(KNOWN[output, reference], abs=5e-5)


@pytest.mark.parametrize("reference", ["B", "C"])
def test_published_scores_of_an_output(reference: str):
    folder, system = "human/wmt22-csen-da", "Online-W"
    with (DATA / folder / "sacrebleu-2.6.0.tsv").open(encoding="utf-8", newline="") as handle:
        rows = {(row["system"], row["reference"]): row for row in csv.DictReader(handle, delimiter="\t")}
    expected = rows[system, reference]
    output, lines = read(f"{folder}/outputs/{system}.en"), read(f"{folder}/reference.{reference}.en")
    assert METRICS["bleu"]("en").score(output, [lines]) == pytest.approx(
        float(expected["bleu_13a"]), abs=5.1e-5
    )
    assert METRICS["chrf"]("en").score(output, [lines]) == pytest.approx(float(expected["chrf2"]), abs=5.1e-5)


@cache
def preferences(name: str) -> list[dict]:
    with (DATA / "pairwise" / f"wmt16.{name}.csv").open(encoding="utf-8", newline="") as handle:
        rows = comparisons(handle)
    return score_comparisons(rows, options=ScoreOptions(preference_resamples=100))["systems"]


@pytest.mark.parametrize(("name", "apart"), [("deu-eng", 1), ("tur-eng", 1)])
def test_strengths_are_in_the_official_order(name: str, apart: int):
    text = (DATA / "pairwise" / "official" / f"wmt16.{name}.txt").read_text(encoding="utf-8")
    official = [line.split() for line in text.splitlines() if not line.startswith("+")]
    rows = sorted(preferences(name), key=lambda row: -row["strength"])
    assert [row["system"] for row in rows] == [line[0] for line in official]
    for row, line in zip(rows, official, strict=True):
        # official ranges are of another model (TrueSkill): ours may be wider by a rank at either end
        first, last = float(line[2].strip("(,")), float(line[3].strip(")"))
        assert abs(row["rank_range"][0] - first) <= apart
        assert abs(row["rank_range"][1] - last) <= apart
        assert not row["strength_regularised"]


def test_the_tests_of_a_real_campaign_agree_with_each_other():
    table = RatingTable.from_ratings(judgements("wmt22-csen-da"))
    options = ScoreOptions(clusters="wmt", interval="bca", correction="holm", test="signed_rank")
    result = score_ratings(table, options)
    plain = score_ratings(table, ScoreOptions(clusters="wmt"))
    assert [row["wins"] for row in result["systems"]] == [row["wins"] for row in plain["systems"]]
    assert result["systems"][0]["rank_range"] == [1, 1]
    for row in result["systems"]:
        first, last = row["rank_range"]
        assert 1 <= first <= last <= 12
        assert last == 12 - row["wins"]
        assert row["z_ci"][0] <= row["z_mean"] <= row["z_ci"][1]
        assert 0.5 < row["z_sd"] < 1.2
    apart = [abs(p["p_randomisation"] - p["p_bootstrap_two_sided"]) for p in result["pairs"]]
    assert max(apart) < 0.1
    assert all(pair["p_signed_rank"] <= pair["p_holm"] <= 1 for pair in result["pairs"])
    # every judgement counts for its rater and segment alone: two-way is wider for each system
    both = score_ratings(table, ScoreOptions(raters="random", resamples=300))
    for one, two in zip(plain["systems"], both["systems"], strict=True):
        assert two["z_mean"] == one["z_mean"]
        assert two["z_ci"][1] - two["z_ci"][0] > one["z_ci"][1] - one["z_ci"][0]
