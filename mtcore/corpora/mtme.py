"""Test sets in the layout of mt-metrics-eval: a folder with one plain text file for each text.

`sources/en-de.txt`, `references/en-de.NAME.txt`, `system-outputs/en-de/NAME.txt` and, where there is one,
`documents/en-de.docs` (domain and document of each line). Segments are known by their line numbers.
"""

import re
from collections.abc import Sequence

from mtcore.corpora.checks import check_same_length
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import decode_lines
from mtcore.corpora.testset_base import (
    InputFile,
    Lines,
    ParsedTestSet,
    TestSetFormat,
    TestSetOptions,
    missing_notices,
)

FOLDERS = ("sources", "references", "system-outputs", "documents")
_SOURCE = re.compile(r"(?:.*/)?sources/(?P<pair>[^/]+)\.txt(?:\.gz)?")
_REFERENCE = re.compile(r"(?:.*/)?references/(?P<pair>[^/.]+)\.(?P<name>[^/]+?)\.txt(?:\.gz)?")
_OUTPUT = re.compile(r"(?:.*/)?system-outputs/(?P<pair>[^/]+)/(?P<name>[^/]+?)\.txt(?:\.gz)?")
_DOCUMENTS = re.compile(r"(?:.*/)?documents/(?P<pair>[^/]+)\.docs(?:\.gz)?")


class MtmeFormat(TestSetFormat):
    """A folder of mt-metrics-eval; the files of other language pairs are passed over."""

    name = "mt-metrics-eval"
    title = "mt-metrics-eval folder"
    example = (
        InputFile("sources/en-de.txt", b"Good day.\nBye.\n"),
        InputFile("references/en-de.refA.txt", b"Guten Tag.\nCiao.\n"),
        InputFile("system-outputs/en-de/OP.txt", b"Tag.\nAuf.\n"),
        InputFile("documents/en-de.docs", b"news d1\nnews d1\n"),
    )

    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read the files of one language pair; see `TestSetFormat.parse`."""
        pair = f"{options.source_language}-{options.target_language}"
        found = _Found(pair)
        for file in files:
            found.take(file)
        return found.finish()


class _Found:
    """Sort files into texts."""

    def __init__(self, pair: str) -> None:
        self.pair = pair
        self.pairs: set[str] = set()
        self.source: tuple[str, list[str]] | None = None
        self.references: dict[str, tuple[str, list[str]]] = {}
        self.outputs: dict[str, tuple[str, list[str]]] = {}
        self.documents: tuple[str, list[str]] | None = None
        self.notices: list[str] = []

    def take(self, file: InputFile) -> None:
        for pattern in (_SOURCE, _REFERENCE, _OUTPUT, _DOCUMENTS):
            match = pattern.fullmatch(file.name)
            if match is None:
                continue
            self.pairs.add(match["pair"])
            if match["pair"] == self.pair:
                self._enter(pattern, match, file)

    def _enter(self, pattern: re.Pattern[str], match: re.Match[str], file: InputFile) -> None:
        lines = decode_lines(file.data, file.name)
        self.notices += lines.notices
        text = (file.name, lines.lines)
        if pattern is _SOURCE:
            self.source = text
        elif pattern is _DOCUMENTS:
            self.documents = text
        else:
            (self.references if pattern is _REFERENCE else self.outputs)[match["name"]] = text

    def finish(self) -> ParsedTestSet:
        if self.source is None:
            others = ", ".join(sorted(self.pairs)) or "none"
            raise CorpusError(
                f"there is no sources/{self.pair}.txt; language pairs found: {others}",
                remedy="Give the folder of mt-metrics-eval that holds sources, and its --languages.",
            )
        name, lines = self.source
        texts = [*self.references.values(), *self.outputs.values()]
        check_same_length(self.source, *texts, *([self.documents] if self.documents else []))
        parsed = ParsedTestSet(
            file=name,
            keys=[str(number) for number in range(1, len(lines) + 1)],
            documents=self._documents(),
            directions=[""] * len(lines),
            sources={"": _blank_to_none(lines)},
            references={own: _blank_to_none(text) for own, (_, text) in sorted(self.references.items())},
            outputs={own: _blank_to_none(text) for own, (_, text) in sorted(self.outputs.items())},
        )
        parsed.notices = [*self.notices, *missing_notices(parsed)]
        return parsed

    def _documents(self) -> list[str]:
        if self.documents is None:
            return []
        name, lines = self.documents
        found = []
        for number, line in enumerate(lines, start=1):
            parts = line.split()
            if not parts:
                raise CorpusError(
                    "names no document", file=name, line=number, remedy="Write domain and document."
                )
            found.append(parts[-1])
        return found


def _blank_to_none(lines: Sequence[str]) -> Lines:
    return [line if line.strip() else None for line in lines]
