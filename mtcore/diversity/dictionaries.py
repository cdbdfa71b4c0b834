"""Read bilingual dictionaries of the user's: a table, FreeDict's TEI, or dictd's pair of index and text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError  # nosec B405 # the types; defusedxml parses

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from mtcore.corpora.reader import decode_text, read_bytes, split_lines
from mtcore.corpora.unpack import gunzip, is_gzip
from mtcore.diversity.base import DiversityError

FORMATS = ("tsv", "tei", "dictd")
_EXPECTED = (
    "Give a table (source word, TAB, translations parted by | , and in a third column the part of speech if "
    "known), FreeDict TEI, or a dictd .index beside its .dict or .dict.dz."
)
_DIGITS = {
    sign: place
    for place, sign in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_REMARK = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")
_NUMBER = re.compile(r"^\d+\.\s+")
_HEADLINE = re.compile(r"^([^/<\n]+?)\s*(?:/[^/\n]*/)?\s*((?:<[^<>]*>[\s,]*)*)$")


@dataclass(frozen=True)
class BilingualDictionary:
    """Source words and their translations.

    Attributes:
        name: of the file.
        format: "tsv", "tei" or "dictd".
        options: source word in lower case → its translations in lower case, each one word.
        phrases: translations of several words, which are left out: they are no lemma of a text.
        others: entries left out because the dictionary calls them neither noun, verb nor adjective.
    """

    name: str
    format: str
    options: dict[str, tuple[str, ...]] = field(repr=False)
    phrases: int = 0
    others: int = 0

    def only(self, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the options of these source words (lemmas in lower case)."""
        return {word: self.options[word] for word in sorted(set(words)) if word in self.options}


Entry = tuple[str, list[str], str]
"""Source word, translations, part of speech or nothing."""


def read_dictionary(path: Path | str) -> BilingualDictionary:
    """Read a dictionary, its format told by its name and content.

    Every translation of every sense counts. Nouns, verbs and adjectives are kept, and entries without a part
    of speech.

    Raises:
        CorpusError: the file cannot be read or is not UTF-8.
        DiversityError: it is none of the three formats, broken, or holds no translation.
    """
    file = Path(path)
    kind, entries = _entries(file)
    collected: dict[str, dict[str, None]] = {}
    phrases = others = 0
    for word, translations, part in entries:
        if part and not _content_word(part):
            others += 1
            continue
        for translation in translations:
            if " " in translation:
                phrases += 1
            elif translation:
                collected.setdefault(word.lower(), {})[translation.lower()] = None
    if not collected:
        raise DiversityError(f"{file.name} holds no translation of one word", _EXPECTED)
    options = {word: tuple(found) for word, found in collected.items()}
    return BilingualDictionary(file.name, kind, options, phrases, others)


def _entries(file: Path) -> tuple[str, Iterator[Entry]]:
    name = file.name.lower()
    if name.endswith((".index", ".dict", ".dict.dz")):
        return "dictd", _dictd(file)
    data = read_bytes(file)
    data = gunzip(data, file.name) if is_gzip(data) else data
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return "tei", _tei(data, file.name)
    return "tsv", _table(data, file.name)


def _table(data: bytes, name: str) -> Iterator[Entry]:
    """Read source word, TAB, translations parted by |, and a part of speech if there is a third column."""
    for number, line in enumerate(split_lines(decode_text(data, name).text, name).lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [one.strip() for one in line.split("\t")]
        if not 2 <= len(fields) <= 3 or not fields[0] or not fields[1]:
            raise DiversityError(
                f"{name}, line {number:,}: expected a source word, TAB and its translations; found "
                f"{len(fields)} {'column' if len(fields) == 1 else 'columns'}",
                _EXPECTED,
            )
        yield fields[0], [one.strip() for one in fields[1].split("|")], fields[2] if len(fields) == 3 else ""


def _tei(data: bytes, name: str) -> Iterator[Entry]:
    """Read FreeDict's TEI, both its layouts: cit/quote, and the older trans/tr."""
    seen = False
    try:
        for _, element in iterparse(io.BytesIO(data), events=("end",)):
            if _tag(element) != "entry":
                continue
            seen = True
            words = [_text(one) for form in _children(element, "form") for one in _all(form, "orth")]
            parts = [_text(one) for one in _all(element, "pos")]
            translations = [
                _text(quote)
                for cit in _all(element, "cit")
                if cit.get("type") in ("trans", "translation")
                for quote in _all(cit, "quote")
            ] + [_text(one) for trans in _all(element, "trans") for one in _all(trans, "tr")]
            for word in filter(None, words):
                yield word, translations, parts[0] if parts else ""
            element.clear()
    except (ParseError, DefusedXmlException) as error:
        raise DiversityError(f"{name} is not well-formed XML ({error})", _EXPECTED) from error
    except (LookupError, ValueError) as error:  # expat knows no such encoding
        raise DiversityError(
            f"{name} declares an encoding that cannot be read ({error})",
            "Save it as UTF-8 and declare that.",
        ) from error
    if not seen:
        raise DiversityError(f"{name} is XML without dictionary entries", _EXPECTED)


def _dictd(file: Path) -> Iterator[Entry]:
    """Read a dictd dictionary: an index of offsets and lengths in base 64, and the articles."""
    stem = re.sub(r"\.(index|dict|dict\.dz)$", "", file.name, flags=re.IGNORECASE)
    index, plain, packed = (file.with_name(stem + end) for end in (".index", ".dict", ".dict.dz"))
    body = packed if packed.exists() else plain
    for part in (index, body):
        if not part.exists():
            raise DiversityError(f"{part.name} is not beside {file.name}", _EXPECTED)
    data = read_bytes(body)
    text = gunzip(data, body.name) if is_gzip(data) else data
    seen: set[tuple[int, int]] = set()
    for number, line in enumerate(decode_text(read_bytes(index), index.name).text.split("\n"), start=1):
        if not line or line.startswith("00"):
            continue
        fields = line.split("\t")
        try:
            place = (_number(fields[1]), _number(fields[2]))
            article = text[place[0] : sum(place)].decode("utf-8")
        except (IndexError, KeyError, UnicodeDecodeError) as error:
            raise DiversityError(
                f"{index.name}, line {number:,}: is no line of a dictd index, or does not fit {body.name}",
                _EXPECTED,
            ) from error
        if place not in seen:
            seen.add(place)
            yield from _article(article)


def _article(article: str) -> Iterator[Entry]:
    """Read one article: a headword with its sound and part of speech, then a line for each sense."""
    lines = article.split("\n")
    headline = _HEADLINE.match(lines[0])
    if not headline:
        return
    translations: list[str] = []
    for line in lines[1:]:
        if not line or line[0] in ' \t"':
            continue
        sense = _REMARK.sub("", _NUMBER.sub("", line))
        translations += [" ".join(one.split()) for one in re.split(r"[,;]", sense)]
    part = re.search(r"<([^<>]*)>", headline[2])
    yield headline[1].strip(), [one for one in translations if one], part[1] if part else ""


def _number(digits: str) -> int:
    total = 0
    for digit in digits:
        total = total * 64 + _DIGITS[digit]
    return total


def _content_word(part: str) -> bool:
    """Tell nouns, verbs and adjectives by how dictionaries shorten them."""
    word = part.strip().lower()
    return word.startswith(("noun", "verb", "adj", "subst")) or bool(
        re.match(r"(?:n|v|a|pn|vt|vi|vr|s|m|f|nt|masc|fem|neut)(?:$|[^a-z])", word)
    )


def _tag(element: Element) -> str:
    return element.tag.rsplit("}", 1)[-1]


def _select(elements: Iterable[Element], keep: Callable[[Element], bool]) -> list[Element]:
    return [one for one in elements if keep(one)]


def _children(element: Element, tag: str) -> list[Element]:
    return _select(element, lambda one: _tag(one) == tag)


def _all(element: Element, tag: str) -> list[Element]:
    return _select(element.iter(), lambda one: one is not element and _tag(one) == tag)


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
