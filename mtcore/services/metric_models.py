"""Models of metrics as people name them: a path, a name, or a run that trained one; options after commas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from evalplatform.errors import BadInput
from mtcore.metrics.bertscore import PACKAGED

RUN = "run:"
"""Before the name or number of a run that trained a language model."""
_OPTION = re.compile(r",\w+=[^,]*$")


def model_absolute(text: str) -> str:
    """Return a model with its whole path, so that a worker elsewhere finds it."""
    if not text or text.startswith(RUN) or text.partition(",")[0] == PACKAGED:
        return text
    return str(Path(text).absolute())


def models_check(models: Mapping[str, str]) -> None:
    """Refuse a model whose path leads nowhere.

    Raises:
        BadInput: with the metric and the path.
    """
    for name, text in models.items():
        path = text
        if text.startswith(RUN) or text.partition(",")[0] == PACKAGED:
            continue
        while not Path(path).exists() and (option := _OPTION.search(path)):
            path = path[: option.start()]
        if not text or not Path(path).exists():
            raise BadInput(
                f"The model of {name} is not there: {path or 'no path is given'}.",
                "Give the path of what exists.",
            )
