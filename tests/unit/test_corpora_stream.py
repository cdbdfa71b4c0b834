"""Texts read in blocks: the same lines and the same refusals as texts read whole."""

import gzip

import pytest

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import MAX_LINE, decode_lines
from mtcore.corpora.stream import stream_blocks

TEXT = "eins\r\nzwei\u2028halb\n\nÄ ö ü\nlast".encode()


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_join_to_the_text_and_end_with_lines(tmp_path, size: int, packed: bool):
    file = tmp_path / "t"
    halves = gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:]) + b"\0\0"
    file.write_bytes(halves if packed else TEXT)
    blocks = list(stream_blocks(file, size))
    assert all(block.endswith(b"\n") for block in blocks)
    assert b"".join(blocks) == TEXT + b"\n"
    assert decode_lines(b"".join(blocks), "t").lines == decode_lines(TEXT, "t").lines


def test_marks_are_dropped_and_utf_16_is_read(tmp_path):
    file = tmp_path / "t"
    file.write_bytes(b"\xef\xbb\xbfGuten Tag\n")
    assert list(stream_blocks(file, 100)) == [b"Guten Tag\n"]
    file.write_bytes("Größe\nzählt\n".encode("utf-16"))
    assert b"".join(stream_blocks(file, 100)).decode() == "Größe\nzählt\n"


def test_an_empty_file_has_no_block(tmp_path):
    file = tmp_path / "t"
    for data in (b"", gzip.compress(b"")):
        file.write_bytes(data)
        assert list(stream_blocks(file, 100)) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"good\n" * 30 + b"bad \xff\n", "line 31: is not UTF-8"),
        (b"good\n" * 30 + b"n\0l\n", "line 31: holds a NUL"),
        (b"x" * (MAX_LINE + 9), "more than 1,000,000 characters"),
        (b"a\n" + b"x " * (5 * MAX_LINE), "line 2: has more than"),
        (b"<doc id='1'>\n<seg>a</seg>\n", "looks like SGM or XML"),
        (gzip.compress(b"text\n" * 99, mtime=0)[:-9], "cut short|damaged"),
        (b"\x1f\x8b\x08garbage", "damaged|cut short"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path, data: bytes, said: str):
    file = tmp_path / "t.txt"
    file.write_bytes(data)
    with pytest.raises(CorpusError, match=said) as caught:
        list(stream_blocks(file, 40))
    assert caught.value.remedy


def test_a_file_that_is_not_there_is_refused(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(CorpusError, match=r"cannot be read|is a folder"):
            list(stream_blocks(path, 10))
