"""A small pair of languages that nobody speaks, made so that back-translation has something to show.

The source is subject–verb–object without gender; the target is subject–object–verb, and articles, adjectives
and verbs agree with the noun's gender, which the source never shows. Text that was written in the source and
text that was written in the target talk about other things: the lexicon has another order of frequency. So
parallel text from the source side leaves words of the target side unlearned, and a system that has read more
of the target side (by back-translation) does better on text from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

NOUNS, VERBS, ADJECTIVES = 400, 60, 60
SOURCE, TARGET = "source", "target"
_GENDERS = 3
_ARTICLES = (("le", "la", "lo"), ("un", "una", "uno"))
_ADJECTIVE_ENDS = ("us", "a", "um")
_VERB_ENDS = ("et", "at", "it")
_ZIPF = 1.0
_WITH_ADJECTIVE = 0.4
_ONSETS = (
    "b",
    "d",
    "f",
    "g",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "z",
    "br",
    "dr",
    "kl",
    "pl",
    "st",
    "tr",
)
_VOWELS = ("a", "e", "i", "o", "u")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Lexicon:
    """The words of both languages: index → form (the target's without ending), and the nouns' genders."""

    nouns: tuple[Sequence[str], Sequence[str]]
    verbs: tuple[Sequence[str], Sequence[str]]
    adjectives: tuple[Sequence[str], Sequence[str]]
    genders: Sequence[int]


def make_lexicon(rng: np.random.Generator) -> Lexicon:
    """Draw the words of both languages, each different."""
    seen: set[str] = set()
    kinds = [(_words(rng, n, seen), _words(rng, n, seen)) for n in (NOUNS, VERBS, ADJECTIVES)]
    genders = [int(one) for one in rng.integers(0, _GENDERS, NOUNS)]
    return Lexicon(kinds[0], kinds[1], kinds[2], genders)


class Speaker:
    """Says sentences in both languages about what one side's people talk about."""

    def __init__(self, lexicon: Lexicon, origin: str, rng: np.random.Generator) -> None:
        """Prepare.

        Args:
            lexicon: the words.
            origin: "source" or "target": whose order of frequencies. The two orders are drawn from the
                lexicon alone, so every speaker of one origin has the same.
            rng: what sentences are drawn from.
        """
        self.lexicon = lexicon
        self.rng = rng
        seed = sum(map(ord, lexicon.nouns[0][0])) * 2 + (origin == TARGET)
        order = np.random.default_rng(seed)
        self._chances = {}
        for n in (NOUNS, VERBS, ADJECTIVES):
            ranks = order.permutation(n) + 1.0
            weights = ranks**-_ZIPF
            self._chances[n] = weights / weights.sum()

    def sentences(self, n: int) -> list[Pair]:
        """Return sentences as (source, target)."""
        return [self._sentence() for _ in range(n)]

    def _sentence(self) -> Pair:
        subject, subject_gender = self._noun_phrase()
        thing, _ = self._noun_phrase()
        verb = self._draw(VERBS, self.lexicon.verbs[0])
        source = f"{subject[0]} {self.lexicon.verbs[0][verb]} {thing[0]}"
        end = _VERB_ENDS[subject_gender]
        return source, f"{subject[1]} {thing[1]} {self.lexicon.verbs[1][verb]}{end}"

    def _noun_phrase(self) -> tuple[Pair, int]:
        noun = self._draw(NOUNS, self.lexicon.nouns[0])
        gender = self.lexicon.genders[noun]
        indefinite = int(self.rng.integers(0, 2))
        ours = ["a" if indefinite else "the"]
        others = [_ARTICLES[indefinite][gender]]
        if self.rng.random() < _WITH_ADJECTIVE:
            adjective = self._draw(ADJECTIVES, self.lexicon.adjectives[0])
            ours.append(self.lexicon.adjectives[0][adjective])
            ours.append(self.lexicon.nouns[0][noun])
            others.append(self.lexicon.nouns[1][noun])
            others.append(self.lexicon.adjectives[1][adjective] + _ADJECTIVE_ENDS[gender])
        else:
            ours.append(self.lexicon.nouns[0][noun])
            others.append(self.lexicon.nouns[1][noun])
        return (" ".join(ours), " ".join(others)), gender

    def _draw(self, n: int, words: Sequence[str]) -> int:
        return int(self.rng.choice(len(words), p=self._chances[n]))


def _words(rng: np.random.Generator, n: int, seen: set[str]) -> list[str]:
    """Draw words of two or three syllables that nobody has yet."""
    made: list[str] = []
    while len(made) < n:
        syllables = int(rng.integers(2, 4))
        word = "".join(
            _ONSETS[rng.integers(len(_ONSETS))] + _VOWELS[rng.integers(len(_VOWELS))]
            for _ in range(syllables)
        )
        if word not in seen:
            seen.add(word)
            made.append(word)
    return made
