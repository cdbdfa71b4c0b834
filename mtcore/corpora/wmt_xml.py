"""Test sets as WMT XML (2021 on): documents with their source, references by translator, outputs by system.

Read by expat through defusedxml: a file that declares entities is refused at the declaration, nothing
outside of the file is ever opened, and elements nest no deeper than `MAX_DEPTH`.
"""

import re
import xml.etree.ElementTree as ElementTree  # nosec B405 # its types; defusedxml parses
from collections.abc import Callable, Mapping, Sequence

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import differs
from mtcore.corpora.reader import decode_text
from mtcore.corpora.testset_align import Aligner, Place, SegmentId
from mtcore.corpora.testset_base import InputFile, ParsedTestSet, Side, TestSetFormat, TestSetOptions

MAX_DEPTH = 32
_CHUNK = 1 << 16
_DECLARED = re.compile(r"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]*)["']""", re.ASCII)
_TEXTS: dict[str, Side] = {"src": "source", "ref": "target", "hyp": "output"}
_NAMES: dict[str, tuple[str, ...]] = {"src": (), "ref": ("translator",), "hyp": ("system",)}
_LANGUAGES = ("lang", "language")


class WmtXmlFormat(TestSetFormat):
    """Everything in one file; several files are put together."""

    name = "xml"
    title = "WMT XML (2021 on)"
    example = (
        InputFile(
            "example.xml",
            b"<?xml version='1.0' encoding='utf-8'?>\n"
            b'<dataset id="t"><collection id="c"><doc origlang="en" id="d1">\n'
            b'<src lang="en"><p><seg id="1">Good day.</seg><seg id="2">Bye.</seg></p></src>\n'
            b'<ref lang="de" translator="A"><p><seg id="2">Ciao.</seg></p></ref>\n'
            b'<hyp system="S1" language="de"><p><seg id="1">Tag.</seg><seg id="2">Auf.</seg></p></hyp>\n'
            b"</doc></collection></dataset>\n",
        ),
    )

    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read XML files; see `TestSetFormat.parse`."""
        aligner = Aligner(options)
        for file in files:
            decoded = decode_text(file.data, file.name, markup=True)
            aligner.notices += decoded.notices
            _refuse_encoding(decoded.text, file.name)
            _feed(decoded.text, _Reader(file.name, aligner))
        return aligner.finish(", ".join(file.name for file in files))


def _refuse_encoding(text: str, file: str) -> None:
    """Refuse a file that says it is written in something else than what it was read as."""
    match = _DECLARED.match(text)
    if match and not match[1].upper().startswith(("UTF-8", "UTF-16")):
        raise CorpusError(
            f"says that it is written in {match[1]}, not in UTF-8",
            file=file,
            line=1,
            remedy="Save it as UTF-8 and declare that.",
        )


def _feed(text: str, reader: "_Reader") -> None:
    """Run a text through the parser, bit by bit, so that a hostile one is stopped where it begins."""
    parser = DefusedXMLParser(target=reader, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    expat = parser.parser
    reader.line_of = lambda: expat.CurrentLineNumber
    try:
        for start in range(0, len(text), _CHUNK):
            parser.feed(text[start : start + _CHUNK])
        parser.close()
    except DefusedXmlException as error:
        raise reader.error(
            "declares entities or refers to another file, which is not read",
            "Remove the document type; write the characters themselves.",
        ) from error
    except ElementTree.ParseError as error:
        line, column = error.position
        raise CorpusError(
            f"is not XML at character {column + 1:,} ({str(error).partition(':')[0]})",
            file=reader.file,
            line=line,
            remedy="Check the mark-up there. For older WMT files, use the format sgm.",
        ) from error
    reader.finish()


class _Reader:
    """Take elements as they come; a target of ElementTree's parser."""

    def __init__(self, file: str, aligner: Aligner) -> None:
        self.file = file
        self.aligner = aligner
        self.line_of: Callable[[], int] = lambda: 0
        self.depth = 0
        self.skipping: int | None = None
        self.skipped = 0
        self.document = ""
        self.documents: dict[str, int] = {}
        self.text: tuple[Side, str] | None = None
        self.segment: tuple[SegmentId, Place] | None = None
        self.pieces: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Enter an element."""
        if self.depth == 0 and tag != "dataset":
            raise self.error(f"begins with <{tag}>, not with <dataset>", "Check that this is WMT XML.")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nests deeper than {MAX_DEPTH} elements", "Check that this is WMT XML.")
        if self.skipping is not None:
            return
        if tag == "doc" and "testsuite" in attributes:
            self.skipping = self.depth
            self.skipped += 1
        elif tag == "doc":
            self._enter_document(attributes)
        elif tag in _TEXTS and self.document:
            self._enter_text(tag, attributes)
        elif tag == "seg" and self.text is not None:
            self._enter_segment(attributes)

    def data(self, text: str) -> None:
        """Take a piece of text."""
        if self.segment is not None:
            self.pieces.append(text)

    def end(self, tag: str) -> None:
        """Leave an element."""
        if self.skipping == self.depth:
            self.skipping = None
        elif self.skipping is None:
            self._leave(tag)
        self.depth -= 1

    def close(self) -> None:
        """End the file; ElementTree's parser calls this."""

    def finish(self) -> None:
        """Report what was left out."""
        if self.skipped:
            noun = "document" if self.skipped == 1 else "documents"
            self.aligner.notices.append(f"{self.file}: left out {self.skipped:,} {noun} of test suites")

    def error(self, message: str, remedy: str) -> CorpusError:
        """Make the error for where the parser stands."""
        return CorpusError(message, file=self.file, line=self.line_of() or None, remedy=remedy)

    def _leave(self, tag: str) -> None:
        if tag == "doc":
            self.document = ""
        elif tag in _TEXTS:
            self.text = None
        elif tag == "seg" and self.segment is not None and self.text is not None:
            segment, place = self.segment
            self.aligner.put(self.text, segment, "".join(self.pieces), place)
            self.segment = None

    def _enter_document(self, attributes: Mapping[str, str]) -> None:
        name = attributes.get("id", "")
        if not name:
            raise self.error("a document has no id", "Give every document its own.")
        if name in self.documents:
            raise self.error(
                f"two documents have the id {name} (the first on line {self.documents[name]:,})",
                "Give every document its own.",
            )
        self.documents[name] = self.line_of()
        self.document = name
        self.aligner.note_origin(name, attributes.get("origlang", ""))

    def _enter_text(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = next((attributes[one] for one in _NAMES[tag] if attributes.get(one)), "")
        if tag == "hyp" and not name:
            raise self.error("a hyp has no system", "Name the system of every hyp.")
        options = self.aligner.options
        expected = options.source_language if tag == "src" else options.target_language
        language = next((attributes[one] for one in _LANGUAGES if attributes.get(one)), "")
        if language and differs(language, expected):
            raise self.error(
                f"the <{tag}> of document {self.document} is in {language}, not in {expected}",
                "Give the right --languages.",
            )
        self.text = (_TEXTS[tag], name)

    def _enter_segment(self, attributes: Mapping[str, str]) -> None:
        number = attributes.get("id", "")
        if not number:
            raise self.error("a seg has no id", "Give every seg of a document its own.")
        if self.segment is not None:
            raise self.error("a seg stands inside of another", "Close the first one.")
        self.segment = (SegmentId(self.document, number), Place(self.file, self.line_of()))
        self.pieces = []
