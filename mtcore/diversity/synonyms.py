"""Which translations of a source word are used, and how evenly (Vanmassenhove et al. 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtcore.diversity.base import CountMeasure, FloatArray

if TYPE_CHECKING:
    from mtcore.diversity.vocabulary import Vocabulary


class _OverOptions(CountMeasure):
    """A measure of the translation options that a bilingual dictionary gives for source words."""

    needs = frozenset({"dictionary", "lemmas"})
    undefined = "none of the dictionary’s translations occurs"


class Ptf(_OverOptions):
    """The share of the translation used most: its mean over source words, or pooled (the study's code)."""

    direction = "down"
    scale = 10.0
    digits = 3
    title = "PTF"

    def __init__(self, pooled: bool = False) -> None:
        self.pooled = pooled
        self.name = "ptf"
        self.definition = (
            "share of the primary translation, " + ("pooled" if pooled else "mean over source words")
        )  # fmt: skip

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the share of the primary translation over source words whose translations occur."""
        options = vocabulary.options
        if not options.words:
            return np.full(counts.shape[:-1], np.nan)
        used = options.counts(counts)
        totals = np.add.reduceat(used, options.starts, axis=-1)
        most = np.maximum.reduceat(used, options.starts, axis=-1)
        if self.pooled:
            pooled: FloatArray = most.sum(axis=-1) / totals.sum(axis=-1)
            return pooled
        shares = np.where(totals > 0, most / np.where(totals > 0, totals, 1), 0)
        return shares.sum(axis=-1) / np.count_nonzero(totals, axis=-1)


class Cdu(_OverOptions):
    """Cosine distance of the use of a word's translations to equal use, over words with two or more."""

    name = "cdu"
    title = "CDU"
    definition = "cosine distance to uniform, mean over words with ≥ 2 options"
    direction = "down"
    scale = 10.0
    digits = 3
    undefined = "no word with two translations has one that occurs"

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the mean of 1 − Σx / (√n ‖x‖)."""
        options = vocabulary.options
        if not options.words:
            return np.full(counts.shape[:-1], np.nan)
        used = options.counts(counts)
        totals = np.add.reduceat(used, options.starts, axis=-1)
        norms = np.sqrt(np.add.reduceat(used**2, options.starts, axis=-1))
        counted = (totals > 0) & (options.sizes >= 2)
        cosines = totals / np.where(counted, np.sqrt(options.sizes) * norms, 1)
        return np.where(counted, 1 - cosines, 0).sum(axis=-1) / counted.sum(axis=-1)


class SynTtr(_OverOptions):
    """Types over tokens among the words that are translation options of some source word."""

    name = "syn_ttr"
    title = "SynTTR"
    definition = "types/tokens over translation options"
    scale = 10_000.0

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return types / tokens over options."""
        used = vocabulary.options.distinct_counts(counts)
        return np.count_nonzero(used, axis=-1) / used.sum(axis=-1)
