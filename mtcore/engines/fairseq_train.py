"""Train with fairseq: follow what it says, go on from the last whole checkpoint, end with one model."""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from platform import node
from typing import Any

from mtcore.engines.base import Prepared, Work
from mtcore.engines.bundle import Bundle, bundle_write
from mtcore.engines.child import command_line
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq_commands import Place, preprocess_command, train_command
from mtcore.engines.fairseq_environment import require_environment
from mtcore.engines.fairseq_log import Event, is_out_of_memory, read_event
from mtcore.engines.fairseq_prepare import DATA, dictionary_path, subword_files
from mtcore.engines.fairseq_run import precision_of, run_step, training_place
from mtcore.engines.recipe import LM, Recipe, Training
from mtcore.engines.rundir import atomic_file
from mtcore.engines.setup import Setup

CHECKPOINTS = "checkpoints"
LAST = "checkpoint_last.pt"
BEST = "checkpoint_best.pt"
TRAINED = "trained.json"
_NUMBERED = re.compile(r"checkpoint_?(\d+)(?:_(\d+))?\.pt")
_OUT_OF_MEMORY_LIMIT = 10
_NOT_FINITE = re.compile(r"FloatingPointError|Minimum loss scale reached|gradients are Nan/Inf")
_MEMORY_REMEDY = (
    "Try smaller batches (training.max_tokens; training.update_frequency keeps the size of a step), half "
    "precision, or a smaller model."
)
_LOSS_REMEDY = (
    "Lower training.learning_rate, raise training.warmup or set training.clip_norm; with fp16 try bf16 too."
)


class TrainingWatch:
    """Reads what fairseq says: reports progress, and raises when going on makes no sense."""

    def __init__(self, training: Training, work: Work) -> None:
        self.training = training
        self.work = work
        self.updates = 0
        self.seconds = 0.0
        self.valid: dict[str, float] = {}
        self.not_finite = False
        self._lost_batches = 0

    def line(self, line: str) -> None:
        """Take a line of the log.

        Raises:
            EngineError: the loss is no number any more, or no batch fits into memory.
        """
        if is_out_of_memory(line) and "attempting to recover" in line:
            self._lost_batches += 1
            if self._lost_batches >= _OUT_OF_MEMORY_LIMIT:
                raise EngineError(
                    f"Memory ran out in {self._lost_batches} batches after update {self.updates:,}.",
                    _MEMORY_REMEDY,
                )
        self.not_finite = self.not_finite or bool(_NOT_FINITE.search(line))
        event = read_event(line)
        if event is not None:
            self._event(event)

    def _event(self, event: Event) -> None:
        loss = event.values.get("loss")
        if loss is not None and not math.isfinite(loss):
            raise not_finite_error(max(self.updates, event.update))
        if event.update > self.updates:
            self.updates, self._lost_batches = event.update, 0
        if event.kind == "train_inner":
            self.seconds = event.values.get("wall", self.seconds)
            self.work.report(self._progress(event), self._note(event), _metrics(event))
        elif event.kind == "valid":
            self.valid = event.values
            self.work.report(metrics={"update": event.update, **_metrics(event, "valid_")})

    def _progress(self, event: Event) -> float | None:
        if self.training.max_updates:
            return event.update / self.training.max_updates
        if self.training.max_epochs:
            return event.epoch / self.training.max_epochs
        return None

    def _note(self, event: Event) -> str:
        of = f" of {self.training.max_updates:,}" if self.training.max_updates else ""
        rate = event.values.get("wps")
        speed = f", {rate:,.0f} tokens a second" if rate else ""
        return f"update {event.update:,}{of}{speed}"


def _metrics(event: Event, prefix: str = "") -> dict[str, float]:
    names = ("loss", "nll_loss", "ppl", "wps", "ups", "lr", "gnorm", "best_loss", "best_nll_loss", "bleu")
    found = {f"{prefix}{name}": event.values[name] for name in names if name in event.values}
    return found if prefix else {"update": float(event.update), **found}


def not_finite_error(update: int) -> EngineError:
    """Return the error of a training whose loss or gradients are no numbers any more."""
    return EngineError(f"The loss is no finite number any more after update {update:,}.", _LOSS_REMEDY)


def train(setup: Setup, prepared: Prepared, recipe: Recipe, work: Work) -> Bundle:
    """Train to the end of the recipe and publish the model as the run's result.

    Raises:
        EngineError: it cannot be trained; the message says what to do.
    """
    found = require_environment(setup, "torch", "fairseq")
    save = work.rundir.work / CHECKPOINTS
    save.mkdir(exist_ok=True)
    languages = list(prepared.facts["languages"])
    trained = _read(work.rundir.work / TRAINED)
    if not trained:
        place = training_place(setup, recipe.training, work, node())
        command = train_command(setup, prepared.folder / DATA, save, recipe, languages, place)
        trained = {
            **_run(setup, command, recipe, work, save),
            "command": command,
            "precision": place.precision,
        }
        with atomic_file(work.rundir.work / TRAINED) as draft:
            draft.write_text(json.dumps(trained), "utf-8")
    chosen = choose_checkpoints(save, recipe.decoding.average)
    model = work.rundir.work / "model.pt"
    work.report(
        note=f"averaging {len(chosen)} checkpoints" if len(chosen) > 1 else "keeping the best checkpoint"
    )
    run_step(
        setup, work, [*setup.script("average_fairseq.py"), str(model), *map(str, chosen)], "Making the model"
    )
    facts = {
        "engine": "fairseq",
        "kind": "lm" if recipe.kind == LM else recipe.model.architecture,
        "versions": {"python": found.python, **(found.packages or {})},
        "averaged": [path.name for path in chosen],
        **trained,
    }
    return publish_bundle(prepared, recipe, model, facts, work)


def shown_commands(setup: Setup, recipe: Recipe, source: str, target: str) -> list[str]:
    """Return the command lines of a training with the run's folders for its paths.

    A precision of "auto" is shown as fp16; bf16 is taken where every accelerator has it. On several machines
    the last command is run on each, with HOST for the name of one of them.
    """
    languages = [source] if recipe.kind == LM else [source, target]
    prepared, training = Path("work") / "prepared", recipe.training
    place = Place(training.devices, training.machines, "", precision_of(training))
    commands = [
        preprocess_command(setup, prepared, prepared / DATA, recipe, languages),
        train_command(setup, prepared / DATA, Path("work") / CHECKPOINTS, recipe, languages, place),
    ]
    return [command_line(command) for command in commands]


def publish_bundle(
    prepared: Prepared, recipe: Recipe, model: Path, facts: dict[str, Any], work: Work
) -> Bundle:
    """Put the model, its dictionaries and its subwords together as the run's result."""
    languages = list(prepared.facts["languages"])
    files = {
        "checkpoint": model,
        **{f"dictionary.{one}": dictionary_path(prepared.folder, one, languages) for one in languages},
        **subword_files(prepared.folder, recipe, languages),
    }
    known = {
        "source_language": languages[0],
        "target_language": languages[1] if len(languages) > 1 else "",
        "recipe": asdict(recipe),
        "seed": recipe.training.seed,
        "subwords": recipe.subwords.tool,
        "train_lines": prepared.facts["train_lines"],
        "dictionary_sizes": prepared.facts["sizes"],
    }
    staging = Path(tempfile.mkdtemp(prefix=".staged-", dir=work.rundir.root))
    try:
        plain = json.loads(json.dumps({**facts, **known}))
        return bundle_write(work.rundir.result, files, plain, staging)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _run(setup: Setup, command: Sequence[str], recipe: Recipe, work: Work, save: Path) -> dict[str, Any]:
    """Run the training; return what is to be known of it."""
    for said in mend_checkpoints(save):
        work.rundir.say(said)
        work.report(note=said)
    earlier = _read(work.rundir.work / "seconds.json").get("seconds", 0.0)
    watch = TrainingWatch(recipe.training, work)
    try:
        run_step(setup, work, command, "The training", watch.line)
    except EngineError as error:
        if watch.not_finite:
            raise not_finite_error(watch.updates) from error
        if "memory" in error.message and "training.max_tokens" not in error.remedy:
            raise EngineError(error.message, _MEMORY_REMEDY) from error
        raise
    finally:
        (save / "crash.pt").unlink(missing_ok=True)
        with atomic_file(work.rundir.work / "seconds.json") as draft:
            draft.write_text(json.dumps({"seconds": earlier + watch.seconds}), "utf-8")
    updates = max(watch.updates, *(update_of(path) for path in save.glob("checkpoint*.pt")), 0)
    if not updates or not (save / BEST).exists():
        raise EngineError(
            "Training ended without a single update.",
            "Look at the log: are the sentences longer than a batch (training.max_tokens) allows?",
        )
    return {
        "updates": updates,
        "training_seconds": round(earlier + watch.seconds, 1),
        "valid": {name: value for name, value in watch.valid.items() if math.isfinite(value)},
    }


def mend_checkpoints(save: Path) -> list[str]:
    """Put the newest whole checkpoint in the place of a damaged last one; return what was done.

    A checkpoint that was being copied when its process was killed is not whole: its archive's sums do not
    fit. With no whole one at all the training begins anew.
    """
    said: list[str] = []
    for draft in [*save.glob("*.tmp"), *save.glob("*.draft")]:
        draft.unlink()
    whole = [path for path in sorted(save.glob("checkpoint*.pt")) if _keep_whole(path, said)]
    if (save / LAST) in whole or not whole:
        return said
    newest = max((path for path in whole if path.name != BEST), key=update_of, default=None) or whole[0]
    with atomic_file(save / LAST) as draft:
        shutil.copyfile(newest, draft)
    said.append(f"Going on from {newest.name}, the newest checkpoint that is whole.")
    return said


def _keep_whole(path: Path, said: list[str]) -> bool:
    if checkpoint_is_whole(path):
        return True
    path.replace(path.with_name(f"{path.name}.damaged"))
    said.append(f"{path.name} is damaged and was put aside.")
    return False


def checkpoint_is_whole(path: Path) -> bool:
    """Tell whether a checkpoint is a whole archive, every member with its sum."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None and bool(archive.namelist())
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, NotImplementedError):
        return False


def update_of(path: Path) -> int:
    """Return the update in the name of a numbered checkpoint; 0 for others."""
    found = _NUMBERED.fullmatch(path.name)
    return int(found[2] or found[1]) if found else 0


def choose_checkpoints(save: Path, average: int) -> list[Path]:
    """Return the checkpoints of the final model: the newest `average`, or the best one.

    Raises:
        EngineError: one of them is missing.
    """
    numbered = sorted((path for path in save.glob("checkpoint*.pt") if update_of(path)), key=update_of)
    chosen = numbered[-average:] if average > 1 else [save / BEST]
    if average > 1 and len(chosen) < average:
        raise EngineError(
            f"{average} checkpoints are to be averaged (decoding.average), {len(chosen)} were kept.",
            "Keep more (training.keep_checkpoints), write more (training.validate_every), or average fewer.",
        )
    if not all(path.is_file() for path in chosen):
        raise EngineError(f"{chosen[0]} is missing.", "Train again.")
    return chosen


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found
