"""Launch runs that compare fluency and translation directions, over what is registered here alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.contrib.auth.models import User

from evalplatform.errors import BadInput
from mtcore.corpora.languages import standard_tag
from mtcore.metrics import METRICS
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.models import Run
from mtcore.models.fields import NAME_LENGTH
from mtcore.services.fluency import ALPHA, FluencyOptions
from mtcore.services.fluency_own import OwnOptions
from mtcore.services.metric_models import RUN
from mtcore.services.runs import run_launch
from mtcore.services.systems import lm_find
from mtcore.services.versions import testset_find

COMPARE_FLUENCY, COMPARE_CLOSENESS = "compare_fluency", "compare_closeness"
COMPARE_DIRECTIONS = "compare_directions"
PERPLEXITY = "ppl"


def fluency_launch(
    *,
    testsets: Sequence[str],
    systems: Sequence[str] = (),
    lm: str = "",
    lm_per_system: Mapping[str, str] | None = None,
    direction: str = "direct",
    version: str = "",
    inputs: Sequence[str] = (),
    tokens: str = "moses",
    refuse_overlap: bool = False,
    alpha: float = ALPHA,
    resamples: int = 1000,
    seed: int = SACREBLEU_SEED,
    requested_by: User | None = None,
) -> Run:
    """Put a comparison of fluency in the queue: under one language model, or under one for each system.

    Args:
        testsets: one with `lm`; one or several with `lm_per_system`.
        systems: two or more, with `lm`.
        lm: a language model trained here, by name or number, for all systems.
        lm_per_system: system → the model that was trained on what it has translated.
        direction: with `lm`, "direct", "reverse" or "all".
        version: the reference of BLEU; with `lm_per_system` the target text that is scored.
        inputs: with `lm`, versions of the source the outputs were made from.
        tokens: words for models of words.
        refuse_overlap: with `lm`, do not score with a model whose text was translated back.
        alpha: p up to which a difference counts as shown.
        resamples: of the paired bootstrap.
        seed: of it.
        requested_by: who asks.

    Raises:
        NotFound, Conflict, BadInput: something is not there or does not fit; nothing was launched.
    """
    own = dict(lm_per_system or {})
    if bool(lm) == bool(own):
        raise BadInput(
            "Fluency is compared under one language model for all systems, or under one for each.",
            "Name one model, or a model for each system.",
        )
    named = list(dict.fromkeys(testsets))
    if lm and len(named) != 1:
        raise BadInput("One model for all compares systems on one test set at a time.", "Name one test set.")
    if own and (systems or inputs or refuse_overlap):
        raise BadInput(
            "Models of systems score the target text of test sets, not outputs.",
            "Leave out systems, versions of the source and the refusal of overlap.",
        )
    for name in named:
        testset_find(name)
    if lm:
        model = _model(lm, named[0])
        wanted = FluencyOptions(
            direction=direction, reference=version, inputs=tuple(inputs), tokens=tokens, resamples=resamples,
            seed=seed, alpha=alpha, refuse_overlap=refuse_overlap,
        )  # fmt: skip
        kind, queue = COMPARE_FLUENCY, model.queue
        options = {
            "testset": named[0], "systems": list(dict.fromkeys(systems)), "lm": f"{RUN}{model.pk}",
            "options": asdict(wanted),
        }  # fmt: skip
    else:
        models = {system: _model(name, *named) for system, name in own.items()}
        closeness = OwnOptions(version=version, tokens=tokens, resamples=resamples, seed=seed, alpha=alpha)
        kind, queue = COMPARE_CLOSENESS, _queue([*models.values()])
        options = {
            "testsets": named, "models": {system: f"{RUN}{model.pk}" for system, model in models.items()},
            "options": asdict(closeness),
        }  # fmt: skip
    return run_launch(
        kind=kind, name=", ".join(named)[:NAME_LENGTH], options=options, queue=queue,
        requested_by=requested_by,
    )  # fmt: skip


def directions_launch(
    *, testsets: Sequence[str], metric: str = "bleu", lm: str = "", requested_by: User | None = None
) -> Run:
    """Put a table of directions in the queue: every system on direct and on reverse text.

    Args:
        testsets: of one language pair; taken together.
        metric: name.
        lm: for perplexity, a language model trained here, by name or number.
        requested_by: who asks.

    Raises:
        NotFound, Conflict, BadInput: something is not there or does not fit; nothing was launched.
    """
    named = list(dict.fromkeys(testsets))
    if not named:
        raise BadInput("No test set is named.", "Name one or several of one language pair.")
    if (metric == PERPLEXITY) != bool(lm):
        raise BadInput(
            "A language model goes with perplexity, and perplexity with a language model.",
            f"Name both, or neither: the metrics are {', '.join(METRICS)}.",
        )
    model = _model(lm, *named) if lm else None
    options = {
        "testsets": named, "metric": metric, "models": {metric: f"{RUN}{model.pk}"} if model else {},
    }  # fmt: skip
    return run_launch(
        kind=COMPARE_DIRECTIONS, name=", ".join(named)[:NAME_LENGTH], options=options,
        queue=model.queue if model else "", requested_by=requested_by,
    )  # fmt: skip


def _model(name: str, *testsets: str) -> Run:
    """Return a language model for the target text of test sets."""
    model = lm_find(name)
    language = str(model.options.get("language", ""))
    for testset in testsets:
        target = testset_find(testset).target_language
        if language and standard_tag(target) != standard_tag(language):
            raise BadInput(
                f"The target text of “{testset}” is in {target}, the model “{model.name}” in {language}.",
                "Take another model.",
            )
    return model


def _queue(models: Sequence[Run]) -> str:
    """Return the queue on which all of some models can score."""
    queues = {model.queue for model in models}
    return "gpu" if "gpu" in queues else "default"
