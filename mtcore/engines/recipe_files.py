"""Read recipes from TOML and change single figures; whatever is not known is refused with what is near.

extends = "edunov-bt"
name = "my-bt"

[training]
max_updates = 60000

[back_translation.decoding]
top_k = 10
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any, TypeVar

from mtcore.corpora.errors import CorpusError
from mtcore.engines.ranges import brief, shown
from mtcore.engines.recipe import Recipe, RecipeError
from mtcore.engines.recipes import RECIPES

T = TypeVar("T")
_LONGEST_NAME = 100
_EXAMPLES = "See the examples in docs/admin.md."
_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def recipe_find(name: str) -> Recipe:
    """Find a recipe by name.

    Raises:
        RecipeError: there is none; the message has the nearest.
    """
    if name not in RECIPES:
        raise RecipeError(f"There is no recipe “{brief(name)}”.", _near(name, RECIPES))
    return RECIPES[name]


def recipe_read(text: str) -> Recipe:
    """Read a recipe from TOML: `extends` names the one whose figures hold where nothing else is said.

    Raises:
        RecipeError: it is no TOML, or has unknown keys or impossible values.
    """
    try:
        given = tomllib.loads(text)
    except RecursionError as error:
        raise RecipeError("The recipe is nested too deeply.", _EXAMPLES) from error
    except ValueError as error:  # no TOML, or a number of more digits than Python reads
        raise RecipeError(f"The recipe is no TOML: {brief(str(error), 200)}.", _EXAMPLES) from error
    base = given.pop("extends", None)
    if not isinstance(base, str):
        raise RecipeError("The recipe does not say what it extends.", 'Write extends = "tiny-op", say.')
    return recipe_change(recipe_find(base), given)


def recipe_change(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """Return the recipe with some of its figures changed.

    Args:
        recipe: what to start from.
        changes: nested tables, as TOML gives them.

    Raises:
        RecipeError: an unknown key, a value of another type, or one that makes no sense.
    """
    try:
        return _changed(recipe, changes, "")
    except CorpusError as error:
        raise RecipeError(f"filters: {error}.", error.remedy) from error


def recipe_set(recipe: Recipe, settings: Mapping[str, str]) -> Recipe:
    """Change single figures by their dotted names, as a command line gives them: `training.seed=3`.

    Raises:
        RecipeError: as `recipe_change`.
    """
    changes: dict[str, Any] = {}
    for key, text in settings.items():
        *tables, name = key.split(".")
        place = changes
        for table in tables:
            place = place.setdefault(table, {})
            if not isinstance(place, dict):
                raise RecipeError(f"{brief(key)} is inside a value.", "Give each figure its own name.")
        if name in place:
            raise RecipeError(f"{brief(key)} is given twice.", "Give each figure once.")
        place[name] = _value(text)
    return recipe_change(recipe, changes)


def recipe_write(recipe: Recipe) -> str:
    """Write a recipe with all its figures as TOML, which `recipe_read` reads again as the same recipe."""
    lines = [f'extends = "{_base(recipe)}"']
    _write_table(asdict(recipe), "", lines)
    return "\n".join(lines) + "\n"


def _changed(values: T, changes: Mapping[str, Any], path: str) -> T:
    known = {one.name: getattr(values, one.name) for one in fields(values)}  # type: ignore[arg-type]
    new: dict[str, Any] = {}
    for key, value in changes.items():
        full = f"{path}{key}"
        if key not in known:
            raise RecipeError(f"There is no “{brief(full)}” in a recipe.", _near(key, known, path))
        if is_dataclass(known[key]):
            if not isinstance(value, Mapping):
                raise RecipeError(f"“{full}” is a table of figures, not {shown(value)}.", f"Write [{full}].")
            new[key] = _changed(known[key], value, f"{full}.")
        else:
            new[key] = _typed(value, known[key], full)
    return replace(values, **new)  # type: ignore[type-var]


def _typed(value: Any, old: Any, name: str) -> Any:
    """Return the value in the type of the old one."""
    if isinstance(old, tuple) and isinstance(value, list | tuple):
        wanted = (int, float)
        if all(isinstance(one, wanted) and not isinstance(one, bool) for one in value):
            return tuple(value)
    elif isinstance(old, float) and isinstance(value, int | float) and not isinstance(value, bool):
        return _float(value)
    elif type(value) is type(old):
        return value
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "numbers"}
    raise RecipeError(f"“{name}” is {shown(value)}.", f"Write {kinds[type(old)]}, as {_shown(old)}.")


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _value(text: str) -> Any:
    """Read a value from a command line: a number, true or false, a list, or else a text."""
    try:
        found = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return found["value"] if len(found) == 1 else text


def _near(name: str, known: Mapping[str, Any], path: str = "") -> str:
    close = difflib.get_close_matches(name[:_LONGEST_NAME], known, n=1, cutoff=0.5)
    listed = ", ".join(f"{path}{one}" for one in known)
    return f"Did you mean “{path}{close[0]}”?" if close else f"There are {listed}."


def _base(recipe: Recipe) -> str:
    return recipe.name if recipe.name in RECIPES else next(iter(RECIPES))


def _write_table(values: Mapping[str, Any], path: str, lines: list[str]) -> None:
    plain = {key: value for key, value in values.items() if not isinstance(value, dict)}
    if path and plain:
        lines += ["", f"[{path}]"]
    lines += [f"{key} = {_shown(value)}" for key, value in plain.items()]
    for key, value in values.items():
        if isinstance(value, dict):
            _write_table(value, f"{path}.{key}" if path else key, lines)


def _shown(value: Any) -> str:
    """Write a value as TOML does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, str):
        return f'"{"".join(map(_escaped, value))}"'
    return repr(value)


def _escaped(char: str) -> str:
    """Write a character as it stands inside a TOML string."""
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\u{ord(char):04X}" if ord(char) < 0x20 or ord(char) == 0x7F else char
