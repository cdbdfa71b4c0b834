"""Compare two texts word by word, for people to see what differs."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Characters of scripts that put no space between words: each is compared by itself."""

MOST_CELLS = 1_000_000
"""Words of one text times words of the other up to which they are compared."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text: "same" in both, "added" in the text shown, or "missing" from it."""

    kind: str
    text: str


@dataclass(frozen=True)
class Difference:
    """A text against another.

    Attributes:
        pieces: in order; those that are not "missing" make up the text.
        added: words that the other text does not have there.
        missing: words that only the other text has.
        spaces_differ: words are the same, white space or invisible marks are not.
        too_long: the texts were too long to compare; the text is one piece.
    """

    pieces: Sequence[Piece]
    added: int = 0
    missing: int = 0
    spaces_differ: bool = False
    too_long: bool = False

    @property
    def is_equal(self) -> bool:
        """Tell whether nothing differs."""
        return not (self.added or self.missing or self.spaces_differ or self.too_long)


def words_compare(text: str, other: str) -> Difference:
    """Compare a text with another, word by word; marks count as words, white space goes with the word before.

    Args:
        text: what is shown.
        other: what it is held against.
    """
    own, theirs = _words(text), _words(other)
    if len(own) * len(theirs) > MOST_CELLS:
        return Difference((Piece("same", text),), too_long=True)
    keys = [_bare(word) for word in own], [_bare(word) for word in theirs]
    pieces: list[Piece] = []
    added = missing = 0
    for tag, start, end, own_start, own_end in SequenceMatcher(None, keys[1], keys[0], False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(own[own_start:own_end])))
            continue
        if end > start:
            pieces.append(Piece("missing", "".join(theirs[start:end])))
            missing += _counted(keys[1][start:end])
        if own_end > own_start:
            pieces.append(Piece("added", "".join(own[own_start:own_end])))
            added += _counted(keys[0][own_start:own_end])
    spaces = not added and not missing and text != other
    return Difference(tuple(piece for piece in pieces if piece.text), added, missing, spaces)


def _counted(words: Sequence[str]) -> int:
    return sum(1 for word in words if word)


def _bare(word: str) -> str:
    return "".join(character for character in word if _kind(character) != "space")


def _words(text: str) -> list[str]:
    """Cut a text into words and marks, each with the white space after it; leading space is a word."""
    found: list[str] = []
    for kind, group in groupby(text, key=_kind):
        part = "".join(group)
        if kind == "space" and found:
            found[-1] += part
        elif kind in ("mark", "unspaced"):
            found += part
        else:
            found.append(part)
    return found


def _kind(character: str) -> str:
    if character.isspace() or unicodedata.category(character) in ("Cf", "Cc"):
        return "space"
    code = ord(character)
    if any(low <= code <= high for low, high in UNSPACED):
        return "unspaced"
    return "mark" if unicodedata.category(character)[0] in "PS" else "word"
