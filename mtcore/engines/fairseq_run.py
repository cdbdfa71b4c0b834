"""Run a step in the training environment for a run, and say in words what went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtcore.engines.base import Work
from mtcore.engines.child import ChildFailed
from mtcore.engines.errors import EngineError
from mtcore.engines.exits import recognised
from mtcore.engines.fairseq_commands import BF16, FP16, FP32, Place
from mtcore.engines.fairseq_environment import REMEDY, environment
from mtcore.engines.recipe import Training
from mtcore.engines.rundir import atomic_file
from mtcore.engines.setup import Setup


def run_step(
    setup: Setup,
    work: Work,
    command: Sequence[str],
    what: str,
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Run a command of the training environment to its end.

    Args:
        setup: where the environment is.
        work: the run.
        command: what to run.
        what: what it does, for messages ("The training").
        on_line: gets each line it says.

    Raises:
        EngineError: the interpreter is missing, or the command failed; the message says what and what to do.
    """
    require_interpreter(setup)
    variables = {"CUDA_VISIBLE_DEVICES": ",".join(device_numbers(work.device))} if work.device else None
    try:
        work.command(command, on_line=on_line, variables=variables)
    except ChildFailed as error:
        require_interpreter(setup, error)
        if error.exit_code in (126, 127):
            raise EngineError(f"{setup.mt_python} cannot be started. {error.message}", REMEDY) from error
        remedy = REMEDY if "Python package is missing" in error.message else error.remedy
        raise EngineError(f"{what} failed. {error.message}", remedy) from error


def run_job(
    setup: Setup,
    work: Work,
    script: str,
    job: Mapping[str, Any],
    place: Path,
    what: str,
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Run one of our scripts on a job that is written to `place` first."""
    with atomic_file(place) as draft:
        draft.write_text(json.dumps(job, ensure_ascii=False), "utf-8")
    run_step(setup, work, [*setup.script(script), str(place)], what, on_line)


def require_interpreter(setup: Setup, cause: Exception | None = None) -> None:
    """Refuse to go on when the training environment's interpreter is not there (any more).

    Raises:
        EngineError: with what to do.
    """
    if not setup.has_mt:
        message = f"The training environment's interpreter {setup.mt_python} (FAIRSEQ_PYTHON) is missing."
        raise EngineError(message, REMEDY) from cause


def device_numbers(device: str) -> list[str]:
    """Return the numbers in "cuda:0,cuda:1" or "0,1"."""
    return [name.strip().removeprefix("cuda:") for name in device.split(",") if name.strip()]


def training_place(setup: Setup, training: Training, work: Work, host: str) -> Place:
    """Return where a training runs here: the recipe's accelerators, or the CPU.

    Raises:
        EngineError: the recipe asks for more accelerators than there are.
    """
    if not training.devices:
        return Place(machines=training.machines, host=host)
    named = device_numbers(work.device)
    found = environment(setup, devices=True)
    if found.problem:
        raise EngineError(found.problem, REMEDY)
    there = min(len(found.devices), len(named)) if named else len(found.devices)
    if there < training.devices:
        raise EngineError(
            f"The recipe asks for {training.devices} accelerators; {there or 'none'} can be used here.",
            "Set training.devices (0: the CPU), with more training.update_frequency for equal steps, "
            "or let a worker on another machine run it.",
        )
    precision = training.precision
    if precision == "auto":
        precision = BF16 if all(card["bf16"] for card in found.devices) else FP16
    return Place(training.devices, training.machines, host, precision)


def precision_of(training: Training) -> str:
    """Return the precision as far as the recipe alone says it: "auto" is 16 bits on devices."""
    if not training.devices:
        return FP32
    return FP16 if training.precision == "auto" else training.precision


def out_of_memory(lines: Sequence[str]) -> tuple[str, str] | None:
    """Return the words for memory that ran out, when the lines say so."""
    found = recognised(lines)
    return found if found and "memory" in found[0] else None
