"""Score texts by metrics: what is asked for, which metrics can be had, and mistakes in the house's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from evalplatform.errors import BadInput, UserError
from mtcore.corpora.checks import check_same_length, check_shift
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import check_tag
from mtcore.engines.base import Work
from mtcore.metrics import METRICS, Metric, MetricError, MetricUnavailable
from mtcore.metrics.base import MetricSettings
from mtcore.metrics.notices import check_script, text_notices, to_nfc
from mtcore.metrics.scoring import Kept, ScoringOptions
from mtcore.services.fluency_models import language_model_open
from mtcore.services.metric_models import models_check
from mtcore.services.metric_runners import metric_runners
from mtcore.services.texts import NamedText, as_bad_input, sentence, whole_sentence

DEFAULT = ("bleu", "chrf", "ter")
NFC = "|text:nfc"
MOST_RESAMPLES = 100_000
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class MetricOptions:
    """What a person asks for; see `score_files --help`.

    `needed` names metrics without which nothing is to be scored.
    """

    metrics: tuple[str, ...] = DEFAULT
    language: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    tokens: str = "moses"
    nfc: bool = False
    lm_text: str = ""
    bt_texts: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    scoring: ScoringOptions = field(default_factory=ScoringOptions)


@dataclass(frozen=True)
class Scorer:
    """A metric that is ready, or the reason why it is not."""

    name: str
    metric: Metric | None
    reason: str = ""


@contextmanager
def metric_errors() -> Iterator[None]:
    """Turn the errors of the pure packages into BadInput."""
    try:
        with as_bad_input():
            yield
    except MetricError as error:
        raise BadInput(whole_sentence(str(error))) from error


def scorers_make(options: MetricOptions, work: Work | None = None) -> list[Scorer]:
    """Make the metrics that are wanted; one that is not installed or is broken has a reason instead.

    Args:
        options: which, and how.
        work: who runs an engine where a metric needs one; by default here and now.

    Raises:
        BadInput: an unknown name or language, or not one metric can be had.
        UserError: the only metric, or one that is needed, has a model that cannot be used.
    """
    _check(options)
    settings = MetricSettings(options.language, dict(options.models), options.tokens, metric_runners())
    names = list(dict.fromkeys(options.metrics))
    needed = options.needed if len(names) > 1 else names
    found = [_scorer(name, settings, work, refuse=name in needed) for name in names]
    if not any(one.metric for one in found):
        raise BadInput(" ".join(sentence(one.reason) for one in found), "Nothing was scored.")
    return found


def scored_check(kept: Sequence[Kept]) -> None:
    """Refuse to report when no metric has scored any output.

    Raises:
        BadInput: with every reason.
    """
    if kept and all(one.stats is None for one in kept):
        reasons = dict.fromkeys(sentence(one.reason) for one in kept)
        raise BadInput(" ".join(reasons), "Nothing was scored.")


def texts_check(
    outputs: Sequence[NamedText],
    references: Sequence[NamedText],
    language: str,
    sources: Sequence[NamedText] = (),
) -> list[str]:
    """Check texts that are to be scored against each other; return notices.

    Raises:
        BadInput: numbers of lines that differ, or references in a script whose language must be told.
    """
    first, *others = [*references, *outputs, *sources]
    found: list[str] = []
    with metric_errors():
        check_same_length((first.file, first.lines), *((text.file, text.lines) for text in others))
        check_script([text.lines for text in references], language)
    for text in outputs:
        for reference in references[:1]:
            try:
                check_shift((reference.file, reference.lines), (text.file, text.lines))
            except CorpusError as error:
                found.append(sentence(str(error)))
    return found + text_notices(
        {text.name: text.lines for text in outputs}, {text.name: text.lines for text in references}
    )


def lines_prepare(lines: Sequence[str], options: MetricOptions) -> Sequence[str]:
    """Return lines as they are scored: composed where that is wanted."""
    return to_nfc(lines) if options.nfc else lines


def signature_of(metric: Metric, references: int, options: MetricOptions) -> str:
    """Return a metric's signature, which says so when letters were composed."""
    return metric.signature(references) + (NFC if options.nfc else "")


def _check(options: MetricOptions) -> None:
    unknown = [name for name in options.metrics if name not in METRICS]
    if unknown:
        near = difflib.get_close_matches(unknown[0].lower(), METRICS, n=1)
        raise BadInput(
            f"There is no metric “{unknown[0]}”.",
            f"Did you mean “{near[0]}”?" if near else f"There are {', '.join(METRICS)}.",
        )
    if not options.metrics:
        raise BadInput("No metric is given.", f"There are {', '.join(METRICS)}.")
    strange = [name for name in options.models if name not in METRICS]
    if strange:
        raise BadInput(
            f"A model is given for “{strange[0]}”, which is no metric.", f"There are {', '.join(METRICS)}."
        )
    resamples, seed = options.scoring.resamples, options.scoring.seed
    if resamples < 0 or resamples == 1 or resamples > MOST_RESAMPLES or not 0 <= seed <= MOST_SEED:
        raise BadInput(
            f"{resamples:,} resamples with seed {seed} cannot be drawn.",
            f"Give 0 (none) or 2 to {MOST_RESAMPLES:,} resamples, and a seed from 0 to {MOST_SEED:,}.",
        )
    if options.language:
        with as_bad_input():
            check_tag(options.language)


def _scorer(name: str, settings: MetricSettings, work: Work | None, refuse: bool) -> Scorer:
    try:
        models_check({name: settings.models[name]} if name in settings.models else {})
        with metric_errors():
            if name == "ppl" and settings.models.get(name):
                model = language_model_open(settings.models[name], work, settings.language)
                settings = replace(settings, language_model=model)
            return Scorer(name, METRICS[name].of_settings(settings))
    except UserError as error:
        cause = error.__cause__
        if refuse and not isinstance(cause, MetricUnavailable):
            raise
        return Scorer(name, None, str(cause if isinstance(cause, MetricError) else error))
