"""Which runs make a system, in which order: filter, back-translate, mix, train, decode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evalplatform.words import counted
from mtcore.engines.recipe import BT, OP, PHRASE, Recipe
from mtcore.engines.recipe_files import recipe_write
from mtcore.models import Corpus
from mtcore.services.pipeline import Stage
from mtcore.services.training_commands import train_commands


@dataclass(frozen=True)
class Plan:
    """What was asked for, checked. `valid` is the name of a corpus, or empty to hold some lines out."""

    name: str
    recipe: Recipe
    source: str
    target: str
    parallel: Sequence[Corpus]
    monolingual: Sequence[Corpus]
    valid: str
    testsets: Sequence[str]
    engine: str
    reverse: str
    test_segments: str

    @property
    def queue(self) -> str:
        """Return where models are trained and used."""
        return "gpu" if self.recipe.training.devices else "default"


def plan_stages(plan: Plan) -> list[Stage]:
    """Return the stages in an order in which each comes after those it waits for."""
    stages, train, valid = _texts(plan)
    if plan.recipe.kind == BT:
        more, train = _back_translation(plan, train, valid, stages[-1].key)
        stages += more
    models = [
        _train(plan, train, valid, seed=plan.recipe.training.seed + number, after=[stages[-1].key])
        for number in range(max(1, plan.recipe.decoding.seeds))
    ]
    keys = [model.key for model in models]
    decodes = [translate_stage(plan.name, testset, plan.queue, keys) for testset in plan.testsets]
    return [*stages, *models, *decodes]


def translate_stage(
    system: str, testset: str, queue: str, after: Sequence[str] = (), **options: Any
) -> Stage:
    """Return the stage that translates a test set."""
    inputs = options.get("inputs") or []
    which = ", ".join(inputs) or "every version"
    return Stage(
        key=f"decode:{testset}",
        kind="translate_testset",
        name=system,
        options={"system": system, "testset": testset, "inputs": [], "engine": "", **options},
        after=after,
        queue=queue,
        words=f"Translate {which} of the source of “{testset}” and register the outputs",
    )


def shard_stages(
    *, system: str, corpus: str, language: str, parts: int, decoding: dict[str, Any], queue: str,
    after: Sequence[str], engine: str = "", lines: int = 0,
) -> list[Stage]:  # fmt: skip
    """Return the stages that translate the parts of a corpus."""
    about = f" (about {counted(-(-lines // parts), 'line')})" if lines else ""
    return [
        Stage(
            key=f"shard:{number}",
            kind="translate_shard",
            name=f"{system} {number + 1}/{parts}",
            options={
                "system": system, "corpus": corpus, "language": language, "part": number, "parts": parts,
                "decoding": decoding, "engine": engine,
            },
            after=after,
            queue=queue,
            words=f"Translate part {number + 1} of {parts} of “{corpus}” by “{system}”{about}",
        )
        for number in range(parts)
    ]  # fmt: skip


def join_stage(
    name: str, corpus: str, language: str, *, back: bool, parts: int, shards: Sequence[str]
) -> Stage:
    """Return the stage that puts the parts together as a corpus."""
    what = "before the text they were made from" if back else "line by line"
    return Stage(
        key="join",
        kind="join_shards",
        name=name,
        options={"name": name, "corpus": corpus, "language": language, "back": back, "parts": parts},
        after=shards,
        words=f"Check the {counted(parts, 'part')} and put them together {what}: “{name}”",
    )


def _texts(plan: Plan) -> tuple[list[Stage], str, str]:
    """Return the stages that prepare parallel text, and the names of what to train and validate on."""
    stages = [
        _filter(plan, corpus, number, "filtered") for number, corpus in enumerate(plan.parallel, start=1)
    ]
    names, keys = [stage.name for stage in stages], [stage.key for stage in stages]
    turned = any(one.source_language != plan.source for one in plan.parallel)
    train = names[0]
    if len(names) > 1 or turned:
        train = f"{plan.name}.parallel"
        stages.append(
            _mix(plan, train, [{"corpus": one, "copies": 1, "tag": ""} for one in names], "parallel", keys)
        )
    if plan.valid:
        return stages, train, plan.valid
    pair = [f"{plan.name}.train", f"{plan.name}.valid"]
    stages.append(
        Stage(
            key="split",
            kind="split_corpus",
            name=plan.name,
            options={"corpus": train, "names": pair, "seed": plan.recipe.training.seed},
            after=[stages[-1].key],
            words=f"Hold lines out of “{train}” to validate on: “{pair[1]}”",
        )
    )
    return stages, pair[0], pair[1]


def _back_translation(plan: Plan, train: str, valid: str, texts: str) -> tuple[list[Stage], str]:
    """Return the stages that translate monolingual text back and mix it in, and the name of the mix."""
    options = plan.recipe.back_translation
    filters = [_filter(plan, one, number, "mono") for number, one in enumerate(plan.monolingual, start=1)]
    stages, mono = list(filters), filters[0].name
    keys = [stage.key for stage in filters]
    if len(filters) > 1:
        mono = f"{plan.name}.mono"
        texts_of = [{"corpus": one.name, "copies": 1, "tag": ""} for one in filters]
        stages.append(_mix(plan, mono, texts_of, "mono", keys, languages=[plan.target]))
        keys = ["mono"]
    reverse = plan.reverse
    if not reverse:
        reverse = f"{plan.name}.reverse"
        stages.append(_train(plan, train, valid, seed=plan.recipe.training.seed, after=[texts], reverse=True))
        keys = [*keys, stages[-1].key]
    lines = sum(one.n_lines for one in plan.monolingual)
    parts = max(1, -(-lines // max(1, options.shard_lines)))
    shards = shard_stages(
        system=reverse, corpus=mono, language=plan.target, parts=parts, decoding=asdict(options.decoding),
        queue=plan.queue, after=keys, lines=lines,
    )  # fmt: skip
    made = f"{plan.name}.back-translated"
    join = join_stage(made, mono, plan.source, back=True, parts=parts, shards=[one.key for one in shards])
    mixed = [
        {"corpus": train, "copies": options.upsample, "tag": ""},
        {"corpus": made, "copies": 1, "tag": options.tag},
    ]
    name = f"{plan.name}.mixed"
    return [*stages, *shards, join, _mix(plan, name, mixed, "mixed", [texts, "join"])], name


def _filter(plan: Plan, corpus: Corpus, number: int, what: str) -> Stage:
    name = f"{plan.name}.{what}" if number == 1 and what == "filtered" else f"{plan.name}.{what}.{number}"
    tests = {"refuse": "refuse test segments", "drop": "drop test segments", "keep": "keep test segments"}
    return Stage(
        key=f"{what}:{number}",
        kind="filter_corpus",
        name=name,
        options={
            "corpus": corpus.name,
            "name": name,
            "filters": asdict(plan.recipe.filters),
            "test_segments": plan.test_segments,
        },
        words=f"Filter “{corpus.name}” ({counted(corpus.n_lines, 'line')}), "
        f"{tests[plan.test_segments]}: “{name}”",
    )


def _mix(
    plan: Plan, name: str, parts: list[dict[str, Any]], key: str, after: Sequence[str],
    languages: Sequence[str] = (),
) -> Stage:  # fmt: skip
    told = ", ".join(
        f"{part['copies']} × “{part['corpus']}”" + (f" tagged {part['tag']}" if part["tag"] else "")
        for part in parts
    )
    return Stage(
        key=key,
        kind="mix_corpora",
        name=name,
        options={"name": name, "parts": parts, "languages": list(languages or (plan.source, plan.target))},
        after=after,
        words=f"Mix {told}: “{name}”",
    )


def _train(
    plan: Plan, train: str, valid: str, *, seed: int, after: Sequence[str], reverse: bool = False
) -> Stage:
    """Return the stage that trains one model."""
    sides = (plan.target, plan.source) if reverse else (plan.source, plan.target)
    system = f"{plan.name}.reverse" if reverse else plan.name
    recipe = plan.recipe
    if reverse:
        recipe = replace(recipe, kind=OP, decoding=replace(recipe.decoding, seeds=1))
    recipe = replace(recipe, training=replace(recipe.training, seed=plan.recipe.training.seed))
    options = {
        "system": system, "kind": recipe.kind, "recipe": recipe_write(recipe), "seed": seed, "corpus": train,
        "valid": valid, "source": sides[0], "target": sides[1], "engine": plan.engine,
    }  # fmt: skip
    return Stage(
        key=f"train:{system}:{seed}",
        kind="train_model",
        name=system,
        options=options,
        after=after,
        queue=plan.queue,
        words=f"Train “{system}” ({'-'.join(sides)}, {recipe.model.architecture}, "
        f"{_length(recipe)}, seed {seed}) on “{train}”",
        commands=train_commands(replace(recipe, training=replace(recipe.training, seed=seed)), *sides),
    )


def _length(recipe: Recipe) -> str:
    training = recipe.training
    if recipe.model.architecture == PHRASE:
        rounds = training.tuning_iterations
        return f"at most {rounds:,} rounds of tuning" if rounds else "untuned"
    limits = [
        f"{training.max_updates:,} updates" if training.max_updates else "",
        f"{training.max_epochs:,} epochs" if training.max_epochs else "",
        f"patience {training.patience}" if training.patience else "",
    ]
    return "at most " + ", ".join(limit for limit in limits if limit)
