"""The tables of a study of real texts: known BLEU in their cells, people against machines in one table."""

import json

import pytest

from annotation.services.studies import study_create
from annotation.services.study_members import study_add
from annotation.services.study_tables.fill import study_tables
from mtcore.models import System
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]
TEXTS = DATA / "nmt-bt"
CSEN = DATA / "human" / "wmt22-csen-da"
PEOPLE = "Translators"

SETS = {
    "ende": ("en-de", "direct", "newstest2014-ende", "src.en", "r1.de", "tgt.de"),
    "deen": ("de-en", "direct", "newstest2014-deen", "src.de", "tgt.en", "r1.en"),
    "ruen": ("ru-en", "reverse", "newstest2019-enru", "r1.ru", "src.en", "r1.r1.en"),
}
"""Name → languages, direction, files of source, reference and people's translation of that source."""

BLEU = {
    ("X", "Y*", PEOPLE, "en-de"): "37.2",
    ("X", "Y*", PEOPLE, "de-en"): "59.3",
    ("X*", "Y", PEOPLE, "ru-en"): "25.4",
}
"""Known answers of sacrebleu: 37.1790, 59.3214, 25.3578."""


def cells(filled):
    return {
        (*line.labels, *column.heads[:1]): cell.text
        for line in filled.lines
        for column, cell in zip(filled.columns, line.cells, strict=True)
    }


@pytest.fixture
def people():
    study = study_create(name="People")
    for name, (languages, direction, stem, source, reference, output) in SETS.items():
        run(
            "import_testset", name, "--languages", languages, "--direction", direction,
            "--source", TEXTS / f"{stem}.{source}", "--reference", TEXTS / f"{stem}.{reference}",
        )  # fmt: skip
        run("import_output", name, PEOPLE, TEXTS / f"{stem}.{output}", "--kind", "human")
    study_add(study=study, testsets=list(SETS))
    return study


def test_real_translations_fill_table_1_with_the_known_answers(people):
    for name in SETS:
        run("score_outputs", name, "--metrics", "bleu", "--resamples", 0)
    (filled,) = study_tables(study=people, tables="edunov-1")
    assert {key: text for key, text in cells(filled).items() if text} == BLEU
    out, err = run("report_study", "People", "--format", "html")
    assert "37.2" in out and "import_testset" in out and "missing" in err


def test_nine_measures_of_people_against_machines_in_one_table(tmp_path):
    systems = ("Online-W", "ALMAnaCH-Inria")
    run(
        "import_testset", "csen", "--languages", "cs-en", "--source", CSEN / "source.cs",
        "--reference", f"B={CSEN / 'reference.B.en'}", f"C={CSEN / 'reference.C.en'}",
        "--direction", "direct",
    )  # fmt: skip
    for name in systems:
        run("import_output", "csen", name, CSEN / "outputs" / f"{name}.en")
    dictionary = write_lines(
        tmp_path / "cs-en.tsv",
        [
            "rok\tyear", "člověk\thuman|person|man", "velký\tbig|large|great", "nový\tnew|fresh",
            "mít\thave|possess", "říci\tsay|tell", "dům\thouse|home", "práce\twork|job|labour",
        ],
    )  # fmt: skip
    out, _ = run(
        "measure_diversity", "--testset", "csen", "--systems", *systems,
        "--training", DATA / "mono" / "en.txt", "--dictionary", dictionary,
        "--resamples", 200, "--format", "json",
    )  # fmt: skip
    found = json.loads(out)
    assert [text["name"] for text in found["texts"]] == ["B", "C", "ALMAnaCH-Inria", "Online-W"]
    names = {"ttr", "yule_i", "mtld", "lfp_b1", "ptf", "cdu", "syn_ttr", "shannon_h", "simpson_d"}
    for text in found["texts"]:
        rows = {row["name"]: row for row in text["measures"]}
        assert names <= set(rows)
        for row in rows.values():
            assert row["ci"][0] <= row["value"] <= row["ci"][1], row["name"]
    p_values = {(one["measure"], one["a"], one["b"]): one["p"] for one in found["comparisons"]}
    assert all(p is not None for p in p_values.values())
    study = study_create(name="Czech")
    study_add(study=study, testsets=["csen"])
    System.objects.filter(name__in=systems).update(kind="other")
    for number, measure in ((4, "lfp_b1"), (5, "ttr"), (6, "ptf"), (8, "shannon_h")):
        (filled,) = study_tables(study=study, tables=f"vanmassenhove-{number}")
        assert filled.n_missing == 0
        assert [line.labels[0] for line in filled.lines] == ["ORIG", "ALMAnaCH-Inria", "Online-W"]
        printed = {
            text["name"]: row["printed"]
            for text in found["texts"]
            for row in text["measures"]
            if row["name"] == measure
        }
        own = [float(line.cells[0].text.replace(",", "")) for line in filled.lines]
        assert own == [
            pytest.approx(printed[name], abs=0.006) for name in ("B", "ALMAnaCH-Inria", "Online-W")
        ]
