"""The contract of a test set format: files in, one parsed test set out, with the outputs they hold.

A format is one file and one line in `mtcore.corpora.testset_formats.TESTSET_FORMATS`. Texts are put side by
side by segment id, never by place alone; what has no text is `None`, and is reported in `notices`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from mtcore.corpora.errors import CorpusError

Side = Literal["source", "target", "output"]
Lines = list[str | None]
ALL_COLUMNS = "all"
MAX_KEY = 200
SHOWN = 5


class InputFile(NamedTuple):
    """A file on its way in: what messages call it, and its bytes (plain or gzip)."""

    name: str
    data: bytes


@dataclass(frozen=True)
class TestSetOptions:
    """What the importing person says about the files.

    Attributes:
        source_language: Tag of the source language.
        target_language: Tag of the target language.
        columns: The columns of a table without a header.
        outputs: Columns of a table that are outputs of systems; ("all",) takes every column that is nothing
            else.
    """

    __test__: ClassVar[bool] = False  # not a test class

    source_language: str
    target_language: str
    columns: tuple[str, ...] | None = None
    outputs: tuple[str, ...] = ()


@dataclass
class ParsedTestSet:
    """A test set as its files have it; every text has one line, or None, for each key.

    Attributes:
        file: What messages call the files.
        keys: The segments' ids, in order.
        documents: The id of each segment's document; empty where there are none.
        directions: "direct", "reverse" or "" for each segment.
        sources: Name → lines; the first is the original. The name "" leaves it to the house.
        references: Likewise on the target side.
        outputs: System → lines.
        notices: What was left out, is missing or was changed.
    """

    file: str
    keys: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    directions: list[str] = field(default_factory=list)
    sources: dict[str, Lines] = field(default_factory=dict)
    references: dict[str, Lines] = field(default_factory=dict)
    outputs: dict[str, Lines] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


class TestSetFormat(ABC):
    """One way of writing test sets down."""

    __test__: ClassVar[bool] = False  # not a test class

    name: ClassVar[str]
    title: ClassVar[str]
    example: ClassVar[Sequence[InputFile]]

    @abstractmethod
    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read the files of a test set whole.

        Raises:
            CorpusError: they are not of this format, break its rules or do not fit each other.
        """


def only_file(files: Sequence[InputFile], title: str) -> InputFile:
    """Return the single file of a format that takes one.

    Raises:
        CorpusError: none or several.
    """
    if len(files) != 1:
        raise CorpusError(f"{title} takes one file, {len(files)} are given", remedy="Give one --file.")
    return files[0]


def check_key(key: str, file: str, line: int | None = None) -> str:
    """Return a segment id that can be kept: 1–200 characters.

    Raises:
        CorpusError: it is empty or longer.
    """
    if not key.strip() or len(key) > MAX_KEY:
        found = f"has {len(key):,} characters" if key.strip() else "is empty"
        raise CorpusError(
            f"the segment id {found}; 1–{MAX_KEY} are allowed",
            file=file,
            line=line,
            remedy="Give every segment a short id of its own.",
        )
    return key


def missing_notices(parsed: ParsedTestSet) -> list[str]:
    """Say for each text which segments it lacks."""
    kinds: tuple[tuple[str, Mapping[str, Lines]], ...] = (
        ("source", parsed.sources), ("reference", parsed.references), ("output of", parsed.outputs),
    )  # fmt: skip
    notices = []
    for kind, texts in kinds:
        for name, lines in texts.items():
            lacking = [key for key, line in zip(parsed.keys, lines, strict=True) if line is None]
            if lacking:
                shown = ", ".join(lacking[:SHOWN]) + (" …" if len(lacking) > SHOWN else "")
                noun = "segment" if len(lacking) == 1 else f"{len(lacking):,} segments:"
                text = f"{kind} {name}".strip()
                notices.append(
                    f"{parsed.file}: the {text} has no text for {noun} {shown}; not offered to raters"
                )
    return notices
