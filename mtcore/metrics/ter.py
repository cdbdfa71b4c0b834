"""TER (Snover et al. 2006), as sacrebleu computes it: a percentage, not sensitive to case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mtcore.metrics.base import FloatArray, check_lines
from mtcore.metrics.limits import check_words
from mtcore.metrics.sacre import SacreMetric

SPLIT_CHARACTERS = frozenset({"zh", "ja"})
"""Languages written without spaces, whose characters are split; only normalising together with it does."""


class Ter(SacreMetric):
    """TER; statistics [edits, mean reference length]."""

    name = "ter"
    title = "TER"
    higher_is_better = False
    best = 0.0

    def _make(self) -> Any:
        from sacrebleu.metrics import TER

        split = self.language in SPLIT_CHARACTERS
        return TER(normalized=split, asian_support=split)

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return sacrebleu's statistics of each segment [n, 2]; longer lines than it takes are refused."""
        check_lines(hypotheses, references)
        check_words(self.name, self.title, hypotheses, references)
        return super().segment_stats(hypotheses, references, sources)

    def _scores(self, sums: FloatArray) -> FloatArray:
        edits, length = sums[..., 0], sums[..., 1]
        some = length > 0
        without = np.where(edits > 0, 1.0, 0.0)
        scores: FloatArray = 100 * np.where(some, edits / np.where(some, length, 1.0), without)
        return scores
