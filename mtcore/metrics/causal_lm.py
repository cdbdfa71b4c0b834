"""Ready causal language models of transformers, from a folder here; they run in the training environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mtcore.metrics.base import FloatArray, MetricError
from mtcore.metrics.lm_model import SUBWORD, LanguageModel
from mtcore.metrics.model_names import ModelName, model_config, model_sha256, plain
from mtcore.metrics.mt_runner import json_lines, look_into, require

CHUNK_LINES = 512
OPTIONS = ("batch", "device", "window")
PACKAGES = ("torch", "transformers")
INSTALL = "run `make mt`, which builds the training environment"
_CAUSAL = ("ForCausalLM", "LMHeadModel")
_WINDOW = 1024


class CausalModel(LanguageModel):
    """A model that gives each subword of a line its probability after those before it.

    A line begins with the model's mark of a beginning (or of an end, where it has no other); its end is not
    counted, for such models learned from running text. Lines longer than the window are scored in windows
    that overlap by half.
    """

    unit = SUBWORD
    oov_of = SUBWORD

    def __init__(self, runner: Sequence[str], model: ModelName) -> None:
        """Prepare the model.

        Args:
            runner: the beginning of the command that starts its script.
            model: a folder as transformers saves models; options batch, device, window.

        Raises:
            MetricUnavailable: no interpreter, or no transformers in it.
            MetricError: there is no causal language model in the folder.
        """
        config = model_config(model.path, "ppl")
        kinds = [str(kind) for kind in config.get("architectures") or []]
        if kinds and not any(kind.endswith(_CAUSAL) for kind in kinds):
            raise MetricError(
                f"ppl: {model.path} holds {', '.join(kinds)}, which gives no probabilities from left to "
                "right; name a causal language model"
            )
        found = look_into(runner, INSTALL)
        require(found, PACKAGES, runner[0], INSTALL)
        self.folder, self.versions = model.path, found["versions"]
        self.label = plain(str(config.get("_name_or_path") or Path(model.path).name))
        self.window = min(model.number("window", _WINDOW, "ppl"), _positions(config))
        self.vocabulary = int(_text_config(config).get("vocab_size", 0))
        device = model.options.get("device", "")
        command = [*runner, "--model", model.path, "--batch", str(model.number("batch", 8, "ppl"))]
        command += ["--window", str(self.window), *(["--device", device] if device else [])]
        self._runner = json_lines(command, "The language model")

    def stats(self, lines: Sequence[str]) -> FloatArray:
        """Return −Σ ln p, subwords, words (between white space), unknown subwords and 0 [n, 5]."""
        rows: list[Any] = []
        for start in range(0, len(lines), CHUNK_LINES):
            rows += self._runner.ask({"lines": list(lines[start : start + CHUNK_LINES])})["scores"]
        if len(rows) != len(lines):
            raise MetricError(f"The language model gave {len(rows):,} scores for {len(lines):,} lines")
        return np.array(
            [
                [own[0], own[1], len(line.split()), own[2], 0.0]
                for own, line in zip(rows, lines, strict=True)
            ],
            dtype=np.float64,
        )  # fmt: skip

    def signature(self) -> str:
        """Return the unit, the model with its checksum, its window, and versions."""
        return (
            f"unit:subword|tokens:the model's|lm:causal|model:{self.label}|"
            f"sha256:{model_sha256(self.folder)[:16]}|vocabulary:{self.vocabulary}|window:{self.window}|"
            f"words:spaces|end:left out|torch:{self.versions['torch']}|"
            f"transformers:{self.versions['transformers']}|version:1"
        )


def _text_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    own = config.get("text_config")
    return own if isinstance(own, dict) else config


def _positions(config: Mapping[str, Any]) -> int:
    for key in ("n_positions", "max_position_embeddings"):
        size = _text_config(config).get(key)
        if isinstance(size, int) and size > 0:
            return size
    return _WINDOW
