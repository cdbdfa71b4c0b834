"""Perplexity of an output under a language model: how fluent it is, whatever the reference says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from mtcore.metrics.base import FloatArray, Metric, MetricError, MetricSettings, MetricUnavailable
from mtcore.metrics.causal_lm import OPTIONS, CausalModel
from mtcore.metrics.lm_arpa import arpa_model
from mtcore.metrics.lm_model import COUNTED, ENDS, NLL, SUBWORD, UNKNOWN_UNITS, WORD, WORDS, LanguageModel
from mtcore.metrics.model_names import CONFIG, model_name


class Perplexity(Metric):
    """exp(−Σ ln p / N) under a language model; statistics as in `lm_model`.

    Two outputs compare under one model and one way to cut text only.
    """

    name = "ppl"
    title = "PPL"
    higher_is_better = False
    best = None
    needs = frozenset({"model"})
    install_hint = (
        "name a language model: --model ppl=FILE (ARPA, plain or .gz), ppl=run:ID (one trained here), or "
        "ppl=FOLDER (a causal model of transformers)"
    )

    def __init__(self, model: LanguageModel) -> None:
        """Prepare the metric with a model."""
        self.model = model

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether there is something to score with: always, an ARPA file is enough."""
        return True

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the model of the settings."""
        if settings.language_model is not None:
            return cls(settings.language_model)
        text = settings.models.get(cls.name, "")
        if not text:
            raise MetricUnavailable(f"perplexity needs a language model: {cls.install_hint}")
        named = model_name(text, OPTIONS, cls.name)
        if Path(named.path).is_dir():
            if not (Path(named.path) / CONFIG).is_file():
                raise MetricError(f"{named.path} is a folder without a language model: {cls.install_hint}")
            return cls(CausalModel(settings.runners.get(cls.name, ()), named))
        return cls(arpa_model(named.path, settings.language, settings.tokens))

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the statistics of each segment [n, k]; references are not looked at."""
        if not len(hypotheses):
            raise MetricError("there is no segment to score")
        return self.model.stats(hypotheses)

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the perplexity of each row of summed statistics [...], infinite where it is too large."""
        return _perplexity(np.asarray(sums, dtype=np.float64)[..., NLL], np.asarray(sums)[..., COUNTED])

    def facts(self, sums: FloatArray) -> dict[str, float | str]:
        """Return the unit, words, unknown units and their share, and the size of the vocabulary.

        A model of subwords also tells how many it counted, and the perplexity per word: exp(−Σ ln p / words),
        ends of lines among the words where they are counted.
        """
        of = {WORD: float(sums[WORDS])}
        found: dict[str, float | str] = {"unit": self.model.unit, "words": int(sums[WORDS])}
        if self.model.unit == SUBWORD:
            of[SUBWORD] = float(sums[COUNTED] - sums[ENDS])
            found["subwords"] = int(of[SUBWORD])
            found["ppl_per_word"] = float(_perplexity(sums[NLL], sums[WORDS] + sums[ENDS]))
        if self.model.oov_of:
            unknown, whole = float(sums[UNKNOWN_UNITS]), of[self.model.oov_of]
            found |= {"oov": int(unknown), "oov_rate": unknown / whole if whole else 0.0}
        return found | {"vocabulary": self.model.vocabulary}

    def signature(self, references: int = 1) -> str:
        """Return that of the model; see there."""
        return self.model.signature()


def _perplexity(nll: FloatArray, counted: FloatArray | float) -> FloatArray:
    with np.errstate(over="ignore"):
        scores: FloatArray = np.exp(nll / np.maximum(counted, 1.0))
    return scores
