"""A whole chain on a small task that can show an effect: OP, reverse, back-translation, BT, outputs, BLEU.

Two languages that nobody speaks (`mtcore.corpora.synthetic`), 1,000 parallel sentences from the source side,
6,000 from the target side to be translated back, and equal numbers of updates: BT should beat OP on text that
was written in the target language.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from evalplatform.errors import Conflict
from mtcore.corpora.synthetic import SOURCE, TARGET, Pair, Speaker, make_lexicon
from mtcore.engines.recipe import Recipe
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.metrics.scoring import ScoringOptions
from mtcore.models import Corpus, Run, System, SystemOutput, TestSet
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_write import corpus_write
from mtcore.services.metric_outputs import Selection, outputs_score
from mtcore.services.metric_scoring import MetricOptions
from mtcore.services.run_context import run_directory
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.texts import NamedText
from mtcore.services.training import system_train

OURS, OTHERS = "qaa", "qab"
"""Tags that are set aside for private use."""
PARALLEL, VALID, MONOLINGUAL, TEST = 1_000, 100, 6_000, 200
OP, BT = "OP", "BT"
DIRECTIONS = ("direct", "reverse")


@dataclass(frozen=True)
class Demo:
    """What the demo has launched: its prefix, and all runs in order."""

    prefix: str
    runs: Sequence[Run]

    def system(self, kind: str) -> str:
        """Return the name of its OP or BT system."""
        return f"{self.prefix}.{kind}"


def demo_mt_prefix(seed: int) -> str:
    """Return what the names of everything in a demo begin with."""
    return f"demo-mt-{seed}"


def demo_mt_launch(
    *,
    seed: int,
    sizes: Mapping[str, int] | None = None,
    figures: Mapping[str, str] | None = None,
    engine: str = "",
) -> Demo:
    """Make the texts, register them, and launch the two systems.

    Args:
        seed: of the languages, the texts and the models.
        sizes: other numbers of sentences than PARALLEL, VALID, MONOLINGUAL and TEST, by these names in lower
            case.
        figures: figures to change in both recipes, as "training.max_updates".
        engine: what trains; by default the first that can.

    Raises:
        Conflict: the demo of this seed is there already.
    """
    prefix = demo_mt_prefix(seed)
    if System.objects.filter(name__startswith=f"{prefix}.").exists() or _runs(prefix):
        raise Conflict(
            f"The demo of seed {seed} is there already ({prefix}).",
            "Give another --seed, or remove it with --remove.",
        )
    n = {"parallel": PARALLEL, "valid": VALID, "monolingual": MONOLINGUAL, "test": TEST, **(sizes or {})}
    rng = np.random.default_rng(seed)
    lexicon = make_lexicon(rng)
    at_home, abroad = Speaker(lexicon, SOURCE, rng), Speaker(lexicon, TARGET, rng)
    with transaction.atomic():
        _corpus(f"{prefix}.parallel", at_home.sentences(n["parallel"]))
        _corpus(f"{prefix}.valid", at_home.sentences(n["valid"]))
        _corpus(f"{prefix}.mono", abroad.sentences(n["monolingual"]), target_only=True)
        _testset(f"{prefix}.test", at_home.sentences(n["test"]), abroad.sentences(n["test"]))
        shared: dict[str, Any] = {
            "corpora": [f"{prefix}.parallel"],
            "valid": f"{prefix}.valid",
            "testsets": [f"{prefix}.test"],
            "test_segments": "drop",
            "engine": engine,
            "seed": seed,
        }
        one = system_train(name=f"{prefix}.{OP}", recipe=_recipe("tiny-op", figures), **shared)
        other = system_train(
            name=f"{prefix}.{BT}",
            recipe=_recipe("tiny-bt", figures),
            monolingual=[f"{prefix}.mono"],
            **shared,
        )
    return Demo(prefix, [*one.runs, *other.runs])


def demo_mt_scores(*, demo: Demo) -> dict[str, dict[str, float]]:
    """Return BLEU by system ("OP", "BT") and direction ("direct", "reverse")."""
    report = outputs_score(
        testset=f"{demo.prefix}.test",
        selection=Selection(directions=DIRECTIONS),
        options=MetricOptions(metrics=("bleu",), scoring=ScoringOptions(resamples=0)),
    )
    found: dict[str, dict[str, float]] = {OP: {}, BT: {}}
    for one in report.results:
        if one.value is not None:
            found[one.system.rpartition(".")[2]][str(one.direction)] = one.value
    return found


def demo_mt_remove(*, seed: int, tell: Callable[[str], None] = lambda _text: None) -> None:
    """Remove everything of a demo: rows and folders.

    Raises:
        Conflict: one of its runs is being done.
    """
    prefix = demo_mt_prefix(seed)
    runs = _runs(prefix)
    if any(run.state == Run.State.RUNNING for run in runs):
        raise Conflict("A run of the demo is being done.", "Cancel it first: manage.py run_cancel")
    corpora = list(Corpus.objects.filter(name__startswith=f"{prefix}."))
    folders = [Path(settings.DATA_DIR) / one.path for one in corpora]
    folders += [run_directory(run.pk).root for run in runs]
    with transaction.atomic():
        SystemOutput.objects.filter(testset__name=f"{prefix}.test").delete()
        TestSet.objects.filter(name=f"{prefix}.test").delete()
        System.objects.filter(name__startswith=f"{prefix}.").delete()
        Corpus.objects.filter(pk__in=[one.pk for one in corpora]).delete()
        Run.objects.filter(pk__in=[run.pk for run in runs]).delete()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    tell(f"{len(corpora)} corpora and {len(runs)} runs were removed.")


def _runs(prefix: str) -> list[Run]:
    return list(Run.objects.filter(options__pipeline__in=[f"{prefix}.{OP}", f"{prefix}.{BT}"]).order_by("pk"))


def _recipe(name: str, figures: Mapping[str, str] | None) -> Recipe:
    return recipe_set(recipe_find(name), figures or {})


def _corpus(name: str, pairs: Sequence[Pair], *, target_only: bool = False) -> None:
    draft = corpus_write(
        name=name,
        kind=Corpus.Kind.MONOLINGUAL if target_only else Corpus.Kind.PARALLEL,
        languages=[OTHERS] if target_only else [OURS, OTHERS],
        pairs=[(other, other) for _, other in pairs] if target_only else pairs,
        report=lambda: {"made_by": "demo"},
    )
    corpus_register(draft)


def _testset(name: str, at_home: Sequence[Pair], abroad: Sequence[Pair]) -> None:
    sources, references = zip(*at_home, *abroad, strict=True)
    directions = [DIRECTIONS[0]] * len(at_home) + [DIRECTIONS[1]] * len(abroad)
    draft = testset_draft(
        name=name,
        languages=f"{OURS}:{OTHERS}",
        sources=[NamedText("src", "the demo's source", tuple(sources))],
        references=[NamedText("ref", "the demo's reference", tuple(references))],
        direction=NamedText("", "the demo's directions", tuple(directions)),
    )
    testset_create(draft)
