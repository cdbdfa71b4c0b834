"""Test sets written by hand in each format come back with every text in its place."""

import csv
import io
import json
import random
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.testset_base import InputFile, ParsedTestSet, TestSetOptions
from mtcore.corpora.testset_formats import TESTSET_FORMATS

OPTIONS = TestSetOptions("en", "de")
NASTY = [
    "\t",
    '"',
    ",",
    ";",
    "&",
    "&amp;",
    "<",
    ">",
    "<b>",
    "</seg>",
    "]]>",
    "\u2028",
    "\u0085",
    "\u00a0",
    "  ",
]
characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")
words = st.one_of(st.text(characters, max_size=20), st.lists(st.sampled_from(NASTY), max_size=5).map("".join))
texts = words.map(lambda text: text.strip(" \t"))
ids = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=6)


@st.composite
def test_sets(draw: st.DrawFn) -> dict[str, list[str | None]]:
    """Draw segment ids, and texts that are there or missing."""
    keys = draw(st.lists(ids, min_size=1, max_size=5, unique=True))
    n = len(keys)
    optional = st.lists(st.none() | texts.filter(bool), min_size=n, max_size=n)
    return {
        "ids": list(keys),
        "source": draw(st.lists(texts.filter(bool), min_size=n, max_size=n)),
        "A": draw(optional),
        "OP": draw(optional),
    }


test_sets.__test__ = False  # type: ignore[attr-defined]  # not a test function


def as_table(made: dict[str, list[str | None]], delimiter: str) -> bytes:
    stream = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if delimiter == "\t" else csv.QUOTE_MINIMAL
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerow(["segment_id", "source", "reference:A", "output:OP"])
    writer.writerows(zip(made["ids"], made["source"], made["A"], made["OP"], strict=True))
    return stream.getvalue().encode()


def as_json(made: dict[str, list[str | None]]) -> bytes:
    rows = zip(made["ids"], made["source"], made["A"], made["OP"], strict=True)
    records = [{"id": i, "source": s, "references": {"A": a}, "outputs": {"OP": o}} for i, s, a, o in rows]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def segments(made: dict[str, list[str | None]], text: str) -> str:
    """Write the segments of a text in an order of their own."""
    pairs = [(i, line) for i, line in zip(made["ids"], made[text], strict=True) if line is not None]
    if text != "source":
        random.Random(text).shuffle(pairs)
    return "".join(f"<seg id={quoteattr(str(i))}>{escape(str(line))}</seg>\n" for i, line in pairs)


def as_xml(made: dict[str, list[str | None]]) -> bytes:
    return (
        '<?xml version="1.0"?>\n<dataset><doc id="d" origlang="en">'
        f'<src lang="en">{segments(made, "source")}</src><ref translator="A">{segments(made, "A")}</ref>'
        f'<hyp system="OP">{segments(made, "OP")}</hyp></doc></dataset>'
    ).encode()


def as_sgm(made: dict[str, list[str | None]]) -> bytes:
    return (
        f'<srcset><doc docid="d" origlang="en"><p>{segments(made, "source")}</doc></srcset>'
        f'<refset refid="A"><doc docid="d">{segments(made, "A")}</doc></refset>'
        f'<tstset><doc docid="d" sysid="OP">{segments(made, "OP")}</doc></tstset>'
    ).encode()


WRITERS: dict[str, Callable[[dict[str, list[str | None]]], bytes]] = {
    "csv": lambda made: as_table(made, ","),
    "tsv": lambda made: as_table(made, "\t"),
    "jsonl": as_json,
    "xml": as_xml,
    "sgm": as_sgm,
}


def parse(format_name: str, data: bytes) -> ParsedTestSet:
    return TESTSET_FORMATS[format_name].parse([InputFile("file", data)], OPTIONS)


@pytest.mark.parametrize("format_name", sorted(WRITERS))
@settings(max_examples=60, deadline=None)
@given(made=test_sets())
def test_every_text_comes_back_in_its_place(format_name: str, made: dict[str, list[str | None]]) -> None:
    parsed = parse(format_name, WRITERS[format_name](made))
    prefix = "d:" if format_name in ("xml", "sgm") else ""
    assert parsed.keys == [f"{prefix}{one}" for one in made["ids"]]
    assert list(parsed.sources.values()) == [made["source"]]
    nothing = [None] * len(made["ids"])
    assert parsed.references.get("A", nothing) == made["A"]
    assert parsed.outputs.get("OP", nothing) == made["OP"]
    missing = sum(
        any(line is None for line in lines)
        for lines in (*parsed.references.values(), *parsed.outputs.values())
    )
    assert sum("has no text for" in notice for notice in parsed.notices) == missing


@pytest.mark.parametrize("format_name", sorted(WRITERS))
@settings(max_examples=60, deadline=None)
@given(
    made=test_sets(),
    at=st.floats(0, 1),
    what=st.sampled_from([b"", b"\x00", b"\xff", b"<", b'"', b"\n", b"&"]),
)
def test_a_damaged_file_is_read_or_refused_with_its_name(
    format_name: str, made: dict[str, list[str | None]], at: float, what: bytes
) -> None:
    data = WRITERS[format_name](made)
    cut = int(at * len(data))
    try:
        parsed = parse(format_name, data[:cut] + what + data[cut + 1 :])
    except CorpusError as error:
        assert error.file == "file" and error.remedy
    else:
        assert parsed.keys
