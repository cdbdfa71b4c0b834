"""What is known of the types of a text: frequency band, lemma and word form, and what they translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import FloatArray, IntArray
from mtcore.diversity.lemmas import Lemmatiser

OTHER_BAND = 3


@dataclass(frozen=True)
class Resources:
    """What measures take beside the text, the same for every text of a comparison.

    Attributes:
        lemmatiser: finds lemmas, or None.
        no_lemmas: why there is none.
        bands: type → 1 or 2 by the training data; every other type is of band 3. None without training data.
        options: source word → its translations, one word each. None without a dictionary.
    """

    lemmatiser: Lemmatiser | None = None
    no_lemmas: str = "no language given (--language)"
    bands: Mapping[str, int] | None = None
    options: Mapping[str, Sequence[str]] | None = field(default=None, repr=False)

    def lacks(self, need: str) -> str:
        """Return why something cannot be had, or nothing."""
        if need == "training" and self.bands is None:
            return "no training data given (--training)"
        if need == "dictionary" and self.options is None:
            return "no dictionary given (--dictionary)"
        if need == "lemmas" and self.lemmatiser is None:
            return self.no_lemmas
        return ""


class Vocabulary:
    """The types of a text, or of several, in the order of their first occurrence."""

    def __init__(self, types: Sequence[str], resources: Resources) -> None:
        self.types = types
        self.resources = resources

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def bands(self) -> npt.NDArray[np.int8]:
        """Return the band of each type by the training data: 1, 2 or 3 [V]."""
        known = self.resources.bands or {}
        return np.array([known.get(word, OTHER_BAND) for word in self.types], np.int8)

    @cached_property
    def lemmas(self) -> list[str]:
        """Return the lemma of each type [V]."""
        lemmatiser = self.resources.lemmatiser
        return lemmatiser.lemmatise(self.types) if lemmatiser else list(self.types)

    @cached_property
    def forms(self) -> Forms:
        """Return the word forms (in lower case) of each lemma."""
        return Forms(self.types, self.lemmas)

    @cached_property
    def options(self) -> Options:
        """Return the translation options that may occur among these types."""
        return Options([lemma.lower() for lemma in self.lemmas], self.resources.options or {})


class _Groups:
    """Sums of counts over groups of types."""

    def __init__(self, group_of_type: IntArray, types: IntArray) -> None:
        order = np.argsort(group_of_type, kind="stable")
        ranked = group_of_type[order]
        self._order = types[order]
        self._starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))

    def sums(self, counts: FloatArray) -> FloatArray:
        """Return the summed counts of each group, in the order of their numbers: [..., V] → [..., G]."""
        total: FloatArray = np.add.reduceat(counts[..., self._order], self._starts, axis=-1)
        return total


class Forms:
    """Word forms of lemmas: pairs of a lemma and a form, side by side for each lemma.

    Attributes:
        starts: where each lemma's forms begin among all pairs [L].
        shared_lemmas: how many lemmas have two forms or more among the types.
        shared_starts: where the forms of such a lemma begin among the pairs of such lemmas.
        shared_lemma_of_form: the number of its lemma for each of these pairs.
    """

    def __init__(self, types: Sequence[str], lemmas: Sequence[str]) -> None:
        lemma_ids: dict[str, int] = {}
        pair_ids: dict[tuple[int, str], int] = {}
        pair_of_type = np.empty(len(types), np.int64)
        for place, (word, lemma) in enumerate(zip(types, lemmas, strict=True)):
            of_lemma = lemma_ids.setdefault(lemma, len(lemma_ids))
            pair_of_type[place] = pair_ids.setdefault((of_lemma, word.lower()), len(pair_ids))
        lemma_of_pair = np.array([lemma for lemma, _ in pair_ids], np.int64)
        by_lemma = np.argsort(lemma_of_pair, kind="stable")
        rank = np.empty_like(by_lemma)
        rank[by_lemma] = np.arange(len(by_lemma))
        ranked = lemma_of_pair[by_lemma]
        self._all = _Groups(rank[pair_of_type], np.arange(len(types)))
        self.starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        sizes = np.diff(np.append(self.starts, len(ranked)))
        shared = np.flatnonzero(np.repeat(sizes >= 2, sizes))
        self.shared_lemmas = int((sizes >= 2).sum())
        shared_sizes = sizes[sizes >= 2]
        self.shared_starts = np.cumsum(shared_sizes) - shared_sizes
        self.shared_lemma_of_form = np.repeat(np.arange(self.shared_lemmas), shared_sizes)
        inside = np.isin(rank[pair_of_type], shared)
        self._shared = _Groups(rank[pair_of_type][inside], np.flatnonzero(inside))

    def counts(self, counts: FloatArray) -> FloatArray:
        """Return how often each pair of lemma and form occurs [..., P]."""
        return self._all.sums(counts)

    def shared_counts(self, counts: FloatArray) -> FloatArray:
        """Return the same for pairs of lemmas with two forms or more [..., P']."""
        return self._shared.sums(counts)


class Options:
    """Translation options of source words of which at least one may occur.

    Attributes:
        words: how many source words.
        starts: where each word's options begin [W].
        sizes: how many options each has, those included that occur nowhere [W].
    """

    def __init__(self, lemma_of_type: Sequence[str], options: Mapping[str, Sequence[str]]) -> None:
        places: dict[str, list[int]] = {}
        for place, lemma in enumerate(lemma_of_type):
            places.setdefault(lemma, []).append(place)
        known: dict[str, int] = {}
        columns: list[int] = []
        sizes: list[int] = []
        for translations in options.values():
            distinct = list(dict.fromkeys(translations))
            if any(word in places for word in distinct):
                columns += [known.setdefault(word, len(known)) if word in places else -1 for word in distinct]
                sizes.append(len(distinct))
        self.words = len(sizes)
        self.sizes = np.array(sizes, np.float64)
        self.starts = np.cumsum(self.sizes).astype(np.int64) - self.sizes.astype(np.int64)
        self._columns = np.array(columns, np.int64)
        groups = np.array([number for word, number in known.items() for _ in places[word]], np.int64)
        types = np.array([place for word in known for place in places[word]], np.int64)
        self._groups = _Groups(groups, types) if known else None

    def distinct_counts(self, counts: FloatArray) -> FloatArray:
        """Return how often each distinct option occurs [..., K]."""
        if self._groups is None:
            return np.zeros((*counts.shape[:-1], 1))
        return self._groups.sums(counts)

    def counts(self, counts: FloatArray) -> FloatArray:
        """Return how often each option of each word occurs, word by word [..., T]."""
        distinct = self.distinct_counts(counts)
        none = np.zeros((*distinct.shape[:-1], 1))
        return np.concatenate([distinct, none], axis=-1)[..., self._columns]
