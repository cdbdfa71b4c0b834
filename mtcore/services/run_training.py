"""Runners that train: a model of a system, and a language model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mtcore.engines.base import Engine, Texts
from mtcore.engines.bundle import Bundle, bundle_open
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Recipe
from mtcore.engines.recipe_files import recipe_read
from mtcore.engines.registry import engine_make, engines_for
from mtcore.engines.rundir import MANIFEST, file_sha256
from mtcore.models import Corpus, Run, System
from mtcore.services.corpora import corpus_files, corpus_find, corpus_verify
from mtcore.services.engine_setup import engine_setup
from mtcore.services.lm_texts import lm_texts
from mtcore.services.run_context import Outcome, RunContext
from mtcore.services.training_door import model_kind

CHECKPOINT = "checkpoint"


def train_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door a recipe that cannot be read."""
    recipe_read(options["recipe"])


def model_train_run(context: RunContext) -> Outcome:
    """Train one model of a system.

    Options: `system`, `kind`, `recipe` (TOML), `seed`, `corpus`, `valid`, `source`, `target`, `engine`.
    """
    options = context.options
    recipe = recipe_of(options)
    train, valid = corpus_find(options["corpus"]), corpus_find(options["valid"])
    for corpus in (train, valid):
        corpus_verify(corpus)
    sides = (options["source"], options["target"])
    bundle = train_bundle(context, recipe, _texts(train, *sides), _texts(valid, *sides), options["engine"])

    def register(run: Run) -> None:
        System.objects.get_or_create(
            name=options["system"],
            defaults={"kind": options["kind"], "description": recipe.description},
        )

    corpora = [
        {"name": one.name, "sha256": one.sha256, "lines": one.n_lines, "use": use}
        for one, use in (
            (train, "train"),
            (valid, "valid"),
            *((root, "origin") for root in corpus_roots(train) if root != train),
        )
    ]
    return Outcome({"system": options["system"], "corpora": corpora, **bundle_facts(bundle)}, register)


def lm_train_run(context: RunContext) -> Outcome:
    """Train a language model.

    Options: `name`, `recipe` (TOML), `seed`, `corpora` or `system`, `language`, `valid`, `engine`.
    """
    recipe = recipe_of(context.options)
    train, valid, told = lm_texts(context.options, recipe, context.rundir.work / "texts")
    context.check()
    bundle = train_bundle(context, recipe, train, valid, context.options["engine"])
    return Outcome(
        {
            "lm": context.options["name"],
            "language": train.source_language,
            "texts": told,
            **bundle_facts(bundle),
        }
    )


def train_bundle(context: RunContext, recipe: Recipe, train: Texts, valid: Texts, engine: str) -> Bundle:
    """Prepare and train, going on from what there is; the model is there as a whole or not at all."""
    if not context.rundir.has_result:
        trainer = chosen_engine("trains", model_kind(recipe), engine)
        context.rundir.say(f"engine: {trainer.signature()}")
        began = time.monotonic()
        context.report(0.0, f"preparing {train.n_lines:,} lines")
        prepared = trainer.prepare(train, valid, recipe, context)
        context.check()
        context.report(None, "training")
        trainer.train(prepared, recipe, context)
        context.rundir.say(f"trained in {time.monotonic() - began:.1f} s (this attempt)")
    return bundle_open(context.rundir.result)


def chosen_engine(task: str, kind: str, name: str = "") -> Engine:
    """Return the engine of a name, or the first that can do a task and is there.

    Raises:
        EngineError: none can, or it is not installed here; with what to install.
    """
    setup = engine_setup()
    able = [engine_make(name, setup)] if name else engines_for(task, kind, setup)
    if not able:
        raise EngineError(f"No engine {task} a model of the kind “{kind}”.", "Change the recipe.")
    if not able[0].is_available():
        raise EngineError(f"The engine “{able[0].name}” is not usable on this machine.", able[0].install_hint)
    return able[0]


def recipe_of(options: Mapping[str, Any]) -> Recipe:
    """Return the recipe of a run, with the run's own seed."""
    recipe = recipe_read(options["recipe"])
    return replace(recipe, training=replace(recipe.training, seed=options["seed"]))


def bundle_facts(bundle: Bundle) -> dict[str, Any]:
    """Return what a result says of a model: its facts, and the checksum of its main file."""
    facts = {name: value for name, value in bundle.facts.items() if name != "recipe"}
    main = bundle.path(CHECKPOINT) if CHECKPOINT in bundle.files else bundle.folder / MANIFEST
    return {**facts, "checkpoint_sha256": file_sha256(main)}


def corpus_roots(corpus: Corpus) -> list[Corpus]:
    """Return the corpora that were imported and that this one was made from, each once."""
    found, todo = {}, [corpus]
    seen: set[int] = set()
    while todo:
        one = todo.pop()
        parents = list(one.derived_from.order_by("pk"))
        if not parents:
            found[one.pk] = one
        todo += [parent for parent in parents if parent.pk not in seen]
        seen |= {parent.pk for parent in parents}
    return [found[pk] for pk in sorted(found)]


def _texts(corpus: Corpus, source: str, target: str) -> Texts:
    files = corpus_files(corpus)
    return Texts(source, target, files[source], files[target], corpus.n_lines)
