"""Outputs of systems: what they were made from, blank lines, repeats."""

import subprocess
import sys

import pytest

from mtcore.models import OutputSegment, System, SystemOutput
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


@pytest.fixture
def testset(tmp_path):
    """Import a test set of 30 lines with a double translation of its source; return the folder."""
    names = {"src": 1, "ref": 2, "back": 3}
    files = {
        name: write_lines(tmp_path / name, invented_lines(30, seed=seed, mark=f"{name} "))
        for name, seed in names.items()
    }
    run(
        "import_testset", "demo", "--languages", "en-de", "--direction", "direct",
        "--source", files["src"], "--reference", files["ref"],
        "--double-translation", f"source={files['back']}",
    )  # fmt: skip
    return tmp_path


def test_an_output_is_kept_by_input_version(testset):
    first = write_lines(testset / "a", invented_lines(30, seed=4))
    second = write_lines(testset / "b", invented_lines(30, seed=5))
    out, err = run("import_output", "demo", "BT", first)
    assert "BT (BT) on demo, input source: 30 lines imported." in out and err == ""
    run("import_output", "demo", "BT", second, "--input", "X**")
    run("import_output", "demo", "Ada", second, "--input", "double", "--kind", "human")
    rows = SystemOutput.objects.order_by("pk").values_list(
        "system__name", "system__kind", "input_version__name"
    )
    assert list(rows) == [("BT", "BT", "source"), ("BT", "BT", "double"), ("Ada", "human", "double")]
    stored = OutputSegment.objects.filter(output__input_version__name="source").order_by("segment__position")
    assert [line.text for line in stored] == invented_lines(30, seed=4)


def test_the_same_again_changes_nothing_and_another_text_is_refused(testset):
    file = write_lines(testset / "a", invented_lines(30, seed=4))
    run("import_output", "demo", "S", file)
    out, _ = run("import_output", "demo", "S", file)
    assert "already there" in out
    assert SystemOutput.objects.count() == 1 and OutputSegment.objects.count() == 30
    other = write_lines(testset / "b", invented_lines(30, seed=5))
    assert "another system name" in refused("import_output", "demo", "S", other)


def test_the_kind_is_settled_once(testset):
    file = write_lines(testset / "a", invented_lines(30, seed=4))
    run("import_output", "demo", "S", file)
    run("import_output", "demo", "S", file, "--kind", "BT")
    assert System.objects.get().kind == "BT"
    assert "recorded as BT, not human" in refused("import_output", "demo", "S", file, "--kind", "human")
    assert System.objects.get().kind == "BT"


@pytest.mark.parametrize(
    ("change", "arguments", "expected"),
    [
        (lambda lines: lines[:11] + lines[12:], [], "29 lines"),
        (lambda lines: lines, ["--input", "X***"], "no version “X***”"),
        (lambda lines: lines, ["--input", "reference"], "no version “reference”"),
        (lambda lines: [*lines[1:], lines[0]], [], "shifted"),
        (lambda lines: [""] * 30, [], "nothing but blank lines"),
    ],
)
def test_bad_outputs_are_refused(testset, change, arguments, expected):
    file = write_lines(testset / "a", change(invented_lines(30, seed=4)))
    assert expected in refused("import_output", "demo", "S", file, *arguments)


@pytest.mark.parametrize("name", ["a|b", "", " a", "a\n", "x" * 121])
def test_bad_names_are_refused(testset, name):
    assert "name" in refused(
        "import_output", "demo", name, write_lines(testset / "a", invented_lines(30, seed=4))
    )


def test_unknown_test_sets_are_named(testset):
    assert "Known are: “demo”" in refused("import_output", "other", "S", testset / "src")


def test_blank_lines_are_flagged(testset):
    lines = invented_lines(30, seed=4)
    lines[6], lines[8] = "", "\u200b \u2060"
    _, err = run("import_output", "demo", "S", write_lines(testset / "a", lines))
    assert "lines 7, 9 blank" in err
    blank = OutputSegment.objects.filter(status="blank").values_list("segment__key", flat=True)
    assert sorted(blank) == ["7", "9"]


def test_a_blank_line_stays_beside_the_blank_source_line():
    run("import_testset", "demo", "--languages", "en-de", "--source", FILES / "imp08_src.txt")
    run("import_output", "demo", "S", FILES / "imp08_hyp.txt")
    rows = OutputSegment.objects.order_by("segment__position").values_list("text", "status")
    assert list(rows) == [("eins", "ok"), ("zwei", "ok"), ("", "blank"), ("vier", "ok"), ("fünf", "ok")]


def test_leftovers_and_copies_are_announced(testset):
    lines = invented_lines(30, seed=4)
    lines[1], lines[2] = "Haus@@ tür", "▁Haus ▁tür"
    _, err = run("import_output", "demo", "S", write_lines(testset / "a", lines))
    assert "lines 2, 3 with subword marks" in err
    _, err = run("import_output", "demo", "T", testset / "src")
    assert "30 lines (1, 2, 3, 4, 5 …) identical to the source" in err


def test_a_mistake_is_one_line_and_exit_code_1(tmp_path):
    command = ["import_testset", "demo", "--languages", "en-de", "--source", str(tmp_path / "no")]
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT, capture_output=True, text=True, env={"DATA_DIR": str(tmp_path / "data")}, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "cannot be read" in done.stderr
