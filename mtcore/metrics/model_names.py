"""What is written after `--model METRIC=`: a path or a name, and options of the model after commas."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcore.metrics.base import MetricError

CONFIG = "config.json"
WEIGHTS = ("*.safetensors", "*.bin")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class ModelName:
    """A model: its path or name, and options ("layers" → "6")."""

    path: str
    options: Mapping[str, str]

    def number(self, option: str, default: int, metric: str) -> int:
        """Return a whole number from 1 on.

        Raises:
            MetricError: it is something else.
        """
        text = self.options.get(option, str(default))
        if not text.isdecimal() or int(text) < 1:
            raise MetricError(f"{metric}: {option} is “{text}”, expected a whole number from 1 on")
        return int(text)


def model_name(text: str, known: Sequence[str], metric: str) -> ModelName:
    """Split "PATH,layers=6,device=cpu"; a path may hold commas itself.

    Raises:
        MetricError: an option that the metric does not have.
    """
    path, options = text, {}
    while not Path(path).exists() and "," in path:
        path, _, last = path.rpartition(",")
        name, equals, value = last.partition("=")
        if not equals or name not in known:
            raise MetricError(
                f"{metric}: “{last}” is no option of its model; there are "
                f"{', '.join(f'{name}=…' for name in known)}"
            )
        options[name] = value
    return ModelName(path, options)


def model_config(folder: str, metric: str) -> dict[str, Any]:
    """Read what a folder with a transformers model says of itself.

    Raises:
        MetricError: it is no such folder.
    """
    place = Path(folder)
    if not place.is_dir():
        raise MetricError(f"{metric}: {place} is {'a file' if place.exists() else 'not there'}, expected the "
                          "folder of a model as transformers saves it")  # fmt: skip
    try:
        config: dict[str, Any] = json.loads((place / CONFIG).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise MetricError(f"{metric}: {place} holds no model: it has no readable {CONFIG}") from error
    if not isinstance(config, dict) or not any(True for pattern in WEIGHTS for _ in place.glob(pattern)):
        raise MetricError(f"{metric}: {place} holds no model: it has no weights ({', '.join(WEIGHTS)})")
    return config


def model_sha256(place: str) -> str:
    """Return one digest of a model: a file, or all files that lie directly in a folder."""
    path = Path(place)
    files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    return _digest(tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files))


@functools.lru_cache(maxsize=8)
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256()
    for name, _, size in files:
        whole.update(f"{Path(name).name}\0{size}\0".encode("utf-8", "surrogatepass"))
        with Path(name).open("rb") as file:
            while data := file.read(_CHUNK):
                whole.update(data)
    return whole.hexdigest()


def plain(text: str) -> str:
    """Return a name as it may stand in a signature."""
    return "".join(mark if mark.isprintable() and mark != "|" else "_" for mark in text)[:80]
