"""What we write we read back: every text, in every flavour."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pyarrow
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from annotation.formats import FORMATS, FormatError, ParsedJudgements, ParseOptions, write_csv, write_jsonl
from annotation.formats.appraise_write import write_appraise
from annotation.formats.columns import COLUMNS
from annotation.formats.lines import comma_lines, quoted_lines
from annotation.formats.parquet import write_parquet
from annotation.formats.write import Value, write_tsv
from mtcore.corpora.names import InvalidName, check_name
from mtcore.corpora.spreadsheets import BYTE_ORDER_MARK

NASTY = [
    "\t",
    "\n",
    "\r",
    "\r\n",
    '"',
    ",",
    ";",
    "'",
    "\u2028",
    "\u0085",
    "\ufeff",
    "=",
    "+",
    "-",
    "@",
    "|",
    "\\",
    "é",
    "𝔘",
]
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30),
    st.lists(st.sampled_from(NASTY), max_size=8).map("".join),
)


def is_name(text: str) -> bool:
    try:
        check_name(text, "system")
    except InvalidName:
        return False
    return True


names = st.one_of(
    st.text(
        st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="|"), min_size=1, max_size=12
    ).map(str.strip),
    st.sampled_from(["NA", "null", "=1+1", "'@x", "-0.5", "a,b;c"]),
)
names = names.filter(is_name)
moments = st.datetimes(
    min_value=datetime(2001, 1, 1),
    max_value=datetime(2100, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)
scores = st.floats(-1e6, 1e6, allow_nan=False)


def record(**values: Value) -> list[Value]:
    return [values.get(column) for column in COLUMNS]


@st.composite
def ratings(draw: st.DrawFn) -> dict[str, Value]:
    return {
        "judgement": draw(texts),
        "rater": draw(names),
        "excluded_by": draw(texts),
        "testset": draw(st.just("") | names),
        "document": draw(texts),
        "segment": draw(texts.filter(bool)),
        "direction": draw(st.sampled_from(["", "direct", "reverse"])),
        "input": draw(st.just("") | names),
        "context": draw(st.just("") | names),
        "kind": draw(st.sampled_from(["system", "repeat", "reference", "bad_reference", "practice"])),
        "group": draw(texts),
        "left": draw(st.lists(names, min_size=1, max_size=3, unique=True)),
        "score": draw(scores),
        "current": True,
        "comment": draw(texts),
        "shown_at": draw(st.none() | moments),
        "submitted_at": draw(st.none() | moments),
        "active_ms": draw(st.none() | st.integers(0, 10**7)),
        "position": draw(st.none() | st.integers(1, 10**4)),
        "round": draw(st.integers(1, 9)),
    }


def written(rows: list[dict[str, Value]], flavour: str) -> bytes:
    stream = io.StringIO(newline="")
    records = [record(**row) for row in rows]
    if flavour == "parquet":
        binary = io.BytesIO()
        write_parquet(records, COLUMNS, binary)
        return binary.getvalue()
    if flavour == "jsonl":
        write_jsonl(records, COLUMNS, stream)
    elif flavour == "tsv":
        write_tsv(records, COLUMNS, stream)
    else:
        write_csv(records, COLUMNS, stream, spreadsheet=flavour == "spreadsheet")
    return stream.getvalue().encode()


def read(data: bytes, flavour: str) -> ParsedJudgements:
    return FORMATS[flavour if flavour in FORMATS else "csv"].parse(data, "export", ParseOptions())


@pytest.mark.parametrize("flavour", ["exact", "spreadsheet", "tsv", "jsonl", "parquet"])
@settings(max_examples=50)
@given(rows=st.lists(ratings(), min_size=1, max_size=3))
def test_ratings_come_back_as_they_were(flavour: str, rows: list[dict[str, Value]]) -> None:
    back = read(written(rows, flavour), flavour).ratings
    assert len(back) == len(rows)
    for row, made in zip(back, rows, strict=True):
        for field in (
            "judgement", "rater", "excluded_by", "testset", "document", "segment", "direction", "input",
            "context", "kind", "group", "comment", "score", "round", "position",
        ):  # fmt: skip
            assert getattr(row, field) == made[field]
        assert row.systems == tuple(made["left"])  # type: ignore[arg-type]
        assert (row.time_start, row.time_end) == (made["shown_at"], made["submitted_at"])
        active_ms = made["active_ms"]
        assert row.seconds == (None if active_ms is None else active_ms / 1000)  # type: ignore[operator]


@pytest.mark.parametrize("flavour", ["exact", "spreadsheet", "tsv", "jsonl", "parquet"])
@given(
    left=st.lists(names, min_size=1, max_size=2, unique=True),
    right=st.lists(names, min_size=1, max_size=2, unique=True),
    choice=st.sampled_from(["left", "right", "equal", "identical"]),
    comment=texts,
)
@example(left=["=A"], right=["'=A"], choice="identical", comment="''=1")
@example(left=["A"], right=["B"], choice="left", comment="\n=1+1")
@example(left=["A"], right=["B"], choice="left", comment="\r\n@SUM(A1)")
@example(left=["A"], right=["B"], choice="left", comment="\t-1")
@example(left=["A"], right=["B"], choice="left", comment="'\n+1")
def test_comparisons_come_back_as_they_were(
    flavour: str, left: list[str], right: list[str], choice: str, comment: str
) -> None:
    assume(not set(left) & set(right))
    identical = choice == "identical"
    made: dict[str, Value] = {
        "rater": "" if identical else "r1",
        "segment": "1",
        "left": left,
        "right": right,
        "choice": choice,
        "comment": comment,
    }
    (row,) = read(written([made], flavour), flavour).comparisons
    assert (row.left, row.right, row.comment) == (tuple(left), tuple(right), comment)
    assert (row.winner, row.identical) == ("" if identical else choice, identical)


@given(text=texts)
@example(text="\n=1+1")
@example(text="\r\n=1+1")
@example(text="＝1+1")
def test_a_spreadsheet_never_sees_a_formula(text: str) -> None:
    made: dict[str, Value] = {"rater": "r1", "segment": "1", "left": ["A"], "score": -1, "comment": text}
    data = written([made], "spreadsheet").decode()
    assert data.startswith(BYTE_ORDER_MARK)
    assert not data.startswith(BYTE_ORDER_MARK * 2)
    cell = io.StringIO(newline="")
    write_csv([[text]], ["comment"], cell, spreadsheet=True)
    rows = list(csv.reader(io.StringIO(cell.getvalue(), newline="")))
    assert not rows[1][:1] or not rows[1][0].startswith(tuple("=+-@＝＋－＠\t\r\n"))


def test_numbers_are_written_plainly() -> None:
    stream = io.StringIO(newline="")
    rows: list[list[Value]] = [[0.0, -0.5, 100, True, None, datetime(2024, 5, 1, tzinfo=UTC)]]
    assert write_csv(rows, ["a", "b", "c", "d", "e", "f"], stream) == 1
    assert stream.getvalue() == "a,b,c,d,e,f\n0,-0.5,100,yes,,2024-05-01T00:00:00+00:00\n"
    stream = io.StringIO(newline="")
    write_jsonl(rows, ["a", "b", "c", "d", "e", "f"], stream)
    assert stream.getvalue() == '{"a":0,"b":-0.5,"c":100,"d":true,"e":null,"f":"2024-05-01T00:00:00+00:00"}\n'


def test_a_spreadsheet_gets_no_formula_and_all_numbers() -> None:
    stream = io.StringIO(newline="")
    row: list[Value] = [-0.5, "-0.5", ["=A", "B"], "'=1", "a=b", "", 1e16]
    write_csv([row], list("abcdefg"), stream, spreadsheet=True)
    assert stream.getvalue().split("\r\n")[1] == "-0.5,'-0.5,'=A|B,''=1,a=b,,1e+16"


def test_json_takes_any_text_and_large_numbers() -> None:
    stream = io.StringIO(newline="")
    columns, row = ["100 %", 'a"b', "c", "d"], ["\\u0000", "\u2028\x01", 1e16, ["x", '"']]
    write_jsonl([row], columns, stream)
    assert json.loads(stream.getvalue()) == dict(zip(columns, row, strict=True))


@pytest.mark.parametrize("write", [write_csv, write_tsv, write_jsonl])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a\0b", datetime(2024, 5, 1)])
def test_what_no_reader_would_take_is_not_written(write: object, value: Value) -> None:
    with pytest.raises(FormatError):
        write([[value]], ["a"], io.StringIO())  # type: ignore[operator]


@pytest.mark.parametrize("flavour", ["exact", "spreadsheet", "tsv", "jsonl", "parquet"])
def test_superseded_judgements_are_left_out_and_counted(flavour: str) -> None:
    base: dict[str, Value] = {"rater": "r1", "segment": "1", "left": ["A"]}
    rows = [{**base, "score": 64, "current": False}, {**base, "score": 79, "current": True}]
    parsed = read(written(rows, flavour), flavour)
    assert [row.score for row in parsed.ratings] == [79.0]
    assert "left out 1 judgement" in parsed.notices[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": "left"}, "both a score and a choice"),
        ({"score": None, "choice": "best"}, "the choice is “best”"),
        ({"score": None}, "the score is empty"),
        ({"scale": "1-50"}, "outside the scale 1–50"),
        ({"scale": "50"}, "“50” is no scale"),
        ({"direction": "up"}, "the direction is “up”"),
        ({"segment": ""}, "has no segment"),
        ({"current": "maybe"}, "current is “maybe”"),
        ({"active_ms": "fast"}, "active_ms “fast”"),
        ({"kind": "odd"}, "unknown item kind “odd”"),
        ({"protocol": "other"}, "several protocols: source_da, other"),
        ({"languages": "de-en"}, "several language pairs"),
    ],
)
@pytest.mark.parametrize("flavour", ["exact", "jsonl"])
def test_a_cell_that_breaks_its_columns_rule_is_refused_with_its_line(
    flavour: str, change: dict[str, Value], message: str
) -> None:
    base: dict[str, Value] = {
        "protocol": "source_da", "languages": "cs-en", "scale": "0-100", "rater": "r1", "segment": "1",
        "left": ["A"], "score": 64,
    }  # fmt: skip
    data = written([base, {**base, **change}], flavour)
    with pytest.raises(FormatError, match=message) as caught:
        read(data, flavour)
    assert caught.value.line == (2 if flavour == "jsonl" else 3)


def test_scores_and_choices_in_one_file_are_refused() -> None:
    base: dict[str, Value] = {"rater": "r1", "segment": "1", "left": ["A"]}
    rows = [{**base, "score": 5}, {**base, "right": ["B"], "choice": "equal"}]
    with pytest.raises(FormatError, match="scores and choices"):
        read(written(rows, "exact"), "exact")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"rater":"r","segment":"1","left":["A"],"score":NaN}', "NaN is not a JSON number"),
        ('{"rater":"r","segment":"broken \\ud800 half","left":["A"],"score":1}', "lone surrogate"),
        ('{"rater":"r","segment":"1"}', "has no left; found: rater, segment"),
        ('{"rater":"r","segment":{},"left":["A"],"score":1}', "“segment” is neither text nor number"),
        ('"text"', "not a JSON object"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_faulty_json_lines_are_refused_with_their_line(line: str, message: str) -> None:
    good = '{"rater":"r","segment":"emoji \\ud83d\\ude00 \u2028 raw","left":"A","score":1}'
    with pytest.raises(FormatError, match=message) as caught:
        read(f"{good}\n\n{line}\n".encode(), "jsonl")
    assert caught.value.line == 3
    assert read(f"{good}\n\n".encode(), "jsonl").ratings[0].segment == "emoji 😀 \u2028 raw"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_parquet_takes_no_number_that_is_not_finite(value: float) -> None:
    with pytest.raises(FormatError):
        written([{"rater": "r1", "segment": "1", "left": ["A"], "score": value}], "parquet")


def test_parquet_is_written_and_read_by_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    group = 700
    monkeypatch.setattr("annotation.formats.parquet.ROWS_A_GROUP", group)
    n = 2 * group + 5
    alive = 0
    most = 0

    def rows() -> Iterator[list[Value]]:
        nonlocal alive, most
        for number in range(n):
            alive += 1
            most = max(most, alive)
            yield record(rater="r1", segment=str(number), left=["A"], score=number % 101)
            if (number + 1) % group == 0:
                alive = 0

    stream = io.BytesIO()
    assert write_parquet(rows(), COLUMNS, stream) == n
    assert most <= group
    file = parquet.ParquetFile(io.BytesIO(stream.getvalue()))
    assert file.num_row_groups == 3
    assert file.schema_arrow.field("submitted_at").type == pyarrow.timestamp("us", tz="UTC")
    back = read(stream.getvalue(), "parquet").ratings
    assert [row.segment for row in back] == [str(number) for number in range(n)]


unix_moments = moments.filter(lambda moment: moment.timestamp() >= 1e9)
plain_names = names.filter(lambda name: "+" not in name)


@given(
    made=st.lists(
        st.fixed_dictionaries(
            {
                "rater": names,
                "segment": texts.filter(bool),
                "kind": st.sampled_from(["system", "repeat", "reference", "bad_reference"]),
                "left": st.lists(plain_names, min_size=1, max_size=3, unique=True),
                "score": st.integers(0, 100),
                "shown_at": st.none() | unix_moments,
                "submitted_at": st.none() | unix_moments,
            }
        ),
        min_size=1,
        max_size=3,
    )
)
def test_what_appraise_can_say_comes_back(made: list[dict[str, Value]]) -> None:
    stream = io.StringIO(newline="")
    base: dict[str, Value] = {"languages": "eng-liv", "testset": "t", "current": True}
    extra: dict[str, Value] = {"rater": "r", "segment": "1", "left": ["A"], "score": 1}
    rows = [record(**{**base, **one}) for one in made]
    rows += [record(**base, **extra, kind="practice"), record(**{**base, "current": False}, **extra)]
    done = write_appraise(rows, COLUMNS, stream)
    assert (done.count, dict(done.left_out)) == (len(made), {"practice": 1, "corrected": 1})
    known = {system for one in made for system in one["left"]}  # type: ignore[union-attr]
    data = stream.getvalue().encode()
    back = FORMATS["appraise"].parse(data, "export", ParseOptions(known_systems=known))
    assert back.languages_hint == "eng-liv"
    for row, one in zip(back.ratings, made, strict=True):
        assert (row.rater, row.segment, row.kind, row.score) == (
            one["rater"], one["segment"], one["kind"], one["score"],
        )  # fmt: skip
        assert row.systems == tuple(one["left"])  # type: ignore[arg-type]
        assert (row.time_start, row.time_end) == (one["shown_at"], one["submitted_at"])


def test_appraise_has_scores_only() -> None:
    row = record(rater="r", segment="1", left=["A"], right=["B"], choice="left", languages="en-de")
    with pytest.raises(FormatError, match="these are preferences"):
        write_appraise([row], COLUMNS, io.StringIO())


cells = st.sampled_from(["", "a", "a,b", '"', "\n", "\r", "\r\n", "\t", " ", "=1", '""', "é", "k", "k"])


@given(rows=st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=4))
def test_lines_are_those_of_the_csv_module(rows: list[list[str]]) -> None:
    def by_the_module(**dialect: Any) -> list[str]:
        lines = []
        for row in rows:
            line = io.StringIO(newline="")
            csv.writer(line, lineterminator="\r\n", **dialect).writerow(row)
            lines.append(line.getvalue()[:-2])
        return lines

    for end in ("\n", "\r\n"):
        assert comma_lines(rows, end=end) == "".join(line + end for line in by_the_module())
    tabs = by_the_module(delimiter="\t", quoting=csv.QUOTE_ALL)
    assert quoted_lines(rows) == "".join(line + "\n" for line in tabs)


def test_a_column_of_many_equal_values_is_written_as_each_by_itself() -> None:
    berlin = timezone(timedelta(hours=2))
    moments: list[Value] = [datetime(2026, 1, 1, 2, tzinfo=berlin), datetime(2026, 1, 1, tzinfo=UTC)]
    columns: list[list[Value]] = [
        [1.0, 2.5] * 10, [0.0, -0.0] * 10, [True, 1] * 10, [1, 1.0] * 10, [None, 3] * 10, [None] * 20,
        ["a", None] * 10, [("A",), ("A", "B")] * 10, [["A"], ("A", "B")] * 10, moments * 10,
    ]  # fmt: skip
    rows = list(zip(*columns, strict=True))
    names = [f"c{n}" for n in range(len(columns))]
    for write in (write_csv, write_tsv, write_jsonl):
        whole, single = io.StringIO(newline=""), ""
        assert write(rows, names, whole) == 20
        for row in rows[:2]:
            one = io.StringIO(newline="")
            write([row], names, one)
            single += one.getvalue().splitlines(keepends=True)[-1]
        lines = whole.getvalue().splitlines(keepends=True)[-20:]
        assert "".join(lines) == single * 10
