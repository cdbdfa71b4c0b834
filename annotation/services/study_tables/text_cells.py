"""Cells about texts: sizes of corpora and vocabularies, diversity, the forms of a lemma."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.services.study_tables.cells import Cell, Link, Need, Shared, missing, nothing, printed
from annotation.services.study_tables.material import Material, Pair, SystemRow
from annotation.services.study_tables.spec import Quantity
from annotation.services.study_tables.texts import texts_of
from mtcore.engines.bundle import CARD, DICTIONARY
from mtcore.models import Corpus, Run, System
from mtcore.services.diversity_origins import MEASURE_DIVERSITY, Origin
from mtcore.services.run_context import run_directory
from mtcore.services.systems import system_runs

ORIGINAL = "ORIG"
Measured = Mapping[str, Any]


@dataclass(frozen=True)
class TextRow:
    """A row of texts: the original, or what the systems of a row have made of it."""

    label: str
    systems: SystemRow | None = None


class TextCells:
    """Finds what was counted and measured of texts."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.texts = texts_of(material.study)
        self.signatures: dict[str, dict[str, None]] = {}

    def corpus(self, pair: Pair, quantity: Quantity) -> Cell:
        """Return how many pairs of sentences a part of the material has."""
        found = self.texts.of_role(quantity.name, pair, self._systems(pair))
        if found:
            n = sum(one.n_lines for one in found)
            behind = tuple(f"{one.n_lines:,} lines of the corpus “{one.name}”" for one in found)
            return Cell(n, printed(n, 0), behind, f"sha256:{found[0].sha256[:16]}", n, Link("result"))
        places = pair.places.get("", ())
        if quantity.name == "test" and places:
            n = sum(place.n_segments for place in places)
            names = tuple(f"{place.n_segments:,} segments of {place.testset.name}" for place in places)
            return Cell(n, printed(n, 0), names, n=n, link=Link("result"))
        return missing(
            f"no corpus for {pair.tag} is named as “{quantity.name}”",
            Need(("study_texts", self.material.study.name), {f"--{quantity.name}": ("CORPUS",)}),
        )

    def vocabulary(self, pair: Pair, quantity: Quantity) -> Cell:
        """Return the size of a side's vocabulary, in words or in subwords."""
        unit, _, side = quantity.name.partition("-")
        language = pair.source if side == "source" else pair.target
        return self._words(pair, language) if unit == "words" else self._subwords(pair, language)

    def diversity(self, pair: Pair, row: TextRow, quantity: Quantity) -> Cell:
        """Return a measure of a text, from the newest run that has measured it."""
        origin = self.origin(pair, row)
        if isinstance(origin, Cell):
            return origin
        reason = ""
        for run, text in self._measured(origin):
            one = next((m for m in text["measures"] if m["name"] == quantity.name), None)
            if one is None:
                continue
            if one["value"] is None:
                reason = reason or one.get("reason", "")
                continue
            self.signatures.setdefault(f"{pair.tag} {quantity.label}", {})[one["signature"]] = None
            behind = f"{quantity.label} of {origin.words()}, {text['tokens']:,} words, run {run.pk}"
            return Cell(
                one["value"], printed(one["value"], quantity.digits, quantity.scale), (behind,),
                one["signature"], text["tokens"], Link("run", run=run.pk),
            )  # fmt: skip
        told = f"no value, {reason}" if reason else "not measured"
        return missing(
            f"{quantity.label} of {origin.words()}: {told}", self._need(pair, quantity.name),
            shared=Shared(f"{{what}} of {{whose}} for {pair.tag}: {told}", quantity.label, row.label),
        )  # fmt: skip

    def forms(self, pair: Pair) -> list[str]:
        """Return the forms of the lemma looked at last, those of most occurrences in all texts first."""
        run = self._lemma_run(pair)
        if run is None:
            return []
        counts: Counter[str] = Counter()
        for text in (run.result or {})["texts"]:
            counts.update(text["lemma"]["forms"])
        return sorted(counts, key=lambda form: (-counts[form], form))

    def lemma(self, pair: Pair) -> str:
        """Return the lemma that was looked at last, or nothing."""
        run = self._lemma_run(pair)
        return "" if run is None else run.options["lemma"]

    def form(self, pair: Pair, row: TextRow, quantity: Quantity, form: str) -> Cell:
        """Return how often a form occurs in a text, or H or D of all forms."""
        origin = self.origin(pair, row)
        if isinstance(origin, Cell):
            return origin
        lemma = self.lemma(pair)
        for run, text in self._measured(origin):
            found = text.get("lemma")
            if not found or run.options.get("lemma") != lemma:
                continue
            value = found["forms"].get(form) if quantity.name == "count" else found[quantity.name]
            if value is None:
                return nothing()
            what = f"“{form}”" if quantity.name == "count" else quantity.label
            behind = f"{what} of the lemma “{lemma}” in {origin.words()}, run {run.pk}"
            return Cell(
                value, printed(value, quantity.digits, quantity.scale), (behind,), found["signature"],
                text["tokens"], Link("run", run=run.pk),
            )  # fmt: skip
        shared = Shared(f"no lemma was looked at in {{whose}} for {pair.tag}", whose=row.label)
        return missing(
            f"no lemma was looked at in {origin.words()}", self._need(pair, "lemma"), shared=shared
        )

    def origin(self, pair: Pair, row: TextRow) -> Origin | Cell:
        """Return which text stands in a row for a pair, or an empty cell that says why none does."""
        train = self.train(pair)
        if row.systems is None:
            if train is not None and self._by_corpora(pair):
                return Origin(row.label, corpus=train.name, language=pair.target)
            if pair.testsets:
                return Origin(row.label, testsets=tuple(one.name for one in pair.testsets))
            return missing(
                f"no text for {pair.tag}",
                Need(("study_texts", self.material.study.name), {"--train": ("CORPUS",)}),
            )
        system = row.systems.of(pair)
        if system is None:
            return missing(f"no system “{row.label}” for {pair.tag}")
        if self._by_corpora(pair):
            made = self.texts.translation(system, pair.target)
            if made is None:
                name = train.name if train else "CORPUS"
                return missing(
                    f"“{system.name}” has not translated the training text",
                    Need(("translate_corpus", system.name, name)),
                    shared=Shared("the training text is not translated by {whose}", whose=system.name),
                )
            return Origin(row.label, corpus=made.name, language=pair.target)
        return Origin(row.label, testsets=tuple(one.name for one in pair.testsets), system=system.name)

    def train(self, pair: Pair) -> Corpus | None:
        """Return the training text of a pair."""
        found = self.texts.of_role("train", pair, self._systems(pair))
        return found[0] if found else None

    def _by_corpora(self, pair: Pair) -> bool:
        """Tell whether the texts of a pair are the training text and translations, or those of test sets."""
        return (
            any(self.texts.translation(system, pair.target) for system in self._systems(pair))
            or not pair.testsets
        )

    def _systems(self, pair: Pair) -> list[System]:
        return [row.systems[pair.tag] for row in self.material.rows if pair.tag in row.systems]

    def _words(self, pair: Pair, language: str) -> Cell:
        train = self.train(pair)
        if train is None:
            return self.corpus(pair, Quantity("Train", "corpus", "train"))
        origin = Origin("", corpus=train.name, language=language)
        for run, text in self._measured(origin):
            behind = f"types in {origin.words()}, run {run.pk}"
            signature = next((m["signature"] for m in text["measures"] if m["name"] == "ttr"), "")
            return Cell(
                text["types"], printed(text["types"], 0), (behind,), signature, text["tokens"],
                Link("run", run=run.pk),
            )  # fmt: skip
        options = {
            "--text": (f"{train.name}=corpus:{train.name}",),
            "--language": (language,),
            "--measures": ("ttr",),
        }
        return missing(
            f"the words of {origin.words()} are not counted",
            Need(("measure_diversity",), options, f"{pair.tag} {language}"),
        )

    def _subwords(self, pair: Pair, language: str) -> Cell:
        for system in self._systems(pair):
            for run in system_runs(system.name):
                size = dictionary_size(run, language) if run.state == Run.State.SUCCEEDED else None
                if size:
                    behind = f"entries of the dictionary of “{system.name}” for {language}, run {run.pk}"
                    return Cell(size, printed(size, 0), (behind,), n=size, link=Link("run", run=run.pk))
        recipe = {"--recipe": ("RECIPE",), "--corpus": ("CORPUS",)}
        return missing(
            f"no system for {pair.tag} was trained here with subwords", Need(("train_system", "NAME"), recipe)
        )

    def _need(self, pair: Pair, measure: str) -> Need:
        """Return the command that measures all texts of a pair."""
        options: dict[str, tuple[str, ...]] = {}
        train = self.train(pair)
        if self._by_corpora(pair):
            made = {row.label: self.texts.translation(row.systems[pair.tag], pair.target)
                    for row in self.material.rows if pair.tag in row.systems}  # fmt: skip
            given = {ORIGINAL: train, **made}
            options["--text"] = tuple(f"{name}=corpus:{one.name}" for name, one in given.items() if one)
            options["--language"] = (pair.target,)
        else:
            options["--testset"] = tuple(one.name for one in pair.testsets)
            options["--systems"] = tuple(one.name for one in self._systems(pair))
        if measure.startswith("lfp"):
            options["--training"] = (f"corpus:{train.name}" if train else "FILE",)
        if measure in ("ptf", "cdu", "syn_ttr"):
            options["--dictionary"] = ("FILE",)
            if self._by_corpora(pair) and train:
                options |= {"--source": (f"corpus:{train.name}",), "--source-language": (pair.source,)}
        if measure == "lemma":
            options["--lemma"] = ("WORD",)
        else:
            options["--measures"] = (measure,)
        return Need(("measure_diversity",), options, pair.tag)

    def _lemma_run(self, pair: Pair) -> Run | None:
        """Return the newest run that has looked at a lemma in the original text of a pair."""
        origin = self.origin(pair, TextRow(ORIGINAL))
        if isinstance(origin, Cell):
            return None
        return next((run for run, text in self._measured(origin) if text.get("lemma")), None)

    def _measured(self, origin: Origin) -> Sequence[tuple[Run, Measured]]:
        """Return the runs that have measured a text, the newest first, each with what it found of it."""
        return self._texts.get(origin.key, [])

    @cached_property
    def _texts(self) -> dict[str, list[tuple[Run, Measured]]]:
        found: dict[str, list[tuple[Run, Measured]]] = {}
        runs = Run.objects.filter(kind=MEASURE_DIVERSITY, state=Run.State.SUCCEEDED).order_by("-pk")
        for run in runs.only("pk", "options", "result"):
            for text in (run.result or {}).get("texts", ()):
                if text.get("origin"):
                    found.setdefault(Origin.read(text["origin"]).key, []).append((run, text))
        return found


def dictionary_size(run: Run, language: str) -> int | None:
    """Return how many entries the dictionary of a trained model has for a language, None without one."""
    folder = run_directory(run.pk).result
    try:
        name = json.loads((folder / CARD).read_text("utf-8"))["files"][f"{DICTIONARY}.{language}"]
        return sum(1 for line in (folder / name).read_text("utf-8").split("\n") if line)
    except (OSError, KeyError, ValueError):
        return None
