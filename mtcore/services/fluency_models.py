"""Language models that were trained here, for perplexity: found by run or folder, scored by their engine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evalplatform.errors import BadInput
from mtcore.engines.base import Engine, Work
from mtcore.engines.bundle import CARD, MANIFEST, Bundle, bundle_open
from mtcore.engines.child import start
from mtcore.engines.errors import EngineError
from mtcore.engines.registry import engines_for
from mtcore.engines.rundir import RunDir, file_sha256
from mtcore.metrics.base import FloatArray, MetricError, MetricUnavailable
from mtcore.metrics.lm_model import SUBWORD, WORD, LanguageModel
from mtcore.metrics.sacre import main_language
from mtcore.models import Run
from mtcore.services.engine_setup import engine_setup
from mtcore.services.lm_texts import VOCABULARY
from mtcore.services.metric_models import RUN
from mtcore.services.run_context import run_directory
from mtcore.services.systems import lm_find

LM = "lm"


class BundleModel(LanguageModel):
    """A language model in an engine's bundle; the end of a line counts, and blank lines are left out.

    Unknown are words that the model has never seen as a whole, where its words are still known.
    """

    unit = SUBWORD

    def __init__(self, bundle: Bundle, engine: Engine, work: Work) -> None:
        self.bundle, self.engine, self.work = bundle, engine, work
        self._words = _words(bundle.folder)
        self.oov_of = WORD if self._words else ""
        self.vocabulary = len(self._words) or self.pieces

    @property
    def pieces(self) -> int:
        """Return how many subwords it knows; 0 when the bundle has no dictionary."""
        roles = [role for role in self.bundle.files if role.startswith("dictionary")]
        return self.bundle.path(roles[0]).read_bytes().count(b"\n") if roles else 0

    def stats(self, lines: Sequence[str]) -> FloatArray:
        """Return −Σ ln p, subwords and end, words, unknown words, 1 for the end of each line [n, 5]."""
        asked = [number for number, line in enumerate(lines) if line.strip()]
        found = np.zeros((len(lines), 5))
        if asked:
            try:
                scored = self.engine.score(self.bundle, [lines[number] for number in asked], self.work)
            except EngineError as error:
                raise MetricError(str(error)) from error
            if len(scored) != len(asked):
                raise MetricError(f"{self.engine.name} scored {len(scored):,} of {len(asked):,} lines")
            for number, own in zip(asked, scored, strict=True):
                words = lines[number].split()
                unseen = sum(word not in self._words for word in words) if self._words else 0
                found[number] = (-own.log_probability, own.n_tokens, len(words), unseen, 1.0)
        return found

    def signature(self) -> str:
        """Return the unit, the model with its checksum, its vocabulary, and that ends count."""
        facts = self.bundle.facts
        return (
            f"unit:subword|tokens:{facts.get('subwords', 'of the model')}|lm:{self.engine.name}|"
            f"subwords:{self.pieces}|vocabulary:{len(self._words) or 'not known'}|"
            f"sha256:{file_sha256(self.bundle.folder / MANIFEST)[:16]}|words:spaces|end:counted|version:1"
        )


@dataclass(frozen=True)
class ForegroundWork:
    """What an engine needs of whoever runs it, for work done here and now in a folder that goes away."""

    device: str = ""
    threads: int = 0
    folder: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)

    @property
    def rundir(self) -> RunDir:
        """Return the folder."""
        return RunDir(Path(self.folder.name)).create()

    def report(
        self, progress: float | None = None, note: str = "", metrics: Mapping[str, float] | None = None
    ) -> None:
        """Hear how far it is; nobody is told."""

    def should_stop(self) -> bool:
        """Tell whether to stop: never; an interrupt ends it."""
        return False

    def check(self) -> None:
        """Go on."""

    def command(
        self,
        command: Sequence[str],
        *,
        on_line: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command to its end."""
        start(command, self.rundir, variables=variables, folder=folder).wait(on_line=on_line)


def language_model_open(text: str, work: Work | None = None, language: str = "") -> LanguageModel | None:
    """Open a language model that was trained here: "run:ID", "run:NAME", or the folder of its bundle.

    Args:
        text: as people name it.
        work: who runs the engine; by default here and now.
        language: of the text that is to be scored; empty where it is not known.

    Returns:
        The model; None when the text names another sort of model (an ARPA file, one of transformers).

    Raises:
        NotFound, Conflict: there is no such run, or it has not ended well.
        BadInput: the bundle is not whole, holds no language model, or one of another language.
        MetricUnavailable: no engine here can score with it.
    """
    folder = model_folder(text)
    if folder is None:
        return None
    try:
        bundle = bundle_open(folder)
    except EngineError as error:
        raise BadInput(error.message, error.remedy) from error
    kind = str(bundle.facts.get("kind", ""))
    if kind != LM:
        raise BadInput(
            f"{text} is a model of the kind “{kind}”, which gives text no perplexity.",
            "Name a language model: one made by train_lm.",
        )
    own = str(bundle.facts.get("source_language", ""))
    if own and language and main_language(own) != main_language(language):
        raise BadInput(
            f"{text} is a model of {own}, the text is in {language}.", "Name a model of the text’s language."
        )
    engines = [one for one in engines_for("scores", kind, engine_setup())
               if one.name == bundle.facts.get("engine", one.name)]  # fmt: skip
    if not engines:
        raise BadInput(
            f"No engine here scores with a model of {bundle.facts.get('engine')}.", "Name another."
        )
    if not engines[0].is_available():
        raise MetricUnavailable(
            f"the engine {engines[0].name} is not usable on this machine: {engines[0].install_hint}"
        )
    return BundleModel(bundle, engines[0], work or ForegroundWork())


def model_run(text: str) -> Run | None:
    """Return the run that trained a model named "run:…" or by the folder of a run; None for any other."""
    if text.startswith(RUN):
        return lm_find(text.removeprefix(RUN))
    folder = model_folder(text)
    for run in Run.objects.filter(kind="train_lm") if folder else ():
        if run_directory(run.pk).result == folder:
            return run
    return None


def model_folder(text: str) -> Path | None:
    """Return the folder of the bundle that a text names, or None."""
    if text.startswith(RUN):
        return run_directory(lm_find(text.removeprefix(RUN)).pk).result
    for folder in (Path(text), Path(text) / "result") if text else ():
        if (folder / CARD).is_file():
            return folder.resolve()
    return None


def _words(folder: Path) -> frozenset[str]:
    """Return the words that a model saw in training, where its run still has them."""
    path = folder.parent / "work" / "texts" / VOCABULARY
    return frozenset(path.read_text("utf-8").split("\n")) - {""} if path.is_file() else frozenset()
