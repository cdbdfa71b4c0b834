"""The exact commands of a training, shown before it is launched."""

from __future__ import annotations

from mtcore.engines.recipe import LM, Recipe
from mtcore.engines.registry import engine_make, engines_for
from mtcore.services.engine_setup import engine_setup


def train_commands(recipe: Recipe, source: str, target: str, engine: str = "") -> list[str]:
    """Return the commands that training will start, for engines that start any."""
    kind = "lm" if recipe.kind == LM else recipe.model.architecture
    able = engines_for("trains", kind, engine_setup())
    chosen = engine_make(engine, engine_setup()) if engine else able[0] if able else None
    shown = getattr(chosen, "shown_commands", None)
    return list(shown(recipe, source, target)) if shown else []
