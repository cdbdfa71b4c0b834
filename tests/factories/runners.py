"""Interpreters for tests of metrics that run in environments of their own."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from mtcore.metrics.base import MetricUnavailable
from mtcore.metrics.mt_runner import look_into
from tests.paths import ROOT

MT_PYTHON = ROOT / ".venv-mt" / "bin" / "python"
MT_SIDE = ROOT / "mtcore" / "engines" / "mt_side"


def script(name: str, python: Path | str = MT_PYTHON) -> tuple[str, str]:
    """Return the beginning of a command that runs a script of the training environment."""
    return str(python), str(MT_SIDE / name)


@cache
def missing(*packages: str) -> str:
    """Say why the training environment cannot be used with these packages; empty when it can."""
    try:
        found = look_into(script("bertscore_runner.py"), "run `make mt`")
    except MetricUnavailable as error:
        return str(error)
    absent = [name for name in packages if not found["versions"].get(name)]
    return f"{', '.join(absent)} absent from the training environment: run `make mt`" if absent else ""


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip where a package is absent from the training environment."""
    return pytest.mark.skipif(bool(missing(*packages)), reason=missing(*packages) or "-")


def in_training(code: str, *arguments: object) -> str:
    """Run code in the training environment and return what it printed."""
    done = subprocess.run(
        [str(MT_PYTHON), "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def write_python(path: Path, *, packages: Path | None = None, body: str = "") -> Path:
    """Write what can be run as an interpreter: this one with more packages, or a few lines of shell."""
    head = f"export PYTHONPATH={packages}\nexec {sys.executable} " + '"$@"' if packages else body
    path.write_text(f"#!/bin/sh\n{head}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
