"""What a whole training would take, worked out from a sample that was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mtcore.engines.recipe import BT, Recipe

SAMPLE = 20_000
"""The first so many lines stand for all."""


def estimate(
    recipe: Recipe, measured: Mapping[str, Any], *, lines: int, mono_lines: int, workers: int = 1
) -> dict[str, Any]:
    """Work out a whole training from what was measured.

    Args:
        recipe: how the system would be made.
        measured: as `run_preflight` has it: `sample_lines`, `sample_bytes`, `prepare_seconds`,
            `seconds_an_update`, `start_seconds`, `updates`, `checkpoint_bytes`, `prepared_bytes`,
            `decode_lines_per_second`, `memory_bytes`, `gpu_memory_bytes`.
        lines: parallel lines (of a language model, lines).
        mono_lines: lines to be translated back.
        workers: how many translate back at a time, each as fast as the one that was measured; more than there
            are shards are of no use.

    Returns:
        Seconds by step and in sum, disk and memory in bytes, hours of accelerators (of all that train, and of
        one for each worker that translates back), and what was assumed.
    """
    training, models = recipe.training, max(1, recipe.decoding.seeds)
    sample = max(1, measured["sample_lines"])
    mixed = lines * recipe.back_translation.upsample + mono_lines if recipe.kind == BT else lines
    prepare = measured["prepare_seconds"] / sample
    updates, assumed = _updates(recipe, measured, mixed)
    one = measured["start_seconds"] + updates * measured["seconds_an_update"]
    steps = {"prepare": prepare * mixed * models, "train": one * models}
    shards = -(-mono_lines // max(1, recipe.back_translation.shard_lines)) if mono_lines else 0
    at_a_time = max(1, min(workers, shards))
    back = mono_lines / max(measured["decode_lines_per_second"], 1e-9) / at_a_time
    if recipe.kind == BT:
        steps = {
            "reverse model": prepare * lines + one,
            "back-translation": back,
            **steps,
        }
    kept = training.keep_checkpoints + 3  # the newest, the best, the last, and the finished model
    texts = measured["sample_bytes"] / sample
    prepared_lines = mixed * models + (lines if recipe.kind == BT else 0)
    disk = {
        "checkpoints": measured["checkpoint_bytes"] * kept * (models + (recipe.kind == BT)),
        "prepared": measured["prepared_bytes"] / sample * prepared_lines,
        "texts": texts * (2 * lines + 2 * mixed),
    }
    total = sum(steps.values())
    devices = training.devices * training.machines
    decoding = back * min(1, devices) * at_a_time if recipe.kind == BT else 0.0
    learning = sum(steps[name] for name in ("reverse model", "train") if name in steps) * devices
    return {
        "updates": updates,
        "seconds": {name: round(value, 1) for name, value in steps.items()},
        "total_seconds": round(total, 1),
        "disk_bytes": {name: round(value) for name, value in disk.items()},
        "total_disk_bytes": round(sum(disk.values())),
        "memory_bytes": measured["memory_bytes"],
        "gpu_memory_bytes": measured["gpu_memory_bytes"],
        "gpu_hours": round((learning + decoding) / 3600, 2),
        "shards": shards,
        "workers": at_a_time if recipe.kind == BT else 0,
        "assumed": assumed,
    }


def trial_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe as it is trained on trial: one model, validated at the end only."""
    training = replace(recipe.training, validate_every=10_000_000, patience=0, keep_checkpoints=1)
    if not training.max_updates:
        training = replace(training, max_updates=10_000_000)
    return replace(recipe, training=training, decoding=replace(recipe.decoding, average=1, seeds=1))


def _updates(recipe: Recipe, measured: Mapping[str, Any], lines: int) -> tuple[int, list[str]]:
    """Return how many updates there will be at most, and what that rests on."""
    training = recipe.training
    assumed = [
        "the first lines stand for all, and subwords learned from them for those of the whole text",
        "a model that has learned little translates at great length: decoding gets faster",
    ]
    an_epoch = max(1.0, lines * measured["updates_an_epoch"] / max(1, measured["sample_lines"]))
    limits = [training.max_updates] if training.max_updates else []
    limits += [round(training.max_epochs * an_epoch)] if training.max_epochs else []
    if training.patience:
        assumed.append("training does not end early (training.patience)")
    if not limits:
        limits = [round(10 * an_epoch)]
        assumed.append("ten times through the text, for the recipe sets no other limit than patience")
    return min(limits), assumed
