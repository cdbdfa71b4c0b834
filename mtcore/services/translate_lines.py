"""Translate lines inside a run: the system's models, an engine that can use them, a line for each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from mtcore.corpora.subwords import unknown_share, unknown_warning
from mtcore.engines.base import BLANK, FAILED, OK, TOO_LONG, Engine, Line
from mtcore.engines.bundle import Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Decoding
from mtcore.engines.registry import engine_make, engines_for
from mtcore.engines.rundir import RunDir
from mtcore.services.engine_setup import engine_setup
from mtcore.services.run_context import Reports, RunContext
from mtcore.services.systems import Trained, provenance, system_trained

AUTO = "auto"
STATUSES = (OK, BLANK, TOO_LONG, FAILED)


@dataclass(frozen=True)
class PartDir(RunDir):
    """The folder of a run with scratch of its own for one part of the work; log and result are the run's."""

    part: str = ""

    @property
    def work(self) -> Path:
        """Return the scratch folder of the part."""
        path = self.root / "work" / self.part
        path.mkdir(parents=True, exist_ok=True)
        return path


class Span(Reports):
    """Passes reports on to those of the run, whose part of the work begins and ends somewhere within it."""

    def __init__(self, run: Reports, begin: float, end: float) -> None:
        self._all, self._begin, self._end = run, begin, end

    def add(self, progress: float | None, note: str, metrics: Mapping[str, float]) -> None:
        """Take a report; its progress is that of the part."""
        share = None if progress is None else self._begin + (self._end - self._begin) * progress
        self._all.add(share, note, metrics)


@dataclass(frozen=True)
class Translator:
    """A system that is ready to translate."""

    trained: Trained
    bundles: Sequence[Bundle]
    engine: Engine
    decoding: Decoding

    def provenance(self) -> dict[str, Any]:
        """Say what made the translations."""
        return provenance(self.trained, self.engine.signature(), asdict(self.decoding))


def translator(system: str, *, engine: str = "", decoding: Mapping[str, Any] | None = None) -> Translator:
    """Open a system's models and choose what decodes them.

    Args:
        system: its name.
        engine: what decodes; empty takes the recipe's.
        decoding: all figures of decoding; by default the recipe's.

    Raises:
        EngineError: a model is damaged, or no engine that is there can decode it.
    """
    trained = system_trained(system)
    chosen = _decoding(decoding) if decoding else trained.recipe.decoding
    bundles = trained.bundles()
    name = engine or (chosen.engine if chosen.engine != AUTO else "")
    return Translator(trained, bundles, _engine(bundles, name), chosen)


def translate_lines(
    context: RunContext,
    by: Translator,
    lines: Sequence[str],
    *,
    part: str = "lines",
    span: tuple[float, float] = (0.0, 1.0),
) -> list[Line]:
    """Translate lines; as many come back, in order, each with a status.

    Args:
        context: the run.
        by: what translates.
        lines: raw text.
        part: a name for the scratch of just these lines.
        span: where in the progress of the run they begin and end.

    Raises:
        EngineError: lines were lost, or a status is none.
    """
    inside = replace(context, rundir=PartDir(context.rundir.root, part), reports=Span(context.reports, *span))
    made = by.engine.translate(by.bundles, lines, by.decoding, inside)
    if len(made) != len(lines):
        raise EngineError(
            f"{by.engine.name} gave back {len(made):,} translations for {len(lines):,} lines; none of them "
            "is registered.",
            "Look at the log of the run; another engine may do it (--engine).",
        )
    for number, (line, given) in enumerate(zip(made, lines, strict=True), start=1):
        if line.status not in STATUSES or "\n" in line.text:
            raise EngineError(f"{by.engine.name}: the translation of line {number:,} is not one line.")
        if line.status == BLANK and given.strip() and line.text.strip():
            raise EngineError(f"{by.engine.name}: line {number:,} is called blank and has text.")
    return made


def line_counts(made: Sequence[Line]) -> dict[str, Any]:
    """Count lines by status, and unknown words in them; with a warning where there are many."""
    unknown, words = unknown_share(line.text for line in made)
    statuses = Counter(line.status for line in made)
    counts: dict[str, Any] = {
        "lines": len(made),
        "statuses": {name: statuses[name] for name in STATUSES if statuses[name]},
        "unknown_words": unknown,
        "translated_words": words,
    }
    warning = unknown_warning(unknown, words)
    return {**counts, "warning": warning} if warning else counts


def _decoding(given: Mapping[str, Any]) -> Decoding:
    known = {one.name for one in fields(Decoding)}
    return Decoding(**{name: value for name, value in given.items() if name in known})


def _engine(bundles: Sequence[Bundle], name: str) -> Engine:
    """Choose the engine: the one named, else the first that is there and takes so many models at once."""
    setup, kind = engine_setup(), str(bundles[0].facts["kind"])
    able = [engine_make(name, setup)] if name else engines_for("decodes", kind, setup)
    if len(bundles) > 1 and not name:
        able = [one for one in able if getattr(one, "ensembles", True)] or able
    if not able:
        raise EngineError(f"No engine translates with a model of the kind “{kind}”.")
    if not able[0].is_available():
        raise EngineError(f"The engine “{able[0].name}” is not usable on this machine.", able[0].install_hint)
    return able[0]
