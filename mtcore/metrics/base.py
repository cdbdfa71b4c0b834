"""What a metric is: statistics of segments, whose sums give the score of a corpus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mtcore.metrics.lm_model import LanguageModel

FloatArray = npt.NDArray[np.float64]


class MetricError(ValueError):
    """Texts that cannot be scored as they are given."""


class MetricUnavailable(MetricError):
    """A metric, or its tokeniser for a language, that is not installed; the message says what to install."""


@dataclass(frozen=True)
class MetricSettings:
    """What metrics are made from.

    Attributes:
        language: tag of the target language; "" when it is not known.
        models: name of a metric → path of the model, program or folder that it is to use.
        tokens: how metrics that count words by themselves find them: "moses" or "given" (at white space).
        runners: name of a metric → the beginning of the command that starts its script in an environment of
            its own (interpreter, script).
        language_model: one that is not made from a path, for perplexity.
    """

    language: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    tokens: str = "moses"
    runners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    language_model: LanguageModel | None = None


class Metric(ABC):
    """A metric for one target language.

    Because the score of a corpus comes from sums of segment statistics, resampling segments needs no second
    look at the texts, and every metric has intervals and significance.

    Attributes:
        name: as in the registry and in results.
        higher_is_better: False for error rates.
        needs: what it takes beside the output: "source", "reference", "model".
        install_hint: what makes it available.
        title: what tables call it.
        digits: decimals in tables.
        best: the score of a perfect output; None where there is none.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    digits: ClassVar[int] = 2
    best: ClassVar[float | None] = 100.0
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    install_hint: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def is_available(cls) -> bool:
        """Tell whether what the metric runs on is installed."""

    @classmethod
    @abstractmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric.

        Raises:
            MetricUnavailable: something that it runs on is missing.
            MetricError: a model or program of the settings cannot be used.
        """

    @abstractmethod
    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the statistics of each segment [n, k].

        Args:
            hypotheses: the output, a line a segment [n].
            references: one sequence of lines a reference translation, each [n].
            sources: the source, a line a segment [n]; empty when the metric does not need it.

        Raises:
            MetricError: nothing to score, or numbers of lines that differ.
        """

    @abstractmethod
    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the score of each row of summed statistics: [..., k] → [...].

        One row by itself [k] gives the very number of the reference implementation; several at once may
        differ from it in the last digit of a float.
        """

    @abstractmethod
    def signature(self, references: int = 1) -> str:
        """Return one line that states how scores are made from this many references."""

    def segment_scores(self, stats: FloatArray) -> FloatArray:
        """Return the score of each segment by itself: [n, k] → [n]."""
        return self.corpus_score(stats)

    def facts(self, sums: FloatArray) -> dict[str, float | str]:
        """Return what must be known beside the score of summed statistics [k], such as unit and OOV rate."""
        return {}

    def score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
        """Return the score of an output against its references."""
        return float(self.corpus_score(total(self.segment_stats(hypotheses, references))))


def total(stats: FloatArray) -> FloatArray:
    """Return the sums of segment statistics [k], added in the order of the segments."""
    sums: FloatArray = np.cumsum(stats, axis=0)[-1]
    return sums


def check_lines(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Check that there is something to score and that all sides have the same number of lines.

    Raises:
        MetricError: what is missing, or which reference has how many lines.
    """
    if not len(hypotheses):
        raise MetricError("there is no segment to score")
    if not len(references):
        raise MetricError("a reference is needed, none was given")
    for number, lines in enumerate(references, start=1):
        if isinstance(lines, str):
            raise MetricError("references are sequences of lines, one sequence a reference translation")
        if len(lines) != len(hypotheses):
            raise MetricError(
                f"the output has {len(hypotheses):,} lines, reference {number} has {len(lines):,}"
            )
