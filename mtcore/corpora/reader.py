"""Turn bytes into lines: the one way in for every text of the house.

UTF-8 is expected. A byte order mark is dropped; UTF-16 with its mark is decoded and noted. A line ends at LF,
CRLF counts as LF, and nothing else ends a line: U+2028, U+2029, U+0085, VT, FF and FS stay inside their text.
"""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.plain_files import plain_file_size, unreadable
from mtcore.corpora.unpack import MAX_BYTES, gunzip, is_gzip

_UTF16_MARKS = {codecs.BOM_UTF16_LE: "UTF-16-LE", codecs.BOM_UTF16_BE: "UTF-16-BE"}
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_MARKUP = ("<doc", "<refset", "<srcset", "<tstset", "<?xml", "<!doctype", "<dataset", "<hyps", "<mteval")
_MARKUP_LINES = 20
MAX_LINE = 1_000_000
"""The most characters of a line."""


@dataclass(frozen=True)
class Text:
    """A decoded file: its text, whether it began with a byte order mark, and what was changed on the way."""

    text: str
    has_bom: bool = False
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Lines:
    """The lines of a file without their ends, and what was changed on the way in."""

    lines: list[str]
    notices: list[str] = field(default_factory=list)


def read_lines(path: Path | str) -> Lines:
    """Read a plain or gzip text file; see `decode_lines`."""
    file = Path(path)
    return decode_lines(read_bytes(file), file.name)


def read_bytes(path: Path | str) -> bytes:
    """Read a file whole, refusing one of more than 2 GiB.

    Raises:
        CorpusError: the file is missing, unreadable or too large, or no file at all.
    """
    file = Path(path)
    size = plain_file_size(file, given_pipe=True)
    try:
        with file.open("rb") as raw:
            data = b"" if size > MAX_BYTES else raw.read(MAX_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if size > MAX_BYTES or len(data) > MAX_BYTES:
        raise CorpusError(
            f"has {size:,} bytes, more than the {MAX_BYTES:,} that are read at once"
            if size > MAX_BYTES
            else f"gives more than the {MAX_BYTES:,} bytes that are read at once",
            file=file.name,
            remedy="Split the text into smaller files.",
        )
    return data


def decode_lines(data: bytes, name: str, *, markup: bool = False) -> Lines:
    """Turn the bytes of a text with one segment per line into its lines.

    Args:
        data: Plain or gzip bytes.
        name: What messages call the file.
        markup: Accept text that looks like SGM or XML (for callers that parse it).

    Raises:
        CorpusError: no text at all, not UTF-8, a NUL character, or mark-up where plain text belongs.
    """
    decoded = decode_text(data, name, markup=markup)
    if not markup:
        _refuse_markup(decoded.text, name)
    lines = split_lines(decoded.text, name)
    return Lines(lines.lines, [*decoded.notices, *lines.notices])


def decode_text(data: bytes, name: str, *, markup: bool = False) -> Text:
    """Decode a whole file without touching its line ends.

    Args:
        data: Plain or gzip bytes.
        name: What messages call the file.
        markup: The text is SGM or XML, whose lines mean nothing and may be of any length.

    Raises:
        CorpusError: the file is empty or not UTF-8 (with line and byte), holds a NUL character or a line of
            more than `MAX_LINE` characters (with line).
    """
    if is_gzip(data):
        data = gunzip(data, name)
    notices: list[str] = []
    has_bom = True
    if data.startswith(_UTF32_MARKS):
        raise CorpusError("is UTF-32, not UTF-8", file=name, remedy="Save the file as UTF-8.")
    if data.startswith(codecs.BOM_UTF8):
        text = _decode_utf8(data[len(codecs.BOM_UTF8) :], name, len(codecs.BOM_UTF8))
    elif data[:2] in _UTF16_MARKS:
        encoding = _UTF16_MARKS[data[:2]]
        text = _decode_utf16(data[2:], encoding, name)
        notices.append(f"{name}: read as {encoding} because of its byte order mark")
    else:
        has_bom = False
        text = _decode_utf8(data, name, 0)
    if not text:
        raise CorpusError("is empty", file=name, remedy="Give a file with at least one line.")
    _refuse_nul(text, name)
    if not markup:
        _refuse_long_line(text, name)
    return Text(text, has_bom, notices)


def split_lines(text: str, name: str) -> Lines:
    """Split at LF only, fold CRLF, and turn a lone CR into a space with a notice.

    The LF at the end closes the last line; it opens no further one.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r" not in text:
        return Lines(lines)
    changed: list[int] = []
    for index, line in enumerate(lines):
        if "\r" not in line:
            continue
        body = line.removesuffix("\r")
        if "\r" in body:
            changed.append(index + 1)
            body = body.replace("\r", " ")
        lines[index] = body
    return Lines(lines, [_carriage_notice(name, changed)] if changed else [])


def iterate_lines(text: str) -> Iterator[str]:
    """Give the lines of a text one by one, ended by LF only, without holding a second copy of it."""
    start, end = 0, len(text)
    while start < end:
        at = text.find("\n", start)
        stop = at if at >= 0 else end
        yield text[start:stop]
        start = stop + 1


def _carriage_notice(name: str, changed: list[int]) -> str:
    shown = ", ".join(f"{number:,}" for number in changed[:5]) + (" …" if len(changed) > 5 else "")
    noun = "line" if len(changed) == 1 else "lines"
    return f"{name}: carriage returns inside {len(changed):,} {noun} ({shown}) became spaces"


def _decode_utf8(data: bytes, name: str, offset: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if b"\0" in data[:4]:
            found = "looks like UTF-16 or UTF-32 without a byte order mark, not UTF-8"
        else:
            found = f"is not UTF-8: byte 0x{data[error.start]:02X} at position {error.start + offset + 1:,}"
        raise CorpusError(found, file=name, line=line, remedy="Save the file as UTF-8.") from error


def _decode_utf16(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        raise CorpusError(
            f"begins as {encoding} but breaks at byte {error.start + 3:,}",
            file=name,
            line=line,
            remedy="Save the file as UTF-8.",
        ) from error


def _refuse_nul(text: str, name: str) -> None:
    at = text.find("\0")
    if at < 0:
        return
    if text.count("\0") * 4 > len(text):
        raise CorpusError(
            "looks like UTF-16 without a byte order mark, not UTF-8",
            file=name,
            remedy="Save the file as UTF-8.",
        )
    raise CorpusError(
        "holds a NUL character",
        file=name,
        line=text.count("\n", 0, at) + 1,
        remedy="Remove it: it is invisible, and programs disagree about what follows it.",
    )


def _refuse_long_line(text: str, name: str) -> None:
    """Look for a line end in every stretch of `MAX_LINE` characters, from line to line."""
    start = 0
    while len(text) - start > MAX_LINE:
        at = text.rfind("\n", start, start + MAX_LINE + 1)
        if at < 0:
            raise CorpusError(
                f"has more than {MAX_LINE:,} characters",
                file=name,
                line=text.count("\n", 0, start) + 1,
                remedy="Give one segment or row a line; check that the file's lines end with LF.",
            )
        start = at + 1


def _refuse_markup(text: str, name: str) -> None:
    """Refuse text whose first lines open an SGM or XML test set."""
    head = text[:20_000].split("\n")[:_MARKUP_LINES]
    for number, line in enumerate(head, start=1):
        found = next((tag for tag in _MARKUP if _opens(line, tag)), None)
        if found:
            raise CorpusError(
                f'looks like SGM or XML ("{found}"), where plain text with one segment per line belongs',
                file=name,
                line=number,
                remedy="Give plain text, or import the file as WMT XML or SGM.",
            )


def _opens(line: str, tag: str) -> bool:
    start = line.lstrip().lower()
    if not start.startswith(tag):
        return False
    after = start[len(tag) : len(tag) + 1]
    return after == "" or not after.isalnum()
