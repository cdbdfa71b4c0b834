"""The runner of a preflight: a sample is prepared, trained and decoded for real; time, disk, memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from mtcore.corpora.corpus_lines import TextFiles
from mtcore.engines.base import Engine, Prepared, Texts
from mtcore.engines.bundle import Bundle
from mtcore.engines.recipe import BT, LM, Recipe
from mtcore.engines.recipe_files import recipe_read
from mtcore.engines.rundir import RunDir
from mtcore.services.corpora import corpus_files, corpus_find
from mtcore.services.preflight_estimate import SAMPLE, estimate, trial_recipe
from mtcore.services.run_context import Outcome, Reports, RunContext, RunStopped
from mtcore.services.run_training import chosen_engine
from mtcore.services.training_door import model_kind

FIRST_UPDATES = 20
MOST_UPDATES = 10_000
VALID_LINES = 100
DECODED_LINES = (8, 200, 2_000)
_SAMPLE_SECONDS = 1.0
_SURE_SECONDS = 1.0
"""Difference of two times from which it says something."""
_LEAST_SHARE = 0.1
"""Of a time, its difference to a shorter one; less is noise."""


class Probe(Reports):
    """Takes the reports of a trial: when which update was done, at how many tokens a second."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.points: list[tuple[float, float]] = []
        self.rates: list[float] = []
        self._tell = tell

    def add(self, progress: float | None, note: str, metrics: Mapping[str, float]) -> None:
        """Take a report; only its note goes on."""
        if "update" in metrics and (not self.points or metrics["update"] > self.points[-1][1]):
            self.points.append((time.monotonic(), metrics["update"]))
        if "wps" in metrics:
            self.rates.append(metrics["wps"])
        if note:
            self._tell(note)

    @property
    def seconds_an_update(self) -> float:
        """Return the time of an update, from the first report to the last; 0 where there were too few."""
        if len(self.points) < 2:
            return 0.0
        (began, first), (ended, last) = self.points[0], self.points[-1]
        return (ended - began) / (last - first)


class Memory:
    """The most memory that a trial's commands and all they started have taken, and their accelerators."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.bytes, self.gpu_bytes = 0, 0
        self._last = 0.0

    def look(self, rundir: RunDir) -> None:
        """Look at the command of a folder, at most once a second."""
        if time.monotonic() - self._last < _SAMPLE_SECONDS:
            return
        self._last = time.monotonic()
        self.bytes = max(self.bytes, _group_bytes(rundir))
        if self.device:
            self.gpu_bytes = max(self.gpu_bytes, _gpu_bytes(self.device))


def preflight_run(context: RunContext) -> Outcome:
    """Measure a sample; options from `preflight_launch`. The result is the estimate and what it rests on."""
    options = context.options
    recipe = recipe_read(options["recipe"])
    trial = trial_recipe(recipe)
    folder = context.rundir.root / "trial"
    shutil.rmtree(folder, ignore_errors=True)  # what an earlier attempt measured says nothing about this one
    engine = chosen_engine("trains", model_kind(recipe), options["engine"])
    train, valid = _sample(options, folder)
    try:
        measured = Trial(context, engine, trial, recipe, folder).measure(train, valid)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    whole = estimate(
        recipe, measured, lines=options["lines"], mono_lines=options["mono_lines"],
        workers=options.get("workers", 1),
    )  # fmt: skip
    context.report(1.0, f"{whole['total_seconds'] / 3600:.1f} hours in all")
    return Outcome({"recipe": recipe.name, "engine": engine.signature(), "measured": measured, **whole})


class Trial:
    """One engine on one sample: prepared, trained and decoded in a folder of its own."""

    def __init__(
        self, context: RunContext, engine: Engine, trial: Recipe, recipe: Recipe, folder: Path
    ) -> None:
        self.context, self.engine, self.folder = context, engine, folder
        self.trial, self.recipe = trial, recipe
        self.probe = Probe(lambda note: context.report(None, f"on trial: {note}"))
        self.memory = Memory(context.device)

    def measure(self, train: Texts, valid: Texts) -> dict[str, Any]:
        """Prepare, train and decode, and return what `estimate` needs."""
        began = time.monotonic()
        self.context.report(0.05, f"preparing {train.n_lines:,} lines on trial")
        prepared = self.engine.prepare(train, valid, self.trial, self._inside("prepare"))
        prepare_seconds = time.monotonic() - began
        self.context.check()
        self.context.report(0.2, "training on trial")
        bundle, start_seconds, train_seconds = self._train(prepared)
        self.context.report(0.7, "translating on trial")
        rate = 0.0 if self.recipe.kind == LM else self._decode_rate(bundle, train)
        rates, points = self.probe.rates, self.probe.points
        sides = [path for path in (train.source, train.target) if path]
        return {
            "sample_lines": train.n_lines,
            "sample_bytes": sum(path.stat().st_size for path in sides),
            "prepare_seconds": round(prepare_seconds, 2),
            "start_seconds": round(start_seconds, 2),
            "train_seconds": round(train_seconds, 2),
            "updates": int(points[-1][1]) if points else 0,
            "seconds_an_update": self.probe.seconds_an_update,
            "tokens_per_second": round(sum(rates) / len(rates), 1) if rates else None,
            "updates_an_epoch": _updates_an_epoch(self.recipe, train.n_lines, _words(sides[-1])),
            "checkpoint_bytes": _largest(self.folder),
            "prepared_bytes": _size(prepared.folder),
            "decode_lines_per_second": round(rate, 2),
            "memory_bytes": self.memory.bytes,
            "gpu_memory_bytes": self.memory.gpu_bytes,
        }

    def _train(self, prepared: Prepared) -> tuple[Bundle, float, float]:
        """Train a little, then as much as fits into the time; return a model, seconds of a start, and of all.

        Where not even the first updates fit, one is made without a limit: a model is needed to decode.
        """
        seconds, began = float(self.context.options["seconds"]), time.monotonic()
        bundle = self._train_for(prepared, "first", FIRST_UPDATES, seconds)
        first_seconds = time.monotonic() - began
        start = max(0.0, first_seconds - FIRST_UPDATES * self.probe.seconds_an_update)
        left = seconds - first_seconds - start
        if bundle is None:
            start = 0.0
            bundle = self._train_for(prepared, "one", 1, 0.0)
        elif self.probe.seconds_an_update and left > FIRST_UPDATES * self.probe.seconds_an_update:
            more = min(MOST_UPDATES, round(left / self.probe.seconds_an_update))
            self.probe.points.clear()
            self._train_for(prepared, "more", more, left + start)
        if bundle is None:
            raise RunStopped
        return bundle, start, time.monotonic() - began

    def _train_for(self, prepared: Prepared, place: str, updates: int, seconds: float) -> Bundle | None:
        """Train so many updates in a folder of their own; None when the time (0: no limit) was over first."""
        limit = time.monotonic() + seconds if seconds else None
        few = replace(self.trial, training=replace(self.trial.training, max_updates=updates, max_epochs=0))
        try:
            return self.engine.train(prepared, few, self._inside(place, limit))
        except RunStopped:
            self.context.check()
            return None

    def _decode_rate(self, bundle: Bundle, train: Texts) -> float:
        """Return how many lines a second are translated, loading apart: the difference of two sizes.

        What is done once, as converting the model, is done before; where translating takes no time worth
        measuring, more lines are translated.
        """
        recipe, kind = self.recipe, str(bundle.facts["kind"])
        decoder = chosen_engine("decodes", kind)
        decoding = recipe.back_translation.decoding if recipe.kind == BT else recipe.decoding
        lines = list(islice(TextFiles([train.source]), DECODED_LINES[-1]))
        few, *sizes = DECODED_LINES

        def took(size: int, place: str) -> float:
            self.context.check()
            began = time.monotonic()
            decoder.translate([bundle], lines[:size], decoding, self._inside(f"decode-{place}"))
            return time.monotonic() - began

        took(few, "once")
        first = took(few, "first")
        rate = 0.0
        for size in sizes:
            seconds = took(size, str(size))
            rate = lines_a_second(min(few, len(lines)), min(size, len(lines)), first, seconds)
            if seconds - first >= _SURE_SECONDS or size >= len(lines):
                break
        return rate

    def _inside(self, place: str, limit: float | None = None) -> RunContext:
        """Return the run as a part sees it: another folder, its own reports, and an end after a while."""
        rundir = RunDir(self.folder / place).create()

        def stopping() -> bool:
            self.memory.look(rundir)
            return self.context.should_stop() or (limit is not None and time.monotonic() > limit)

        return replace(self.context, rundir=rundir, reports=self.probe, stopping=stopping)


def lines_a_second(few: int, many: int, first: float, seconds: float) -> float:
    """Return the rate of translating from the seconds that a few lines took, and many.

    Where many took hardly longer than a few, the difference is noise: then loading counts too, so that the
    rate is too low rather than too high.
    """
    more = seconds - first
    if many <= few or more < _LEAST_SHARE * seconds:
        return many / max(seconds, 1e-3)
    return (many - few) / more


def _sample(options: Mapping[str, Any], folder: Path) -> tuple[Texts, Texts]:
    """Write the first lines of the corpora, and the first of them again to validate on."""
    folder.mkdir(parents=True)
    sides: list[str] = options["sides"]
    corpora = [corpus_files(corpus_find(name)) for name in options["corpora"]]
    columns = [list(islice(TextFiles([files[tag] for files in corpora]), SAMPLE)) for tag in sides]
    kept = [row for row in zip(*columns, strict=True) if all(text.strip() for text in row)]
    made = []
    for name, rows in (("train", kept), ("valid", kept[:VALID_LINES])):
        paths = [folder / f"{name}.{tag}" for tag in sides]
        for number, path in enumerate(paths):
            path.write_text("".join(f"{row[number]}\n" for row in rows), "utf-8", newline="\n")
        target = paths[1] if len(paths) > 1 else None
        made.append(Texts(sides[0], sides[1] if target else "", paths[0], target, len(rows)))
    return made[0], made[1]


def _updates_an_epoch(recipe: Recipe, lines: int, words: int) -> float:
    """Estimate the updates that the sample makes, from its words (1.3 pieces each) or its lines."""
    training = recipe.training
    share = training.update_frequency * max(1, training.devices) * training.machines
    if training.max_tokens:
        return (1.3 * words + lines) / (training.max_tokens * share)
    return lines / (max(1, training.max_sentences) * share)


def _words(path: Path) -> int:
    return sum(len(line.split()) for line in TextFiles([path]))


def _largest(folder: Path) -> int:
    """Return the size of the largest checkpoint, or of the whole model where an engine has none."""
    found = [path.stat().st_size for path in folder.rglob("*.pt") if path.is_file()]
    return max(found) if found else max((_size(path) for path in folder.rglob("result")), default=0)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _group_bytes(rundir: RunDir) -> int:
    """Add up the resident memory of a run's command and all it started (Linux; elsewhere 0)."""
    try:
        group = int(json.loads(rundir.child.read_text("utf-8"))["group"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    total = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += int(fields[21]) * 4096
        except (OSError, ValueError, IndexError):
            continue
    return total


def _gpu_bytes(device: str) -> int:
    """Return the memory in use on these accelerators, as the driver says; 0 where it cannot be asked."""
    numbers = [name.strip().removeprefix("cuda:") for name in device.split(",") if name.strip()]
    command = [
        "nvidia-smi",
        "--query-gpu=memory.used",
        "--format=csv,noheader,nounits",
        "-i",
        ",".join(numbers),
    ]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
        return sum(int(line) for line in said.split()) * 1024**2
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def free_bytes(folder: Path) -> int:
    """Return the free space of the disk a folder is on."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free
