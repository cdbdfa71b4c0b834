"""Read a text of any size in blocks of whole lines, under the same rules as `reader`."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.plain_files import plain_file_size, unreadable
from mtcore.corpora.reader import MAX_LINE, decode_lines, decode_text
from mtcore.corpora.unpack import GZIP_MAGIC

_OTHER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_HEAD_LINES = 20


def stream_blocks(path: Path | str, block_bytes: int) -> Iterator[bytes]:
    """Give a plain or gzip text as blocks of UTF-8 that end with LF; a byte order mark is dropped.

    An empty file gives no block. UTF-16 with its mark is read whole.

    Args:
        path: the file.
        block_bytes: about how large a block is.

    Raises:
        CorpusError: the file is missing or damaged, not UTF-8, holds a NUL character, a line of more than
            `MAX_LINE` characters, or mark-up where plain text belongs.
    """
    file = Path(path)
    plain_file_size(file)
    try:
        with file.open("rb") as raw:
            head = raw.read(4)
            raw.seek(0)
            if head.startswith(_OTHER_MARKS):
                yield "\n".join(decode_lines(raw.read(), file.name).lines).encode() + b"\n"
                return
            pieces = (
                _unpacked(raw, file.name, block_bytes)
                if head.startswith(GZIP_MAGIC)
                else _read(raw, block_bytes)
            )
            yield from _checked(_whole_lines(pieces), file.name)
    except OSError as error:
        raise unreadable(path, error) from error


def _read(raw: IO[bytes], size: int) -> Iterator[bytes]:
    while data := raw.read(size):
        yield data


def _unpacked(raw: IO[bytes], name: str, size: int) -> Iterator[bytes]:
    """Unpack every member of gzip data in steps."""
    unpacker = zlib.decompressobj(wbits=31)
    data, begun = b"", False
    try:
        while data := data or raw.read(size):
            data = data if begun else data.lstrip(b"\0")
            if not data:
                continue
            begun = True
            if out := unpacker.decompress(data, size):
                yield out
            data = unpacker.unconsumed_tail
            if unpacker.eof:
                data = unpacker.unused_data
                unpacker, begun = zlib.decompressobj(wbits=31), False
        if begun and (out := unpacker.flush()):
            yield out
    except zlib.error as error:
        raise CorpusError(
            f"the gzip data is damaged ({error})", file=name, remedy="Copy or pack the file again."
        ) from error
    if begun and not unpacker.eof:
        raise CorpusError("the gzip data is cut short", file=name, remedy="Copy or pack the file again.")


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Join pieces so that each ends with LF."""
    held: list[bytes] = []
    n_held = 0
    for piece in pieces:
        at = piece.rfind(b"\n") + 1
        if at:
            yield b"".join([*held, piece[:at]])
            held = [piece[at:]] if at < len(piece) else []
            n_held = len(piece) - at
        else:
            held.append(piece)
            n_held += len(piece)
            if n_held > 8 * MAX_LINE:
                break
    if held:
        yield b"".join(held) + b"\n"


def _checked(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Check each block as `decode_text` checks a file; say lines as those of the file."""
    before = 0
    for number, data in enumerate(blocks):
        block = data.removeprefix(codecs.BOM_UTF8) if number == 0 else data
        if not block:
            continue
        try:
            if number == 0:
                decode_lines(b"\n".join(block.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]) or b"\n", name)
            decode_text(block, name)
        except CorpusError as error:
            line = error.line + before if error.line is not None else None
            raise CorpusError(error.message, file=name, line=line, remedy=error.remedy) from error
        before += block.count(b"\n")
        yield block
