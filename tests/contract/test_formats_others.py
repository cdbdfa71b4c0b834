"""Files of other platforms: Pearmut, WMT's tables, MQM, mt-metrics-eval, Appraise side by side, Parquet."""

import io
import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from annotation.formats import FORMATS, FormatError, ParsedJudgements, ParseOptions, parse_map


def parse(format_name: str, text: str | bytes, name: str = "file", **options: Any) -> ParsedJudgements:
    data = text if isinstance(text, bytes) else text.encode()
    return FORMATS[format_name].parse(data, name, ParseOptions(**options))


def refused(format_name: str, text: str | bytes, name: str = "file", **options: Any) -> FormatError:
    with pytest.raises(FormatError) as caught:
        parse(format_name, text, name, **options)
    assert caught.value.remedy
    return caught.value


def entry(**changes: Any) -> str:
    """Write one line of Pearmut's log."""
    record: dict[str, Any] = {
        "user_id": "ann",
        "item_i": 3,
        "annotation": [{"OP": {"score": 70, "error_spans": [], "textfield": "good"}}],
        "item": [{"item_id": "d_#_1", "src": "Hi.", "tgt": {"OP": "Hallo."}}],
        "actions": [{"time": 1771315000, "action": "load"}, {"time": 1771315010.5, "action": "submit"}],
    }
    return json.dumps(record | changes) + "\n"


def two(*scores: Any) -> list[Any]:
    """Make annotations of one model, a segment each; None is a segment that was skipped."""
    return [None if score is None else {"OP": {"score": score}} for score in scores]


def test_pearmut_scores_times_and_documents() -> None:
    items = [{"item_id": "d_#_1"}, {"item_id": "d_#_2"}]
    actions = [{"time": 1771315000 + seconds} for seconds in (0, 10, 500)]
    parsed = parse("pearmut", entry(annotation=two(70, 0), item=items, actions=actions) + entry(user_id="bo"))
    first, second, other = parsed.ratings
    assert (first.rater, first.systems, first.segment, first.score) == ("ann", ("OP",), "d_#_1", 70.0)
    assert (second.score, second.document, other.document) == (0.0, "d_#_1", "")
    assert first.time_start == datetime.fromtimestamp(1771315000, tz=UTC)
    assert first.seconds == second.seconds == (10 + 60) / 2
    assert (other.rater, other.comment, other.line) == ("bo", "good", 2)
    assert (parsed.scale_hint, parsed.languages_hint) == ((0.0, 100.0), None)


def test_pearmut_keeps_the_latest_score_of_each_rater_and_obeys_resets() -> None:
    text = entry() + entry(user_id="bo") + entry(annotation=two(40))
    parsed = parse("pearmut", text)
    assert [(row.rater, row.score) for row in parsed.ratings] == [("bo", 70.0), ("ann", 40.0)]
    assert parsed.notices == ["file: left out 1 scores that a later one replaces"]
    again = parse("pearmut", text + entry(annotation="__RESET__") + entry(annotation=two(10)))
    assert [(row.rater, row.score) for row in again.ratings] == [("bo", 70.0), ("ann", 10.0)]
    assert "file: left out 1 scores taken back by a reset" in again.notices


def test_pearmut_tutorials_checks_forms_and_skipped_segments() -> None:
    check = {"item_id": "c", "validation": {"OP": {"score": [1, 2]}}}
    tutorial = {"item_id": "t", "validation": {"OP": {"score": [1, 2]}}, "skippable": True}
    text = (
        entry(item_i="welcome_0")
        + entry(item_i="random_1")
        + entry(item=[check], item_i=5)
        + entry(item=[tutorial], item_i=6)
        + entry(item=[{"text": "Your age", "form": "number"}], annotation=["7"], item_i="welcome_1")
        + entry(annotation=two(None, 5), item=[{"item_id": "a"}, {"item_id": "b"}], item_i=7)
        + entry(annotation=[{"OP": {"score": None}}], item_i=8)
    )
    parsed = parse("pearmut", text)
    assert [(row.segment, row.kind) for row in parsed.ratings] == [
        ("d_#_1", "practice"), ("d_#_1", "attention"), ("c", "attention"), ("t", "practice"), ("b", "system"),
    ]  # fmt: skip
    assert sorted(parsed.notices) == [
        "file: left out 1 forms about the rater",
        "file: left out 1 segments that were skipped",
        "file: left out 1 translations without a score",
    ]


def test_pearmut_segments_without_id_are_known_by_their_source() -> None:
    item = [{"src": "Hi.", "tgt": {"OP": "Hallo."}}]
    same, other, old = parse(
        "pearmut",
        entry(item=item) + entry(item=item, user_id="bo", item_i=9)
        + entry(item=None, annotation={"OP": {"score": 5}}, user_id="cy"),
    ).ratings  # fmt: skip
    assert same.segment == other.segment and same.segment.startswith("source ")
    assert old.segment == "3.1"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{}\n", "has no user_id, item_i, annotation"),
        ("[1]\n", "has no user_id"),
        (entry(annotation=two(1, 2)), "has 2 annotations of 1 segments"),
        (entry(annotation=two(101)), "the score 101 is outside the scale 0–100"),
        (entry(annotation=[{"OP": {"score": {"a": 1}}}]), "the score of OP is not a number"),
        (entry(annotation=[{"OP": {"score": True}}]), "the score of OP is not a number"),
        (entry(annotation=[{"OP": 5}]), "is not an object of models"),
        (entry(actions=[{"time": "now"}]), "the time of an action is not a number"),
        (entry(annotation=[{"a|b": {"score": 5}}]), "“|”"),
    ],
)
def test_faulty_pearmut_lines_are_refused(line: str, message: str) -> None:
    error = refused("pearmut", entry() + line)
    assert message in str(error) and error.line == 2


WMT_HEAD = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"


def test_wmt_tables_have_mixed_separators_quotes_and_missing_values() -> None:
    text = (
        WMT_HEAD
        + 'H1\tw1\tcs\ten ad 7\t"A B.0" 9 SYSTEM\t12\t80\t30\r\n'
        + "H1 w1 cs en ad 7 C.1 9 REPEAT 13 0 30\n"
        + "NA w2 cs en ad 8 C.1 9 BAD_REF 14 NA NA\n"
        + "NA w2 cs en ad 8 C.1 9 REF 14 5 NA\n"
    )
    parsed = parse("wmt-mturk", text)
    assert [(row.systems, row.segment, row.score, row.kind, row.group) for row in parsed.ratings] == [
        (("A B",), "12", 80.0, "system", "H1"),
        (("C",), "13", 0.0, "repeat", "H1"),
        (("C",), "14", 5.0, "reference", "8"),
    ]
    assert [row.seconds for row in parsed.ratings] == [15.0, 15.0, None]
    assert any("left out 1 rows without a score" in notice for notice in parsed.notices)


@pytest.mark.parametrize(
    ("ids", "known", "expected"),
    [
        (["A.0", "B.1", "HUMAN-C"], None, ["A", "B", "HUMAN-C"]),
        (["GPT-3.5", "GPT-4.7"], None, ["GPT-3.5", "GPT-4.7"]),
        (["A.0", "A.1"], None, ["A.0", "A.1"]),
        (["A.0", "B.1", "A"], None, ["A.0", "B.1", "A"]),
        (["A.3", "B.9"], {"A", "B.9"}, ["A", "B.9"]),
    ],
)
def test_submission_numbers_go_only_where_they_are_some(
    ids: list[str], known: set[str] | None, expected: list[str]
) -> None:
    rows = "".join(f"H w cs en ad 1 {one} 1 SYSTEM {n} 5 0\n" for n, one in enumerate(ids))
    parsed = parse("wmt-mturk", WMT_HEAD + rows, known_systems=known)
    assert [row.systems[0] for row in parsed.ratings] == expected


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a b c\n", "has no columns HITId, WorkerId", 1),
        (WMT_HEAD + "H w cs en ad 1 A 1 SYSTEM 1 5\n", "11 fields, 12 expected", 2),
        (WMT_HEAD + "H w cs en ad 1 A 1 OTHER 1 5 0\n", "unknown item kind “OTHER”", 2),
        (WMT_HEAD + "H w cs en ad 1 A 1 SYSTEM 1 -0.5 0\n", "outside the scale 0–100", 2),
        (
            WMT_HEAD + "H w cs en ad 1 A 1 REF 1 5 0\nH w cs de ad 1 A 1 REF 2 5 0\n",
            "several language pairs",
            3,
        ),
    ],
)
def test_faulty_wmt_tables_are_refused(text: str, message: str, line: int) -> None:
    error = refused("wmt-mturk", text)
    assert message in str(error) and error.line == line


MQM_HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def errors(*rows: tuple[str, str, str, str]) -> str:
    """Write MQM rows of one rater: (system, segment, category, severity)."""
    lines = (f'{sys}\td\t1\t{seg}\tr1\t"s\tt\t{cat}\t{sev}\t\n' for sys, seg, cat, sev in rows)
    return MQM_HEAD + "".join(lines)


def test_mqm_errors_weigh_what_google_says() -> None:
    parsed = parse(
        "mqm",
        errors(
            ("A", "1", "No-error", "No-error"),
            ("A", "2", "Fluency/Punctuation", "Minor"),
            ("A", "2", "Fluency/Punctuation", "Minor"),
            ("A", "2", "Fluency/Punctuation", "Minor"),
            ("A", "3", "Fluency/Punctuation", "Major"),
            ("A", "3", "Accuracy/Omission", "minor"),
            ("A", "4", "Non-translation!", "Major"),
            ("A", "5", "Style/Awkward", "Neutral"),
        ),
    )
    assert [(row.segment, row.score) for row in parsed.ratings] == [
        ("1", 0.0), ("2", -0.3), ("3", -6.0), ("4", -25.0), ("5", 0.0),
    ]  # fmt: skip
    assert parsed.ratings[2].comment == "Major Fluency/Punctuation; minor Accuracy/Omission"
    assert str(parsed.ratings[0].score) == "0.0"
    assert parsed.scale_hint == (-25.0, 0.0)


def test_mqm_segment_ids_that_several_documents_share_take_the_documents_name() -> None:
    text = "system\tdoc\tdocSegId\tglobalSegId\trater\tcategory\tseverity\n"
    text += "A\tx\t1\t7\tr\tNo-error\tNo-error\nA\tx\t2\t8\tr\tNo-error\tNo-error\n"
    assert [row.segment for row in parse("mqm", text).ratings] == ["7", "8"]
    text += "A\ty\t1\t7\tr\tNo-error\tNo-error\n"
    assert [row.segment for row in parse("mqm", text).ratings] == ["x:7", "x:8", "y:7"]


def test_faulty_mqm_tables_are_refused() -> None:
    assert "has no column severity" in str(refused("mqm", MQM_HEAD.replace("severity", "weight")))
    assert "has no column seg_id" in str(refused("mqm", MQM_HEAD.replace("seg_id", "segment")))
    odd = errors(("A", "1", "Style", "Awful"))
    assert "unknown severity “Awful”" in str(refused("mqm", odd))
    skipped = parse("mqm", odd, unknown_kinds="skip")
    assert (skipped.ratings[0].score, len(skipped.notices)) == (0.0, 1)
    many = errors(*[("A", "1", "Style", "Major")] * 6)
    error = refused("mqm", many)
    assert "weigh 30, outside the scale -25–0" in str(error) and "--scale=-30-0" in error.remedy
    assert parse("mqm", many, scale=(-30, 0)).ratings[0].score == -30.0
    assert "9 fields, 10 expected" in str(refused("mqm", odd.replace("\t\n", "\n")))


def test_scores_of_mt_metrics_eval_are_counted_by_system() -> None:
    text = "A\t1.5\nA\tNone\nB 0\nB\t-0.0\n"
    parsed = parse("mt-metrics-eval", text, name="en-de.mqm.v2.seg.score")
    assert [(row.rater, row.system, row.segment, row.score) for row in parsed.ratings] == [
        ("mqm.v2", "A", "1", 1.5), ("mqm.v2", "B", "1", 0.0), ("mqm.v2", "B", "2", 0.0),
    ]  # fmt: skip
    assert parsed.languages_hint == "en-de"
    assert "file: left out 1 missing scores (None)" in parse("mt-metrics-eval", text).notices


def test_scores_of_raters_are_ratings() -> None:
    text = "A\td1\t1\t-3.0\tr1=5\tr2=1.0\nA\td1\t2\t-0.0\tr1=0\n"
    parsed = parse("mt-metrics-eval", text, scale=(-25, 0))
    assert [(row.rater, row.segment, row.score, row.document) for row in parsed.ratings] == [
        ("r1", "d1:1", -5.0, "d1"), ("r2", "d1:1", -1.0, "d1"), ("r1", "d1:2", 0.0, "d1"),
    ]  # fmt: skip
    assert parse("mt-metrics-eval", "A d 1 50 r=50\n").ratings[0].score == 50.0


@pytest.mark.parametrize(
    ("text", "name", "message", "line"),
    [
        ("A 1\nB 2\n", "en-de.mqm.seg.score", "has one score a system", None),
        ("A 1\n", "en-de.mqm.sys.score", "holds scores of level sys", None),
        ("A 1\nA 2\nB 1\n", "file", "B has 1 scores, A has 2", 3),
        ("A 1\nA 2 3\n", "file", "3 fields, 2 expected", 2),
        ("A 1\nA x\n", "file", "the score “x” is not a number", 2),
        ("A 1\nA -7\n", "file", "the score -7 is outside the scale 0–100", 2),
        ("A d 1 50 r=50\nA d 1 50 r50\n", "file", "not written as rater=score", 2),
    ],
)
def test_faulty_scores_are_refused(text: str, name: str, message: str, line: int | None) -> None:
    error = refused("mt-metrics-eval", text, name)
    assert message in str(error) and error.line == line


def side(system: str, item: int, score: int, *, errors: str = "", kind: str = "TGT") -> str:
    start = 1665513605 + 10 * item
    extra = f",{errors},None" if errors else ""
    return f"ann,{system},{item},{kind},eng,liv,{score}{extra},{start}.5,{start + 8}.25\r\n"


def test_appraise_side_by_side_as_preferences_and_as_scores() -> None:
    text = (
        side("OP", 1, 30) + side("BT", 1, 70) + side("BT", 2, 50) + side("OP", 2, 50)
        + side("A", 3, 40) + side("B", 3, 40) + side("C", 3, 20) + side("OP", 4, 9, kind="BAD")
        + side("A", 5, 40) + side("B", 5, 40) + side("C", 5, 40)
    )  # fmt: skip
    parsed = parse("appraise-pairwise", text)
    assert [(row.left, row.right, row.winner) for row in parsed.comparisons] == [
        (("OP",), ("BT",), "right"), (("BT",), ("OP",), "equal"), (("A", "B"), ("C",), "left"),
    ]  # fmt: skip
    assert parsed.comparisons[0].comment == "scores 30 and 70 of 100"
    assert parsed.notices == ["file: left out 2 items whose two sides cannot be told apart"]
    assert [row.score for row in parse("appraise", text).ratings][:3] == [30.0, 70.0, 50.0]


def test_appraise_layouts_of_eleven_columns_are_told_apart() -> None:
    errors = parse("appraise", side("OP", 1, 30, errors="word order") + side("BT", 1, 70, errors="None"))
    assert [row.comment for row in errors.ratings] == ["word order", ""]
    batch = "ann,OP,1,TGT,eng,liv,30,1665513605.5,1665513609.5,17,4711\r\n"
    (row,) = parse("appraise", batch).ratings
    assert (row.group, row.comment) == ("17", "")
    assert row.time_start is not None and row.time_start.timestamp() == 1665513605.5


def made(columns: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


def test_parquet_of_others_goes_through_a_map() -> None:
    data = made({"who": ["r1", "r2"], "sys": ["A", "B"], "seg": [1, 2], "raw": [72.5, 0.0], "n": [None, 3]})
    parsed = parse("parquet", data, column_map=parse_map("rater=who,system=sys,segment=seg,score=raw"))
    assert [(row.rater, row.segment, row.score, row.line) for row in parsed.ratings] == [
        ("r1", "1", 72.5, 1), ("r2", "2", 0.0, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (made({"rater": ["r"], "system": ["A"], "segment": ["1"]}), "has no column score", 1),
        (made({"rater": ["r", "r"], "system": ["A", "A"], "segment": ["1", "2"], "score": [1.0, None]}),
         "the score is empty", 2),
        (made({"rater": ["r"], "system": ["A"], "segment": ["1"], "score": [{"a": 1}]}), "neither text", 1),
        (made({"rater": ["r"], "system": ["A"], "segment": ["1"], "score": [1.0]})[:-20], "as Parquet", None),
    ],
)  # fmt: skip
def test_faulty_parquet_is_refused(data: bytes, message: str, line: int | None) -> None:
    error = refused("parquet", data)
    assert message in str(error) and error.line == line


def test_kinds_of_every_format_are_ours() -> None:
    counts = Counter(
        row.kind for one in FORMATS.values() for row in one.parse(one.example, "example", ParseOptions()).rows
    )
    assert counts.keys() == {"system", "bad_reference"}


RANKING_HEAD = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
)


def test_expanded_and_collapsed_rankings_are_told_apart() -> None:
    row = "deu,eng,1,1,j,{},1,{},2,7\n"
    few = RANKING_HEAD + row.format("A+B", "C")
    collapsed = parse("wmt16-ranking", few)
    assert collapsed.comparisons[0].left == ("A", "B")
    assert collapsed.notices == ["file: collapsed; 1 names with + are several systems"]
    many = few + "".join(row.format("C", f"S{number}") for number in range(10))
    expanded = parse("wmt16-ranking", many)
    assert expanded.comparisons[0].left == ("A+B",)
    assert expanded.notices == ["file: a + is part of the name of A+B"]
    assert not any(row.identical for row in expanded.comparisons)
