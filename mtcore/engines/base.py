"""What an engine is: prepare, train, translate, score over the folder of a run; watched and stoppable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from mtcore.engines.bundle import Bundle
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Decoding, Recipe
from mtcore.engines.rundir import RunDir
from mtcore.engines.setup import Setup

OK, BLANK, TOO_LONG, FAILED = "ok", "blank", "too_long", "failed"
"""What became of a line; as an output's lines are marked."""


class Work(Protocol):
    """What an engine may ask of whoever runs it (a run's context has it all)."""

    @property
    def rundir(self) -> RunDir:
        """Return the folder of the run."""

    @property
    def device(self) -> str:
        """Return the accelerators that are ours, empty on a CPU."""

    @property
    def threads(self) -> int:
        """Return how many cores each command may take, 0 for all."""

    def report(
        self, progress: float | None = None, note: str = "", metrics: Mapping[str, float] | None = None
    ) -> None:
        """Say how far it is."""

    def should_stop(self) -> bool:
        """Tell whether to stop."""

    def check(self) -> None:
        """Raise when the work should stop; let it pass through."""

    def command(
        self,
        command: Sequence[str],
        *,
        on_line: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command to its end; raises when it fails or the run should stop."""


@dataclass(frozen=True)
class Texts:
    """The files to learn from: a line a sentence, the two sides with as many lines.

    `target` is empty for text in one language, which language models learn from.
    """

    source_language: str
    target_language: str
    source: Path
    target: Path | None = None
    n_lines: int = 0


@dataclass(frozen=True)
class Prepared:
    """Training data in an engine's own form, in a folder that is kept between attempts."""

    folder: Path
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Line:
    """One translated line: its text, what became of it, and its score where the engine has one."""

    text: str
    status: str = OK
    score: float | None = None


@dataclass(frozen=True)
class Scored:
    """Log probability (natural) of one line under a model, and the number of tokens and words it covers."""

    log_probability: float
    n_tokens: int
    n_words: int


class Engine(ABC):
    """An engine of translation or of language models.

    Every method goes on from what `work.rundir` holds when it is called again after a stop, and asks
    `work.should_stop()` at least every few seconds. What it returns is there as a whole.

    Attributes:
        name: as in the registry, in recipes and in results.
        trains: kinds of model it trains ("transformer", "lstm", "lm", "phrase").
        decodes: kinds of model it translates with.
        scores: kinds of model it scores text with.
        install_hint: what makes it available.
    """

    name: ClassVar[str]
    trains: ClassVar[frozenset[str]] = frozenset()
    decodes: ClassVar[frozenset[str]] = frozenset()
    scores: ClassVar[frozenset[str]] = frozenset()
    install_hint: ClassVar[str] = ""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @abstractmethod
    def is_available(self) -> bool:
        """Tell whether it can be used here; quick, and never raises."""

    @abstractmethod
    def signature(self) -> str:
        """Return its name and the versions it runs on, for provenance."""

    def prepare(self, train: Texts, valid: Texts, recipe: Recipe, work: Work) -> Prepared:
        """Bring texts into the engine's own form: subwords, dictionaries, binary files.

        Raises:
            EngineError: it does not train, or the texts cannot be used.
        """
        raise EngineError(f"{self.name} does not train.")

    def train(self, prepared: Prepared, recipe: Recipe, work: Work) -> Bundle:
        """Train to the end of the recipe, going on from the last checkpoint there is.

        Raises:
            EngineError: it does not train, or nothing was learned (no update, no finite loss).
        """
        raise EngineError(f"{self.name} does not train.")

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        """Translate with one model or an ensemble: as many lines come back, in order, each with a status.

        Raises:
            EngineError: it does not translate, or lines were lost.
        """
        raise EngineError(f"{self.name} does not translate.")

    def score(self, bundle: Bundle, lines: Sequence[str], work: Work) -> list[Scored]:
        """Score lines with a language model: as many come back, in their order.

        Raises:
            EngineError: it does not score.
        """
        raise EngineError(f"{self.name} does not score text.")
