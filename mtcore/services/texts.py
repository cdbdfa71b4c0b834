"""Texts as they arrive: a name, a file and its lines; and mistakes in them put into the house's own error."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evalplatform.errors import BadInput
from mtcore.corpora.checks import empty_lines, is_blank
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import LanguageError
from mtcore.corpora.names import InvalidName
from mtcore.corpora.provenance import ProvenanceError
from mtcore.corpora.reader import decode_text, read_bytes, read_lines

SHOWN_LINES = 5
LINE_LENGTH = 20_000


@dataclass(frozen=True)
class NamedText:
    """A text on its way in: the name it is to have, the name of its file, and its lines."""

    name: str
    file: str
    lines: tuple[str, ...]
    notices: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Return the digest of the lines, joined by LF."""
        return lines_sha256(self.lines)


def lines_sha256(lines: Sequence[str]) -> str:
    """Return the hexadecimal SHA-256 of lines joined by LF."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def as_bad_input() -> Iterator[None]:
    """Turn the errors of the pure packages about texts, names and languages into BadInput."""
    try:
        yield
    except CorpusError as error:
        raise BadInput(sentence(str(error)), error.remedy) from error
    except (InvalidName, LanguageError, ProvenanceError) as error:
        raise BadInput(sentence(str(error))) from error


def sentence(text: str) -> str:
    """End a message with a full stop where it has no end."""
    return text if not text or text[-1] in ".!?…" else f"{text}."


def whole_sentence(text: str) -> str:
    """Write words as a sentence: with a capital at the beginning and an end.

    What begins with anything but a plain word (bad.tsv, R1:, "name") begins with a name, which stays.
    """
    begins_in_words = text.split(" ", 1)[0].isalpha()
    return sentence(text[:1].upper() + text[1:] if begins_in_words else text)


def named_split(argument: str) -> tuple[str, str]:
    """Split NAME=FILE at its first `=`; the name is empty when there is none.

    An argument that is itself the path of a file has no name, whatever it holds.
    """
    if "=" not in argument or _is_file(argument):
        return "", argument
    name, _, path = argument.partition("=")
    return name, path


def text_read(path: str, *, name: str = "") -> NamedText:
    """Read a plain or gzip text file, one segment a line, under a name.

    Raises:
        BadInput: the file is missing, empty, all blank, not UTF-8, or not plain text.
    """
    with as_bad_input():
        read = read_lines(path)
        text = NamedText(name, Path(path).name, tuple(read.lines), tuple(read.notices))
    if all(is_blank(line) for line in text.lines):
        raise BadInput(f"{text.file} holds nothing but blank lines.", "Give a file with one segment a line.")
    return text


def lines_check(text: NamedText) -> None:
    """Make sure that every line is a segment that a person can read.

    Raises:
        BadInput: a line has more than 20,000 characters; the message names it.
    """
    for number, line in enumerate(text.lines, start=1):
        if len(line) > LINE_LENGTH:
            raise BadInput(
                f"{text.file}, line {number:,} has {len(line):,} characters; a segment has at most "
                f"{LINE_LENGTH:,}.",
                "Write one segment a line, or split this one.",
            )


def document_read(path: str) -> str:
    """Read a whole text file, such as guidelines in Markdown, with LF at its line ends."""
    with as_bad_input():
        return decode_text(read_bytes(path), Path(path).name).text.replace("\r\n", "\n").replace("\r", "\n")


def blank_notice(text: NamedText, consequence: str) -> tuple[str, ...]:
    """Say which lines of a text are blank and what follows from it, or nothing."""
    blank = empty_lines(text.lines)
    if not blank:
        return ()
    return (f"{text.file}: {lines_named(blank)} {'is' if len(blank) == 1 else 'are'} blank; {consequence}",)


def lines_named(numbers: Sequence[int]) -> str:
    """Write "line 3", "lines 3, 5" or "12 lines (3, 5, 7, 8, 9 …)"."""
    shown = ", ".join(f"{number:,}" for number in numbers[:SHOWN_LINES])
    if len(numbers) > SHOWN_LINES:
        return f"{len(numbers):,} lines ({shown} …)"
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}"


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # a name longer than the file system allows
        return False
