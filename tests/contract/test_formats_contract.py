"""Every format in the registry keeps the contract."""

import gzip
import pickle

import pytest

from annotation.formats import FORMATS, FormatError, ParseOptions
from annotation.formats.cells import KINDS
from annotation.formats.csv import CsvFormat

FORMAT_NAMES = sorted(FORMATS)
TEXT_NAMES = [name for name in FORMAT_NAMES if name != "parquet"]
WITHOUT_RATERS = ("mt-metrics-eval",)
JUNK = {
    "nothing": b"",
    "a blank line": b"\n",
    "prose": b"It was a dark and stormy night.\nThe rain fell, in torrents; mostly.\n",
    "half a mark": b"\xff\xfe\x00",
    "latin-1": "rater,system,segment,score\nJürgen,A,1,70\n".encode("latin-1"),
    "NUL": b"rater,system,segment,score\nr1,A\x00,1,70\n",
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "damaged gzip": b"\x1f\x8bnot really",
    "an array": b"[1, 2, 3]\n",
    "an open quote": b'"never closed\nand so on\n',
    "pickle": pickle.dumps({"a": 1}),
}


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_format_knows_its_name_and_title(name: str) -> None:
    assert FORMATS[name].name == name
    assert FORMATS[name].title


@pytest.mark.parametrize("name", FORMAT_NAMES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_format_reads_its_own_example_with_line_numbers(name: str, pack: type[bytes]) -> None:
    example = FORMATS[name].example
    parsed = FORMATS[name].parse(pack(example), "example", ParseOptions())
    assert len(parsed.rows) >= 2
    assert not (parsed.ratings and parsed.comparisons)
    assert len(parsed.notices) == (name in WITHOUT_RATERS)
    lines = [""] * len(parsed.rows) if name == "parquet" else example.decode().split("\n")
    for row in parsed.rows:
        line = lines[row.line - 1]
        assert name == "parquet" or row.segment in line
        assert name == "parquet" or row.rater in line or name in WITHOUT_RATERS
        assert row.kind in set(KINDS.values())


@pytest.mark.parametrize("name", FORMAT_NAMES)
@pytest.mark.parametrize("junk", sorted(JUNK))
def test_a_format_refuses_what_is_not_its_own(name: str, junk: str) -> None:
    with pytest.raises(FormatError) as caught:
        FORMATS[name].parse(JUNK[junk], "junk.bin", ParseOptions())
    assert caught.value.file == "junk.bin"
    assert caught.value.remedy
    assert str(caught.value).startswith("junk.bin")


@pytest.mark.parametrize("name", TEXT_NAMES)
def test_a_format_names_the_line_of_a_damaged_cell(name: str) -> None:
    lines = FORMATS[name].example.split(b"\n")
    lines[-2] = lines[-2].replace(b"ann", b"a\tb", 1) if name == "csv" else lines[-2][: len(lines[-2]) // 2]
    with pytest.raises(FormatError) as caught:
        FORMATS[name].parse(b"\n".join(lines), "damaged", ParseOptions())
    assert caught.value.line == len(lines) - 1


def test_the_registry_gives_the_names_the_commands_take() -> None:
    assert FORMAT_NAMES == [
        "appraise", "appraise-pairwise", "csv", "jsonl", "mqm", "mt-metrics-eval", "parquet", "pearmut",
        "tsv", "wmt-mturk", "wmt16-ranking",
    ]  # fmt: skip
    assert isinstance(FORMATS["csv"], CsvFormat)
