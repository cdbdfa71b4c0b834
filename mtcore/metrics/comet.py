"""COMET (Rei et al. 2020) by unbabel-comet, in an environment of its own, from a checkpoint here."""

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
from mtcore.metrics.model_names import ModelName, model_name, model_sha256, plain
from mtcore.metrics.mt_runner import json_lines, look_into, require

CHUNK_SEGMENTS = 1024
OPTIONS = ("batch", "device")
CHECKPOINT = Path("checkpoints") / "model.ckpt"


class Comet(Metric):
    """COMET of source, output and one reference; statistics [score, 1].

    The score of a corpus is the mean over its segments, on the scale of the checkpoint (about 0 to 1 for
    recent ones).
    """

    name = "comet"
    title = "COMET"
    digits = 4
    best = None
    needs = frozenset({"source", "reference", "model"})
    install_hint = (
        'build an environment for it (pip install unbabel-comet==2.2.7 numpy==1.26.4 "setuptools<81"), name '
        "its interpreter in COMET_PYTHON, and name a checkpoint: --model comet=model.ckpt"
    )
    packages: ClassVar[tuple[str, ...]] = ("unbabel-comet", "torch")

    def __init__(self, runner: Sequence[str], model: ModelName) -> None:
        """Prepare the metric.

        Args:
            runner: the beginning of the command that starts its script.
            model: a checkpoint, or the folder that has it in `checkpoints/model.ckpt`; options batch, device.

        Raises:
            MetricUnavailable: no interpreter, or no unbabel-comet in it.
            MetricError: there is no such checkpoint.
        """
        found = look_into(runner, self.install_hint)
        require(found, self.packages, runner[0], self.install_hint)
        path = Path(model.path)
        self.checkpoint = path / CHECKPOINT if path.is_dir() else path
        if not self.checkpoint.is_file():
            raise MetricError(f"COMET: {self.checkpoint} is not there; name a checkpoint (model.ckpt)")
        self.versions = found["versions"]
        device = model.options.get("device", "")
        command = [*runner, "--model", str(self.checkpoint)]
        command += ["--batch", str(model.number("batch", 16, self.title))]
        self._runner = json_lines([*command, *(["--device", device] if device else [])], "COMET")

    @classmethod
    def is_available(cls) -> bool:
        """Tell whether it can be computed: always, once there is an environment and a checkpoint."""
        return True

    @classmethod
    def of_settings(cls, settings: MetricSettings) -> Self:
        """Make the metric with the interpreter and the checkpoint of the settings."""
        text = settings.models.get(cls.name, "")
        if not text:
            raise MetricUnavailable(f"COMET needs a checkpoint: {cls.install_hint}")
        return cls(settings.runners.get(cls.name, ()), model_name(text, OPTIONS, cls.title))

    def segment_stats(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] = ()
    ) -> FloatArray:
        """Return the score of each segment and 1 [n, 2]."""
        check_lines(hypotheses, references)
        if len(references) > 1:
            raise MetricError("COMET takes one reference at a time: give one, or leave --together out")
        if len(sources) != len(hypotheses):
            raise MetricError(
                f"COMET needs the source of each segment: the output has {len(hypotheses):,} lines, the "
                f"source has {len(sources):,}; with files, name it with --source"
            )
        rows: list[Any] = []
        for start in range(0, len(hypotheses), CHUNK_SEGMENTS):
            texts = (sources, hypotheses, references[0])
            parts = (list(one[start : start + CHUNK_SEGMENTS]) for one in texts)
            rows += self._runner.ask(dict(zip(("sources", "hypotheses", "references"), parts, strict=True)))[
                "scores"
            ]
        if len(rows) != len(hypotheses):
            raise MetricError(f"COMET gave {len(rows):,} scores for {len(hypotheses):,} segments")
        return np.column_stack([np.array(rows, dtype=np.float64), np.ones(len(rows))])

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the mean of each row of summed statistics [...]."""
        sums = np.asarray(sums, dtype=np.float64)
        return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0), dtype=np.float64)

    def signature(self, references: int = 1) -> str:
        """Return the checkpoint's name and checksum, and versions."""
        folder = self.checkpoint.parent.parent if self.checkpoint.parent.name == "checkpoints" else None
        label = plain((folder or self.checkpoint).name)
        return (
            f"nrefs:{references}|model:{label}|sha256:{model_sha256(str(self.checkpoint))[:16]}|corpus:mean|"
            f"torch:{self.versions['torch']}|version:{self.versions['unbabel-comet']}"
        )
