"""`report_campaign`: Markdown to the screen, or a folder with everything."""

import csv
import json

import pytest
from defusedxml import ElementTree

from annotation.models import ScoreRun
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.looks import campaign_look
from tests.factories.commands import refused, run
from tests.factories.latex import compiled
from tests.factories.reports import rated

pytestmark = pytest.mark.django_db


def test_it_prints_the_report(capsys):
    rated()
    text, _ = run("report_campaign", "harbour", "--seed", "9", "--correction", "holm")
    assert text.startswith("# harbour\n\n3 raters rated")
    for heading in (
        "## Ranking",
        "## Agreement",
        "## Raters",
        "## Another model beside z",
        "## Does it hold?",
    ):
        assert heading in text
    assert "seed 9" in text and "correction:holm" in text
    assert "nan" not in text and "None" not in text


def test_it_writes_a_folder_with_every_table_and_figure(tmp_path):
    rated()
    folder = tmp_path / "report"
    text, _ = run("report_campaign", "harbour", "--output", folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert f"{len(files)} files" in text
    assert {"report.md", "figures/ranking.svg", "tables/ranking.tex", "tables/pairs.csv"} <= files
    markdown = (folder / "report.md").read_text("utf-8")
    for path in (folder / "figures").iterdir():
        ElementTree.fromstring(path.read_bytes())
        assert f"](figures/{path.name})" in markdown
    with (folder / "tables" / "ranking.csv").open(encoding="utf-8", newline="") as stream:
        assert {row["system"] for row in csv.DictReader(stream)} == {"BT", "OP"}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_every_table_is_latex_that_any_engine_reads(tmp_path, protocol):
    rated(protocol=protocol, systems=("A", "B", "C"))
    run("report_campaign", "harbour", "--output", tmp_path / "report", "--correction", "holm")
    tables = [path.read_text("utf-8") for path in sorted((tmp_path / "report" / "tables").glob("*.tex"))]
    assert len(tables) > 5
    for text in tables:
        assert text.isascii(), [mark for mark in text if not mark.isascii()]
    compiled(tmp_path, *tables)


def test_it_refuses_before_it_computes(tmp_path):
    rated()
    (tmp_path / "taken").mkdir()
    assert "exists already" in refused("report_campaign", "harbour", "--output", tmp_path / "taken")
    (tmp_path / "file").write_text("x")
    assert "cannot be written" in _refused_late(tmp_path / "file" / "report")
    assert "no campaign" in refused("report_campaign", "harbor town")
    assert "percentile" in refused("report_campaign", "harbour", "--interval", "wide")


def _refused_late(folder):
    """Return the refusal of a place that only writing finds out about."""
    run("report_campaign", "harbour")  # stores what would be computed
    stored = ScoreRun.objects.count()
    message = refused("report_campaign", "harbour", "--output", folder)
    assert ScoreRun.objects.count() == stored
    return message


def _hidden(protocol="source_da"):
    """Make a judged campaign in which references and attention items are hidden among the items."""
    items = (
        ({"text": "Choose this.", "other": "Not this.", "choice": "left"},)
        if protocol == "pairwise_fluency"
        else ({"text": "Please give 7.", "low": 7, "high": 7},)
    )
    settings = CampaignSettings(bad_references=0.3, repeats=0.3, reference_as_system=True, attention=items)
    return rated(protocol=protocol, settings=settings, raters=3, judgements=2)


def _raters_agree(folder, scored):
    """The raters of a report are described over the same answers as in the scores."""
    with (folder / "tables" / "raters.csv").open(encoding="utf-8", newline="") as stream:
        shown = {row["rater"]: row for row in csv.DictReader(stream)}
    for row in scored:
        own = shown[row["rater"]]
        for name in ("n", "mean", "sd", "left", "equal", "right"):
            if name in row:
                assert float(own[name]) == pytest.approx(row[name], abs=0.05), (row["rater"], name)


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_only_systems_are_systems(tmp_path, protocol):
    campaign = _hidden(protocol)
    folder = tmp_path / "report"
    run("report_campaign", "harbour", "--output", folder)
    for path in sorted((folder / "tables").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                own = {name: cell for name, cell in row.items() if name != "kind"}
                assert not {"attention", "reference"} & set(own.values()), path.name
    for path in (folder / "figures").glob("*.svg"):
        assert ">attention<" not in path.read_text("utf-8"), path.name
        assert ">reference<" not in path.read_text("utf-8"), path.name
    for path in (folder / "tables").glob("*.tex"):
        assert "attention &" not in path.read_text("utf-8"), path.name
    scores, _ = run("score_campaign", "harbour", "--format", "json")
    assert {row["system"] for row in json.loads(scores)["systems"]} == {"OP", "BT"}
    markdown = (folder / "report.md").read_text("utf-8")
    assert "stays for 0 of" not in markdown
    _raters_agree(folder, json.loads(scores)["raters"])
    refused("score_campaign", "harbour", "--hypothesis", "attention>OP")
    if protocol == "source_da":
        assert len(campaign_look(campaign=campaign).pairs) == 1
