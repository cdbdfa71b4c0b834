"""BLEU (Papineni et al. 2002), as sacrebleu computes it: case-sensitive, exponential smoothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from mtcore.metrics.base import FloatArray, MetricUnavailable
from mtcore.metrics.sacre import SacreMetric

ORDERS = 4
TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""Target language → sacrebleu's tokeniser; 13a for all others."""

NO_LOG = -9999999999.0
"""sacrebleu's logarithm of 0."""


class Bleu(SacreMetric):
    """BLEU; statistics [length, reference length, 4 × matches, 4 × n-grams]."""

    name = "bleu"
    title = "BLEU"

    def _make(self) -> Any:
        from sacrebleu.metrics import BLEU

        tokeniser = TOKENISERS.get(self.language, "13a")
        try:
            return BLEU(tokenize=tokeniser, force=True)
        except (RuntimeError, ImportError) as error:
            raise MetricUnavailable(
                f"BLEU for {self.language} needs the tokeniser {tokeniser}, which is not installed: "
                f'install "sacrebleu[{self.language}]" (no score is made with another tokeniser)'
            ) from error

    def _scores(self, sums: FloatArray) -> FloatArray:
        return _bleu(sums, effective=False)

    def segment_scores(self, stats: FloatArray) -> FloatArray:
        """Return the BLEU of each segment [n] up to the longest n-gram that it has (effective order)."""
        return _bleu(np.asarray(stats, dtype=np.float64), effective=True)


def _bleu(sums: FloatArray, effective: bool) -> FloatArray:
    """Return BLEU of each row [...]; the formula of sacrebleu's compute_bleu with smoothing "exp"."""
    length, reference = sums[..., 0], sums[..., 1]
    matches, grams = sums[..., 2 : 2 + ORDERS], sums[..., 2 + ORDERS :]
    alive = np.ones(length.shape, dtype=bool)
    smooth, order, logs = np.ones(length.shape), np.zeros(length.shape), np.zeros(length.shape)
    for n in range(ORDERS):
        alive = alive & (grams[..., n] > 0)
        none = alive & (matches[..., n] == 0)
        smooth = np.where(none, smooth * 2, smooth)
        found = np.where(none, 1 / smooth, matches[..., n])
        precision = np.where(alive, 100 * found / np.where(alive, grams[..., n], 1.0), 1.0)
        order += alive
        if effective:
            logs += np.where(alive, np.log(precision), 0.0)
        else:
            logs += np.where(alive, np.log(precision), NO_LOG)
    some = length > 0
    ratio = np.minimum(0.0, 1 - reference / np.where(some, length, 1.0))
    brevity = np.where(some | (reference <= length), np.exp(ratio), 0.0)
    divisor = np.maximum(order, 1) if effective else ORDERS
    scores: FloatArray = np.where(matches.any(axis=-1), brevity * np.exp(logs / divisor), 0.0)
    return scores
