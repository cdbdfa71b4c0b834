"""Perplexity of an output under a language model: how fluent it is, whatever the reference says."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Self

import numpy as np

from mtcore.metrics.arpa import BEGIN, END, LN10, UNKNOWN, Arpa, read_arpa
from mtcore.metrics.base import FloatArray, Metric, MetricError, MetricSettings, MetricUnavailable
from mtcore.metrics.sacre import main_language

Splitter = Callable[[str], list[str]]


class Perplexity(Metric):
    """exp(−Σ ln p / N) under an n-gram model; statistics [−Σ ln p, N, words, unknown words].

    N counts the words that have a probability, and one end a segment. Two outputs compare under one model
    and one way to cut words only.
    """

    name = "ppl"
    title = "PPL"
    higher_is_better = False
    best = None
    needs = frozenset({"model"})
    install_hint = "name an n-gram model in an ARPA file (plain or .gz): --model ppl=FILE"

    def __init__(self, model: Arpa, language: str = "", tokens: str = "moses") -> None:
        """Prepare the metric.

        Args:
            model: the language model.
            language: of the text, for the abbreviations that the tokeniser knows.
            tokens: "moses" (sacremoses, case kept) or "given" (split at white space).

        Raises:
            MetricUnavailable: sacremoses is not installed.
        """
        self.model = model
        self._split, self._tokens = _splitter(tokens, main_language(language))

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether ARPA files can be scored: always."""
        return True

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the model of the settings."""
        path = settings.models.get(cls.name, "")
        if not path:
            raise MetricUnavailable(f"perplexity needs a language model: {cls.install_hint}")
        if Path(path).is_dir():
            raise MetricError(f"{path} is a folder: {cls.install_hint}")
        return cls(_model(path, Path(path).stat().st_mtime_ns), settings.language, settings.tokens)

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the statistics of each segment [n, 4]; references are not looked at."""
        if not len(hypotheses):
            raise MetricError("there is no segment to score")
        return np.array([self._segment(line) for line in hypotheses], dtype=np.float64)

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the perplexity of each row of summed statistics [...], infinite where it is too large."""
        sums = np.asarray(sums, dtype=np.float64)
        with np.errstate(over="ignore"):
            scores: FloatArray = np.exp(sums[..., 0] / np.maximum(sums[..., 1], 1.0))
        return scores

    def facts(self, sums: FloatArray) -> dict[str, float]:
        """Return words, unknown words, their share, and the size of the vocabulary."""
        words, unknown = float(sums[2]), float(sums[3])
        return {
            "words": int(words), "oov": int(unknown), "oov_rate": unknown / words if words else 0.0,
            "vocabulary": self.model.vocabulary,
        }  # fmt: skip

    def signature(self, references: int = 1) -> str:
        """Return the unit, how words are cut, the model, and what unknown words count as."""
        unknown = "as <unk>" if self.model.has_unknown else "left out"
        return (
            f"unit:word|tokens:{self._tokens}|lm:arpa|order:{self.model.order}|"
            f"vocabulary:{self.model.vocabulary}|sha256:{self.model.sha256[:16]}|oov:{unknown}|"
            "end:counted|version:1"
        )

    def _segment(self, line: str) -> list[float]:
        known = [(word, self.model.knows(word)) for word in self._split(line)]
        words = [word if is_known else UNKNOWN for word, is_known in known]
        context = [BEGIN]
        total, counted = 0.0, 0
        for word in [*words, END]:
            if word != UNKNOWN or self.model.has_unknown:
                total += self.model.log10(context, word)
                counted += 1
            context.append(word)
        return [-total * LN10, counted, len(words), words.count(UNKNOWN)]


@functools.lru_cache(maxsize=2)
def _model(path: str, _changed: int) -> Arpa:
    """Read a model once for all that use it, and again when its file has changed."""
    return read_arpa(path)


def _splitter(tokens: str, language: str) -> tuple[Splitter, str]:
    """Return what cuts a line into words, and its name for signatures."""
    if tokens == "given":
        return str.split, "given"
    if tokens != "moses":
        raise MetricError(f"words are cut by moses or taken as given, not by “{tokens}”")
    if find_spec("sacremoses") is None:
        raise MetricUnavailable("sacremoses is not installed: install it, or give words with --tokens given")
    tool = import_module("sacremoses").MosesTokenizer(language or "en")

    def split(line: str) -> list[str]:
        return tool.tokenize(line, escape=False)

    return split, f"sacremoses{version('sacremoses')}-{language or 'en'}"
