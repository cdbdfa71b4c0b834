"""Judgement files that other tools tripped over, and real ones."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotation.formats import FORMATS, FormatError, ParsedJudgements, ParseOptions, parse_map
from annotation.formats.table import read_table
from tests.paths import DATA, needs_data

FILES = Path(__file__).resolve().parent.parent / "files"


def parse(path: Path, format_name: str, **options: Any) -> ParsedJudgements:
    return FORMATS[format_name].parse(path.read_bytes(), path.name, ParseOptions(**options))


def parse_text(text: str, format_name: str = "csv", **options: Any) -> ParsedJudgements:
    return FORMATS[format_name].parse(text.encode(), "file", ParseOptions(**options))


def mean_of(parsed: ParsedJudgements, system: str) -> float:
    scores = [row.score for row in parsed.ratings if row.kind == "system" and system in row.systems]
    return sum(scores) / len(scores)


def test_quote_signs_in_a_tsv_stay_in_the_text() -> None:
    table = read_table((FILES / "imp10_quotes.tsv").read_bytes(), "imp10_quotes.tsv")
    rows = [table.header, *(row for _, row in table.rows)]
    assert rows == [
        ["First", "Erstes"],
        ['"Second', "Zweites"],
        ['Third "sentence"', "Drittes"],
        ['lobby"s', '"Viertes'],
        ["Fifth", 'Fünftes"'],
    ]


def test_a_plainly_quoted_tsv_is_unquoted() -> None:
    table = read_table(b'"a"\t"b"\n"x ""y"""\t"line\nbreak"\nplain\t"z"\n', "q.tsv")
    assert list(table.rows) == [(2, ['x "y"', "line\nbreak"]), (4, ["plain", "z"])]


def test_line_breaks_inside_quoted_cells_are_kept() -> None:
    rows = list(read_table((FILES / "imp11_quoted.csv").read_bytes(), "imp11_quoted.csv").rows)
    assert len(rows) == 2
    assert rows[0][1][1] == 'He said "no".\nThen left.'
    assert [line for line, _ in rows] == [2, 5]


def test_a_stray_tab_is_refused_with_its_line() -> None:
    with pytest.raises(FormatError, match="4 fields, 3 expected") as caught:
        list(read_table((FILES / "imp12_extra_tab.tsv").read_bytes(), "imp12_extra_tab.tsv").rows)
    assert caught.value.line == 3


def test_an_unclosed_quote_is_refused_where_it_opens() -> None:
    with pytest.raises(FormatError, match=r"a quote \(\"\) opened here") as caught:
        list(read_table((FILES / "imp33_unbalanced.csv").read_bytes(), "imp33_unbalanced.csv").rows)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('a,b\n1,"x"y\n', "is not doubled", 2),
        ("a,b\n1,x\ry\n", "carriage return", 2),
        ("a,a\n1,2\n", "stands twice in the header", 1),
        ("\n\n", "has no header", None),
        ('a,b\n1,"x\n2,y\n', "never closed", 2),
    ],
)
def test_faulty_tables_are_refused(text: str, message: str, line: int | None) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        list(read_table(text.encode(), "t.csv").rows)
    assert caught.value.line == line


def test_semicolons_and_decimal_commas() -> None:
    parsed = parse(FILES / "imp13_semicolon.csv", "csv")
    assert [row.score for row in parsed.ratings] == [72.5, 80.0]


@pytest.mark.parametrize("score", ['"72,5"', '"1,000"', "٧٢", "nan", "inf", "1_0", "0x10", "", "abc", "--1"])
def test_what_is_no_number_is_refused_with_its_line(score: str) -> None:
    with pytest.raises(FormatError, match="score") as caught:
        parse_text(f"rater,system,segment,score\nr1,A,1,70\nr1,B,1,{score}\n")
    assert caught.value.line == 3


@pytest.mark.parametrize("score", ["0", "101", "-1", "1e3"])
def test_a_score_outside_the_scale_is_refused(score: str) -> None:
    with pytest.raises(FormatError, match=f"the score {float(score):g} is outside the scale 1–100"):
        parse_text(f"rater,system,segment,score\nr1,A,1,{score}\n", scale=(1, 100))


def test_names_that_mean_nothing_elsewhere_are_names_here() -> None:
    parsed = parse(FILES / "imp14_na.csv", "csv")
    assert {row.system for row in parsed.ratings} == {"NA", "null"}
    assert {row.rater for row in parsed.ratings} == {"None", "r2"}
    assert [row.comment for row in parsed.ratings] == ["n/a", "nan", "", "None"]


def test_ids_and_zero_scores_are_kept() -> None:
    ids = parse(FILES / "exp02_ids.csv", "csv")
    assert [(row.rater, row.segment) for row in ids.ratings] == [
        ("ann-07", "doc1_#_0012"),
        ("ann-07", "doc1_#_12"),
        ("ann-7", "doc1_#_12"),
    ]
    zero = parse(FILES / "exp03_zero.csv", "csv")
    assert [row.score for row in zero.ratings] == [0.0, 100.0, 50.0]
    assert mean_of(zero, "A") == 50.0
    names = parse(FILES / "exp09_names.csv", "csv")
    assert [row.system for row in names.ratings] == ["GPT_4&Co{50%}", "<b>Sys</b>#1", r"a\b^~$"]


def test_preferences_may_name_the_preferred_system() -> None:
    parsed = parse(FILES / "sta10_pairwise.csv", "csv")
    assert len(parsed.comparisons) == 200
    assert Counter((row.left[0], row.right[0], row.winner) for row in parsed.comparisons) == {
        ("A", "C", "left"): 40,
        ("A", "C", "right"): 60,
        ("B", "C", "left"): 33,
        ("B", "C", "right"): 33,
        ("B", "C", "equal"): 34,
    }
    with pytest.raises(FormatError, match="the choice is “Z”"):
        parse_text("rater,left,right,segment,choice\nr1,A,B,1,Z\n")


def test_kinds_of_both_schools_are_known_and_others_refused_or_skipped() -> None:
    kinds = ["SYSTEM", "REPEAT", "REF", "BAD_REF", "TGT", "CHK", "BAD", "practice", "attention"]
    text = "rater,system,segment,kind,score\n" + "".join(
        f"r1,A,{k},{kind},5\n" for k, kind in enumerate(kinds)
    )
    assert [row.kind for row in parse_text(text).ratings] == [
        "system", "repeat", "reference", "bad_reference", "system", "repeat", "bad_reference", "practice",
        "attention",
    ]  # fmt: skip
    text += "r1,A,99,WHAT,5\n"
    with pytest.raises(FormatError, match="unknown item kind “WHAT”") as caught:
        parse_text(text)
    assert caught.value.line == len(kinds) + 2
    skipped = parse_text(text, unknown_kinds="skip")
    assert len(skipped.ratings) == len(kinds)
    assert skipped.notices == ["file: skipped 1 row of unknown kind “WHAT”"]


def test_a_missing_column_is_named_with_those_found() -> None:
    with pytest.raises(FormatError, match="has no column score; found: rater, system, segment, raw"):
        parse_text("rater,system,segment,raw\nr1,A,1,5\n")
    with pytest.raises(FormatError, match="has no column nowhere"):
        parse_text("rater,system,segment,raw\nr1,A,1,5\n", column_map=parse_map("score=nowhere"))
    mapped = parse_text("rater,system,segment,raw\nr1,A,1,5\n", column_map=parse_map("score=raw"))
    assert mapped.ratings[0].score == 5.0


@pytest.mark.parametrize("text", ["rater", "rater=", "colour=x", "rater=a,rater=b", ""])
def test_a_faulty_map_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="the column map"):
        parse_map(text)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2024-05-01T10:00:00+02:00", "2024-05-01T10:00:00+02:00"),
        ("2024-05-01T08:00:00Z", "2024-05-01T08:00:00+00:00"),
        ("1600000000.5", "2020-09-13T12:26:40.500000+00:00"),
        ("1600000000500", "2020-09-13T12:26:40.500000+00:00"),
    ],
)
def test_times_are_read_with_their_offset(time: str, expected: str) -> None:
    parsed = parse_text(
        f"rater,system,segment,score,when\nr1,A,1,5,{time}\n", column_map=parse_map("score=score,time=when")
    )
    moment = parsed.ratings[0].time_end
    assert moment is not None and moment.isoformat() == expected


def test_times_without_offset_are_refused_and_durations_are_kept_as_such() -> None:
    head, options = "rater,system,segment,score,when\n", {"column_map": parse_map("score=score,time=when")}
    for bad, message in (
        ("2024-05-01T10:00:00", "no offset"),
        ("yesterday", "no time"),
        ("9e99", "no point"),
    ):
        with pytest.raises(FormatError, match=message) as caught:
            parse_text(f"{head}r1,A,1,5,{bad}\n", **options)
        assert caught.value.line == 2
    parsed = parse_text(f"{head}r1,A,1,5,3015\n", **options)
    assert (parsed.ratings[0].seconds, parsed.ratings[0].time_end) == (3015.0, None)
    assert "seconds spent" in parsed.notices[0]


@pytest.mark.parametrize("name", ["", " A", "A\u202e", "x" * 121, "A||B", "A|A"])
def test_names_we_cannot_keep_are_refused_with_their_line(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_text(f"rater,system,segment,score\nr1,A,1,5\nr1,{name},1,5\n")
    assert caught.value.line == 3


def test_appraise_sorts_items_by_type() -> None:
    file = FILES / "imp23_appraise.csv"
    with pytest.raises(FormatError, match="unknown item kind “XYZ”") as caught:
        parse(file, "appraise")
    assert caught.value.line == 6
    parsed = parse(file, "appraise", unknown_kinds="skip")
    assert mean_of(parsed, "sysA") == 70.0
    assert Counter(row.kind for row in parsed.ratings) == {"system": 2, "reference": 1, "bad_reference": 1}
    assert [row.score for row in parsed.document_scores] == [75.0]
    assert any("XYZ" in notice for notice in parsed.notices)
    assert any("1 score of documents apart" in notice for notice in parsed.notices)
    assert parsed.languages_hint == "eng-deu"
    first = parsed.ratings[0]
    assert first.time_start is not None and first.time_end is not None
    assert (first.time_end - first.time_start).total_seconds() == 10.5


def test_a_plus_joins_known_systems_only() -> None:
    known = {"sysA", "sysB", "Transformer+R2L"}
    parsed = parse(FILES / "imp24_plus.csv", "appraise", known_systems=known)
    scores = {name: [row.score for row in parsed.ratings if name in row.systems] for name in known}
    assert scores == {"sysA": [90.0, 70.0], "sysB": [90.0], "Transformer+R2L": [50.0]}
    unknown = parse(FILES / "imp24_plus.csv", "appraise")
    assert {row.systems for row in unknown.ratings} == {("sysA+sysB",), ("Transformer+R2L",), ("sysA",)}
    assert "sysA+sysB" in unknown.notices[0]


@pytest.mark.parametrize(
    ("rows", "message", "line"),
    [
        ("u,A,1,TGT,eng,deu,50\n", "has 7 columns; Appraise writes 9, 11 or 12", 1),
        ("username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd\n", "has a header", 1),
        ("u,A,1,TGT,eng,deu,50,1e9,1e9\nu,A,1,TGT,eng,deu,50,d,False,1e9,1e9\n", "11 fields, 9 expected", 2),
        ("u,A,1,TGT,eng,deu,500,1600000000,1600000001\n", "outside the scale 0–100", 1),
        ("u,A,1,TGT,eng,deu,5,1600000000,1600000001\nu,A,1,TGT,eng,ces,5,1600000000,1600000001\n",
         "several language pairs: eng-deu, eng-ces", 2),
        ("u,A,1,TGT,eng,deu,50,d,True,1600000000,1600000001\nu,A,1,TGT,eng,deu,5,d,maybe,1600000000,1600000001\n",
         "isDocScore is “maybe”", 2),
        ("u,A,,TGT,eng,deu,50,1600000000,1600000001\n", "has no itemId", 1),
    ],
)  # fmt: skip
def test_faulty_appraise_files_are_refused(rows: str, message: str, line: int) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        parse_text(rows, "appraise")
    assert caught.value.line == line


def test_rankings_are_taken_apart_without_what_was_not_judged() -> None:
    parsed = parse(FILES / "imp28_ranking.csv", "wmt16-ranking")
    assert len(parsed.comparisons) == 16
    assert Counter(row.winner for row in parsed.comparisons) == {"left": 5, "equal": 11}
    assert not any("E" in row.left + row.right for row in parsed.comparisons if row.line == 2)
    assert not any(row.line == 4 for row in parsed.comparisons)
    assert "6 ranks of -1" in parsed.notices[0]


def test_a_lower_rank_is_better_and_a_plus_joins_identical_outputs() -> None:
    head = (
        "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    )
    text = head + "deu,eng,1,1,j1,A+B,4,C,3,7\r\r\ndeu,eng,1,1,j1,A+B,1,D,1,7\r\r\n"
    shown = parse_text(text, "wmt16-ranking").comparisons
    assert [(row.left, row.right, row.winner, row.identical) for row in shown] == [
        (("A", "B"), ("C",), "right", False),
        (("A", "B"), ("D",), "equal", False),
        (("A",), ("B",), "", True),
    ]
    assert (shown[0].group, shown[2].rater) == ("7", "")
    known = parse_text(text, "wmt16-ranking", known_systems={"A+B", "C", "D"}).comparisons
    assert [row.left for row in known] == [("A+B",), ("A+B",)]
    for rank in ("0", "x", "", "-2"):
        with pytest.raises(FormatError, match="is no rank"):
            parse_text(f"{head}deu,eng,1,1,j1,A,{rank},C,3,7\n", "wmt16-ranking")
    with pytest.raises(FormatError, match="has no column system2id"):
        parse_text("srclang,trglang,segmentId,judgeId,system1Id,system1rank\nx,y,1,j,A,1\n", "wmt16-ranking")


@needs_data
def test_the_real_direct_assessments_are_read_whole() -> None:
    fields = "rater=rater,system=system,segment=line,kind=item_type,score=raw"
    parsed = parse(
        DATA / "human/wmt22-csen-da/judgments.tsv",
        "csv",
        column_map=parse_map(f"{fields},group=hit_id,time=hit_seconds"),
        scale=(0, 100),
    )
    kinds = {"system": 17663, "repeat": 2431, "bad_reference": 2493, "reference": 2483}
    assert Counter(row.kind for row in parsed.ratings) == kinds
    assert len({row.rater for row in parsed.ratings}) == 156
    assert len({row.group for row in parsed.ratings}) == 263
    assert len({row.system for row in parsed.ratings}) == 12

    parsed = parse(DATA / "human/wmt21-bnhi-da/judgments.tsv", "csv", column_map=parse_map(fields))
    assert len(parsed.ratings) == 4461
    assert len({row.system for row in parsed.ratings}) == 9


@needs_data
def test_the_real_appraise_exports_are_read_whole() -> None:
    parsed = parse(DATA / "human/wmt22-enliv-appraise/appraise-export.csv", "appraise")
    assert Counter(row.kind for row in parsed.ratings) == {"system": 2378, "bad_reference": 324}
    assert parsed.languages_hint == "eng-liv"
    assert len({row.rater for row in parsed.ratings}) == 15

    parsed = parse(DATA / "human/wmt24-encs-esa/esa_generalMT2024_wave2.eng-ces.csv", "appraise")
    assert len(parsed.ratings) == 6120 - 209 - 51 - 19
    assert Counter(row.kind for row in parsed.ratings)["practice"] == len(
        [row for row in parsed.ratings if row.system.startswith("ende-tutorial")]
    )


@needs_data
@pytest.mark.parametrize(
    ("file", "shown", "ties", "systems", "groups"),
    [
        ("wmt16.deu-eng.csv", 20937, 4977, 10, 1341),
        ("wmt16.tur-eng.csv", 10188, 2589, 9, 970),
        ("wmt16.collapsed.deu-eng.csv.gz", 12926, 1182, 10, None),
        ("wmt16.collapsed.tur-eng.csv.gz", 9684, 2367, 9, None),
        ("quirk/wmt16.tur-eng.original-crcrlf.csv.gz", 10188, 2589, 9, 970),
    ],
)
def test_the_real_rankings_are_read_whole(
    file: str, shown: int, ties: int, systems: int, groups: int | None
) -> None:
    parsed = parse(DATA / "pairwise" / file, "wmt16-ranking")
    rows = [row for row in parsed.comparisons if not row.identical]
    assert len(rows) == shown
    assert sum(row.winner == "equal" for row in rows) == ties
    assert len({name for row in rows for name in row.left + row.right}) == systems
    if groups is not None:
        assert len({row.group for row in rows}) == groups
