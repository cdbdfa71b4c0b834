"""Small texts, recipes and a way to work for the tests of engines: no database, no queue."""

import fcntl
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mtcore.engines.base import Texts
from mtcore.engines.bundle import Bundle, bundle_open
from mtcore.engines.child import start
from mtcore.engines.recipe import Recipe
from mtcore.engines.recipe_files import recipe_find
from mtcore.engines.registry import engines_for
from mtcore.engines.rundir import RunDir
from mtcore.engines.setup import Setup
from tests.factories.imported import imported_outputs

SETUP = Setup(Path(__file__).resolve().parent.parent / ".venv-mt" / "bin" / "python")

_NOUNS = {"Hund": "dog", "Katze": "cat", "Mann": "man", "Frau": "woman", "Kind": "child", "Vogel": "bird"}
_VERBS = {"sieht": "sees", "hört": "hears", "liebt": "loves", "sucht": "seeks"}
_WHEN = {"heute": "today", "immer": "always", "oft": "often"}


class Stopped(Exception):
    """Raised where the work was asked to stop."""


@dataclass
class Desk:
    """A run of a test: what an engine may ask of whoever runs it, with what it reported kept."""

    rundir: RunDir
    device: str = ""
    threads: int = 1
    stop_when: Callable[["Desk"], bool] = lambda desk: False
    reports: list[tuple[float | None, str, dict[str, float]]] = field(default_factory=list)
    commands: list[list[str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def report(
        self, progress: float | None = None, note: str = "", metrics: Mapping[str, float] | None = None
    ) -> None:
        """Keep what was said."""
        self.reports.append((progress, note, dict(metrics or {})))

    def should_stop(self) -> bool:
        """Ask the test."""
        return self.stop_when(self)

    def check(self) -> None:
        """Raise when it should stop."""
        if self.should_stop():
            raise Stopped

    def command(
        self,
        command: Sequence[str],
        *,
        on_line: Callable[[str], None] | None = None,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Run a command as a run does, on one thread."""

        def line(text: str) -> None:
            self.lines.append(text)
            if on_line is not None:
                on_line(text)

        self.commands.append(list(command))
        child = start(
            command, self.rundir, variables={"OMP_NUM_THREADS": "1", **(variables or {})}, folder=folder
        )
        if not child.wait(on_line=line, should_stop=self.should_stop):
            raise Stopped

    def values(self, name: str) -> list[float]:
        """Return what was reported of one number."""
        return [metrics[name] for _, _, metrics in self.reports if name in metrics]


def desk(folder: Path, **options) -> Desk:
    """Make the run of a folder."""
    return Desk(RunDir(folder).create(), **options)


def small_pairs(n: int, seed: int = 1) -> list[tuple[str, str]]:
    """Return sentence pairs of a tiny German and English, a word for a word."""
    draw = random.Random(seed)
    pairs = []
    for _ in range(n):
        first, second = draw.sample(sorted(_NOUNS), 2)
        verb, when = draw.choice(sorted(_VERBS)), draw.choice(sorted(_WHEN))
        pairs.append((
            f"Der {first} {verb} {when} den {second}.",
            f"The {_NOUNS[first]} {_VERBS[verb]} {_WHEN[when]} the {_NOUNS[second]}.",
        ))  # fmt: skip
    return pairs


def small_texts(folder: Path, n: int = 120, *, seed: int = 1, both: bool = True) -> Texts:
    """Write such pairs; with one side only, they are English."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = small_pairs(n, seed)
    german, english = folder / "text.de", folder / "text.en"
    german.write_text("".join(f"{one}\n" for one, _ in pairs), "utf-8")
    english.write_text("".join(f"{one}\n" for _, one in pairs), "utf-8")
    return Texts("de", "en", german, english, n) if both else Texts("en", "", english, None, n)


def small_recipe(name: str = "tiny-op", *, updates: int = 30, size: int = 60, **training) -> Recipe:
    """Return a recipe that a test can afford: a model of a few thousand numbers."""
    recipe = recipe_find(name)
    every = training.pop("validate_every", max(1, updates // 3))
    model = replace(
        recipe.model,
        encoder_layers=min(1, recipe.model.encoder_layers),
        decoder_layers=1,
        embedding=32,
        feed_forward=64,
        heads=2,
        dropout=0.1,
    )
    figures = {
        "max_updates": updates, "validate_every": every, "warmup": 5, "max_tokens": 600,
        "learning_rate": 0.01, **training,
    }  # fmt: skip
    return replace(
        recipe,
        subwords=replace(recipe.subwords, size=size),
        model=model,
        training=replace(recipe.training, **figures),
        decoding=replace(recipe.decoding, beam=2),
    )


def wait_for(said: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something holds; fail when it does not within the time."""
    deadline = time.monotonic() + seconds
    while not said():
        if time.monotonic() > deadline:
            raise AssertionError(f"nothing happened within {seconds} seconds")
        time.sleep(0.05)


RECIPES = {"transformer": "tiny-op", "lstm": "tiny-lstm", "lm": "tiny-lm", "phrase": "tiny-phrase"}
"""Kind of model → the recipe that trains it."""
UPDATES = {"transformer": 120, "lstm": 40, "lm": 60, "phrase": 0}
PAIRS = 160
MAKERS: dict[str, Callable[[Path], Bundle]] = {"outputs": imported_outputs}
"""Kind of model that no engine trains → what makes a bundle of it in a folder, for those that only decode."""


def recipe_of(kind: str, **training) -> Recipe:
    """Return the recipe of a kind of model, small enough for a test."""
    if kind == "phrase":
        return recipe_find(RECIPES[kind])
    return small_recipe(RECIPES[kind], updates=UPDATES[kind], **training)


def trained(kind: str, shared: Path) -> Bundle:
    """Return a bundle of a kind, trained once for all tests and processes of a session.

    Args:
        kind: of model.
        shared: a folder that all processes of the session have.
    """
    shared.mkdir(parents=True, exist_ok=True)
    folder = shared / kind
    with (shared / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kind in MAKERS:
            return MAKERS[kind](folder)
        engines = engines_for("trains", kind, SETUP)
        if not engines or not engines[0].is_available():
            import pytest

            hint = engines[0].install_hint if engines else "no engine trains it"
            pytest.skip(f"no model of kind {kind} can be trained here: {hint}")
        work, both = desk(folder / "run"), kind != "lm"
        if not work.rundir.has_result:
            train = small_texts(folder / "train", PAIRS, both=both)
            valid = small_texts(folder / "valid", 20, seed=2, both=both)
            recipe = recipe_of(kind)
            engines[0].train(engines[0].prepare(train, valid, recipe, work), recipe, work)
            said = json.dumps({"reports": work.reports, "commands": work.commands})
            (folder / "said.json").write_text(said, "utf-8")
        return bundle_open(work.rundir.result)
