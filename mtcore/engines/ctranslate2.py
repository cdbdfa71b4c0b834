"""Decode fairseq's Transformers with CTranslate2, several times faster than fairseq itself.

A model is converted once and kept beside its bundle, under a name that has the model's checksum and
CTranslate2's version in it. Subwords, dictionaries and what becomes of each line are as in `fairseq_decode`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from mtcore.engines import fairseq_decode
from mtcore.engines.base import Engine, Line, Work
from mtcore.engines.bundle import MANIFEST, Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq_commands import MAX_POSITIONS
from mtcore.engines.fairseq_environment import REMEDY, environment, require_environment
from mtcore.engines.fairseq_run import run_job
from mtcore.engines.recipe import COMPUTE_TYPES, TRANSFORMER, Decoding
from mtcore.engines.rundir import RunDirError, file_sha256, publish, verify

PACKAGE = "ctranslate2"
THREADS = 2
"""On a CPU; a search uses them for batches beside each other, sampling within one."""


class CTranslate2Engine(Engine):
    """Translates with one Transformer of fairseq; in float32 as fairseq does, but for rare ties."""

    name: ClassVar[str] = "ctranslate2"
    decodes: ClassVar[frozenset[str]] = frozenset({TRANSFORMER})
    ensembles: ClassVar[bool] = False
    install_hint: ClassVar[str] = REMEDY

    def is_available(self) -> bool:
        """Tell whether the training environment has CTranslate2, and fairseq to convert models with."""
        found = environment(self.setup)
        return not found.problem and all(found.version(name) for name in (PACKAGE, "torch", "fairseq"))

    def signature(self) -> str:
        """Return "ctranslate2 4.8.5, Python 3.11.7"."""
        found = environment(self.setup)
        known = found.version(PACKAGE)
        return f"{self.name} {known}, Python {found.python}" if known else self.name

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        """Translate; a score is the log probability (natural) by length, as fairseq normalises it.

        Raises:
            EngineError: an ensemble, a model that is no Transformer, or an unknown way to calculate.
        """
        bundle = _the_one(bundles)
        if decoding.compute_type not in COMPUTE_TYPES:
            raise EngineError(
                f"decoding.compute_type is “{decoding.compute_type}”.",
                f"Write one of {', '.join(COMPUTE_TYPES)}.",
            )
        version = require_environment(self.setup, PACKAGE, "torch", "fairseq").version(PACKAGE)
        figures: dict[str, Any] = {
            "model": str(self.converted(bundle, version, work)), "compute_type": decoding.compute_type,
            "threads": THREADS, "max_positions": MAX_POSITIONS,
        }  # fmt: skip
        return fairseq_decode.translate(
            self.setup, bundles, lines, decoding, work, script="decode_ctranslate2.py", figures=figures
        )

    def converted(self, bundle: Bundle, version: str, work: Work) -> Path:
        """Return the model in CTranslate2's form, converted the first time; it appears whole or not at all.

        Args:
            bundle: the model.
            version: of CTranslate2.
            work: runs the conversion; its folder takes the result when the bundle's cannot be written.
        """
        name = f"{PACKAGE}-{version}-{file_sha256(bundle.folder / MANIFEST)[:16]}"
        places = [bundle.folder.parent / name, work.rundir.work / name]
        for place in places:
            if place.exists():
                return _checked(place) or self.converted(bundle, version, work)
        for place in places:
            try:
                draft = Path(tempfile.mkdtemp(prefix=".converting-", dir=place.parent))
            except OSError:
                continue
            try:
                self._convert(bundle, draft / "model", work)
                _appear(draft / "model", place)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
            return place
        raise EngineError(f"Neither {places[0].parent} nor {places[1].parent} can be written.")

    def _convert(self, bundle: Bundle, to: Path, work: Work) -> None:
        work.report(note="converting the model for CTranslate2, once")
        job = {
            "checkpoint": str(bundle.path("checkpoint")),
            "data": str(fairseq_decode.data_folder(bundle, to.parent)),
            "source": bundle.facts["source_language"],
            "target": bundle.facts["target_language"],
            "to": str(to),
        }
        place = to.parent / "job.json"
        run_job(self.setup, work, "convert_ctranslate2.py", job, place, "The conversion for CTranslate2")


def _the_one(bundles: Sequence[Bundle]) -> Bundle:
    if len(bundles) != 1:
        raise EngineError(
            f"CTranslate2 translates with one model, not with {len(bundles)}.",
            "Use the engine fairseq for an ensemble.",
        )
    kind, engine = bundles[0].facts.get("kind"), bundles[0].facts.get("engine")
    if engine != "fairseq" or kind != TRANSFORMER:
        raise EngineError(
            f"{bundles[0].folder} is a {kind} of the engine {engine}; CTranslate2 cannot translate with it.",
            "Give a Transformer that fairseq has trained.",
        )
    return bundles[0]


def _checked(place: Path) -> Path | None:
    """Return the converted model when it is whole; a damaged one is removed."""
    try:
        verify(place)
    except RunDirError:
        shutil.rmtree(place, ignore_errors=True)
        if place.exists():
            raise
        return None
    return place


def _appear(draft: Path, place: Path) -> None:
    """Publish a conversion; when another worker was faster, its own is as good."""
    try:
        publish(draft, place)
    except RunDirError:
        if not place.exists():
            raise
