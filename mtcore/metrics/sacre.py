"""What BLEU, chrF and TER share: statistics taken by sacrebleu itself, so that scores are its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from mtcore.corpora.languages import standard_tag
from mtcore.metrics.base import FloatArray, Metric, MetricSettings, check_lines

CHINESE = frozenset({"cmn", "yue", "hak", "nan", "wuu", "gan", "hsn"})
"""Languages of China with a code of their own, written in the same characters."""


class SacreMetric(Metric):
    """A metric of sacrebleu, prepared for one target language.

    The n-grams of the references last used are kept, and what was found of each output line, so that several
    systems share them.
    """

    install_hint = "install the package sacrebleu"

    def __init__(self, language: str = "") -> None:
        """Prepare the metric.

        Args:
            language: tag of the target language, as en, zh-CN or jpn; "" when it is not known.

        Raises:
            MetricUnavailable: the tokeniser for the language is not installed.
        """
        self.language = main_language(language)
        self._own: Any = self._make()
        self._references: tuple[tuple[str, ...], ...] = ()
        self._cache: list[Any] = []
        self._known: list[dict[str, list[float]]] = []

    @abstractmethod
    def _make(self) -> Any:
        """Return sacrebleu's own metric with our settings."""

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric for the target language of the settings."""
        return cls(settings.language)

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether sacrebleu is installed."""
        return find_spec("sacrebleu") is not None

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return sacrebleu's statistics of each segment [n, k]; see `Metric.segment_stats`."""
        check_lines(hypotheses, references)
        given = tuple(tuple(lines) for lines in references)
        if given != self._references:
            self._cache, self._references = self._own._cache_references(given), given
            self._known = [{} for _ in self._cache]
        new = [n for n, line in enumerate(hypotheses) if line not in self._known[n]]
        if new:
            self._own._ref_cache = [self._cache[n] for n in new]
            found = self._own._extract_corpus_statistics([hypotheses[n] for n in new], None)
            for n, stats in zip(new, found, strict=True):
                self._known[n][hypotheses[n]] = stats
        return np.array(
            [known[line] for known, line in zip(self._known, hypotheses, strict=True)], dtype=np.float64
        )

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the score of each row of summed statistics [...]; see `Metric.corpus_score`."""
        sums = np.asarray(sums, dtype=np.float64)
        if sums.ndim == 1:
            return np.asarray(self._own._compute_score_from_stats(_plain(sums)).score, dtype=np.float64)
        return self._scores(sums)

    @abstractmethod
    def _scores(self, sums: FloatArray) -> FloatArray:
        """Return the scores of many rows at once: [..., k] → [...]."""

    def signature(self, references: int = 1) -> str:
        """Return sacrebleu's signature."""
        self._own.num_refs = references
        return str(self._own.get_signature())


def main_language(tag: str) -> str:
    """Return the two-letter code of a tag's language where it has one: zh for zh-CN, zho, cmn and zh."""
    code = standard_tag(tag).split("-")[0] if tag else ""
    return "zh" if code in CHINESE else code


def _plain(sums: FloatArray) -> list[int | float]:
    """Return plain numbers, whole ones as integers, as sacrebleu sums them."""
    return [int(value) if value.is_integer() else value for value in sums.tolist()]
