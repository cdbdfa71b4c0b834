"""No format lets in what cannot be kept."""

import io
from datetime import datetime
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from annotation.formats import FORMATS, FormatError, ParseOptions, parse_map
from annotation.formats.limits import MAX_LENGTHS, MAX_NUMBERS

NAMES = sorted(FORMATS)
TEXT_NAMES = [name for name in NAMES if name != "parquet"]


def parse(name: str, data: bytes, **options: Any) -> Any:
    return FORMATS[name].parse(data, "file", ParseOptions(**options))


def stored(**columns: list[Any]) -> bytes:
    stream = io.BytesIO()
    n = len(next(iter(columns.values())))
    given = {"rater": ["r"] * n, "segment": ["1"] * n, "left": [["A"]] * n, "judgement": [""] * n}
    rest = {"score": [5.0] * n, "choice": [None] * n}
    parquet.write_table(pyarrow.table(given | rest | columns), stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_every_format_goes_through_the_door(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAX_LENGTHS, "segment", 0)
    with pytest.raises(FormatError, match=r"the segment has .* characters; 0 are allowed") as caught:
        parse(name, FORMATS[name].example)
    assert caught.value.file == "file" and caught.value.line and caught.value.remedy


@pytest.mark.parametrize("name", NAMES)
def test_numbers_go_through_it_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAX_NUMBERS, "round", 0)
    with pytest.raises(FormatError, match=r"the round 1 is (not from 0 to|above) 0"):
        parse(name, FORMATS[name].example)


@pytest.mark.parametrize("name", TEXT_NAMES)
def test_a_line_without_end_is_refused_by_every_text_format(name: str) -> None:
    example = FORMATS[name].example
    line = example.count(b"\n") + 1
    with pytest.raises(FormatError, match="has more than 1,000,000 characters") as caught:
        parse(name, example + b"x" * 1_000_001 + b"\n")
    assert caught.value.line == line


def test_only_tables_of_others_take_a_map() -> None:
    assert [name for name in NAMES if FORMATS[name].takes_map] == ["csv", "parquet", "tsv"]


@pytest.mark.parametrize(
    "text", ["rater=x,system=x", "segment=s,document=s", "score=n,time=n", "left=a,right=a"]
)
def test_a_map_gives_each_field_its_own_column(text: str) -> None:
    with pytest.raises(FormatError, match="for two fields"):
        parse_map(text)
    assert parse_map("input=src,context=src")["context"] == "src"


@pytest.mark.parametrize("score", ["1e400", "-1e400", "inf", "nan", "9" * 400])
@pytest.mark.parametrize("scale", [None, (0.0, 100.0)])
def test_a_number_too_large_for_a_number_is_none(score: str, scale: tuple[float, float] | None) -> None:
    with pytest.raises(FormatError, match="is not a number") as caught:
        parse("csv", f"rater,system,segment,score\nr,A,1,{score}\n".encode(), scale=scale)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("csv", b"rater,system,segment,kind,score\nr,A,1,ODD,5\n"),
        ("appraise", b"u,A,1,ODD,eng,deu,5,,\n"),
        ("mqm", b"system\tdoc\tseg_id\trater\tcategory\tseverity\nA\td\t1\tr\tx\tODD\n"),
    ],
)
def test_what_is_unknown_can_be_skipped_by_an_option_that_is_named(name: str, data: bytes) -> None:
    with pytest.raises(FormatError, match="“ODD”") as caught:
        parse(name, data)
    assert "--unknown-kinds=skip" in caught.value.remedy


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"left": [["A"], ["a|b"]]}, "a name in “left” holds “|”"),
        ({"comment": ["fine", "a\0b"]}, "“comment” holds a NUL"),
        ({"left": [["A"], ["a\0b"]]}, "“left” holds a NUL"),
        ({"position": [1, 2**40]}, "the position 1099511627776 is above"),
        ({"score": [1.0, float("inf")]}, "the score “inf” is not a number"),
        ({"submitted_at": [None, "9999-12-31T23:59:59-14:00"]}, "cannot be kept"),
        ({"shown_at": [None, datetime(9999, 12, 31, 23)]}, "no offset"),
    ],
)
def test_parquet_is_no_back_door(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse("parquet", stored(**columns))
    assert message in str(caught.value)
    assert caught.value.line == 2


def test_times_no_calendar_has_are_refused_in_parquet() -> None:
    far = pyarrow.array([2**62], type=pyarrow.timestamp("us", tz="UTC"))
    stream = io.BytesIO()
    columns = {"rater": ["r"], "segment": ["1"], "left": ["A"], "judgement": [""], "score": [5.0]}
    table = pyarrow.table({**columns, "choice": [""]}).append_column("note", far)
    parquet.write_table(table, stream)
    with pytest.raises(FormatError, match="cannot be read as Parquet"):
        parse("parquet", stream.getvalue())


def test_a_plus_that_joins_a_system_with_itself_is_refused() -> None:
    rows = b"u,A+A,1,TGT,eng,deu,5,,\n"
    with pytest.raises(FormatError, match="A is merged with itself") as caught:
        parse("appraise", rows, known_systems={"A"})
    assert caught.value.line == 1
    head = b"srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n"
    for row, message in (
        (b"deu,eng,1,j,A+A,1,B,2\n", "merged with"),
        (b"deu,eng,1,j,A+B,1,B,2\n", "held against"),
    ):
        with pytest.raises(FormatError, match=f"{message} itself"):
            parse("wmt16-ranking", head + row)
