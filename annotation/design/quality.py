"""Damage texts: a bad reference must score lower than what it was made from.

A bad reference is a text in which a phrase of another text took the place of its own words. How many words
are replaced follows from the length alone (Graham et al. 2013): 1 of 1; 2 of 2–5; 3 of 6–8; 4 of 9–15; 5 of
16–20; a quarter of more. The first and the last word stay where there are more than three.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

#: Languages written without spaces between words, by base tag.
UNSPACED_LANGUAGES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "wuu", "yue", "zh"})
#: Random draws before every phrase of some donors is tried in turn.
DRAWS = 40
DONORS_TRIED = 100
_WORD = re.compile(r"\S+")
_JOINERS = frozenset("\u200c\u200d\u2060")


class DamageError(ValueError):
    """No bad reference can be made of a text; the message says why."""


def is_spaced(language: str) -> bool:
    """Say whether words are set apart by spaces in a language (a tag, as `zh-Hans`)."""
    return language.replace("_", "-").split("-")[0].lower() not in UNSPACED_LANGUAGES


def phrase_length(n: int) -> int:
    """Return how many of n words are replaced (Graham et al. 2013)."""
    for most, length in ((0, 0), (1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if n <= most:
            return length
    return n // 4


def degrade(text: str, donors: Sequence[str], rng: np.random.Generator, spaced: bool = True) -> str:
    """Replace a phrase of a text by one of another text, so that it reads on and means something else.

    Args:
        text: what is damaged.
        donors: texts of other segments from the same version or system.
        rng: source of randomness.
        spaced: whether words are set apart by spaces; else characters (with their marks) are counted.

    Returns:
        The damaged text; it differs from `text` in letters or digits, not only in case, accents or signs.

    Raises:
        DamageError: the text is blank, or no donor has anything else to give.
    """
    spans = _spans(text, spaced)
    if not spans:
        raise DamageError("a blank text cannot be damaged")
    for length in range(phrase_length(len(spans)), 0, -1):
        for strict in (True, False):
            for start, phrase in _draws(len(spans), length, donors, rng, spaced):
                own = [text[a:b] for a, b in spans[start : start + length]]
                if strict and any(_same(one, other) for one, other in zip(own, phrase, strict=True)):
                    continue
                first, last = spans[start][0], spans[start + length - 1][1]
                damaged = text[:first] + (" " if spaced else "").join(phrase) + text[last:]
                if not _same(damaged, text):
                    return damaged
    raise DamageError("no other text differs from it: it is too short, or the others say the same")


def _spans(text: str, spaced: bool) -> list[tuple[int, int]]:
    """Return where the words of a text begin and end; without spaces, its characters with their marks.

    A run of Latin letters or digits inside such a text is one unit.
    """
    if spaced:
        return [found.span() for found in _WORD.finditer(text)]
    spans: list[tuple[int, int]] = []
    for place, character in enumerate(text):
        if character.isspace():
            continue
        joined = spans and spans[-1][1] == place
        if joined and (unicodedata.category(character).startswith("M") or _joins(text, place)):
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans


def _joins(text: str, place: int) -> bool:
    before, here = text[place - 1], text[place]
    if here in _JOINERS or before == "\u200d":
        return True
    return before.isascii() and here.isascii() and before.isalnum() and here.isalnum()


def _draws(
    n: int, length: int, donors: Sequence[str], rng: np.random.Generator, spaced: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield places and phrases: at random first, then in turn."""
    inner = 1 if n > 3 else 0
    starts = range(inner, n - inner - length + 1)
    if not donors or not starts:
        return
    for _ in range(DRAWS):
        donor = donors[int(rng.integers(len(donors)))]
        phrases = _phrases(donor, length, spaced)
        if phrases:
            yield starts[int(rng.integers(len(starts)))], phrases[int(rng.integers(len(phrases)))]
    for place in rng.permutation(len(donors)).tolist()[:DONORS_TRIED]:
        for phrase in _phrases(donors[place], length, spaced):
            for start in starts:
                yield start, phrase


def _phrases(donor: str, length: int, spaced: bool) -> list[list[str]]:
    """Return the phrases of a donor: from its inside where that is long enough."""
    units = [donor[a:b] for a, b in _spans(donor, spaced)]
    inside = units[1:-1] if len(units) >= length + 2 else units
    return [inside[start : start + length] for start in range(len(inside) - length + 1)]


def _same(one: str, other: str) -> bool:
    return _levelled(one) == _levelled(other)


def _levelled(text: str) -> str:
    """Return the letters and digits alone: no case, width, marks, punctuation, spaces or invisible signs."""
    bare = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in bare if unicodedata.category(character)[0] in "LN")
