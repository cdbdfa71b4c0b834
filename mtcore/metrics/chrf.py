"""chrF (Popović 2015) and chrF++ (Popović 2017), as sacrebleu computes them: β = 2."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mtcore.metrics.base import FloatArray
from mtcore.metrics.sacre import SacreMetric

BETA = 2


class Chrf(SacreMetric):
    """chrF2; statistics [n-grams of output, of reference, matches] for each character order 1 to 6."""

    name = "chrf"
    title = "chrF"
    word_order: ClassVar[int] = 0

    def _make(self) -> Any:
        from sacrebleu.metrics import CHRF

        return CHRF(word_order=self.word_order, beta=BETA)

    def signature(self, references: int = 1) -> str:
        """Return sacrebleu's signature, and β, which it leaves out."""
        return super().signature(references).replace("|version:", f"|beta:{BETA}|version:")

    def _scores(self, sums: FloatArray) -> FloatArray:
        hypothesis, reference, matches = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        counted = (hypothesis > 0) & (reference > 0)
        n = np.maximum(np.count_nonzero(counted, axis=-1), 1)
        precision = np.where(counted, matches / np.where(counted, hypothesis, 1.0), 0.0).sum(axis=-1) / n
        recall = np.where(counted, matches / np.where(counted, reference, 1.0), 0.0).sum(axis=-1) / n
        some = precision + recall > 0
        bottom = np.where(some, BETA**2 * precision + recall, 1.0)
        scores: FloatArray = np.where(some, 100 * ((1 + BETA**2) * precision * recall / bottom), 0.0)
        return scores


class ChrfPlusPlus(Chrf):
    """chrF2++: chrF2 with word orders 1 and 2 beside the six character orders."""

    name = "chrfpp"
    title = "chrF++"
    word_order = 2
