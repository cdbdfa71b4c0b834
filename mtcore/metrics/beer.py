"""BEER 2.0 (Stanojević and Sima'an 2015): a linear model of character, word and skip n-grams.

The features are written anew after the paper and its program; the weights are the user's: a folder with the
program's `core_model`, `feature_names_mapping`, `feature_values_scaling` and `output_scaling`.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from mtcore.metrics.base import (
    FloatArray,
    Metric,
    MetricError,
    MetricSettings,
    MetricUnavailable,
    check_lines,
)
from mtcore.metrics.limits import check_words

FILES = ("core_model", "feature_names_mapping", "feature_values_scaling", "output_scaling")
CHARACTERS = range(1, 7)
WORDS = range(1, 5)
GAPS = (1, 2, 3, 4)
"""At most so many words between the two of a skip-bigram."""
ANY_GAP = "skip1000000"
"""Any two words in their order; the program's limit of a million is beyond what a line may have."""

EMPTY_IMBALANCE = 100_000.0
_SPACES = re.compile(" +")


@dataclass(frozen=True, eq=False)
class Model:
    """Weights of the features in the order of `names`, the range of each, and the line of the output."""

    names: tuple[str, ...]
    weights: FloatArray
    low: FloatArray
    high: FloatArray
    intercept: float
    slope: float
    sha256: str


class Beer(Metric):
    """BEER 2.0, from 0 to 1; statistics [score, 1]: the score of a corpus is the mean over its segments.

    (The program itself prints the sum over n + 1.) With several references a segment has its best score.
    Words are split at spaces alone, so give tokenised text.
    """

    name = "beer"
    title = "BEER"
    digits = 4
    best = None
    needs = frozenset({"reference", "model"})
    install_hint = f"name the folder of a BEER 2.0 model ({', '.join(FILES)}): --model beer=FOLDER"

    def __init__(self, model: Model) -> None:
        """Prepare the metric with a model."""
        self.model = model

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether it can be computed: always, once there is a model."""
        return True

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the model of the settings."""
        folder = settings.models.get(cls.name, "")
        if not folder:
            raise MetricUnavailable(f"BEER needs a model: {cls.install_hint}")
        return cls(read_model(folder))

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the score of each segment and 1 [n, 2]."""
        check_lines(hypotheses, references)
        check_words(self.name, self.title, hypotheses, references)
        scores = [
            max(self._score(hypothesis, reference) for reference in own)
            for hypothesis, *own in zip(hypotheses, *references, strict=True)
        ]
        return np.column_stack([scores, np.ones(len(scores))])

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the mean of each row of summed statistics [...]."""
        sums = np.asarray(sums, dtype=np.float64)
        return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0), dtype=np.float64)

    def signature(self, references: int = 1) -> str:
        """Return that words are split at spaces, how the corpus is scored, and the model's checksum."""
        return f"nrefs:{references}|words:given|corpus:mean|model:{self.model.sha256[:16]}|version:2.0"

    def _score(self, hypothesis: str, reference: str) -> float:
        model, found = self.model, features(hypothesis, reference)
        values = np.array([found[name] for name in model.names])
        span = np.where(model.high > model.low, model.high - model.low, 1.0)
        raw = float(((values - model.low) / span) @ model.weights)
        return min(1.0, max(0.0, (model.slope * raw + model.intercept) / 100))


def features(hypothesis: str, reference: str) -> dict[str, float]:
    """Return the features of a pair by the names they have in a model."""
    texts = [_utf16(hypothesis), _utf16(reference)]
    words = [[word for word in _SPACES.split(text) if word] for text in (hypothesis, reference)]
    found: dict[str, float] = {}
    for n in CHARACTERS:
        # windows of n, of which the first n − 1 characters count: so the program does it
        found |= _overlap(
            f"char{n}", *([text[k : k + n - 1] for k in range(len(text) - n + 1)] for text in texts)
        )
    for n in WORDS:
        found |= _overlap(f"ngram{n}", *(_word_grams(own, n) for own in words))
    for gap in GAPS:
        found |= _overlap(f"skip{gap}", *(_skips(own, gap) for own in words))
    found |= _rates(ANY_GAP, _pair_matches(*words), *(len(own) * (len(own) - 1) // 2 for own in words))
    found["len_disbalance_char.d.1.0"] = _imbalance(*(len(text) for text in texts))
    found["len_disbalance_word.d.1.0"] = _imbalance(*(len(own) for own in words))
    return found


def read_model(folder: str | Path) -> Model:
    """Read a folder with the four files of a BEER model.

    Raises:
        MetricError: a file is missing, or is not what it should be.
    """
    place = Path(folder)
    texts: dict[str, str] = {}
    for name in FILES:
        try:
            texts[name] = (place / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise MetricError(f"{place} is no BEER model: its file {name} cannot be read") from error
    try:
        names = tuple(line.split()[1] for line in texts["feature_names_mapping"].split("\n") if line.strip())
        ranges = np.array(
            [line.split() for line in texts["feature_values_scaling"].split("\n") if line.strip()]
        )
        low, high = ranges.astype(np.float64).T
        weights = _weights(texts["core_model"])
        intercept, slope = _weights(texts["output_scaling"])
    except (ValueError, IndexError) as error:
        raise MetricError(f"{place} is no BEER model: its numbers cannot be read ({error})") from error
    if not all(np.isfinite(part).all() for part in (weights, low, high, [intercept, slope])):
        raise MetricError(f"{place} is no BEER model: one of its numbers is not finite")
    unknown = set(names) - set(features("", ""))
    if unknown or not len(names) == len(weights) == len(low):
        raise MetricError(
            f"{place} is no BEER 2.0 model: {len(names)} features, {len(weights)} weights, {len(low)} ranges"
            + (f"; unknown: {', '.join(sorted(unknown))}" if unknown else "")
        )
    digest = hashlib.sha256("\0".join(texts[name] for name in FILES).encode()).hexdigest()
    return Model(names, weights, low, high, float(intercept), float(slope), digest)


def _weights(text: str) -> FloatArray:
    """Return the numbers after the line `w` of a liblinear model."""
    lines = text.split("\n")
    return np.array([float(line) for line in lines[lines.index("w") + 1 :] if line.strip()])


def _overlap(name: str, hypothesis: Iterable[Hashable], reference: Iterable[Hashable]) -> dict[str, float]:
    """Return what `_rates` makes of the n-grams that two texts share."""
    own, other = Counter(hypothesis), Counter(reference)
    matches = sum(min(count, other[gram]) for gram, count in own.items())
    return _rates(name, matches, own.total(), other.total())


def _rates(name: str, matches: int, own: int, other: int) -> dict[str, float]:
    """Return the smaller and the larger of precision and recall, their F1 and their geometric mean."""
    precision = matches / own if own else 0.0
    recall = matches / other if other else 0.0
    both = precision + recall
    return {
        f"{name}.a": min(precision, recall),
        f"{name}.b": max(precision, recall),
        f"{name}.f.1.0": 2 * precision * recall / both if both else 0.0,
        f"{name}.g.1.0": math.sqrt(precision * recall),
    }


def _word_grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return n-grams, and one that begins and one that ends the sentence with a mark no word equals."""
    inner = [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]
    return [*inner, (" begin", *words[:n]), (*words[-n:], " end")]


def _skips(words: Sequence[str], gap: int) -> list[tuple[str, str]]:
    return [(word, other) for place, word in enumerate(words) for other in words[place + 1 : place + 2 + gap]]


def _pair_matches(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Count the pairs of words, in their order, that two texts share.

    Only words of both can match. Pairs are counted by their second word, so that memory grows with the
    words and not with the pairs.
    """
    places = {word: place for place, word in enumerate(sorted({*hypothesis} & {*reference}))}
    sides = [
        np.array([places[word] for word in own if word in places], dtype=np.int64)
        for own in (hypothesis, reference)
    ]
    matches = 0
    for second in range(len(places)):
        first, other = (_firsts(own, second, len(places)) for own in sides)
        matches += int(np.minimum(first, other).sum())
    return matches


def _firsts(words: npt.NDArray[np.int64], second: int, size: int) -> FloatArray:
    """Return how often each word stands before a second one, pair by pair [size]."""
    here = words == second
    after = here.sum() - np.cumsum(here)
    return np.asarray(np.bincount(words, weights=after, minlength=size), dtype=np.float64)


def _imbalance(one: int, other: int) -> float:
    if not one or not other:
        return EMPTY_IMBALANCE
    return max(one, other) / min(one, other) - 1


def _utf16(text: str) -> str:
    """Return a text whose characters are UTF-16 units, as Java counts them."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(low | high << 8) for low, high in zip(data[::2], data[1::2], strict=True))
