"""Judgements of every format in and out of the database, by commands."""

import io
import json

import pytest
from pyarrow import parquet

from annotation.formats import FORMATS
from annotation.models import Campaign, Judgement
from mtcore.models import Segment, TestSet
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.paths import DATA, needs_data

pytestmark = pytest.mark.django_db
HUMAN = DATA / "human"


def scores(name, *options):
    return json.loads(run("score_campaign", name, "--format", "json", *options)[0])


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_the_example_of_every_format_comes_in(format, tmp_path):
    example = tmp_path / "example"
    example.write_bytes(FORMATS[format].example)
    out, _ = run(
        "import_judgements", "c", example, "--format", format, "--languages", _languages(format),
        *(["--protocol", "source_da"] if format == "parquet" else []),
    )  # fmt: skip
    campaign = Campaign.objects.get()
    assert campaign.mode == Campaign.Mode.IMPORTED
    assert "imported into “c”" in out
    assert Judgement.objects.count() >= 1


def _languages(format):
    """Return the language pair of a format's example."""
    pairs = {
        "appraise": "eng-liv", "appraise-pairwise": "eng-liv", "wmt-mturk": "bn-hi",
        "wmt16-ranking": "deu-eng", "jsonl": "en-de",
    }  # fmt: skip
    return pairs.get(format, "cs-en")


@pytest.mark.once
@pytest.mark.parametrize("format", ["tsv", "parquet"])
@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_an_export_imported_elsewhere_scores_the_same(protocol, format, tmp_path):
    campaign = make_campaign(
        protocol, n_segments=9, systems=("OP", "BT", "C"), identical=(2, 5), judgements=3, direction="reverse"
    )
    answer_all(campaign, share=0.8)
    before = scores(campaign.name)
    path = tmp_path / f"out.{format}"
    run("export_judgements", campaign.name, "--format", format, "--output", path)
    TestSet.objects.filter(name=campaign.name).update(name="put away")
    run("import_judgements", "copy", path, "--format", format)
    after = scores("copy")
    for part in ("systems", "pairs"):
        assert after[part] == before[part]
    assert not (tmp_path / f"out.{format}.part").exists()


def test_parquet_holds_typed_columns_and_needs_a_file(tmp_path):
    campaign = make_campaign("source_da", n_segments=3, judgements=2)
    answer_all(campaign)
    path = tmp_path / "out.parquet"
    run("export_judgements", campaign.name, "--format", "parquet", "--output", path)
    table = parquet.read_table(path)
    assert table.num_rows == Judgement.objects.count()
    assert str(table.schema.field("score").type) == "double"
    assert str(table.schema.field("left").type).startswith("list")
    assert str(table.schema.field("submitted_at").type) == "timestamp[us, tz=UTC]"
    assert "Give a file with --output" in refused("export_judgements", campaign.name, "--format", "parquet")


def test_appraise_gives_the_same_ranking_elsewhere(tmp_path):
    campaign = make_campaign("source_da", n_segments=8, systems=("OP", "BT"), identical=(2,), judgements=3)
    answer_all(campaign)
    before = scores(campaign.name)
    path = tmp_path / "out.csv"
    _, said = run("export_judgements", campaign.name, "--format", "appraise", "--output", path)
    text = path.read_bytes().decode()
    lines = text.split("\r\n")[:-1]
    assert len(lines) == Judgement.objects.count()
    assert f"{len(lines)} judgements." in said
    first = lines[0].split(",")
    assert (len(first), first[3]) == (9, "TGT")
    assert any("BT+OP" in line for line in lines)
    run(
        "import_judgements", "copy", path, "--format", "appraise", "--testset", campaign.name, "--scale=1-100"
    )
    assert _ranking(scores("copy")) == _ranking(before)


def _ranking(result):
    keys = ("system", "raw_mean", "z_mean", "n_segments", "n_judgements")
    return [tuple(one[key] for key in keys) for one in result["systems"]]


def test_appraise_has_no_preferences_and_no_several_conditions(tmp_path):
    make_campaign("pairwise_fluency", name="pairs", n_segments=3)
    path = tmp_path / "out.csv"
    said = refused("export_judgements", "pairs", "--format", "appraise", "--output", path)
    assert "these are preferences" in said
    assert list(tmp_path.iterdir()) == []
    rows = "rater,system,segment,score,input\nr,A,1,5,X\nr,A,2,6,X**\n"
    (tmp_path / "in.csv").write_text(rows)
    columns = "rater=rater,system=system,segment=segment,score=score,input=input"
    run(
        "import_judgements", "two", tmp_path / "in.csv", "--format", "csv", "--map", columns,
        "--languages", "en-de", "--protocol", "source_da",
    )  # fmt: skip
    assert "several inputs or references" in refused("export_judgements", "two", "--format", "appraise")


def test_a_folder_of_mt_metrics_eval_has_human_scores(tmp_path):
    folder = tmp_path / "wmt"
    (folder / "human-scores").mkdir(parents=True)
    (folder / "human-scores" / "en-de.mqm.seg.score").write_text("A\t-1\nA\t-2.5\nB\t0\nB\tNone\n")
    (folder / "human-scores" / "en-de.mqm.sys.score").write_text("A\t-1.5\nB\t0\n")
    _, said = run("import_judgements", "c", folder, "--format", "mt-metrics-eval")
    assert "no score is above 0, so the scale is taken as -25-0" in said
    assert (Campaign.objects.get(name="c").scale_low, Campaign.objects.get(name="c").scale_high) == (-25, 0)
    assert [(one["system"], one["raw_mean"]) for one in scores("c")["systems"]] == [("B", 0.0), ("A", -1.75)]
    (folder / "human-scores" / "en-de.wmt-z.seg.score").write_text("A\t1\n")
    said = refused("import_judgements", "d", folder, "--format", "mt-metrics-eval")
    assert "several or no human segment scores: en-de.mqm.seg.score, en-de.wmt-z.seg.score" in said


@pytest.mark.parametrize("text", ["A\t-1\nA\t2\nB\t1\nB\t0\n", "A\t-1\nA\t-2\nB\t-26\nB\t0\n"])
def test_scores_that_no_known_scale_fits_need_one(tmp_path, text):
    path = tmp_path / "en-de.mqm.seg.score"
    path.write_text(text)
    said = refused("import_judgements", "c", path, "--format", "mt-metrics-eval")
    assert "outside the scale 0–100" in said
    _, said = run("import_judgements", "c", path, "--format", "mt-metrics-eval", "--scale=-30-5")
    assert "the scale is taken" not in said


@pytest.mark.once
@needs_data
def test_the_esa_and_mqm_files_come_in_with_their_counts():
    esa = HUMAN / "wmt24-encs-esa" / "esa_generalMT2024_wave2.eng-ces.csv"
    out, notes = run("import_judgements", "esa", esa, "--format", "appraise")
    campaign = Campaign.objects.get(name="esa")
    n = Judgement.objects.of_campaign(campaign.pk).count()
    assert f"{n:,} judgements" in out and campaign.participations.count() <= 61
    assert "209 rows of documents marked #incomplete" in notes and "51 rows" in notes
    mqm = HUMAN / "wmt21ted-ende-mqm" / "mqm_ted_ende.tsv.gz"
    out, _ = run("import_judgements", "mqm", mqm, "--format", "mqm", "--languages", "en-de")
    assert "7,406 judgements (7,406 system) of 4 raters and 14 systems" in out
    assert Segment.objects.filter(testset__name="mqm").count() == 529
    ranking = {one["system"]: one["raw_mean"] for one in scores("mqm", "--resamples", "100")["systems"]}
    assert round(-ranking["ref"], 2) == 0.91 and round(-ranking["Nemo"], 2) == 2.14


@needs_data
def test_the_small_wmt_table_ranks_as_official():
    folder = HUMAN / "wmt21-bnhi-da"
    run("import_judgements", "bnhi", folder / "official" / "ad-latest.csv.gz", "--format", "wmt-mturk")
    lines = (folder / "official.tsv").read_text().split("\n")
    official = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:] if line]
    result = scores("bnhi", "--resamples", "100")
    found = {one["system"]: one for one in result["systems"]}
    assert found.keys() == {row["system"] for row in official}
    for row in official:
        assert abs(found[row["system"]]["raw_mean"] - float(row["ave_raw"])) <= 0.051
        assert abs(found[row["system"]]["z_mean"] - float(row["ave_z"])) <= 0.00051
    assert all(pair["n_common"] >= 477 for pair in result["pairs"])


def test_a_tsv_export_quotes_every_cell():
    campaign = make_campaign("source_da", n_segments=4, judgements=2)
    answer_all(campaign)
    out, _ = run("export_judgements", campaign.name, "--format", "tsv")
    rows = list(io.StringIO(out))
    assert rows[0].startswith('"judgement"\t"protocol"') and len(rows) == Judgement.objects.count() + 1
