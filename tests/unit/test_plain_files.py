"""What is given as a file and is none: said at once; nothing is waited for or read without an end."""

import gzip
import os
import signal
import socket

import pytest

from mtcore.corpora import reader
from mtcore.corpora.corpus_lines import TextFiles
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import read_bytes
from mtcore.corpora.stream import stream_blocks
from mtcore.metrics.arpa import read_arpa
from mtcore.metrics.base import MetricError

READERS = {
    "whole": read_bytes,
    "lines": lambda path: list(TextFiles([path])),
    "blocks": lambda path: list(stream_blocks(path, 1000)),
    "arpa": read_arpa,
}


@pytest.fixture(autouse=True)
def _no_waiting():
    """End a test that hangs; without this the whole suite would."""
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits for somebody to write"))
    signal.alarm(20)
    yield
    signal.alarm(0)


@pytest.fixture(params=["pipe", "folder", "socket", "endless", "device"])
def odd(request, tmp_path):
    """A path that is no file, and the word that says so."""
    path = tmp_path / "text.de"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:
        path.symlink_to("/dev/zero" if request.param == "endless" else "/dev/null")
    return path, "device" if request.param == "endless" else request.param


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_is_refused_at_once(odd, name):
    path, kind = odd
    with pytest.raises((CorpusError, MetricError), match=f"is a {kind}, not a file"):
        READERS[name](path)


@pytest.mark.parametrize("name", READERS)
def test_what_may_not_be_read_or_is_not_there_is_said_with_its_name(tmp_path, monkeypatch, name):
    with pytest.raises((CorpusError, MetricError), match=r"none\.de.*no such file"):
        READERS[name](tmp_path / "none.de")
    path = tmp_path / "text.de"
    path.write_text("a\n")

    def refuse(_self, *_args, **_more):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises((CorpusError, MetricError), match=r"text\.de.*(?i:permission denied)"):
        READERS[name](path)


def test_what_the_shell_hands_over_is_read_whole_and_within_limits(monkeypatch):
    def given(data: bytes) -> bytes:
        out, into = os.pipe()
        os.write(into, data)
        os.close(into)
        try:
            return read_bytes(f"/dev/fd/{out}")
        finally:
            os.close(out)

    assert given(b"eins\nzwei\n") == b"eins\nzwei\n"
    monkeypatch.setattr(reader, "MAX_BYTES", 5)
    with pytest.raises(CorpusError, match="more than the 5 bytes"):
        given(b"eins\nzwei\n")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("more", [b"vier\n", b""])
def test_a_corpus_that_is_written_meanwhile_is_refused(tmp_path, pack, more):
    path = tmp_path / "text.de"
    path.write_bytes(pack(b"eins\nzwei\n"))
    texts = TextFiles([path])
    assert list(texts) == list(texts) == ["eins", "zwei"]
    path.write_bytes(pack(b"eins\nzwei\n" + more) if more else pack(b"eins\n"))
    with pytest.raises(CorpusError, match="changed while it was read"):
        list(texts)


def test_a_corpus_that_grows_without_an_end_is_given_up(tmp_path, monkeypatch):
    path = tmp_path / "text.de"
    path.write_text("a\n" * 20_000)
    with path.open("a") as growing:
        read = 0
        with pytest.raises(CorpusError, match="had 40,000 bytes"):
            for _ in TextFiles([path]):
                read += 1
                growing.write("a\na\n")
                growing.flush()
    assert read < 40_000
