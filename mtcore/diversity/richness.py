"""How rich the vocabulary is: types against tokens, Yule's characteristics, MTLD and windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import gammaln

from mtcore.diversity.base import NO_WORDS, CountMeasure, FloatArray, IntArray, Measure, Value
from mtcore.diversity.factors import THRESHOLD

if TYPE_CHECKING:
    from mtcore.diversity.profile import Profile
    from mtcore.diversity.vocabulary import Vocabulary

HDD_SAMPLE = 42
"""Words drawn by HD-D (McCarthy and Jarvis 2010)."""


class Ttr(CountMeasure):
    """Types over tokens (Templin 1975)."""

    name = "ttr"
    title = "TTR"
    definition = "V/N"
    scale = 1000.0

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return types / tokens."""
        return types_of(counts) / counts.sum(axis=-1)


class YuleI(CountMeasure):
    """Yule's I as the study's code has it; with V the number of types or, on demand, of tokens."""

    scale = 10_000.0

    def __init__(self, of: str = "types") -> None:
        self.of = of
        self.name = "yule_i" if of == "types" else "yule_i_tokens"
        self.title = "Yule’s I" if of == "types" else "Yule’s I (tokens)"
        self.definition = "V²/(Σf²−V), V types" if of == "types" else "N²/(Σf²−N), N tokens"

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return m² / (Σf² − m), m being the number of types or tokens."""
        m = types_of(counts) if self.of == "types" else counts.sum(axis=-1)
        return m**2 / (squares_of(counts) - m)


class YuleK(CountMeasure):
    """Yule's characteristic K (1944): higher is more repetitive."""

    name = "yule_k"
    title = "Yule’s K"
    definition = "10⁴(Σf²−N)/N²"
    direction = "down"
    grows = False

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return 10⁴ (Σf² − N) / N²."""
        n = counts.sum(axis=-1)
        return 1e4 * (squares_of(counts) - n) / n**2


class Hdd(CountMeasure):
    """HD-D (McCarthy and Jarvis 2010): types expected in 42 words drawn without replacement, over 42."""

    name = "hdd"
    title = "HD-D"
    definition = "expected types of 42 drawn / 42"
    digits = 3
    grows = False
    undefined = f"fewer than {HDD_SAMPLE} words"

    def values(self, counts: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return Σ over types of 1 − C(N − f, 42) / C(N, 42), divided by 42."""
        n = counts.sum(axis=-1)
        left = n[..., None] - counts
        never = gammaln(left + 1) - gammaln(np.maximum(left - HDD_SAMPLE, -0.5) + 1)
        all_ways = gammaln(n + 1) - gammaln(np.maximum(n - HDD_SAMPLE, -0.5) + 1)
        missed = np.where(left >= HDD_SAMPLE, np.exp(never - all_ways[..., None]), 0.0)
        value = np.where(counts > 0, 1 - missed, 0.0).sum(axis=-1) / HDD_SAMPLE
        return np.where(n >= HDD_SAMPLE, value, np.nan)


class Mtld(Measure):
    """MTLD (McCarthy 2005): the mean length of stretches until types over tokens falls to 0.72, both ways.

    The stream is the study's (as the package lexicalrichness makes it: lower case, digits and dashes deleted,
    punctuation to blanks) or the tokens as they are.
    """

    grows = False

    def __init__(self, stream: str = "lexicalrichness") -> None:
        self.stream = stream
        self.name = "mtld" if stream == "lexicalrichness" else "mtld_tokens"
        self.title = "MTLD" if stream == "lexicalrichness" else "MTLD (tokens)"
        self.definition = f"factors at ≤ {THRESHOLD}, both ways, stream {stream}"

    def compute(self, profile: Profile) -> Value:
        """Return the mean of words per factor forwards and backwards."""
        if not profile.tokens:
            return Value(None, NO_WORDS)
        found = profile.factors(self.stream)
        if not found.words:
            return Value(None, "nothing but digits and punctuation")
        if not (found.forward.total and found.backward.total):
            return Value(None, "no word occurs twice")
        return Value((found.words / found.forward.total + found.words / found.backward.total) / 2)

    def units(self, profile: Profile, edges: IntArray) -> FloatArray:
        """Return words, factors forwards and factors backwards of each stretch [u, 3]."""
        return profile.factors(self.stream).units(profile.stream_edges(self.stream, edges))

    def of_sums(self, sums: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return the mean of words per factor forwards and backwards."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = (sums[..., 0] / sums[..., 1] + sums[..., 0] / sums[..., 2]) / 2
            return value


class Window(Measure):
    """Types over tokens in windows: of every place (MATTR), or side by side (MSTTR)."""

    digits = 3
    grows = False
    steps: ClassVar[dict[str, str]] = {"mattr": "moving", "msttr": "side by side"}

    def __init__(self, name: str, width: int = 100) -> None:
        self.name = name
        self.width = width
        self.title = name.upper()
        self.definition = f"mean V/N in windows of {width}, {self.steps[name]}"

    def compute(self, profile: Profile) -> Value:
        """Return the mean over windows, or that the text is shorter than one."""
        if not profile.tokens:
            return Value(None, NO_WORDS)
        if profile.tokens < self.width:
            return Value(None, f"fewer than {self.width:,} words, the width of the window")
        sums = self.units(profile, np.array([0, profile.tokens])).sum(axis=0)
        return Value(float(self.of_sums(sums, profile.vocabulary)))

    def units(self, profile: Profile, edges: IntArray) -> FloatArray:
        """Return types seen in windows, credited where each stands, and their windows' words [u, 2]."""
        return profile.windows(self.width, moving=self.name == "mattr", edges=edges)

    def of_sums(self, sums: FloatArray, vocabulary: Vocabulary) -> FloatArray:
        """Return types / words."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value: FloatArray = sums[..., 0] / sums[..., 1]
            return value


def types_of(counts: FloatArray) -> FloatArray:
    """Return how many types occur in each row."""
    return np.count_nonzero(counts, axis=-1).astype(np.float64)


def squares_of(counts: FloatArray) -> FloatArray:
    """Return Σf² of each row."""
    total: FloatArray = np.einsum("...v,...v->...", counts, counts)
    return total
