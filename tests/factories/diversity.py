"""Texts for measures of diversity, and the slow and plain way to the same numbers."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

import numpy as np

from mtcore.diversity.counting import count_words, line_blocks
from mtcore.diversity.lemmas import TableLemmatiser
from mtcore.diversity.profile import Profile
from mtcore.diversity.tokens import Given, Tokeniser
from mtcore.diversity.vocabulary import Resources


def profile_of(
    lines: Sequence[str],
    resources: Resources | None = None,
    tokeniser: Tokeniser | None = None,
    name: str = "T",
) -> Profile:
    """Count lines whose words stand between white space."""
    counted = count_words(line_blocks(lines, 1 << 20), tokeniser or Given())
    return Profile(name, counted, resources or Resources())


def repeated(counts: dict[str, int]) -> list[str]:
    """Return lines in which each word occurs as often as is said."""
    return [" ".join([word] * n) for word, n in counts.items()]


def lemmas(pairs: dict[str, str]) -> Resources:
    """Return resources that know these forms and lemmas."""
    return Resources(TableLemmatiser(pairs, "test"))


def invented_text(n_lines: int, seed: int, types: int = 400) -> list[str]:
    """Return lines of invented words, some of them frequent as in language."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, types + 1)
    words = [f"w{number}" if number % 7 else f"W{number}-x.y" for number in range(types)]
    drawn = rng.choice(types, (n_lines, 12), p=shares / shares.sum())
    return [" ".join(words[place] for place in row[: rng.integers(5, 13)]) for row in drawn]


def plain_factors(words: Iterable[str], threshold: float = 0.72) -> float:
    """Count factors of MTLD word by word, as the definition says."""
    factors, seen, n, ttr = 0.0, set(), 0, 1.0
    for word in words:
        n += 1
        seen.add(word)
        ttr = len(seen) / n
        if ttr <= threshold:
            factors, seen, n = factors + 1, set(), 0
    return factors + ((1 - ttr) / (1 - threshold) if n else 0)


def plain_mtld(words: Sequence[str]) -> float:
    """Return MTLD word by word."""
    return (len(words) / plain_factors(words) + len(words) / plain_factors(words[::-1])) / 2


def plain_stream(text: str) -> list[str]:
    """Return the words that the package lexicalrichness (0.5) makes of a text."""
    text = re.sub("[0-9]+", "", text.lower())
    for dash in "–—-":
        text = text.replace(dash, "")
    return text.translate(str.maketrans(dict.fromkeys(string.punctuation, " "))).split()
