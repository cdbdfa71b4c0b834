"""METEOR 1.5 (Denkowski and Lavie 2014), by its own Java program."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np

from mtcore.metrics.base import (
    FloatArray,
    Metric,
    MetricError,
    MetricSettings,
    MetricUnavailable,
    check_lines,
)
from mtcore.metrics.java import JavaLines, find_java
from mtcore.metrics.limits import check_words
from mtcore.metrics.sacre import main_language

JAR = "meteor-1.5.jar"
SIZE = 23
"""Statistics of a segment: words of output and reference, function words of both; for each of four modules
matches of content words (both sides) and function words (both); chunks; all matches of both."""
CHUNKS = 20


@dataclass(frozen=True)
class Parameters:
    """What the program uses for a language: its code there, modules and their weights, α, β, γ, δ.

    `own_words` tells that the program can cut the language's words itself; others are cut by sacremoses.
    """

    code: str
    modules: str
    weights: tuple[float, ...]
    alpha: float
    beta: float
    gamma: float
    delta: float
    own_words: bool = True


def _general(code: str, own_words: bool = False) -> Parameters:
    return Parameters(code, "exact stem", (1.0, 0.5), 0.75, 1.4, 0.7, 0.5, own_words)


LANGUAGES = {
    "en": Parameters("en", "exact stem synonym paraphrase", (1.0, 0.6, 0.8, 0.6), 0.85, 0.2, 0.6, 0.75),
    "de": Parameters("de", "exact stem", (1.0, 0.8), 0.95, 1.0, 0.55, 0.55),
    "es": Parameters("es", "exact stem", (1.0, 0.8), 0.65, 1.3, 0.5, 0.8),
    "fr": Parameters("fr", "exact stem", (1.0, 0.2), 0.9, 1.4, 0.6, 0.65),
    "cs": Parameters("cz", "exact", (1.0,), 0.95, 0.2, 0.6, 0.8),
    "ru": _general("ru", own_words=True),
    **{code: _general(code) for code in ("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "tr")},
    "nb": _general("no"),
    "nn": _general("no"),
    "sv": _general("se"),
}
"""Language → the program's own parameters ("rank") for the modules that it has there."""


class Meteor(Metric):
    """METEOR 1.5, from 0 to 1; statistics as in `SIZE`, with no chunk where output and reference are equal.

    The program itself counts the one chunk of a segment that matches whole as none when it adds segments up.
    """

    name = "meteor"
    title = "METEOR"
    digits = 4
    best = 1.0
    install_hint = "install a Java runtime and the package pycocoevalcap, or name the jar: --model meteor=JAR"

    def __init__(self, language: str = "", jar: str = "") -> None:
        """Prepare the metric.

        Args:
            language: tag of the target language.
            jar: path of meteor-1.5.jar, its folder `data` beside it; by default the one of pycocoevalcap.

        Raises:
            MetricUnavailable: no jar, no Java, or METEOR knows nothing of the language.
        """
        code = main_language(language)
        if code not in LANGUAGES:
            raise MetricUnavailable(
                f"METEOR has no parameters for the language “{language or 'unknown'}”: it has them for "
                f"{', '.join(sorted(LANGUAGES))}"
            )
        path = Path(jar) if jar else _packaged()
        if path is None:
            raise MetricUnavailable(f"METEOR’s program is not here: {self.install_hint}")
        if not path.is_file() or path.suffix != ".jar":
            raise MetricError(f"{path} is no jar: name {JAR}")
        self.language, self.jar, self.parameters = code, path, LANGUAGES[code]
        words = "-norm" if self.parameters.own_words else "-lower"
        arguments = ["-", "-", "-stdio", "-l", self.parameters.code, "-m", self.parameters.modules, words]
        self._program = JavaLines(str(path), arguments, self.title)
        self._tool: Any = None if self.parameters.own_words else _moses(code)

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether there is Java and the packaged jar."""
        return find_java() is not None and _packaged() is not None

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the jar of the settings, or the packaged one."""
        return cls(settings.language, settings.models.get(cls.name, ""))

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the program's statistics [n, 23]; with several references those of the best one."""
        check_lines(hypotheses, references)
        check_words(self.name, self.title, hypotheses, references)
        rows = zip(hypotheses, *references, strict=True)
        asked = [" ||| ".join(["SCORE", *map(self._words, refs), self._words(hyp)]) for hyp, *refs in rows]
        try:
            stats = np.array([_numbers(answer) for answer in self._program.ask(asked)], dtype=np.float64)
        except MetricError:
            self._program.end()
            raise
        whole = (stats[:, 0] == stats[:, 21]) & (stats[:, 1] == stats[:, 22]) & (stats[:, CHUNKS] == 1)
        stats[whole, CHUNKS] = 0.0
        return stats

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return METEOR of each row of summed statistics [...]."""
        sums, own = np.asarray(sums, dtype=np.float64), self.parameters
        weights = np.zeros(4)
        weights[: len(own.weights)] = own.weights
        stages = sums[..., 4:CHUNKS].reshape(*sums.shape[:-1], 4, 4)
        found = own.delta * stages[..., :2] + (1 - own.delta) * stages[..., 2:]
        matched = np.einsum("...ms,m->...s", found, weights)
        function = sums[..., 2:4]
        length = own.delta * (sums[..., :2] - function) + (1 - own.delta) * function
        rates = np.divide(matched, length, out=np.zeros_like(matched), where=length > 0)
        precision, recall = rates[..., 0], rates[..., 1]
        below = own.alpha * precision + (1 - own.alpha) * recall
        mean = np.divide(precision * recall, below, out=np.zeros_like(below), where=below > 0)
        matches = (sums[..., 21] + sums[..., 22]) / 2
        scatter = np.divide(sums[..., CHUNKS], matches, out=np.zeros_like(matches), where=matches > 0)
        scores: FloatArray = mean * (1 - own.gamma * scatter**own.beta)
        return scores

    def signature(self, references: int = 1) -> str:
        """Return language, modules, parameters, weights, word cutting, and the jar's checksum."""
        own = self.parameters
        numbers = " ".join(f"{value:g}" for value in (own.alpha, own.beta, own.gamma, own.delta))
        weights = " ".join(f"{weight:g}" for weight in own.weights)
        words = "meteor" if own.own_words else "sacremoses, lower case"
        digest = hashlib.sha256(self.jar.read_bytes()).hexdigest()[:8]
        return (
            f"nrefs:{references}|lang:{self.language}|modules:{own.modules}|params:{numbers}|"
            f"weights:{weights}|words:{words}|jar:{digest}|version:1.5"
        )

    def _words(self, line: str) -> str:
        line = line.replace("|||", " ")
        return line if self._tool is None else self._tool.tokenize(line, escape=False, return_str=True)


def _packaged() -> Path | None:
    """Return the jar that the package pycocoevalcap brings, if it is installed."""
    found = find_spec("pycocoevalcap")
    for folder in found.submodule_search_locations or () if found else ():
        jar = Path(folder) / "meteor" / JAR
        if jar.is_file():
            return jar
    return None


def _moses(language: str) -> Any:
    try:
        return import_module("sacremoses").MosesTokenizer(language)
    except ImportError as error:
        raise MetricUnavailable(f"METEOR for {language} needs the package sacremoses: install it") from error


def _numbers(answer: str) -> list[float]:
    try:
        values = [float(part) for part in answer.split()]
    except ValueError:
        values = []
    if len(values) != SIZE:
        raise MetricError(f"METEOR answered “{answer[:80]}” instead of {SIZE} numbers")
    return values
