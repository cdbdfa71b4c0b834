"""Preflight: a minute of real training and decoding, and what a whole training would take by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from evalplatform.errors import BadInput
from mtcore.engines.recipe import BT, LM, Recipe
from mtcore.engines.recipe_files import recipe_write
from mtcore.models import Run
from mtcore.services.corpora import corpus_find, corpus_languages
from mtcore.services.runs import run_launch
from mtcore.services.training_door import corpora_checked, engine_checked, monolingual_checked

PREFLIGHT = "preflight"
SECONDS = 60


@dataclass(frozen=True)
class Planned:
    """For how much text an estimate is made, where that is not what the corpora have.

    Attributes:
        lines, mono_lines: lines of parallel text and to be translated back; 0 for those of the corpora.
        workers: how many will translate back at a time.
    """

    lines: int = 0
    mono_lines: int = 0
    workers: int = 1


AS_THERE = Planned()


def preflight_launch(
    *,
    recipe: Recipe,
    corpora: Sequence[str],
    monolingual: Sequence[str] = (),
    languages: str = "",
    engine: str = "",
    seconds: int = SECONDS,
    planned: Planned = AS_THERE,
    requested_by: User | None = None,
) -> Run:
    """Launch a preflight on the queue that the training would take; its result is an `Estimate` as a dict.

    Args:
        recipe: how the system would be made.
        corpora: what it would learn from.
        monolingual: what would be translated back (BT).
        languages, engine: as `system_train`.
        seconds: about how long to train for.
        planned: other numbers than there are.
        requested_by: who asks.

    Raises:
        BadInput, NotFound: something does not fit; nothing was launched.
    """
    if planned.workers < 1 or planned.lines < 0 or planned.mono_lines < 0:
        raise BadInput(
            "Nothing can be planned with fewer than no lines or no workers.", "Give numbers from 1."
        )
    if seconds < 1:
        raise BadInput(f"{seconds} seconds tell nothing.", "Give 30 or more.")
    lines = mono_lines = 0
    if recipe.kind == LM:
        found = [corpus_find(name) for name in corpora]
        if not found:
            raise BadInput("A language model learns from corpora.", "Name at least one.")
        sides = [languages or corpus_languages(found[0])[0]]
        if any(sides[0] not in corpus_languages(one) for one in found):
            raise BadInput(f"Not all corpora have text in {sides[0]}.", "Give corpora of one language.")
    else:
        found, pair = corpora_checked(corpora, languages)
        sides = list(pair)
        mono = monolingual_checked(monolingual, pair[1], forbidden=found)
        mono_lines = sum(one.n_lines for one in mono)
        if recipe.kind == BT and not mono:
            raise BadInput("Nothing was given to translate back.", "Name monolingual corpora with --mono.")
    engine_checked(engine, recipe)
    lines = sum(one.n_lines for one in found)
    return run_launch(
        kind=PREFLIGHT,
        name=recipe.name,
        options={
            "recipe": recipe_write(recipe), "corpora": [one.name for one in found], "sides": sides,
            "lines": planned.lines or lines,
            "mono_lines": planned.mono_lines or mono_lines if recipe.kind == BT else 0,
            "workers": planned.workers, "engine": engine, "seconds": seconds,
        },
        queue="gpu" if recipe.training.devices else "default",
        requested_by=requested_by,
    )  # fmt: skip
