"""Translate test sets and whole corpora with systems that were trained here, and score text with an LM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.contrib.auth.models import User

from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import check_name
from mtcore.engines.recipe import Decoding, RecipeError, decoding_check
from mtcore.engines.registry import ENGINES
from mtcore.models import Run, System, SystemOutput, TestSet, TextVersion
from mtcore.services.corpora import corpus_find, corpus_languages, corpus_name_free
from mtcore.services.lm_scoring import lm_score
from mtcore.services.pipeline import Pipeline, pipeline_launch
from mtcore.services.runs import run_launch
from mtcore.services.systems import Trained, system_trained
from mtcore.services.texts import as_bad_input
from mtcore.services.training_door import engine_checked, sides_check
from mtcore.services.training_plan import join_stage, shard_stages
from mtcore.services.versions import testset_find, version_find

__all__ = ["corpus_translate", "inputs_to_translate", "lm_score", "testset_translate"]


def testset_translate(
    *,
    system: str,
    testset: str,
    inputs: Sequence[str] = (),
    engine: str = "",
    requested_by: User | None = None,
) -> Run:
    """Translate a test set with a trained system and register the outputs.

    Args:
        system: its name.
        testset: its name.
        inputs: versions of the source, by name or notation (X**); by default all that have no output yet.
        engine: what translates; by default the recipe's, or the fastest that can.
        requested_by: who asks.

    Raises:
        BadInput, NotFound, Conflict: something does not fit; nothing was launched.
    """
    trained = system_trained(system)
    found = testset_find(testset)
    sides_check(
        f"Test set “{testset}”",
        (found.source_language, found.target_language),
        (trained.source_language, trained.target_language),
    )
    _engine_known(engine, trained)
    versions = inputs_to_translate(system=system, testset=found, inputs=inputs)
    return run_launch(
        kind="translate_testset",
        name=system,
        options={
            "system": system, "testset": testset, "inputs": [one.name for one in versions], "engine": engine,
        },
        queue=_queue(trained),
        requested_by=requested_by,
    )  # fmt: skip


def inputs_to_translate(*, system: str, testset: TestSet, inputs: Sequence[str]) -> list[TextVersion]:
    """Return the versions of the source that are to be translated.

    Raises:
        BadInput: no version of a name. Conflict: the system has an output for one, or for all, already.
    """
    done = set(
        SystemOutput.objects.filter(system__name=system, testset=testset).values_list(
            "input_version_id", flat=True
        )
    )
    if inputs:
        named = [version_find(testset, name, side="source") for name in inputs]
        versions = list({one.pk: one for one in named}.values())
        taken = [one for one in versions if one.pk in done]
    else:
        all_versions = list(testset.versions.filter(side="source").order_by("position", "pk"))
        if not all_versions:
            raise BadInput(f"Test set “{testset.name}” has no source text.", "Import one with the test set.")
        versions = [one for one in all_versions if one.pk not in done]
        taken = [] if versions else all_versions
    if taken:
        raise Conflict(
            f"“{system}” has translated “{testset.name}” already ({', '.join(one.name for one in taken)}).",
            "Outputs are never overwritten: see them with manage.py systems.",
        )
    return versions


def corpus_translate(
    *,
    system: str,
    corpus: str,
    name: str = "",
    shards: int = 0,
    engine: str = "",
    decoding: Mapping[str, Any] | None = None,
    requested_by: User | None = None,
    dry_run: bool = False,
) -> Pipeline:
    """Translate a whole corpus, in parts that any number of workers share, into a new one, line by line.

    Of parallel text the side in the system's source language is translated: so the training source is.

    Args:
        system: its name.
        corpus: its name.
        name: of the new corpus; by default "CORPUS by SYSTEM".
        shards: the number of parts; by default as many as the recipe's `back_translation.shard_lines` gives.
        engine: what translates; by default the recipe's, or the fastest that can.
        decoding: figures of the recipe's `decoding` to change, as {"sampling": True}.
        requested_by: who asks.
        dry_run: plan and check only.

    Raises:
        BadInput, NotFound, Conflict: something does not fit; nothing was launched.
    """
    trained = system_trained(system)
    found = corpus_find(corpus)
    if trained.source_language not in corpus_languages(found):
        raise BadInput(
            f"“{corpus}” is in {'-'.join(corpus_languages(found))}; “{system}” translates from "
            f"{trained.source_language}.",
            "Give a corpus with text in that language.",
        )
    name = name or f"{corpus} by {system}"
    with as_bad_input():
        check_name(name, "corpus")
    launched = Run.objects.filter(kind="join_shards", options__name=name).exists()
    if not launched:
        corpus_name_free(name)
    if shards < 0 or shards > found.n_lines:
        raise BadInput(f"{found.n_lines:,} lines cannot be cut into {shards:,} parts.", "Give fewer parts.")
    _engine_known(engine, trained)
    lines = max(1, trained.recipe.back_translation.shard_lines)
    parts = shards or max(1, -(-found.n_lines // lines))
    chosen = _decoding(trained.recipe.decoding, decoding or {})
    pieces = shard_stages(
        system=system, corpus=corpus, language=trained.source_language, parts=parts, decoding=asdict(chosen),
        queue=_queue(trained), after=(), engine=engine, lines=found.n_lines,
    )  # fmt: skip
    keys = [one.key for one in pieces]
    join = join_stage(name, corpus, trained.target_language, back=False, parts=parts, shards=keys)
    pipeline = Pipeline(name, [*pieces, join], notices=engine_checked(engine, trained.recipe, "decodes"))
    return pipeline if dry_run else pipeline_launch(pipeline, requested_by=requested_by)


def _decoding(decoding: Decoding, changes: Mapping[str, Any]) -> Decoding:
    try:
        changed = replace(decoding, **changes)
        decoding_check(changed)
    except TypeError as error:
        raise BadInput(f"A figure of decoding is unknown: {error}.", "See manage.py recipes NAME.") from error
    except RecipeError as error:
        raise BadInput(error.message, error.remedy) from error
    return changed


def _engine_known(engine: str, trained: Trained) -> None:
    if engine and engine not in ENGINES:
        raise BadInput(f"There is no engine “{engine}”.", f"The engines are {', '.join(ENGINES)}.")
    engine_checked(engine, trained.recipe, "decodes")


def _queue(trained: Trained) -> str:
    return "gpu" if trained.recipe.training.devices else "default"


def systems_trained() -> list[str]:
    """Return the names of the systems that were trained here, in order."""
    names = Run.objects.filter(kind="train_model").values_list("options__system", flat=True)
    return sorted({*names} & {*System.objects.values_list("name", flat=True)})
