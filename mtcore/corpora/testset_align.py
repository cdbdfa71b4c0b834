"""Put the texts of mark-up files side by side, by document and segment id."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import language_direction
from mtcore.corpora.testset_base import (
    Lines,
    ParsedTestSet,
    Side,
    TestSetOptions,
    check_key,
    missing_notices,
)

_BREAK = re.compile(r"[ \t\r\n]*[\r\n][ \t\r\n]*")
_BLANKS = " \t\r\n"


class Place(NamedTuple):
    """Where something stands: a file and a 1-based line of it."""

    file: str
    line: int


class SegmentId(NamedTuple):
    """A segment as the files know it."""

    document: str
    segment: str

    @property
    def key(self) -> str:
        """Return the id it has with us."""
        return f"{self.document}:{self.segment}"


class Aligner:
    """Collect segments from any number of files in any order; the source says which segments there are."""

    def __init__(self, options: TestSetOptions) -> None:
        self.options = options
        self.texts: dict[tuple[Side, str], dict[SegmentId, tuple[str, Place]]] = {}
        self.origins: dict[str, str] = {}
        self.folded = 0
        self.notices: list[str] = []

    def put(self, text: tuple[Side, str], segment: SegmentId, line: str, place: Place) -> None:
        """Enter one segment of a text; line breaks inside it become spaces, blanks at its ends go.

        Raises:
            CorpusError: the text has the segment already, or its id cannot be kept.
        """
        check_key(segment.key, place.file, place.line)
        own = self.texts.setdefault(text, {})
        if segment in own:
            raise CorpusError(
                f"the {_named(text)} has segment {segment.segment} of document {segment.document} twice "
                f"(first on line {own[segment][1].line:,})",
                file=place.file,
                line=place.line,
                remedy="Give each segment of a document its own id.",
            )
        own[segment] = (self._fold(line), place)

    def note_origin(self, document: str, language: str) -> None:
        """Remember in which language a document was written, where a file says so."""
        if language:
            self.origins.setdefault(document, language)

    def finish(self, file: str) -> ParsedTestSet:
        """Put everything side by side in the order of the source.

        Raises:
            CorpusError: there is no source, or a text has a segment that the source has not.
        """
        sources = [text for text in self.texts if text[0] == "source"]
        if not sources:
            raise CorpusError(
                "holds no source text", file=file, remedy="Give the file with the source segments too."
            )
        order = list(self.texts[sources[0]])
        self._refuse_strangers(set(order), sources[0])
        documents = [segment.document for segment in order]
        directions = {
            document: language_direction(
                self.origins.get(document, ""), self.options.source_language, self.options.target_language
            )
            for document in dict.fromkeys(documents)
        }
        parsed = ParsedTestSet(
            file=file,
            keys=[segment.key for segment in order],
            documents=documents,
            directions=[directions[document] for document in documents],
        )
        parsed.sources = self._lines(sources, order)
        parsed.references = self._lines([text for text in self.texts if text[0] == "target"], order)
        parsed.outputs = self._lines([text for text in self.texts if text[0] == "output"], order)
        parsed.notices = [*self.notices, *self._folded_notice(file), *missing_notices(parsed)]
        return parsed

    def _lines(self, texts: Iterable[tuple[Side, str]], order: list[SegmentId]) -> dict[str, Lines]:
        found: dict[str, Lines] = {}
        for text in texts:
            own = self.texts[text]
            found[text[1]] = [own[segment][0] if segment in own else None for segment in order]
        return found

    def _refuse_strangers(self, known: set[SegmentId], source: tuple[Side, str]) -> None:
        for text, own in self.texts.items():
            for segment, (_, place) in own.items():
                if segment not in known:
                    raise CorpusError(
                        f"the {_named(text)} has segment {segment.segment} of document {segment.document}, "
                        f"the {_named(source)} has not",
                        file=place.file,
                        line=place.line,
                        remedy="Use the same document and segment ids in every text.",
                    )

    def _fold(self, line: str) -> str:
        line = line.strip(_BLANKS)
        if "\n" not in line and "\r" not in line:
            return line
        self.folded += 1
        return _BREAK.sub(" ", line)

    def _folded_notice(self, file: str) -> list[str]:
        if not self.folded:
            return []
        noun = "segment" if self.folded == 1 else "segments"
        return [f"{file}: line breaks inside {self.folded:,} {noun} became spaces"]


def _named(text: tuple[Side, str]) -> str:
    kind = {"source": "source", "target": "reference", "output": "output of"}[text[0]]
    return f"{kind} {text[1]}".strip()
