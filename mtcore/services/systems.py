"""Systems that were trained here: find one, its models, and the card that says how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted
from mtcore.corpora.names import MAX_LENGTH, visible
from mtcore.engines.bundle import Bundle, bundle_open
from mtcore.engines.recipe import Recipe, RecipeError
from mtcore.engines.recipe_files import recipe_read
from mtcore.models import Run, System
from mtcore.services.run_context import run_directory

TRAIN_MODEL, TRAIN_LM = "train_model", "train_lm"


@dataclass(frozen=True)
class Trained:
    """The models of a system, one a seed, and what they were trained with."""

    name: str
    source_language: str
    target_language: str
    recipe: Recipe
    runs: Sequence[Run]

    def bundles(self) -> list[Bundle]:
        """Open the models after holding every file against its checksum.

        Raises:
            BundleError: a file is missing or is not the one it was trained with.
        """
        return [bundle_open(run_directory(run.pk).result) for run in self.runs]


def system_find(name: str) -> System:
    """Find a system by name.

    Raises:
        NotFound: there is none.
    """
    found = System.objects.filter(name=name).first()
    if found is None:
        known = quoted(System.objects.values_list("name", flat=True)) or "none so far"
        raise NotFound(f"There is no system “{visible(name[:MAX_LENGTH])}”.", f"The systems are {known}.")
    return found


def system_runs(name: str) -> list[Run]:
    """Return the runs that train the models of a system, whatever their state, in the order of seeds."""
    return list(Run.objects.filter(kind=TRAIN_MODEL, options__system=name).order_by("pk"))


def system_trained(name: str) -> Trained:
    """Find a system whose models were trained here, all of them to their end.

    Raises:
        NotFound: there is no such system.
        Conflict: its training has not ended well (yet).
        BadInput: it was made elsewhere, so there is nothing to translate with.
    """
    runs = system_runs(name)
    if not runs:
        system_find(name)
        raise BadInput(
            f"“{name}” was not trained here: there is no model to translate with.",
            "Import its outputs with manage.py import_output.",
        )
    waiting = [run for run in runs if run.state != Run.State.SUCCEEDED]
    if waiting:
        states = ", ".join(f"run {run.pk} is {run.get_state_display()}" for run in waiting)
        raise Conflict(f"“{name}” is not trained to its end: {states}.", "Wait for it, or resume it.")
    options = _options(runs[0])
    return Trained(name, options["source"], options["target"], _recipe(runs[0]), runs)


def system_bundles(system: str) -> list[Bundle]:
    """Return the models of a system, one a seed, every file held against its checksum."""
    return system_trained(system).bundles()


def system_card(system: str) -> dict[str, Any]:
    """Say how a system came about: recipe, corpora, models with checksums, versions, seeds.

    Returns:
        `system`, `kind`, `trained` (False for one made elsewhere; then nothing follows), `languages`,
        `recipe` (all figures), `corpora` (name, sha256, lines of what was trained on), `models` (one a seed:
        run, state, seed, checkpoint's sha256, engine, versions, updates, seconds of training).
    """
    found = System.objects.filter(name=system).first()
    runs = system_runs(system)
    if found is None and not runs:
        system_find(system)
    card: dict[str, Any] = {
        "system": system,
        "kind": found.kind if found else _options(runs[0])["kind"],
        "trained": bool(runs),
    }
    if runs:
        options = _options(runs[0])
        done: dict[str, Any] = next((run.result for run in runs if run.result), {})
        card |= {
            "languages": [options["source"], options["target"]],
            "recipe": asdict(_recipe(runs[0])),
            "corpora": done.get("corpora", []),
            "models": [_model(run) for run in runs],
        }
    return card


def lm_find(name: str) -> Run:
    """Find a language model that was trained here, by name or by the number of its run.

    Raises:
        NotFound: there is none.
        Conflict: its training has not ended well (yet).
    """
    runs = Run.objects.filter(kind=TRAIN_LM)
    found = runs.filter(name=name).order_by("pk").first()
    if found is None and name.isdecimal():
        found = runs.filter(pk=int(name)).first()
    if found is None:
        known = quoted(runs.order_by("pk").values_list("name", flat=True)) or "none so far"
        raise NotFound(f"There is no language model “{name}”.", f"The language models are {known}.")
    if found.state != Run.State.SUCCEEDED:
        raise Conflict(
            f"The language model “{name}” is not trained to its end: run {found.pk} is "
            f"{found.get_state_display()}.",
            "Wait for it, or resume it.",
        )
    return found


def provenance(trained: Trained, engine: str, decoding: Mapping[str, Any]) -> dict[str, Any]:
    """Say what made a translation: for outputs and for translated corpora."""
    results = [run.result or {} for run in trained.runs]
    return {
        "system": trained.name,
        "recipe": trained.recipe.name,
        "corpora": results[0].get("corpora", []),
        "checkpoints": [result.get("checkpoint_sha256", "") for result in results],
        "training_runs": [run.pk for run in trained.runs],
        "training_engine": results[0].get("engine", ""),
        "versions": results[0].get("versions", {}),
        "seeds": [run.options["seed"] for run in trained.runs],
        "engine": engine,
        "decoding": dict(decoding),
        "beam": decoding.get("beam"),
        "seed": decoding.get("seed"),
    }


def _options(run: Run) -> dict[str, Any]:
    """Return what a training was launched with.

    Raises:
        Conflict: something is missing; it was launched by other means than those of this version.
    """
    lacking = [name for name in ("kind", "source", "target", "recipe", "seed") if name not in run.options]
    if lacking:
        raise Conflict(
            f"Run {run.pk} is no whole training: it was launched without {', '.join(lacking)}.",
            "Train the system under another name.",
        )
    options: dict[str, Any] = run.options
    return options


def _recipe(run: Run) -> Recipe:
    try:
        return recipe_read(str(_options(run)["recipe"]))
    except RecipeError as error:
        raise Conflict(f"The recipe of run {run.pk} cannot be used: {error.message}", error.remedy) from error


def _model(run: Run) -> dict[str, Any]:
    result = run.result or {}
    return {
        "run": run.pk,
        "state": run.state,
        "seed": _options(run)["seed"],
        "checkpoint_sha256": result.get("checkpoint_sha256", ""),
        "engine": result.get("engine", ""),
        "versions": result.get("versions", {}),
        "updates": result.get("updates"),
        "training_seconds": result.get("training_seconds"),
        "subwords": result.get("subwords"),
    }
