"""Read texts of any size line by line, in memory that does not grow: the rules of `reader` for corpora.

UTF-8, a byte order mark dropped, `.gz` by its first bytes; a line ends at LF, CRLF counts as LF, a lone CR
becomes a blank, and nothing else ends a line. So both sides of a parallel text have the same lines whatever
reads them next.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.plain_files import plain_file_size, unreadable
from mtcore.corpora.unpack import GZIP_MAGIC

MAX_LINE_BYTES = 4_000_000
"""The longest line that is read; more means that the file is no text with a sentence a line."""
_BUFFER_BYTES = 1024**2
_LOOK_LINES = 10_000

Pair = tuple[str, str]


class TextFiles:
    """The lines of one or several files, one after the other; may be read more than once.

    Attributes:
        n_lines: how many lines were given out so far.
        n_changed: in how many of them a CR became a blank.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self.n_lines = 0
        self.n_changed = 0
        self._raw: IO[bytes] | None = None
        self._before = 0
        self._sizes = [plain_file_size(path) for path in self.paths]
        self._total = sum(self._sizes)

    @property
    def name(self) -> str:
        """Return what messages call it."""
        first = self.paths[0].name if self.paths else "no file"
        return first if len(self.paths) <= 1 else f"{first} and {len(self.paths) - 1} more"

    @property
    def fraction(self) -> float:
        """Return how much of the bytes has been read, 0–1."""
        at = self._before + (self._raw.tell() if self._raw is not None and not self._raw.closed else 0)
        return min(1.0, at / self._total) if self._total else 1.0

    def __iter__(self) -> Iterator[str]:
        self.n_lines = self.n_changed = self._before = 0
        for path, size in zip(self.paths, self._sizes, strict=True):
            yield from self._lines(path, size)
            self._before += size

    def _lines(self, path: Path, size: int) -> Iterator[str]:
        number = 0
        try:
            with ExitStack() as stack:
                raw = stack.enter_context(path.open("rb", buffering=_BUFFER_BYTES))
                self._raw = raw
                packed = raw.read(2) == GZIP_MAGIC
                raw.seek(0)
                file: Any = stack.enter_context(gzip.GzipFile(fileobj=raw)) if packed else raw
                while line := file.readline(MAX_LINE_BYTES + 1):
                    number += 1
                    self.n_lines += 1
                    if number % _LOOK_LINES == 0:
                        _refuse_growth(raw, size, path.name)
                    yield self._decode(line, path.name, number)
                _refuse_growth(raw, size, path.name, at_end=True)
        except OSError as error:
            if isinstance(error, gzip.BadGzipFile):
                raise _damaged(path.name, number, error) from error
            raise unreadable(path, error) from error
        except (EOFError, zlib.error) as error:
            raise _damaged(path.name, number, error) from error
        if not number:
            raise CorpusError("is empty", file=path.name, remedy="Leave it out, or give one with text.")

    def _decode(self, data: bytes, name: str, number: int) -> str:
        if len(data) > MAX_LINE_BYTES:
            raise CorpusError(
                f"has more than {MAX_LINE_BYTES:,} bytes",
                file=name,
                line=number,
                remedy="Give one sentence a line; check that the file's lines end with LF.",
            )
        if number == 1:
            data = _without_mark(data, name)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"is not UTF-8: byte 0x{data[error.start]:02X}",
                file=name,
                line=number,
                remedy="Save the file as UTF-8.",
            ) from error
        if "\0" in text:
            raise CorpusError(
                "holds a NUL character",
                file=name,
                line=number,
                remedy="Remove it: it is invisible, and programs disagree about what follows it.",
            )
        text = text.removesuffix("\n").removesuffix("\r")
        if "\r" in text:
            self.n_changed += 1
            text = text.replace("\r", " ")
        return text


def _damaged(name: str, number: int, error: Exception) -> CorpusError:
    return CorpusError(
        f"the gzip data is damaged or cut short ({error})",
        file=name,
        line=number + 1,
        remedy="Copy or pack the file again.",
    )


def _refuse_growth(raw: IO[bytes], size: int, name: str, *, at_end: bool = False) -> None:
    """Refuse a file that somebody writes while it is read: where it ends would be chance.

    Raises:
        CorpusError: more has been read than there was, or at the end less.
    """
    at = raw.tell()
    if at > size or (at_end and at < size):
        raise CorpusError(
            f"changed while it was read: it had {size:,} bytes",
            file=name,
            remedy="Wait until it is written to its end, or give a copy.",
        )


def side_by_side(sources: TextFiles, targets: TextFiles) -> Iterator[Pair]:
    """Give the lines of two texts in pairs.

    Raises:
        CorpusError: at the end, when they have not as many lines as each other; the message has both numbers.
    """
    ours, others = iter(sources), iter(targets)
    for source in ours:
        target = next(others, None)
        if target is None:
            for _ in ours:
                pass
            raise _uneven(sources, targets)
        yield source, target
    if next(others, None) is not None:
        for _ in others:
            pass
        raise _uneven(sources, targets)


def _uneven(sources: TextFiles, targets: TextFiles) -> CorpusError:
    return CorpusError(
        f"{sources.name} has {sources.n_lines:,} lines, {targets.name} has {targets.n_lines:,}: "
        "the two sides of a parallel text have as many lines as each other",
        remedy="Give files whose lines stand side by side.",
    )


def _without_mark(data: bytes, name: str) -> bytes:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CorpusError("is UTF-16, not UTF-8", file=name, remedy="Save the file as UTF-8.")
    return data.removeprefix(codecs.BOM_UTF8)
