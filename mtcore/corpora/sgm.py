"""Test sets as SGM, the NIST and WMT files before 2021: `srcset`, `refset` and `tstset`, a file each or more.

These files are no XML: tags come in any case, `&` stands bare, `<p>` is not closed. They are read tag by tag;
of entities only the five of XML and numbers are replaced, a document type is passed over, and one that
declares entities is refused. `docid` and segment `id` say what belongs together.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import decode_text
from mtcore.corpora.testset_align import Aligner, Place, SegmentId
from mtcore.corpora.testset_base import InputFile, ParsedTestSet, Side, TestSetFormat, TestSetOptions

_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY_DECLARATION = re.compile(r"<!ENTITY", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SIDES: dict[str, Side] = {"srcset": "source", "refset": "target", "tstset": "output"}
_REMEDY = "Check the mark-up of the file."


class Tag(NamedTuple):
    """A tag we look at: its name in lower case, whether it closes, its attributes and place."""

    name: str
    closes: bool
    attributes: dict[str, str]
    start: int
    end: int
    line: int


class SgmFormat(TestSetFormat):
    """Source, references and system outputs, each in a file of its own or together."""

    name = "sgm"
    title = "SGM (srcset, refset, tstset)"
    example = (
        InputFile(
            "src.sgm",
            b'<srcset setid="t" srclang="any">\n<doc docid="d1" origlang="en">\n'
            b'<seg id="1">AT&T &amp; Co.</seg>\n<SEG ID="2">Bye.</SEG>\n</doc>\n</srcset>\n',
        ),
        InputFile(
            "ref.sgm",
            b'<refset setid="t" trglang="de" refid="A">\n<doc docid="d1" origlang="en">\n'
            b'<seg id="2">Ciao.</seg>\n<seg id="1">AT&T und Co.</seg>\n</doc>\n</refset>\n',
        ),
    )

    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read SGM files; see `TestSetFormat.parse`."""
        aligner = Aligner(options)
        for file in files:
            decoded = decode_text(file.data, file.name, markup=True)
            aligner.notices += decoded.notices
            _Reader(file.name, decoded.text, aligner).read()
        return aligner.finish(", ".join(file.name for file in files))


class _Reader:
    """Walk through the tags of one file."""

    def __init__(self, file: str, text: str, aligner: Aligner) -> None:
        self.file = file
        self.text = text
        self.aligner = aligner
        self.set: Tag | None = None
        self.document: Tag | None = None
        self.document_id = ""
        self.seen: set[tuple[Side, str, str]] = set()

    def read(self) -> None:
        declared = _ENTITY_DECLARATION.search(self.text)
        if declared:
            line = self.text.count("\n", 0, declared.start()) + 1
            raise self._error(line, "declares entities, which are not read", "Remove the declaration.")
        opened: Tag | None = None
        for tag in self._tags():
            if opened is not None:
                if tag.name != "seg" or not tag.closes:
                    raise self._error(
                        opened.line, "the segment that begins here is not closed", "Add </seg>."
                    )
                self._segment(opened, self.text[opened.end : tag.start])
                opened = None
            elif tag.name == "seg":
                opened = None if tag.closes else tag
            else:
                self._enter(tag)
        if opened is not None:
            raise self._error(opened.line, "the segment that begins here is not closed", "Add </seg>.")
        if self.set is None:
            raise self._error(None, "has no srcset, refset or tstset", "Check that this is an SGM test set.")

    def _tags(self) -> Iterator[Tag]:
        line, counted = 1, 0
        for match in _TAG.finditer(self.text):
            line += self.text.count("\n", counted, match.start())
            counted = match.start()
            found = {
                one[1].lower(): decode_entities(next(part for part in one.groups()[1:] if part is not None))
                for one in _ATTRIBUTE.finditer(match[3])
            }
            yield Tag(match[2].lower(), bool(match[1]), found, match.start(), match.end(), line)

    def _enter(self, tag: Tag) -> None:
        """Enter or leave a set or a document."""
        if tag.name != "doc":
            self.set = self.set if tag.closes else tag
            self.document = None
        elif tag.closes:
            self.document = None
        else:
            self._enter_document(tag)

    def _enter_document(self, tag: Tag) -> None:
        if self.set is None:
            raise self._error(tag.line, "a document stands outside of srcset, refset and tstset", _REMEDY)
        self.document_id = tag.attributes.get("docid", "")
        if not self.document_id:
            raise self._error(tag.line, "a document has no docid", "Give every document its own.")
        self.document = tag
        at = (*self._text(tag), self.document_id)
        if at in self.seen:
            raise self._error(
                tag.line, f"two documents have the id {self.document_id}", "Give every document its own."
            )
        self.seen.add(at)
        self.aligner.note_origin(self.document_id, tag.attributes.get("origlang", ""))

    def _text(self, document: Tag) -> tuple[Side, str]:
        """Tell which text a document belongs to; sources have no name of their own."""
        assert self.set is not None  # noqa: S101 (checked by the caller)
        side = _SIDES[self.set.name]
        own, around = document.attributes, self.set.attributes
        if side == "source":
            return side, ""
        if side == "target":
            return side, around.get("refid") or own.get("sysid") or around.get("sysid") or ""
        name = own.get("sysid") or around.get("sysid") or ""
        if not name:
            raise self._error(document.line, "an output has no sysid", "Name the system.")
        return side, name

    def _segment(self, tag: Tag, raw: str) -> None:
        if self.document is None:
            raise self._error(tag.line, "a segment stands outside of a document", _REMEDY)
        number = tag.attributes.get("id", "")
        if not number:
            raise self._error(tag.line, "a segment has no id", "Give every segment of a document its own.")
        place = Place(self.file, tag.line)
        segment = SegmentId(self.document_id, number)
        self.aligner.put(self._text(self.document), segment, decode_entities(raw), place)

    def _error(self, line: int | None, message: str, remedy: str) -> CorpusError:
        return CorpusError(message, file=self.file, line=line, remedy=remedy)


def decode_entities(text: str) -> str:
    """Replace the five entities of XML and numbered characters; anything else stays as it is."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    is_text = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_text else match[0]
