"""N-gram models of ARPA files as language models of perplexity."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mtcore.metrics.arpa import BEGIN, END, LN10, UNKNOWN, Arpa, read_arpa
from mtcore.metrics.base import FloatArray, MetricError, MetricUnavailable
from mtcore.metrics.lm_model import WORD, LanguageModel
from mtcore.metrics.sacre import main_language

Splitter = Callable[[str], list[str]]


class ArpaModel(LanguageModel):
    """A back-off model over words; one end a line is counted."""

    unit = WORD
    oov_of = WORD

    def __init__(self, model: Arpa, language: str = "", tokens: str = "moses") -> None:
        """Prepare the model.

        Args:
            model: what the file holds.
            language: of the text, for the abbreviations that the tokeniser knows.
            tokens: "moses" (sacremoses, case kept) or "given" (split at white space).

        Raises:
            MetricUnavailable: sacremoses is not installed.
        """
        self.model = model
        self.vocabulary = model.vocabulary
        self._split, self._tokens = _splitter(tokens, main_language(language))

    def stats(self, lines: Sequence[str]) -> FloatArray:
        """Return −Σ ln p, N, words and unknown words of each line [n, 4]."""
        return np.array([self._line(line) for line in lines], dtype=np.float64)

    def signature(self) -> str:
        """Return the unit, how words are cut, the model, and what unknown words count as."""
        unknown = "as <unk>" if self.model.has_unknown else "left out"
        return (
            f"unit:word|tokens:{self._tokens}|lm:arpa|order:{self.model.order}|"
            f"vocabulary:{self.model.vocabulary}|sha256:{self.model.sha256[:16]}|oov:{unknown}|"
            "end:counted|version:1"
        )

    def _line(self, line: str) -> list[float]:
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


def arpa_model(path: str, language: str, tokens: str) -> ArpaModel:
    """Open an ARPA file; it is read once for all that use it, and again when it has changed.

    Raises:
        MetricError: it is none, or words are to be cut in a way that there is not.
    """
    now = Path(path).stat()
    return ArpaModel(_model(path, now.st_mtime_ns, now.st_size), language, tokens)


@functools.lru_cache(maxsize=2)
def _model(path: str, _changed: int, _size: int) -> Arpa:
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
