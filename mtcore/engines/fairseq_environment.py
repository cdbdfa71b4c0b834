"""The training environment as it is: its interpreter, its packages, its accelerators."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcore.engines.errors import EngineError
from mtcore.engines.setup import Setup

TIMEOUT_SECONDS = 40.0
IMPORT_TIMEOUT_SECONDS = 120.0
REMEDY = "Build it with `make mt`, or set FAIRSEQ_PYTHON to an interpreter that has fairseq."
_KNOWN: dict[Path, Environment] = {}


@dataclass(frozen=True)
class Environment:
    """What an interpreter has.

    Attributes:
        python: its version, empty when it cannot be used.
        packages: name → version of those that matter.
        devices: accelerators: {"name", "memory" (bytes), "bf16"}; empty unless they were asked for.
        problem: why it cannot be used, empty when it can.
    """

    python: str = ""
    packages: Mapping[str, str] | None = None
    devices: Sequence[Mapping[str, Any]] = ()
    cuda: str = ""
    problem: str = ""

    def version(self, package: str) -> str:
        """Return the version of a package, empty when it is not there."""
        return (self.packages or {}).get(package, "")


def environment(
    setup: Setup, *, devices: bool = False, imports: bool = False, timeout: float = 0.0
) -> Environment:
    """Look at the training environment; never raises.

    An answer without problems is kept for as long as this process lives and the interpreter is there.

    Args:
        setup: where the interpreter is.
        devices: also ask torch for accelerators, which takes seconds.
        imports: also import fairseq.
        timeout: seconds after which the interpreter counts as hanging; 0 for the usual.
    """
    place = setup.mt_python
    if not setup.has_mt:
        what = "is a folder, not an interpreter" if place.is_dir() else "is not there"
        return Environment(problem=f"The training environment's interpreter {place} {what}.")
    options = [name for name, wanted in {"--devices": devices, "--import": imports}.items() if wanted]
    if place in _KNOWN and not options:
        return _KNOWN[place]
    seconds = timeout or (IMPORT_TIMEOUT_SECONDS if options else TIMEOUT_SECONDS)
    found = _ask(setup, options, seconds)
    if not found.problem and not options:
        _KNOWN[place] = found
    return found


def require_environment(setup: Setup, *packages: str) -> Environment:
    """Return the training environment.

    Raises:
        EngineError: it is missing or broken, or has not one of the packages.
    """
    found = environment(setup)
    if found.problem:
        raise EngineError(found.problem, REMEDY)
    absent = [name for name in packages if not found.version(name)]
    if absent:
        raise EngineError(f"{setup.mt_python} has no {', '.join(absent)}.", REMEDY)
    return found


def _ask(setup: Setup, options: Sequence[str], seconds: float) -> Environment:
    place = setup.mt_python
    command = [*setup.script("look.py"), *options]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return Environment(problem=f"{place} did not answer within {seconds:.0f} seconds.")
    except OSError as error:
        return Environment(problem=f"{place} cannot be started: {error.strerror or error}.")
    try:
        said = json.loads(done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2])
        return Environment(
            python=said["python"],
            packages=said["packages"],
            devices=said["devices"],
            cuda=said.get("cuda", ""),
            problem=said["problem"],
        )
    except (ValueError, KeyError, TypeError):
        words = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        detail = f": {words}" if words else ""
        return Environment(problem=f"{place} is no usable Python (exit code {done.returncode}){detail}.")
