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
among them where they are counted); words; unknown units; ends counted. Models of words have no fifth."""


class LanguageModel(ABC):
    """A language model.

    Attributes:
        unit: what N counts, "word" or "subword".
        vocabulary: how many units it knows.
    """

    unit: ClassVar[str]
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
