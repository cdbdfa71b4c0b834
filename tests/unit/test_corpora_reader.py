"""The one reader: what ends a line, what is decoded, what is refused."""

import gzip
import zlib
from pathlib import Path

import pytest

from mtcore.corpora import unpack
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import MAX_LINE, decode_lines, decode_text, read_lines

FILES = Path(__file__).resolve().parent.parent / "files"


def test_a_byte_order_mark_is_dropped() -> None:
    lines = read_lines(FILES / "imp01_bom.txt").lines
    assert lines == ["Guten Tag.", "Auf Wiedersehen."]
    assert len(lines[0]) == 10


def test_only_lf_ends_a_line() -> None:
    source, reference = read_lines(FILES / "imp03_src.txt"), read_lines(FILES / "imp03_ref.txt")
    assert len(source.lines) == len(reference.lines) == 6
    assert (source.lines[-1], reference.lines[-1]) == ("END", "ENDE")
    assert source.lines[0] == "one\u2028still one"
    assert source.lines[4] == "five\x1c\u2029still five"
    assert source.notices == []


def test_crlf_is_folded_and_a_lone_cr_becomes_a_noted_blank() -> None:
    read = read_lines(FILES / "imp04_crlf_cr.txt")
    assert read.lines == ["eins", "zwei halb", "drei"]
    assert read.notices == ["imp04_crlf_cr.txt: carriage returns inside 1 line (2) became spaces"]


def test_utf16_with_its_mark_is_decoded_and_noted() -> None:
    read = read_lines(FILES / "imp06_utf16le.txt")
    assert read.lines == ["Größe zählt.", "Ende."]
    assert "UTF-16-LE" in read.notices[0]
    assert decode_lines("\ufeffEnde.\n".encode("utf-16-be"), "big.txt").lines == ["Ende."]


def test_empty_lines_stay_and_the_final_lf_opens_no_line() -> None:
    assert read_lines(FILES / "imp08_src.txt").lines == ["one", "two", "", "four", "five"]
    assert read_lines(FILES / "imp08_hyp.txt").lines == ["eins", "zwei", "", "vier", "fünf"]
    assert decode_lines(b"a\n\n", "x").lines == ["a", ""]


def test_every_member_of_a_gzip_file_is_read() -> None:
    assert len(read_lines(FILES / "imp16_multi.txt.gz").lines) == 5


def test_gzip_padding_is_ignored_and_damage_is_refused() -> None:
    packed = gzip.compress(b"one\ntwo\n")
    assert decode_lines(packed + b"\0" * 9, "x.gz").lines == ["one", "two"]
    with pytest.raises(CorpusError, match="cut short"):
        decode_lines(packed[:-6], "x.gz")
    with pytest.raises(CorpusError, match="damaged"):
        decode_lines(packed + b"rubbish", "x.gz")


def test_a_gzip_bomb_is_stopped() -> None:
    with pytest.raises(CorpusError, match="1,000 times its size"):
        unpack.gunzip(zlib.compress(b"a" * 40_000_000, 9, wbits=31), "bomb.gz")
    with pytest.raises(CorpusError, match=r"more than 512 MB"):
        unpack._refuse_bomb(2**29 + 1, 2**28, "big.gz", 2**29)


def test_marked_up_text_is_refused_as_plain_text() -> None:
    data = (FILES / "imp18_src.sgm").read_bytes()
    with pytest.raises(CorpusError, match="looks like SGM or XML") as caught:
        decode_lines(data, "imp18_src.sgm")
    assert caught.value.line == 1
    assert "plain text" in caught.value.remedy
    assert decode_lines(data, "imp18_src.sgm", markup=True).lines


@pytest.mark.parametrize(
    "tag", ['<?xml version="1.0"?>', '<dataset id="t">', "<REFSET>", '\n\n<doc docid="1">']
)
def test_every_opening_of_a_test_set_is_known(tag: str) -> None:
    with pytest.raises(CorpusError, match="SGM or XML"):
        decode_lines(tag.encode() + b"\nx\n", "x")


def test_text_about_mark_up_passes() -> None:
    assert decode_lines(b"Press <b>doc</b>.\n<doctor> is no tag of ours\n", "x").lines


def test_nul_is_refused_with_its_line() -> None:
    with pytest.raises(CorpusError, match="NUL") as caught:
        read_lines(FILES / "imp30_nul.txt")
    assert (caught.value.file, caught.value.line) == ("imp30_nul.txt", 2)


def test_other_encodings_are_refused_with_line_and_byte() -> None:
    with pytest.raises(CorpusError, match="not UTF-8: byte 0xFC at position 5") as caught:
        decode_lines("ab\nfünf\n".encode("latin-1"), "latin.txt")
    assert str(caught.value).startswith("latin.txt, line 2: ")
    with pytest.raises(CorpusError, match="UTF-16"):
        decode_lines("Ende der Welt\n".encode("utf-16-le"), "unmarked.txt")
    with pytest.raises(CorpusError, match="UTF-32"):
        decode_lines("Ende\n".encode("utf-32"), "wide.txt")
    with pytest.raises(CorpusError, match="breaks at byte") as broken:
        decode_lines(b"\xff\xfea\x00\n\x00b", "odd.txt")
    assert broken.value.line == 2


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(CorpusError, match="is empty"):
        decode_lines(data, "empty.txt")


def test_a_missing_file_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        read_lines(tmp_path / "nowhere.txt")


def test_decoded_text_says_whether_it_had_a_mark() -> None:
    assert decode_text(b"\xef\xbb\xbfa", "x").has_bom
    assert not decode_text(b"a", "x").has_bom


def test_a_line_may_have_a_million_characters_and_no_more() -> None:
    most = "x" * MAX_LINE
    assert decode_lines(f"a\n{most}\nb\n{most}".encode(), "x.txt").lines == ["a", most, "b", most]
    for text, line in ((f"{most}x", 1), (f"a\n{most}\n{most}x\nb\n", 3), (f"{most}\n{'y' * 5}{most}", 2)):
        with pytest.raises(CorpusError, match="has more than 1,000,000 characters") as caught:
            decode_lines(text.encode(), "x.txt")
        assert (caught.value.file, caught.value.line) == ("x.txt", line)
    assert decode_text(f"{most}x".encode(), "x.xml", markup=True).text
