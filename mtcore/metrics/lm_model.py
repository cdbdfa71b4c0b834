"""What perplexity is computed from: a language model that gives each line −ln p and what it counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from mtcore.metrics.base import FloatArray

WORD, SUBWORD = "word", "subword"
NLL, COUNTED, WORDS, UNKNOWN_UNITS, ENDS = range(5)
"""Columns of the statistics of a line: −Σ ln p; units with a probability (N of the perplexity, ends of lines
among them where they are counted); words; unknown words or subwords; ends counted. N-gram models have
no fifth: each line has one end."""


class LanguageModel(ABC):
    """A language model.

    Attributes:
        unit: what N counts, "word" or "subword".
        oov_of: what is counted as unknown, "word" or "subword"; "" when that cannot be told.
        vocabulary: how many words (or, where unknown subwords are counted, subwords) it knows.
    """

    unit: ClassVar[str]
    oov_of: str
    vocabulary: int

    @abstractmethod
    def stats(self, lines: Sequence[str]) -> FloatArray:
        """Return the statistics of each line [n, 4 or 5].

        Raises:
            MetricError: the model cannot score them.
        """

    @abstractmethod
    def signature(self) -> str:
        """Return unit, model with its checksum, vocabulary, unknown units and ends, and `version:…`."""
