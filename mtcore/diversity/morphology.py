"""How many forms of a lemma are used, and how evenly: H and D of Vanmassenhove et al. (2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtcore.diversity.base import CountMeasure, FloatArray

if TYPE_CHECKING:
    from mtcore.diversity.vocabulary import Vocabulary


class _OverLemmas(CountMeasure):
    """The plain mean over lemmas with two or more word forms of a number of each one's forms."""

    needs = frozenset({"lemmas"})
    undefined = "no lemma has two word forms"

    def of_lemmas(self, shares: FloatArray, starts: np.ndarray) -> FloatArray:
        """Return the number of each lemma from the shares of its forms: [..., F] → [..., L]."""
        raise NotImplementedError

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the mean over lemmas with two or more forms that occur."""
        forms = vocabulary.forms
        if not forms.shared_lemmas:
            return np.full(counts.shape[:-1], np.nan)
        of_forms = forms.shared_counts(counts)
        totals = np.add.reduceat(of_forms, forms.shared_starts, axis=-1)
        several = np.add.reduceat((of_forms > 0).astype(np.float64), forms.shared_starts, axis=-1) >= 2
        shares = of_forms / np.where(totals > 0, totals, 1)[..., forms.shared_lemma_of_form]
        numbers = self.of_lemmas(shares, forms.shared_starts)
        return np.where(several, numbers, 0).sum(axis=-1) / several.sum(axis=-1)


class ShannonH(_OverLemmas):
    """Entropy of a lemma's word forms, natural logarithm (Equation 1)."""

    name = "shannon_h"
    title = "H"
    definition = "−Σp ln p, mean over lemmas with ≥ 2 forms"
    scale = 100.0

    def of_lemmas(self, shares: FloatArray, starts: np.ndarray) -> FloatArray:
        """Return −Σ p ln p."""
        logs = np.log(np.where(shares > 0, shares, 1.0))
        entropy: FloatArray = -np.add.reduceat(shares * logs, starts, axis=-1)
        return entropy


class SimpsonD(_OverLemmas):
    """Σp² of a lemma's word forms, as the study's tables print it; its Equation 2 is the inverse."""

    scale = 100.0

    def __init__(self, inverse: bool = False) -> None:
        self.inverse = inverse
        self.name = "simpson_inverse" if inverse else "simpson_d"
        self.title = "1/D" if inverse else "D"
        self.definition = f"{'1/Σp²' if inverse else 'Σp²'}, mean over lemmas with ≥ 2 forms"
        if inverse:
            self.scale = 1.0
        self.direction = "up" if inverse else "down"

    def of_lemmas(self, shares: FloatArray, starts: np.ndarray) -> FloatArray:
        """Return Σp², or its inverse."""
        total: FloatArray = np.add.reduceat(shares**2, starts, axis=-1)
        return 1 / np.where(total > 0, total, 1) if self.inverse else total


class SingleFormLemmas(CountMeasure):
    """How many lemmas occur in one word form only: those that H and D leave out."""

    name = "single_form_lemmas"
    title = "Single"
    definition = "lemmas with one form"
    direction = ""
    digits = 0
    needs = frozenset({"lemmas"})

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the number of lemmas of which exactly one form occurs."""
        forms = vocabulary.forms
        present = (forms.counts(counts) > 0).astype(np.float64)
        of_lemmas = np.add.reduceat(present, forms.starts, axis=-1)
        return np.count_nonzero(of_lemmas == 1, axis=-1).astype(np.float64)
