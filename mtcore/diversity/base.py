"""What a measure of diversity is: a number of a text, or a reason why the text has none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mtcore.diversity.profile import Profile
    from mtcore.diversity.vocabulary import Vocabulary

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

NEEDS = frozenset({"training", "dictionary", "lemmas"})
NO_WORDS = "the text has no words"


class DiversityError(ValueError):
    """Something that cannot be measured as it is given; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        self.remedy = remedy
        super().__init__(message)


class ToolUnavailable(DiversityError):
    """A tokeniser or lemmatiser that is not installed, or knows nothing of the language."""


@dataclass(frozen=True)
class Value:
    """The value of a measure, or None and the reason why there is none."""

    value: float | None
    reason: str = ""


class Measure(ABC):
    """One number of a text.

    Attributes:
        name: as in the registry and in results.
        title: what tables call it.
        definition: the formula, where several go by this name.
        direction: "up" when higher is more diverse, "down" when lower is, "" when neither.
        scale: what tables of the literature multiply it by.
        digits: decimals printed after scaling.
        needs: what it takes beside the text, of `NEEDS`.
        grows: whether it changes with the mere length of a text, so that only texts of like length compare.
    """

    name: str
    title: str
    definition: str
    direction: str = "up"
    scale: float = 1.0
    digits: int = 2
    needs: frozenset[str] = frozenset()
    grows: bool = True

    @abstractmethod
    def compute(self, profile: Profile) -> Value:
        """Return the value of a text, finite, or the reason why it has none."""

    @abstractmethod
    def units(self, profile: Profile, edges: IntArray) -> FloatArray:
        """Return what each stretch of a text between two token offsets adds to the measure.

        Args:
            profile: the text.
            edges: token offsets, rising from 0 to the number of tokens [u + 1].

        Returns:
            Statistics whose sums over stretches give the measure by `of_sums` [u, k].
        """

    @abstractmethod
    def of_sums(self, sums: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the measure of each row of summed statistics, NaN where undefined: [..., k] → [...]."""

    def signature(self) -> str:
        """Return what the value depends on beside the text's own tokens, as `key:value` parts joined by |."""
        return f"{self.name}|def:{self.definition}"

    def lacking(self, vocabulary: Vocabulary) -> str:
        """Return why the measure cannot be had with what is at hand, or nothing."""
        for need in sorted(self.needs):
            reason = vocabulary.resources.lacks(need)
            if reason:
                return reason
        return ""


class CountMeasure(Measure):
    """A measure of how often each type occurs; the order of the words does not matter."""

    undefined: ClassVar[str] = "no word occurs twice"

    @abstractmethod
    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the measure of each row of counts, NaN where undefined: [..., V] → [...]."""

    def compute(self, profile: Profile) -> Value:
        """Return the value, or that there are no words, that something is lacking, or `undefined`."""
        reason = self.lacking(profile.vocabulary)
        if reason or not profile.tokens:
            return Value(None, reason or NO_WORDS)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(self.values(profile.counts.astype(np.float64), profile.vocabulary))
        return Value(value) if np.isfinite(value) else Value(None, self.undefined)

    def units(self, profile: Profile, edges: IntArray) -> FloatArray:
        """Return the counts of each stretch [u, V]."""
        return profile.unit_counts(edges)

    def of_sums(self, sums: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the measure of each row of counts."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.values(sums, vocabulary)
