"""How much of a text is made of frequent words: the lexical frequency profile (Laufer and Nation 1995)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mtcore.diversity.base import CountMeasure, FloatArray

if TYPE_CHECKING:
    from mtcore.diversity.vocabulary import Vocabulary

BAND = 1000
"""Types in each of the two bands of frequent words."""


class Lfp(CountMeasure):
    """The share of tokens in one of three bands: the 1,000 most frequent types, the next 1,000, all others.

    Bands come from the training data (Vanmassenhove et al. 2021, the text) or from the text's own frequencies
    (their code). Types that are as frequent rank by their first occurrence.
    """

    scale = 100.0

    def __init__(self, band: int, bands: str = "training") -> None:
        self.band = band
        self.bands = bands
        self.name = f"lfp_b{band}"
        if bands == "own":
            self.definition = "bands from the text itself"
        else:
            self.definition = "bands from the training data"
            self.needs = frozenset({"training"})
        self.title = f"B{band}"
        self.grows = bands == "own"
        self.direction = {1: "down", 2: "", 3: "up"}[band]

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the share of tokens in the band."""
        n = counts.sum(axis=-1)
        if self.bands == "training":
            inside: FloatArray = counts @ (vocabulary.bands == self.band).astype(np.float64)
            return inside / n
        first, last = {1: (0, BAND), 2: (BAND, 2 * BAND), 3: (2 * BAND, None)}[self.band]
        inside = -np.sort(-counts, axis=-1)[..., first:last].sum(axis=-1)
        return inside / n
