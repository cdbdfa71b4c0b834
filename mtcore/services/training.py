"""Train systems and language models: plan the runs, check everything at the door, launch them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from django.contrib.auth.models import User

from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import check_name
from mtcore.engines.recipe import BT, LM, Recipe
from mtcore.engines.recipe_files import recipe_write
from mtcore.models import Run, System
from mtcore.services.corpora import corpus_find, corpus_languages, tags_checked
from mtcore.services.lm_texts import system_language
from mtcore.services.pipeline import Pipeline, pipeline_launch, pipeline_runs
from mtcore.services.runs import run_launch, run_resume
from mtcore.services.systems import TRAIN_LM, system_find, system_runs, system_trained
from mtcore.services.texts import as_bad_input
from mtcore.services.training_door import (
    corpora_checked,
    decoders_checked,
    engine_checked,
    filters_checked,
    monolingual_checked,
    overlap_check,
    sides_check,
    testsets_checked,
    valid_checked,
)
from mtcore.services.training_plan import Plan, plan_stages

MAX_NAME = 90
"""A system's name leaves room for what is made on the way, as “name.filtered.2”."""


def system_train(
    *,
    name: str,
    recipe: Recipe,
    corpora: Sequence[str],
    monolingual: Sequence[str] = (),
    valid: str = "",
    languages: str = "",
    testsets: Sequence[str] = (),
    engine: str = "",
    seed: int | None = None,
    reverse: str = "",
    test_segments: str = "refuse",
    requested_by: User | None = None,
    dry_run: bool = False,
) -> Pipeline:
    """Train a system from corpora to registered outputs, as a pipeline of runs.

    The same call again goes on where the pipeline stopped; what has succeeded is not done again.

    Args:
        name: the system's name, which must be free.
        recipe: how it is made; of the kind OP or BT.
        corpora: parallel corpora, in either order of the two languages.
        monolingual: text in the target language, to be translated back (BT only).
        valid: a parallel corpus to validate on; by default a part of the training text is held out.
        languages: the pair, as "en-de"; by default that of the first corpus.
        testsets: test sets to translate at the end, every version of their source.
        engine: what trains; by default the first that can and is there.
        seed: in the place of the recipe's `training.seed`.
        reverse: a trained system of the other direction that translates back; by default one is trained.
        test_segments: "refuse" corpora that hold segments of a test set, "drop" these lines, or "keep" them.
        requested_by: who asks.
        dry_run: plan and check only; nothing is launched.

    Raises:
        BadInput, NotFound, Conflict: something does not fit; nothing was launched.
    """
    with as_bad_input():
        check_name(name, "system")
    if len(name) > MAX_NAME:
        raise BadInput(f"The name has {len(name)} characters.", f"Give a trained system at most {MAX_NAME}.")
    if recipe.kind == LM:
        raise BadInput(
            f"“{recipe.name}” makes a language model.", "Use train_lm, or a recipe of the kind OP or BT."
        )
    if seed is not None:
        recipe = replace(recipe, training=replace(recipe.training, seed=seed))
    _names_free(name, *([f"{name}.reverse"] if recipe.kind == BT and not reverse else []))
    _monolingual_fits(recipe, monolingual, reverse)
    parallel, (source, target) = corpora_checked(corpora, languages)
    mono = monolingual_checked(monolingual, target, forbidden=parallel)
    held_out = valid_checked(valid, source, target, forbidden=parallel)
    sets = testsets_checked(testsets, source, target)
    if reverse:
        other = system_trained(reverse)
        sides_check(f"System “{reverse}”", (other.source_language, other.target_language), (target, source))
    filters_checked(recipe, source, target)
    decoders_checked(recipe)
    notices = engine_checked(engine, recipe)
    notices += overlap_check([*parallel, *mono, *held_out], test_segments)
    plan = Plan(
        name=name, recipe=recipe, source=source, target=target, parallel=parallel, monolingual=mono,
        valid=valid, testsets=sets, engine=engine, reverse=reverse, test_segments=test_segments,
    )  # fmt: skip
    pipeline = Pipeline(name, plan_stages(plan), notices=notices)
    return pipeline if dry_run else pipeline_launch(pipeline, requested_by=requested_by)


def lm_train(
    *,
    name: str,
    recipe: Recipe,
    corpora: Sequence[str] = (),
    system: str = "",
    language: str = "",
    valid: str = "",
    engine: str = "",
    seed: int | None = None,
    requested_by: User | None = None,
) -> Run:
    """Train a language model on corpora, or on what a system has translated.

    The same call again goes on where it stopped.

    Args:
        name: the model's name, which must be free.
        recipe: of the kind LM.
        corpora: text in one language; of parallel text the side in `language`.
        system: learn from the corpora this system has translated or, where there are none, its outputs.
        language: which side of parallel corpora.
        valid: a corpus to validate on; by default every so many lines are held out.
        engine, seed, requested_by: as `system_train`.

    Raises:
        BadInput, NotFound, Conflict: something does not fit; nothing was launched.
    """
    with as_bad_input():
        check_name(name, "language model")
    if recipe.kind != LM:
        raise BadInput(f"“{recipe.name}” makes a {recipe.kind} system.", "Give a recipe of the kind LM.")
    if bool(corpora) == bool(system):
        raise BadInput("A language model learns from corpora or from a system.", "Give one of the two.")
    if seed is not None:
        recipe = replace(recipe, training=replace(recipe.training, seed=seed))
    if system:
        system_find(system)
    engine_checked(engine, recipe)
    options = {
        "name": name, "recipe": recipe_write(recipe), "seed": recipe.training.seed, "system": system,
        "corpora": list(corpora), "valid": valid, "engine": engine,
        "language": _language(corpora, valid, system, language),
    }  # fmt: skip
    found = Run.objects.filter(kind=TRAIN_LM, name=name).order_by("pk").first()
    if found:
        return _lm_again(found, options)
    return run_launch(
        kind=TRAIN_LM,
        name=name,
        options=options,
        queue="gpu" if recipe.training.devices else "default",
        requested_by=requested_by,
    )


def _lm_again(found: Run, options: dict[str, object]) -> Run:
    """Let the training of a language model go on, when it is the same one."""
    if found.options != json.loads(json.dumps(options)):
        raise Conflict(
            f"There is a language model “{found.name}” already, made otherwise (run {found.pk}).",
            "Take another name.",
        )
    run_resume(run=found)
    found.refresh_from_db()
    return found


def _names_free(name: str, *others: str) -> None:
    """Refuse names of systems that exist, or are being trained, by other means than the pipeline `name`."""
    ours = {run.pk for run in pipeline_runs(name)}
    for system in (name, *others):
        runs = {run.pk for run in system_runs(system)}
        if runs - ours or (not runs and System.objects.filter(name=system).exists()):
            raise Conflict(f"There is a system “{system}” already.", "Take another name.")


def _monolingual_fits(recipe: Recipe, monolingual: Sequence[str], reverse: str) -> None:
    if recipe.kind == BT and not monolingual:
        raise BadInput(
            f"“{recipe.name}” translates text in the target language back, and none was given.",
            "Name monolingual corpora, or take a recipe of the kind OP.",
        )
    if recipe.kind != BT and (monolingual or reverse):
        raise BadInput(
            f"“{recipe.name}” learns from parallel text only.",
            "Leave out what is to be translated back, or take a recipe of the kind BT.",
        )


def _language(corpora: Sequence[str], valid: str, system: str, language: str) -> str:
    """Return the one language that all texts have; of parallel ones it must be named."""
    if language:
        (language,) = tags_checked(language)
    for name in (*corpora, *([valid] if valid else [])):
        tags = corpus_languages(corpus_find(name))
        if not language and len(tags) > 1:
            raise BadInput(f"“{name}” has two languages, {' and '.join(tags)}.", "Say which with --language.")
        language = language or tags[0]
        if language not in tags:
            raise BadInput(
                f"“{name}” is in {'-'.join(tags)}, not in {language}.", "Give corpora of one language."
            )
    if system and not language:
        language = system_language(system)
    return language
