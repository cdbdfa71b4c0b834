"""Measures of diversity on real texts: known answers, and the nine measures of people against each other."""

import json
from functools import partial
from pathlib import Path

import pytest

from mtcore.corpora.stream import stream_blocks
from mtcore.diversity import measures_for
from mtcore.diversity.counting import count_words
from mtcore.diversity.dictionaries import read_dictionary
from mtcore.diversity.measuring import training_bands
from mtcore.diversity.profile import Profile
from mtcore.diversity.tokens import Moses
from mtcore.diversity.vocabulary import Resources
from tests.factories.commands import run
from tests.factories.diversity import plain_mtld, plain_stream
from tests.paths import DATA, needs_data

pytestmark = needs_data
TEXTS = DATA / "nmt-bt"
DICTD = Path("/usr/share/dictd")


def german(name: str, resources: Resources | None = None) -> Profile:
    counted = count_words(stream_blocks(TEXTS / f"newstest2014-ende.{name}.de", 1 << 20), Moses("de"))
    return Profile(name, counted, resources or Resources())


def test_mtld_by_both_streams():
    profile = german("tgt")
    ours = [measure.compute(profile).value for measure in measures_for(("mtld", "mtld_tokens"))]
    assert [f"{value:.2f}" for value in ours] == ["281.67", "196.93"]
    tool = Moses("de")
    lines = (TEXTS / "newstest2014-ende.tgt.de").read_text(encoding="utf-8").split("\n")
    tokens = [" ".join(tool.words(line)) for line in lines]
    assert ours[0] == pytest.approx(plain_mtld(plain_stream("\n".join(tokens))))
    assert ours[1] == pytest.approx(plain_mtld(" ".join(tokens).split()))


def test_bands_of_the_text_itself_and_of_training_data():
    names = ("lfp_b1", "lfp_b2", "lfp_b3")
    own = [measure.compute(german("r1")).value for measure in measures_for(names, "biasmt")]
    assert [f"{100 * value:.2f}" for value in own] == ["73.98", "9.14", "16.88"]
    training = partial(stream_blocks, TEXTS / "newstest2014-ende.tgt.de")
    bands, _ = training_bands(training, Moses("de"), 1)
    trained = [measure.compute(german("r1", Resources(bands=bands))).value for measure in measures_for(names)]
    assert [f"{100 * value:.2f}" for value in trained] == ["70.07", "6.24", "23.70"]


@pytest.mark.django_db
def test_all_measures_of_two_human_translations_in_one_table(tmp_path):
    table = tmp_path / "en-de.tsv"
    table.write_text(
        "say\tsagen|erklären|mitteilen\nyear\tJahr\nnew\tneu|frisch\nmake\tmachen|tun|bilden\nman\tMann|Mensch\n"
        "house\tHaus|Heim\ngo\tgehen|fahren|laufen\n",
        encoding="utf-8",
    )
    out, _ = run(
        "measure_diversity",
        "--text", f"tgt={TEXTS / 'newstest2014-ende.tgt.de'}", f"r1={TEXTS / 'newstest2014-ende.r1.de'}",
        "--language", "de", "--training", DATA / "mono" / "de.txt",
        "--source", TEXTS / "newstest2014-ende.src.en", "--source-language", "en", "--dictionary", table,
        "--resamples", 200, "--format", "json",
    )  # fmt: skip
    found = json.loads(out)
    for text in found["texts"]:
        for row in text["measures"]:
            assert row["value"] is not None, row
            assert row["ci"][0] <= row["value"] <= row["ci"][1]
    assert all(one["p"] is not None for one in found["comparisons"])
    by_name = {one["measure"]: one for one in found["comparisons"]}
    assert by_name["yule_i"]["p"] < 0.05  # tgt is the richer of the two
    assert by_name["yule_i"]["difference"] > 0


@pytest.mark.parametrize("language", ["fra", "spa"])
def test_dictd_dictionaries_as_distributions_pack_them(language: str):
    index = DICTD / f"freedict-eng-{language}.index"
    if not index.exists():
        pytest.skip(f"{index} is absent (Debian: dict-freedict-eng-{language})")
    found = read_dictionary(index)
    assert len(found.options) > 4000
    assert {"fra": "regarder", "spa": "mirar"}[language] in found.options["look"]
    assert len(found.options["look"]) > 5
