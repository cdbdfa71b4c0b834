"""Every test set format in the registry keeps the contract."""

import gzip

import pytest

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.testset_base import InputFile, TestSetOptions
from mtcore.corpora.testset_formats import TESTSET_FORMATS

NAMES = sorted(TESTSET_FORMATS)
OPTIONS = TestSetOptions("en", "de")
JUNK = {
    "nothing": b"",
    "a blank line": b"\n",
    "prose": b"It was a dark and stormy night.\nThe rain fell, in torrents.\n",
    "latin-1": "source\nJürgen\n".encode("latin-1"),
    "NUL": b"source\na\x00b\n",
    "damaged gzip": b"\x1f\x8bnot really",
}


def test_the_registry_gives_the_names_the_command_takes() -> None:
    assert NAMES == ["csv", "jsonl", "mt-metrics-eval", "sgm", "tsv", "xml"]
    assert all(TESTSET_FORMATS[name].name == name and TESTSET_FORMATS[name].title for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_format_reads_its_own_example(name: str, pack: type[bytes]) -> None:
    one = TESTSET_FORMATS[name]
    parsed = one.parse([file._replace(data=pack(file.data)) for file in one.example], OPTIONS)
    n = len(parsed.keys)
    assert n == len(set(parsed.keys)) >= 2
    assert len(parsed.directions) == n and len(parsed.documents) in (0, n)
    for texts in (parsed.sources, parsed.references, parsed.outputs):
        assert all(len(lines) == n for lines in texts.values())
    assert parsed.sources


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("junk", sorted(JUNK))
def test_a_format_refuses_what_is_not_its_own(name: str, junk: str) -> None:
    with pytest.raises(CorpusError) as caught:
        TESTSET_FORMATS[name].parse([InputFile("sources/en-de.txt.sgm", JUNK[junk])], OPTIONS)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
