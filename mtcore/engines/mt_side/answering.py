"""What the runners of models share: JSON lines in, JSON lines out, versions, an error in one sentence."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterable
from os import dup, dup2, fdopen
from typing import Any


def answer_lines(load: Callable[[], Any], score: Callable[[Any, Any], Any], small_batch: int) -> int:
    """Answer each line of stdin with its scores; the model is loaded at the first, and kept.

    Args:
        load: makes the model.
        score: takes the model and what a line holds.
        small_batch: what to advise when memory runs out.
    """
    # What libraries print must not get between the answers.
    out = fdopen(dup(1), "w", encoding="ascii")
    dup2(2, 1)
    model: Any = None
    for line in sys.stdin:
        try:
            model = model or load()
            answer = json.dumps({"scores": score(model, json.loads(line))}, allow_nan=False)
        except Exception as error:
            answer = json.dumps({"error": words(error, small_batch)})
        out.write(answer + "\n")
        out.flush()
    return 0


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of each package; "" for one that is not installed."""
    found = {}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


def words(error: Exception, small_batch: int) -> str:
    """Say in one sentence what went wrong, with a remedy where there is one."""
    text = str(error).strip().split("\n")[0][:300]
    if isinstance(error, ModuleNotFoundError):
        return f"the package {error.name} is missing in {sys.executable}"
    if "out of memory" in text:
        return f"the accelerator ran out of memory: give a smaller batch (,batch={small_batch}) or device=cpu"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
