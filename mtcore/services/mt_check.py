"""What can train and decode here: the training environment, accelerators, Java, and each engine."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput
from mtcore.engines.fairseq_environment import REMEDY, Environment, environment
from mtcore.engines.registry import ENGINES, engine_make
from mtcore.engines.setup import Setup
from mtcore.metrics.java import INSTALL_JAVA, find_java

INTERPRETER, GPU, TORCHRUN, JAVA = "interpreter", "gpu", "torchrun", "java"


@dataclass(frozen=True)
class Part:
    """Something that is usable or not: its name, what it is here, and what to install when it is not."""

    name: str
    is_usable: bool
    what: str
    remedy: str = ""


@dataclass(frozen=True)
class MtCheck:
    """All of them, and the versions of the packages in the training environment."""

    interpreter: Path
    python: str
    packages: dict[str, str]
    devices: list[dict[str, Any]]
    parts: list[Part]

    def missing(self, required: Sequence[str]) -> list[Part]:
        """Return those of the parts asked for that cannot be used.

        Raises:
            BadInput: there is no such part.
        """
        known = {part.name: part for part in self.parts}
        unknown = [name for name in required if name not in known]
        if unknown:
            raise BadInput(f"There is nothing named “{unknown[0]}” to check.", f"Name {', '.join(known)}.")
        return [known[name] for name in required if not known[name].is_usable]


def mt_check(*, setup: Setup) -> MtCheck:
    """Look at everything; takes some seconds, because torch and fairseq are really imported."""
    found = environment(setup, devices=True, imports=True)
    parts = [
        Part(
            INTERPRETER, not found.problem, found.problem or f"Python {found.python}", _remedy(found.problem)
        ),
        _gpus(found),
        _torchrun(setup, found),
        Part(JAVA, find_java() is not None, find_java() or "not found", "" if find_java() else INSTALL_JAVA),
    ]
    for name in ENGINES:
        engine = engine_make(name, setup)
        usable = engine.is_available() and not (found.problem and engine.install_hint == REMEDY)
        what = engine.signature() if usable else found.problem or "not installed"
        parts.append(Part(name, usable, what, "" if usable else engine.install_hint))
    packages = dict(found.packages or {})
    return MtCheck(setup.mt_python, found.python, packages, [dict(one) for one in found.devices], parts)


def _remedy(problem: str) -> str:
    return REMEDY if problem else ""


def _gpus(found: Environment) -> Part:
    if found.devices:
        names = [
            f"{one['name']} ({one['memory'] / 1024**3:.0f} GiB, {'bf16' if one['bf16'] else 'fp16'})"
            for one in found.devices
        ]
        return Part(GPU, True, "; ".join(names))
    if found.problem:
        return Part(GPU, False, "not asked: the training environment cannot be used", REMEDY)
    built = f"torch was built for CUDA {found.cuda}" if found.cuda else "torch was built for the CPU"
    remedy = f"Training and decoding run on the CPU ({cpu_count() or 1} processors). "
    fix = "Install the driver." if found.cuda else "On a machine with a GPU: rm -r .venv-mt, then make mt."
    return Part(GPU, False, f"none ({built})", remedy + fix)


def _torchrun(setup: Setup, found: Environment) -> Part:
    place = shutil.which(str(setup.mt_python.with_name("torchrun")))
    usable = bool(place) and bool(found.version("torch"))
    return Part(TORCHRUN, usable, place or "not found", "" if usable else REMEDY)
