"""Test sets in the formats of others: cases that other tools tripped over."""

import tracemalloc
from typing import Any

import pytest

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import differs, language_direction
from mtcore.corpora.sgm import decode_entities
from mtcore.corpora.testset_base import InputFile, ParsedTestSet, TestSetOptions
from mtcore.corpora.testset_formats import TESTSET_FORMATS
from tests.paths import ROOT

FILES = ROOT / "tests" / "files"


def parse(format_name: str, *names: str, **options: Any) -> ParsedTestSet:
    files = [InputFile(name, (FILES / name).read_bytes()) for name in names]
    return TESTSET_FORMATS[format_name].parse(files, TestSetOptions("en", "de", **options))


def parse_text(format_name: str, *texts: str, **options: Any) -> ParsedTestSet:
    files = [InputFile(f"file{number}", text.encode()) for number, text in enumerate(texts, start=1)]
    return TESTSET_FORMATS[format_name].parse(files, TestSetOptions("en", "de", **options))


def refused(format_name: str, *texts: str, **options: Any) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        parse_text(format_name, *texts, **options)
    assert caught.value.remedy
    return caught.value


def xml(texts: str) -> str:
    """Return an XML test set of one document that begins on line 2."""
    return f"<dataset>\n<doc id='d'>{texts}</doc></dataset>"


def test_quote_signs_of_a_tsv_without_header_are_text() -> None:
    parsed = parse("tsv", "imp10_quotes.tsv", columns=("source", "reference"))
    assert parsed.sources == {"": ["First", '"Second', 'Third "sentence"', 'lobby"s', "Fifth"]}
    assert parsed.references == {"": ["Erstes", "Zweites", "Drittes", '"Viertes', 'Fünftes"']}
    with pytest.raises(CorpusError, match="has no column source; found: First, Erstes") as caught:
        parse("tsv", "imp10_quotes.tsv")
    assert "--columns" in caught.value.remedy


def test_a_line_break_in_a_cell_is_text() -> None:
    parsed = parse("csv", "imp11_quoted.csv")
    assert parsed.sources == {"": ['He said "no".\nThen left.', "Yes, sure"]}
    assert parsed.keys == ["1", "2"]


def test_a_stray_tab_is_refused_with_its_line() -> None:
    with pytest.raises(CorpusError, match="4 fields, 3 expected") as caught:
        parse("tsv", "imp12_extra_tab.tsv")
    assert (caught.value.file, caught.value.line) == ("imp12_extra_tab.tsv", 3)


def test_sgm_is_read_as_it_is_written() -> None:
    parsed = parse("sgm", "imp18_src.sgm")
    assert parsed.sources == {"": ["AT&T & Co.", 'R&D <b> "q"', "first half second half", ""]}
    assert parsed.keys == ["d1:1", "d1:2", "d1:3", "d1:4"]
    assert parsed.directions == ["direct"] * 4


def test_xml_is_aligned_by_segment_id_and_says_what_is_missing() -> None:
    parsed = parse("xml", "imp20_missing.xml")
    assert parsed.sources[""] == ["Source one.", "Source two.", "Source three."]
    assert parsed.references["A"] == ["Ref eins.", None, "Ref drei."]
    assert parsed.outputs == {
        "S1": ["S1 eins.", "S1 zwei.", None],
        "S2": ["S2 eins.", "S2 zwei.", "S2 drei."],
    }
    assert parsed.notices == [
        "imp20_missing.xml: the reference A has no text for segment d1:2; not offered to raters",
        "imp20_missing.xml: the output of S1 has no text for segment d1:3; not offered to raters",
    ]


def test_two_documents_with_one_id_are_refused_with_the_id() -> None:
    with pytest.raises(
        CorpusError, match=r"two documents have the id news\.1 \(the first on line 3\)"
    ) as caught:
        parse("xml", "imp22_dup_docid.xml")
    assert caught.value.line == 4
    doc = '<doc docid="d"><seg id="1">a</seg></doc>'
    assert "two documents have the id d" in str(refused("sgm", f"<srcset>{doc}\n{doc}</srcset>"))


def test_jsonl_keeps_separators_and_refuses_half_a_character() -> None:
    lines = (FILES / "imp27_seps.jsonl").read_text("utf-8").split("\n")
    good = parse_text("jsonl", "\n".join(lines[:4]))
    assert good.sources == {"": ["a\u2028b", "c\u0085d", "emoji 😀"]}
    with pytest.raises(CorpusError, match="lone surrogate") as caught:
        parse("jsonl", "imp27_seps.jsonl")
    assert caught.value.line == 5


@pytest.mark.parametrize("format_name", ["xml", "sgm"])
@pytest.mark.parametrize("name", ["sec05_xxe.xml", "sec05_lol.xml"])
def test_entities_are_refused_at_once_and_nothing_is_opened(name: str, format_name: str) -> None:
    tracemalloc.start()
    with pytest.raises(CorpusError, match="declares entities") as caught:
        parse(format_name, name)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert caught.value.line == 2


def test_a_bare_document_type_is_passed_over() -> None:
    parsed = parse("sgm", "sec05_doctype_ok.sgm")
    assert parsed.sources == {"": ["Plain text."]}
    xml = (
        '<?xml version="1.0"?>\n<!DOCTYPE dataset SYSTEM "ftp://example.invalid/wmt.dtd">\n'
        '<dataset><doc id="d" origlang="de"><src lang="en"><seg id="1">a &amp; b</seg></src></doc></dataset>'
    )
    parsed = parse_text("xml", xml)
    assert (parsed.sources, parsed.directions) == ({"": ["a & b"]}, ["reverse"])


def test_sgm_files_come_in_any_order_and_are_aligned_by_id() -> None:
    source = '<srcset><doc docid="d" origlang="de"><seg id="1">one</seg><seg id="2">two</seg></doc></srcset>'
    reference = "<REFSET refid=B><DOC DOCID='d'><hl><seg id=2>zwei</hl></SEG></DOC></REFSET>"
    outputs = (
        '<tstset><doc docid="d" sysid="X"><seg id="2">x2</seg><seg id="1">x1</seg></doc>'
        '<doc docid="d" sysid="Y"><seg id="1">y1</seg></doc></tstset>'
    )
    parsed = parse_text("sgm", outputs, reference, source)
    assert parsed.outputs == {"X": ["x1", "x2"], "Y": ["y1", None]}
    assert parsed.references == {"B": [None, "zwei</hl>"]}
    assert parsed.directions == ["reverse", "reverse"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("<srcset>\n<doc>\n<seg id=1>a</seg></doc></srcset>", "a document has no docid", 2),
        ('<srcset>\n<doc docid="d">\n<seg>a</seg></doc></srcset>', "a segment has no id", 3),
        ('<srcset><doc docid="d">\n<seg id="1">a\n<seg id="2">b</seg></doc></srcset>', "is not closed", 2),
        ('<srcset><doc docid="d">\n<seg id="1">a', "is not closed", 2),
        ('<doc docid="d">\n<seg id="1">a</seg></doc>', "outside of srcset", 1),
        ("<srcset>\n<seg id=1>a</seg></srcset>", "outside of a document", 2),
        ("plain\ntext\n", "has no srcset, refset or tstset", None),
        ('<tstset>\n<doc docid="d"><seg id="1">a</seg></doc></tstset>', "an output has no sysid", 2),
        ('<refset>\n<doc docid="d"><seg id="1">a</seg></doc></refset>', "holds no source text", None),
        ('<srcset><doc docid="d">\n<seg id="1">a</seg>\n<seg id="1">b</seg></doc></srcset>', "twice", 3),
    ],
)  # fmt: skip
def test_faulty_sgm_is_refused_with_its_line(text: str, message: str, line: int | None) -> None:
    error = refused("sgm", text)
    assert message in str(error) and error.line == line


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("<dataset>\n<doc>", "a document has no id", 2),
        (xml("<src>\n<seg>a</seg></src>"), "a seg has no id", 3),
        (xml("<hyp><seg id='1'>a</seg></hyp>"), "a hyp has no system", 2),
        (xml("<src lang='cs'><seg id='1'>a</seg></src>"), "is in cs, not in en", 2),
        (xml("<src><seg id='1'>a &nbsp; b</seg></src>"), "is not XML at character", 2),
        (xml("<src><seg id='1'>a</src>"), "is not XML at character", 2),
        (xml("<src><seg id='1'>a</seg>\n<seg id='1'>b</seg></src>"), "twice", 3),
        (xml("<src><seg id='1'>a</seg></src>\n<ref><seg id='2'>b</seg></ref>"), "the source has not", 3),
        ("<dataset>" + "<p>" * 40 + "</p>" * 40 + "</dataset>", "nests deeper than 32", 1),
        ("<html><p>hello</p></html>", "begins with <html>", 1),
        ("not xml", "is not XML", 1),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><dataset/>", "is written in ISO-8859-1, not", 1),
        ('<?xml version="1.0"\n encoding = "windows-1252" ?><dataset/>', "is written in windows-1252", 1),
    ],
)  # fmt: skip
def test_faulty_xml_is_refused_with_its_line(text: str, message: str, line: int) -> None:
    error = refused("xml", text)
    assert message in str(error) and error.line == line


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-16"])
def test_xml_may_say_how_it_is_written(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?>" + xml("<src><seg id='1'>a</seg></src>")
    assert parse_text("xml", text).sources == {"": ["a"]}


def test_documents_of_test_suites_are_left_out_with_a_notice() -> None:
    doc = "<doc id='{0}'{1}><src lang='en'><seg id='1'>{0}</seg></src></doc>"
    docs = doc.format("a", "") + doc.format("b", " testsuite='x'")
    parsed = parse_text("xml", f"<dataset>{docs}</dataset>")
    assert parsed.sources == {"": ["a"]}
    assert parsed.notices == ["file1: left out 1 document of test suites"]


def test_columns_of_a_table_are_versions_outputs_or_left_out() -> None:
    header = "id,doc_id,origlang,source,target,reference:B,output:OP,BT,extra\n"
    text = f"{header}s1,d,de,a,A,,oa,ba,x\ns2,d,en,b,B,bb,ob,bb,y\n"
    parsed = parse_text("csv", text, outputs=("BT",))
    assert parsed.references == {"": ["A", "B"], "B": [None, "bb"]}
    assert parsed.outputs == {"OP": ["oa", "ob"], "BT": ["ba", "bb"]}
    assert (parsed.documents, parsed.directions) == (["d", "d"], ["reverse", "direct"])
    assert parsed.notices[0] == "file1: left out the columns extra"
    assert list(parse_text("csv", text, outputs=("all",)).outputs) == ["OP", "BT", "extra"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("id,source\n1,a\n1,b\n", "segment “1” is there already, on line 2", 3),
        ("id,source\n,a\n", "the segment id is empty", 2),
        (f"id,source\n{'x' * 201},a\n", "the segment id has 201 characters", 2),
        ("id,source,direction\n1,a,forward\n", "the direction is “forward”", 2),
        ("id,source\n", "has no segment", None),
        ("source,reference,target\na,b,c\n", "hold the same text", 1),
        ('id,source\n1,"a\n', "never closed", 2),
    ],
)
def test_faulty_tables_are_refused_with_their_line(text: str, message: str, line: int | None) -> None:
    error = refused("csv", text)
    assert message in str(error) and error.line == line


def test_an_output_column_that_is_not_there_is_refused() -> None:
    assert "has no column C to take outputs from; found: B" in str(
        refused("csv", "source,B\na,b\n", outputs=("C",))
    )


@pytest.mark.parametrize(
    "line",
    ["[1]", '{"source": NaN}', '{"source": ["a"]}', "{", '{"source": true}', '{"source": "b", "id": 1e999}'],
)
def test_faulty_json_is_refused_with_its_line(line: str) -> None:
    assert refused("jsonl", f'{{"source": "a"}}\n{line}\n').line == 2


def test_a_folder_of_mt_metrics_eval_is_one_test_set() -> None:
    example = TESTSET_FORMATS["mt-metrics-eval"].example
    options = TestSetOptions("en", "de")
    short = [file._replace(data=b"Tag.\n") if "OP" in file.name else file for file in example]
    with pytest.raises(CorpusError, match=r"OP\.txt has 1 line, sources/en-de\.txt has 2"):
        TESTSET_FORMATS["mt-metrics-eval"].parse(short, options)
    with pytest.raises(CorpusError, match=r"no sources/de-en\.txt; language pairs found: en-de"):
        TESTSET_FORMATS["mt-metrics-eval"].parse(example, TestSetOptions("de", "en"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "&amp;lt; &#65;&#x42; &#0; &#xD800; &copy; & &#1114112;",
            "&lt; AB &#0; &#xD800; &copy; & &#1114112;",
        ),
        ("&apos;&quot;&lt;&gt;", "'\"<>"),
    ],
)
def test_entities_of_sgm(text: str, expected: str) -> None:
    assert decode_entities(text) == expected


@pytest.mark.parametrize(
    ("original", "expected"),
    [("en", "direct"), ("eng", "direct"), ("de_AT", "reverse"), ("fr", ""), ("English", ""), ("", "")],
)
def test_the_language_of_a_document_gives_its_direction(original: str, expected: str) -> None:
    assert language_direction(original, "en", "de") == expected


def test_only_a_tag_can_contradict_a_language() -> None:
    assert differs("cs", "en") and not differs("English", "en") and not differs("en-GB", "en")
