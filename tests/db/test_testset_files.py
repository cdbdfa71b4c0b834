"""Test sets and outputs from files of other formats: the command, and all or nothing."""

import shutil

import pytest

from annotation.models import Item
from mtcore.models import Document, OutputSegment, Segment, SegmentText, System, SystemOutput, TestSet
from mtcore.services.versions import testset_versions as versions_of
from mtcore.services.versions import version_lines, version_original
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"
START = ("import_testset", "set", "--languages", "en-de")


def imported(format_name: str, file: str, *more: str) -> tuple[TestSet, str]:
    """Import a case file and return the test set and the notes."""
    _, notes = run(*START, "--format", format_name, "--file", FILES / file, *more)
    return TestSet.objects.get(name="set"), notes


def source_of(testset: TestSet) -> list[str]:
    return version_lines(version_original(testset, "source"))


def test_xml_makes_the_test_set_and_its_outputs():
    testset, notes = imported("xml", "imp20_missing.xml")
    assert source_of(testset) == ["Source one.", "Source two.", "Source three."]
    assert [str(one) for one in versions_of(testset)] == ["source:source", "target:A"]
    rows = Segment.objects.order_by("position").values_list("key", "direction", "document__name")
    assert list(rows) == [("d1:1", "direct", "d1"), ("d1:2", "direct", "d1"), ("d1:3", "direct", "d1")]
    lines = {
        name: list(
            OutputSegment.objects.filter(output__system__name=name)
            .order_by("segment__position")
            .values_list("text", "status")
        )
        for name in ("S1", "S2")
    }
    assert lines["S1"] == [("S1 eins.", "ok"), ("S1 zwei.", "ok"), ("", "blank")]
    assert lines["S2"] == [("S2 eins.", "ok"), ("S2 zwei.", "ok"), ("S2 drei.", "ok")]
    assert "the reference A has no text for segment d1:2" in notes
    assert "the output of S1 has no text for segment d1:3" in notes


def test_segments_without_all_texts_are_not_offered():
    imported("xml", "imp20_missing.xml")
    _, notes = run(
        "create_campaign", "c", "--protocol", "reference_da", "--languages", "en-de", "--testset", "set",
        "--systems", "S1,S2", "--raters", 2, "--judgements", 2,
    )  # fmt: skip
    assert set(Item.objects.values_list("segment__key", flat=True)) == {"d1:1"}
    assert "2 of 3 segments have a blank text" in notes


def test_the_same_file_twice_is_the_same_test_set():
    imported("xml", "imp20_missing.xml")
    before = (SegmentText.objects.count(), OutputSegment.objects.count())
    out, _ = run(*START, "--format", "xml", "--file", FILES / "imp20_missing.xml")
    assert "already there" in out
    assert (SegmentText.objects.count(), OutputSegment.objects.count()) == before


@pytest.mark.parametrize(
    ("format_name", "file", "message"),
    [
        ("xml", "imp22_dup_docid.xml", "two documents have the id news.1"),
        ("tsv", "imp12_extra_tab.tsv", "imp12_extra_tab.tsv, line 3: 4 fields, 3 expected"),
        ("jsonl", "imp27_seps.jsonl", "imp27_seps.jsonl, line 5: holds half of a character"),
        ("xml", "sec05_xxe.xml", "declares entities"),
        ("sgm", "sec05_lol.xml", "declares entities"),
        ("tsv", "imp10_quotes.tsv", "has no column source"),
    ],
)
def test_faulty_files_are_refused_whole(format_name, file, message):
    assert message in refused(*START, "--format", format_name, "--file", FILES / file)


def test_tables_and_sgm_come_in():
    testset, _ = imported("tsv", "imp10_quotes.tsv", "--columns", "source,reference")
    assert source_of(testset) == ["First", '"Second', 'Third "sentence"', 'lobby"s', "Fifth"]
    testset.delete()
    testset, _ = imported("csv", "imp11_quoted.csv")
    assert source_of(testset)[0] == 'He said "no".\nThen left.'
    testset.delete()
    testset, notes = imported("sgm", "imp18_src.sgm")
    assert source_of(testset) == ["AT&T & Co.", 'R&D <b> "q"', "first half second half", ""]
    assert "line 4 is blank" in notes
    testset.delete()
    testset, _ = imported("sgm", "sec05_doctype_ok.sgm")
    assert source_of(testset) == ["Plain text."]


def test_an_output_that_cannot_be_written_takes_everything_back(tmp_path):
    text = "id,source,output:OP,output:BT\n1,one,eins,uno\n2,two,zwei,due\n"
    file = tmp_path / "set.csv"
    file.write_text(text.replace("output:BT", "output:bad|name"))
    options = ("--languages", "en-de", "--format", "csv", "--file")
    assert "“|”" in refused("import_testset", "set", *options, file)
    file.write_text(text)
    run("import_testset", "set", *options, file)
    assert set(System.objects.values_list("name", "kind")) == {("OP", "OP"), ("BT", "BT")}
    SystemOutput.objects.filter(system__name="BT").update(sha256="0" * 64)
    SystemOutput.objects.filter(system__name="OP").delete()
    assert "another output" in refused("import_testset", "set", *options, file)
    assert not SystemOutput.objects.filter(system__name="OP").exists()


def test_a_folder_of_mt_metrics_eval(tmp_path):
    for name, seed in (
        ("sources/en-de.txt", 0),
        ("sources/de-en.txt", 5),
        ("references/en-de.refA.txt", 1),
        ("system-outputs/en-de/OP.txt", 2),
        ("system-outputs/de-en/OP.txt", 6),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in invented_lines(6, seed=seed)))
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "en-de.docs").write_text("news a\nnews a\nnews b\nnews b\nnews b\nnews c\n")
    run("import_testset", "wmt", "--languages", "en-de", "--format", "mt-metrics-eval", "--file", tmp_path)
    testset = TestSet.objects.get()
    assert source_of(testset) == invented_lines(6, seed=0)
    assert list(Document.objects.values_list("name", flat=True)) == ["a", "b", "c"]
    assert list(SystemOutput.objects.values_list("system__name", flat=True)) == ["OP"]
    assert "no sources/en-fr.txt; language pairs found: de-en, en-de" in refused(
        "import_testset", "x", "--languages", "en-fr", "--format", "mt-metrics-eval", "--file", tmp_path
    )  # fmt: skip
    shutil.rmtree(tmp_path / "sources")
    shutil.rmtree(tmp_path / "references")
    shutil.rmtree(tmp_path / "system-outputs")
    shutil.rmtree(tmp_path / "documents")
    assert "holds 0 texts" in refused(
        "import_testset", "x", "--languages", "en-de", "--format", "mt-metrics-eval", "--file", tmp_path
    )  # fmt: skip


def test_options_of_other_formats_are_refused(tmp_path):
    file = FILES / "imp11_quoted.csv"
    assert "--source cannot go with --format csv" in refused(*START, "--format", "csv", "--source", file)
    assert "--file cannot go with --format plain" in refused(*START, "--file", file)
    assert "needs its file" in refused(*START, "--format", "csv")
    assert "needs a source text" in refused(*START)
    assert "directions goes with plain text" in refused(
        *START, "--format", "csv", "--file", file, "--direction", "x.txt"
    )
    assert "no column C" in refused(*START, "--format", "csv", "--file", file, "--outputs", "C")
