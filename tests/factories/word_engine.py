"""An engine for tests of the services around engines: it learns word by word which word stands where.

It is no engine of the platform and is in the registry of tests only. What it does is real enough to be held
against: it counts, it writes a bundle with checksums, and what it translates follows from what it was given.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from math import log

import pytest
from django.conf import settings

from mtcore.engines.base import BLANK, OK, TOO_LONG, Engine, Line, Prepared, Scored, Texts, Work
from mtcore.engines.bundle import Bundle, bundle_write
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Decoding, Recipe
from mtcore.engines.registry import ENGINES

NAME = "words"
LONGEST = 60


class WordEngine(Engine):
    """Translates each word by the one that stood most often at its place."""

    name = NAME
    trains = frozenset({"transformer", "lstm", "lm"})
    decodes = frozenset({"transformer", "lstm"})
    scores = frozenset({"lm"})
    install_hint = "it is always there"
    available = True
    seconds_an_update = 0.0
    loses = 0
    """So many translations are lost, as an engine does that skips lines."""
    trained: list[tuple[str, int]] = []
    """(languages, seed) of every training that began, for tests that count."""
    translated: list[int] = []
    """Numbers of lines of every call of translate."""

    def is_available(self) -> bool:
        return self.available

    def signature(self) -> str:
        return "words 1"

    def prepare(self, train: Texts, valid: Texts, recipe: Recipe, work: Work) -> Prepared:
        n = len(train.source.read_text("utf-8").splitlines())
        if n != train.n_lines:
            raise EngineError(f"{n} lines, not {train.n_lines}.")
        folder = work.rundir.work / "prepared"
        folder.mkdir(parents=True, exist_ok=True)
        table: dict[str, Counter[str]] = defaultdict(Counter)
        ours = train.source.read_text("utf-8").split("\n")
        others = train.target.read_text("utf-8").split("\n") if train.target else ours
        for one, other in zip(ours, others, strict=True):
            for word, meaning in zip(one.split(), other.split(), strict=False):
                table[word][meaning] += 1
        chosen = {word: sorted(n, key=lambda one: (-n[one], one))[0] for word, n in sorted(table.items())}
        (folder / "table.json").write_text(json.dumps([chosen, len(table)]), "utf-8")
        return Prepared(folder, {"source": train.source_language, "target": train.target_language})

    def train(self, prepared: Prepared, recipe: Recipe, work: Work) -> Bundle:
        facts = prepared.facts
        self.trained.append((f"{facts['source']}-{facts['target']}", recipe.training.seed))
        for update in range(1, 4):
            work.check()
            time.sleep(self.seconds_an_update)
            metrics = {"update": update, "loss": 1 / update, "ppl": 2.0 / update, "wps": 100.0}
            work.report(update / 4, f"update {update}", metrics)
        staging = work.rundir.root / ".staged-bundle"
        staging.mkdir()
        return bundle_write(
            work.rundir.result,
            {"checkpoint": prepared.folder / "table.json"},
            {
                "engine": self.name,
                "kind": "lm" if recipe.kind == "LM" else recipe.model.architecture,
                "source_language": facts["source"],
                "target_language": facts["target"],
                "recipe": json.loads(json.dumps(asdict(recipe))),
                "seed": recipe.training.seed,
                "versions": {"words": "1"},
                "updates": 3,
                "subwords": "none",
                "training_seconds": 0.1,
            },
            staging,
        )

    def translate(
        self, bundles: Sequence[Bundle], lines: Sequence[str], decoding: Decoding, work: Work
    ) -> list[Line]:
        self.translated.append(len(lines))
        tables = [json.loads(one.path("checkpoint").read_text("utf-8"))[0] for one in bundles]
        made = []
        for line in lines:
            words = line.split()
            if not words:
                made.append(Line("", BLANK))
            elif len(words) > LONGEST:
                made.append(Line("", TOO_LONG))
            else:
                made.append(Line(" ".join(tables[0].get(word, "<unk>") for word in words), OK, -1.0))
        return made[: len(made) - self.loses]

    def score(self, bundle: Bundle, lines: Sequence[str], work: Work) -> list[Scored]:
        _table, size = json.loads(bundle.path("checkpoint").read_text("utf-8"))
        return [Scored(-n * log(size + 1), n, n) for n in (len(line.split()) + 1 for line in lines)]


def words_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this engine alone in the registry, for one test.

    Taken out from the last to the first: what is taken out last is put back first, and the order of the
    registry is the order of preference.
    """
    for name in reversed(list(ENGINES)):
        monkeypatch.delitem(ENGINES, name)
    monkeypatch.setitem(ENGINES, NAME, WordEngine)


def only_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this engine alone in the registry, for one test that works through runs.

    A run that takes longer than a heartbeat is lost in a test whose transaction other threads cannot see: so
    hearts beat seldom.
    """
    words_registered(monkeypatch)
    monkeypatch.setattr(WordEngine, "trained", [])
    monkeypatch.setattr(WordEngine, "translated", [])
    monkeypatch.setattr("mtcore.services.run_heart.BEAT_SECONDS", 600.0)
    monkeypatch.setattr(settings, "RUN_LEASE_SECONDS", 7200)
