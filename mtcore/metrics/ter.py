"""TER (Snover et al. 2006), as sacrebleu computes it: a percentage, not sensitive to case."""

from __future__ import annotations

from typing import Any

import numpy as np

from mtcore.metrics.base import FloatArray
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

    def _scores(self, sums: FloatArray) -> FloatArray:
        edits, length = sums[..., 0], sums[..., 1]
        some = length > 0
        without = np.where(edits > 0, 1.0, 0.0)
        scores: FloatArray = 100 * np.where(some, edits / np.where(some, length, 1.0), without)
        return scores
