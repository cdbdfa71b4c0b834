"""Texts that are in hand, in a request or a form, instead of in files."""

from __future__ import annotations

from collections.abc import Sequence

from evalplatform.errors import BadInput
from mtcore.corpora.reader import decode_lines
from mtcore.corpora.unpack import gunzip, is_gzip
from mtcore.services.texts import NamedText, as_bad_input


def text_given(lines: str | Sequence[str], *, name: str, file: str) -> NamedText:
    """Take a text that is in hand: one string with LF at line ends, or a line an element.

    Args:
        lines: the text.
        name: what it is to be called.
        file: what messages call it.

    Raises:
        BadInput: it is empty or blank, an element has a line end, or no file could hold it.
    """
    if not isinstance(lines, str):
        inside = next((n for n, line in enumerate(lines, 1) if "\n" in line or "\r" in line), None)
        if inside is not None:
            raise BadInput(f"{file}, line {inside:,} has a line end in it.", "Give one segment an element.")
        lines = "".join(f"{line}\n" for line in lines)
    with as_bad_input():
        read = decode_lines(lines.encode("utf-8", "surrogatepass"), file)
    if not any(line.strip() for line in read.lines):
        raise BadInput(f"{file} holds nothing but blank lines.", "Give one segment a line.")
    return NamedText(name, file, tuple(read.lines), tuple(read.notices))


def file_given(data: bytes, *, name: str, file: str, max_bytes: int) -> NamedText:
    """Take the bytes of a text file that was sent, plain or gzip; see `text_given`.

    Args:
        data: the bytes.
        name: what the text is to be called.
        file: what messages call it.
        max_bytes: what a packed file may unpack to.

    Raises:
        BadInput: it is no text, blank, mark-up, or unpacks to too much.
    """
    with as_bad_input():
        unpacked = gunzip(data, file, max_bytes=max_bytes) if is_gzip(data) else data
        read = decode_lines(unpacked, file)
    if not any(line.strip() for line in read.lines):
        raise BadInput(f"{file} holds nothing but blank lines.", "Give a file with one segment a line.")
    return NamedText(name, file, tuple(read.lines), tuple(read.notices))
