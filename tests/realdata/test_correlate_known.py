"""Published judgements against published outputs: the command gives the known correlations."""

import pytest

from tests.factories.commands import run
from tests.factories.correlation import MAP, correlated, result_of
from tests.factories.files import write_lines
from tests.factories.published import import_set
from tests.paths import DATA, needs_data

pytestmark = [pytest.mark.django_db, needs_data]
HUMAN = DATA / "human"
WMT = "rater=rater,system=system,segment=line,kind=item_type,score=raw"


def test_bnhi_by_the_command():
    folder = HUMAN / "wmt21-bnhi-da"
    import_set("bnhi", folder, "bn-hi", "source.bn", ("A", "reference.A.hi"))
    run(
        "import_judgements", "bn-hi", folder / "judgments.tsv", "--format", "csv",
        "--protocol", "reference_da", "--languages", "bn-hi", "--testset", "bnhi", "--map", WMT,
    )  # fmt: skip
    found = correlated("--campaign", "bn-hi", "--metrics", "chrf", "--segments", "all", "--resamples", 100)
    row = result_of(found, level="system")
    assert (row["n"], row["left_out"]) == (9, [])
    assert round(row["estimates"]["pearson"]["value"], 3) == 0.942
    assert round(row["estimates"]["kendall"]["value"], 3) == 0.778
    assert round(result_of(found, level="segment")["estimates"]["pearson"]["value"], 3) == 0.109


def test_ende_mqm_by_the_command(tmp_path):
    folder = HUMAN / "wmt21-ende-mqm"
    text = (folder / "mqm_newstest2021_ende.avg_seg_scores.tsv").read_text("utf-8")
    rows = [line.replace("\t", " ").split(" ") for line in text.split("\n")[1:] if line]
    names = {"Nemo": "NVIDIA-NeMo"}
    rated = [
        f"experts,{names.get(system, system)},{segment},{score}"
        for system, score, segment in rows
        if score != "None"
    ]
    systems = {row.split(",")[1] for row in rated}
    import_set("ende", folder, "en-de", "source.en", ("C", "reference.C.de"), outputs=systems)
    run(
        "import_judgements", "mqm", write_lines(tmp_path / "mqm.csv", ["rater,system,segment,score", *rated]),
        "--format", "csv", "--protocol", "source_da", "--languages", "en-de", "--testset", "ende",
        "--scale=-25-0", "--map", MAP,
    )  # fmt: skip
    found = correlated(
        "--campaign", "mqm", "--metrics", "chrf", "--segments", "all", "--raw", "--resamples", 100
    )
    row = result_of(found, level="system")
    assert row["n"] == 8 and {"ref-A", "ref-C", "metricsystem1"} <= set(row["left_out"])
    assert round(row["estimates"]["pearson"]["value"], 2) == 0.78
    assert round(row["estimates"]["kendall"]["value"], 2) == 0.57
    assert round(result_of(found, level="segment")["estimates"]["pearson"]["value"], 3) == 0.112
    assert result_of(found, level="segment")["threshold"] == 6.25
