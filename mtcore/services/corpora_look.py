"""Look into a corpus: some of its lines, and the test segments in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from mtcore.corpora.line_keys import loose_key
from mtcore.models import Corpus
from mtcore.services.corpora_derive import corpus_pairs
from mtcore.services.corpora_import import test_segments_known
from mtcore.services.texts import as_bad_input

LONGEST = 2_000
"""Characters of a line that are shown."""
LOOKED_AT = 300_000
"""Lines in which test segments are looked for while somebody waits for the page."""
SHOWN = 5


@dataclass(frozen=True)
class Overlap:
    """Test segments in a corpus: how many lines were looked at, and of each test set how many hold one.

    `examples` are the numbers of the first lines and their test sets.
    """

    n_looked: int
    whole: bool
    counts: dict[str, int]
    examples: list[tuple[int, str]]


def corpus_lines(corpus: Corpus, *, first: int = 1, n: int = 10) -> list[tuple[int, tuple[str, ...]]]:
    """Return some lines of a corpus with their numbers, each cut where it is very long.

    Raises:
        NotFound: its files are gone. BadInput: they are damaged.
    """
    n_sides = 2 if corpus.target_language else 1
    begin = max(0, first - 1)
    with as_bad_input():
        return [
            (number, tuple(_cut(text) for text in pair[:n_sides]))
            for number, pair in enumerate(islice(corpus_pairs(corpus), begin, begin + n), start=begin + 1)
        ]


def corpus_overlap(corpus: Corpus, *, n_lines: int = LOOKED_AT) -> Overlap:
    """Look for the segments of all test sets in the first lines of a corpus.

    Raises:
        NotFound: its files are gone. BadInput: they are damaged.
    """
    known = test_segments_known()
    counts: dict[str, int] = {}
    examples: list[tuple[int, str]] = []
    number = 0
    with as_bad_input():
        for number, pair in enumerate(islice(corpus_pairs(corpus), n_lines), start=1):
            keys = map(loose_key, dict.fromkeys(pair)) if known else ()
            testset = next((known[key] for key in keys if key is not None and key in known), None)
            if testset is not None:
                counts[testset] = counts.get(testset, 0) + 1
                if len(examples) < SHOWN:
                    examples.append((number, testset))
    return Overlap(number, number >= corpus.n_lines, dict(sorted(counts.items())), examples)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
