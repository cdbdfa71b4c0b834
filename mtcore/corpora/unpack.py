"""Unpack gzip data, whole and within limits."""

import zlib

from mtcore.corpora.errors import CorpusError

GZIP_MAGIC = b"\x1f\x8b"
MAX_BYTES = 2 * 1024**3
MAX_RATIO = 1000
RATIO_FROM_BYTES = 16 * 1024**2
_CHUNK_BYTES = 1024**2


def is_gzip(data: bytes) -> bool:
    """Tell gzip data by its first two bytes, which no UTF-8 text can begin with."""
    return data.startswith(GZIP_MAGIC)


def gunzip(data: bytes, name: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Unpack every member of gzip data, in steps, so that a bomb is stopped and never held.

    Raises:
        CorpusError: the data is damaged or cut short, unpacks to more than `max_bytes`, or to more than
            `MAX_RATIO` times its size (looked at from 16 MiB on: small files may repeat themselves).
    """
    chunks: list[bytes] = []
    total = 0
    rest = data
    while rest:
        unpacker = zlib.decompressobj(wbits=31)
        pending = rest
        while not unpacker.eof:
            chunk = _unpack_step(unpacker, pending, name)
            total += len(chunk)
            _refuse_bomb(total, len(data), name, max_bytes)
            chunks.append(chunk)
            pending = unpacker.unconsumed_tail
            if not chunk and not pending and not unpacker.eof:
                raise CorpusError(
                    "the gzip data is cut short", file=name, remedy="Copy or pack the file again."
                )
        rest = unpacker.unused_data.lstrip(b"\0")
    return b"".join(chunks)


def _unpack_step(unpacker: "zlib._Decompress", pending: bytes, name: str) -> bytes:
    try:
        return unpacker.decompress(pending, _CHUNK_BYTES)
    except zlib.error as error:
        raise CorpusError(
            f"the gzip data is damaged ({error})", file=name, remedy="Copy or pack the file again."
        ) from error


def _refuse_bomb(total: int, packed: int, name: str, max_bytes: int) -> None:
    if total > max_bytes:
        raise CorpusError(
            f"unpacks to more than {max_bytes // 1024**2:,} MB",
            file=name,
            remedy="Split the text into smaller files.",
        )
    if total > RATIO_FROM_BYTES and total > MAX_RATIO * packed:
        raise CorpusError(
            f"unpacks to more than {MAX_RATIO:,} times its size, which no text does",
            file=name,
            remedy="Check what the file holds; give it unpacked if it really is text.",
        )
