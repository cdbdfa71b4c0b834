"""Test sets from plain text: versions, provenance, checks at the door."""

import gzip
import shutil

import pytest

from mtcore.models import Document, Segment, SegmentText, TestSet, TextVersion
from mtcore.services.versions import testset_versions as versions_of
from mtcore.services.versions import version_find, version_lines
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.paths import DATA, ROOT, needs_data

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


@pytest.fixture
def texts(tmp_path):
    """Files of six lines on both sides."""
    return {
        name: write_lines(tmp_path / f"{name}.txt", invented_lines(6, seed=seed, mark=f"{name} "))
        for seed, name in enumerate(["src", "ref", "alt", "back"])
    }


def test_versions_directions_documents(texts, tmp_path):
    directions = write_lines(tmp_path / "directions", ["direct"] * 4 + ["reverse", ""])
    documents = write_lines(tmp_path / "documents", ["a", "a", "b", "b", "b", "c"])
    out, _ = run(
        "import_testset", "demo", "--languages", "cs-en",
        "--source", texts["src"],
        "--reference", texts["ref"], f"wmt={texts['alt']}",
        "--double-translation", f"source=there and back={texts['back']}", "--derived-from", "wmt",
        "--direction", directions, "--documents", documents,
    )  # fmt: skip
    testset = TestSet.objects.get()
    assert (testset.source_language, testset.target_language) == ("cs", "en")
    rows = [
        (v.side, v.kind, v.name, v.derived_from.name if v.derived_from else "")
        for v in testset.versions.all()
    ]
    assert rows == [
        ("source", "original", "source", ""),
        ("source", "double_translation", "there and back", "wmt"),
        ("target", "original", "reference", ""),
        ("target", "alternative", "wmt", ""),
    ]
    segments = list(Segment.objects.order_by("position").values_list("key", "direction", "document__name"))
    assert segments == [
        ("1", "direct", "a"), ("2", "direct", "a"), ("3", "direct", "b"),
        ("4", "direct", "b"), ("5", "reverse", "b"), ("6", "", "c"),
    ]  # fmt: skip
    assert list(Document.objects.values_list("name", "position")) == [("a", 1), ("b", 2), ("c", 3)]
    assert version_lines(TextVersion.objects.get(name="wmt")) == invented_lines(6, seed=2, mark="alt ")
    assert "there and back" in out and "double translation" in out


def test_gz_and_a_file_whose_name_holds_an_equals_sign(texts, tmp_path):
    source = tmp_path / "a=b.gz"
    source.write_bytes(gzip.compress(b"one\ntwo\n"))
    run("import_testset", "demo", "--languages", "en-de", "--source", source)
    version = TextVersion.objects.get()
    assert version.name == "source" and version_lines(version) == ["one", "two"]


def test_the_same_again_changes_nothing_and_another_text_is_refused(texts):
    command = ("import_testset", "demo", "--languages", "en-de", "--source")
    run(*command, texts["src"])
    before = list(TextVersion.objects.values())
    out, _ = run(*command, texts["src"])
    assert "already there" in out
    assert list(TextVersion.objects.values()) == before
    assert "exists already, with other content" in refused(*command, texts["alt"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--languages", "en-xx", "--source", "{src}"], "Unknown language “xx”"),
        (["--languages", "en", "--source", "{src}"], "not a language pair"),
        (["--languages", "en-de", "--source", "{src}", "{alt}"], "alt.txt is a further source text"),
        (["--languages", "en-de", "--source", "a={src}", "a={alt}"], "not unique: “a”"),
        (["--languages", "en-de", "--source", "a|b={src}"], "“|”"),
        (["--languages", "en-de", "--source", "a\u202e={src}"], "U+202E"),
        (["--languages", "en-de", "--source", "{short}"], "src.txt has 6 lines"),
        (["--languages", "en-de", "--source", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["--languages", "en-de", "--source", "{empty}"], "empty.txt: is empty"),
        (["--languages", "en-de", "--source", "{blank}"], "blank.txt holds nothing but blank lines"),
        (["--languages", "en-de", "--source", "{latin}"], "latin.txt, line 2: is not UTF-8"),
        (["--languages", "en-de", "--source", "{src}", "--direction", "sideways"], "sideways: cannot"),
        (["--languages", "en-de", "--source", "{src}", "--direction", "{alt}"], "alt.txt, line 1: “alt 1"),
        (["--languages", "en-de", "--source", "{src}", "--documents", "{short}"], "short.txt has 5 lines"),
        (["--languages", "en-de", "--source", "{src}", "--documents", "{torn}"], "torn.txt, line 3: documen"),
        (["--languages", "en-de", "--source", "{src}", "--double-translation", "{alt}"], "does not say on"),
        (
            ["--languages", "en-de", "--source", "{src}", "--double-translation", "source={alt}"],
            "not clear which version alt.txt was translated from",
        ),
        (
            ["--languages", "en-de", "--source", "{src}", "--reference", "a={ref}", "b={alt}",
             "--double-translation", "source={back}"],
            "--derived-from with one of: a, b",
        ),
        (
            ["--languages", "en-de", "--source", "{src}", "--reference", "{ref}",
             "--double-translation", "source={back}", "--derived-from", "r9"],
            "no version “r9”",
        ),
        (["--languages", "en-de", "--source", "{src}", "--derived-from", "r9"], "for 0 double translations"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_nothing_is_stored(texts, tmp_path, arguments, expected):
    texts["short"] = write_lines(tmp_path / "short.txt", invented_lines(5, seed=9))
    texts["torn"] = write_lines(tmp_path / "torn.txt", ["a", "b", "a", "a", "a", "a"])
    texts["blank"] = write_lines(tmp_path / "blank.txt", ["", " ", ""])
    for name, data in (("empty", b""), ("latin", b"ein\nGr\xfc\xdfe\n")):
        (tmp_path / f"{name}.txt").write_bytes(data)
        texts[name] = str(tmp_path / f"{name}.txt")
    filled = [argument.format(**texts) for argument in arguments]
    if "{short}" in arguments and "--documents" not in arguments:
        filled += ["--reference", texts["src"]]
    assert expected in refused("import_testset", "demo", *filled)


def test_a_shifted_reference_is_refused(tmp_path):
    source = invented_lines(60, seed=1)
    reference = invented_lines(60, seed=2)
    shifted = [*reference[1:], reference[0]]
    files = [
        write_lines(tmp_path / name, lines)
        for name, lines in (("s", source), ("r", reference), ("x", shifted))
    ]
    message = refused(
        "import_testset", "demo", "--languages", "en-de", "--source", files[0], "--reference", files[2]
    )
    assert "shifted" in message and "1 line" in message
    run("import_testset", "demo", "--languages", "en-de", "--source", files[0], "--reference", files[1])
    assert TestSet.objects.count() == 1


def test_an_unknown_parent_in_a_circle_cannot_be_named(texts):
    message = refused(
        "import_testset", "demo", "--languages", "en-de", "--source", texts["src"],
        "--double-translation", f"sauce={texts['back']}",
    )  # fmt: skip
    assert "Write source=FILE or target=FILE" in message


CASES = {
    "imp01_bom.txt": ["Guten Tag.", None],
    "imp04_crlf_cr.txt": [None, "zwei halb", None],
    "imp06_utf16le.txt": ["Größe zählt.", "Ende."],
    "imp16_multi.txt.gz": [None] * 5,
}


@pytest.mark.parametrize(("name", "lines"), CASES.items(), ids=list(CASES))
def test_encodings_and_line_ends(name, lines):
    run("import_testset", "demo", "--languages", "de-en", "--source", FILES / name)
    stored = version_lines(TextVersion.objects.get())
    assert len(stored) == len(lines)
    assert all(want is None or want == line for want, line in zip(lines, stored, strict=True))
    assert not any("\r" in line or "\ufeff" in line for line in stored)


def test_other_separators_stay_inside_a_line():
    run(
        "import_testset", "demo", "--languages", "en-de",
        "--source", FILES / "imp03_src.txt", "--reference", FILES / "imp03_ref.txt",
    )  # fmt: skip
    assert [version_lines(v)[5] for v in TextVersion.objects.order_by("side")] == ["END", "ENDE"]
    assert Segment.objects.count() == 6


def test_an_empty_line_keeps_its_place_and_is_announced():
    _, err = run("import_testset", "demo", "--languages", "en-de", "--source", FILES / "imp08_src.txt")
    assert version_lines(TextVersion.objects.get()) == ["one", "two", "", "four", "five"]
    assert "line 3 is blank" in err and "not offered" in err


def test_markup_and_nul_are_refused():
    assert "SGM" in refused(
        "import_testset", "d", "--languages", "en-de", "--source", FILES / "imp18_src.sgm"
    )
    assert "line 2" in refused(
        "import_testset", "d", "--languages", "en-de", "--source", FILES / "imp30_nul.txt"
    )


def test_a_path_in_a_name_is_only_a_name(texts, tmp_path):
    run("import_testset", "../../x.txt", "--languages", "en-de", "--source", f"/etc/x={texts['src']}")
    assert TestSet.objects.get().name == "../../x.txt"
    assert TextVersion.objects.get().name == "/etc/x"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "alt.txt", "back.txt", "ref.txt", "src.txt",
    ]  # fmt: skip


def test_an_identical_version_is_announced(texts, tmp_path):
    copy = tmp_path / "copy.txt"
    shutil.copy(texts["src"], copy)
    _, err = run(
        "import_testset", "demo", "--languages", "en-de", "--source", texts["src"], "--reference", copy
    )
    assert "target:reference (copy.txt) is the same text as source:source" in err


@needs_data
@pytest.mark.parametrize(
    ("year", "direct", "reverse", "pair", "natural"),
    [
        ("newstest2014", "ende", "deen", "en-de", ("en", "de")),
        ("newstest2014", "deen", "ende", "de-en", ("de", "en")),
        ("newstest2019", "enru", "ruen", "en-ru", ("en", "ru")),
        ("newstest2019", "ruen", "enru", "ru-en", ("ru", "en")),
    ],
)
def test_the_four_direction_pairs_of_the_paper(year, direct, reverse, pair, natural):
    source, target = natural
    folder = DATA / "nmt-bt"
    one, other = f"{year}-{direct}", f"{year}-{reverse}"
    run(
        "import_testset", one, "--languages", pair, "--direction", "direct",
        "--source", f"src={folder}/{one}.src.{source}",
        "--reference", f"r1={folder}/{one}.r1.{target}", f"wmt={folder}/{one}.tgt.{target}",
        "--double-translation", f"source={folder}/{one}.r1.r1.{source}", "--derived-from", "r1",
    )  # fmt: skip
    run(
        "import_testset", other, "--languages", pair, "--direction", "reverse",
        "--source", f"r1={folder}/{other}.r1.{source}", f"wmt={folder}/{other}.tgt.{source}",
        "--reference", f"src={folder}/{other}.src.{target}",
        "--double-translation", f"target={folder}/{other}.r1.r1.{target}", "--derived-from", "r1",
    )  # fmt: skip
    found = {name: TestSet.objects.get(name=name) for name in (one, other)}
    notation = {"X": "src", "X**": "double", "Y*": "r1", "Y* (wmt)": "wmt"}
    assert {wanted: version_find(found[one], wanted).name for wanted in notation} == notation
    notation = {"X*": "r1", "X* (wmt)": "wmt", "Y": "src", "Y**": "double"}
    assert {wanted: version_find(found[other], wanted).name for wanted in notation} == notation
    assert all(len(versions_of(testset)) == 4 for testset in found.values())
    assert SegmentText.objects.count() == 2 * 4 * 500
    assert set(found[one].segments.values_list("direction", flat=True)) == {"direct"}
    assert set(found[other].segments.values_list("direction", flat=True)) == {"reverse"}
