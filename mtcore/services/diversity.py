"""Measure the diversity of texts in files and of outputs in the database."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from django.utils import timezone

from evalplatform.errors import BadInput
from mtcore.corpora.languages import MAX_TAG, LanguageError, check_tag
from mtcore.corpora.names import MAX_LENGTH, visible
from mtcore.corpora.stream import stream_blocks
from mtcore.diversity import measures_for
from mtcore.diversity.base import DiversityError, ToolUnavailable
from mtcore.diversity.dictionaries import read_dictionary
from mtcore.diversity.lemmas import Lemmatiser, lemmatiser_for
from mtcore.diversity.measuring import Blocks, Plan, Report, measure_texts, source_words, training_bands
from mtcore.diversity.tokens import Tokeniser, tokeniser_for
from mtcore.diversity.vocabulary import Resources
from mtcore.models import Run
from mtcore.models.fields import NAME_LENGTH
from mtcore.services.diversity_origins import (
    CORPUS,
    MEASURE_DIVERSITY,
    Origin,
    path_of,
    source_of_testsets,
)
from mtcore.services.metric_scoring import MOST_RESAMPLES, MOST_SEED
from mtcore.services.texts import as_bad_input, whole_sentence

MOST_DRAWS = 10_000
_TAG = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
Text = tuple[str, Blocks]
Watch = Callable[[float, str], None]


@dataclass(frozen=True)
class DiversityOptions:
    """What a person asks for; see `measure_diversity --help`."""

    language: str = ""
    source_language: str = ""
    tokens: str = ""
    definition: str = "paper"
    measures: tuple[str, ...] = ()
    training: str = ""
    source: str = ""
    dictionary: str = ""
    lemmatiser: str = "simplemma"
    window: int = 100
    resamples: int = 1000
    seed: int = 1
    pairs: tuple[tuple[str, str], ...] | None = None
    intervals: bool = True
    lemma: str = ""
    equal: int | None = None
    draws: int = 20


@contextmanager
def diversity_errors() -> Iterator[None]:
    """Turn the errors of the pure packages into BadInput."""
    try:
        with as_bad_input():
            yield
    except DiversityError as error:
        raise BadInput(whole_sentence(str(error)), error.remedy) from error


def diversity_measure(
    *,
    texts: Sequence[Text],
    options: DiversityOptions,
    source: Blocks | None = None,
    watch: Watch | None = None,
) -> Report:
    """Measure texts by all measures that are wanted; what cannot be had is missing with its reason.

    Args:
        texts: names, and what gives the lines of each.
        options: what is asked for.
        source: the source text, where it is not a file of the options.
        watch: told the part that is done, and what comes next; may raise to stop.

    Raises:
        BadInput: a file, tool or option that cannot be used.
    """
    with diversity_errors():
        plan, notices = _plan(options, source)
        report = measure_texts(texts, plan, watch)
    return replace(report, notices=(*notices, *report.notices))


def diversity_origins_measure(
    *,
    origins: Sequence[Origin],
    options: DiversityOptions,
    source_testsets: Sequence[str] = (),
    watch: Watch | None = None,
) -> Report:
    """Measure texts by where they come from; see `diversity_measure`.

    Args:
        origins: which texts.
        options: what is asked for.
        source_testsets: the test sets whose source text counts, where the options name none.
        watch: told the part that is done, and what comes next; may raise to stop.

    Raises:
        NotFound: a corpus, test set or output that is not there.
        BadInput: a file, tool or option that cannot be used.
    """
    texts = [(one.name, one.blocks()) for one in origins]
    source = source_of_testsets(source_testsets) if source_testsets else None
    return diversity_measure(texts=texts, options=options, source=source, watch=watch)


def diversity_keep(
    *, report: Report, origins: Sequence[Origin], options: DiversityOptions, name: str = ""
) -> Run:
    """Keep what was measured just now as a run that has succeeded, where tables and pages find it."""
    now = timezone.now()
    return Run.objects.create(
        kind=MEASURE_DIVERSITY,
        name=name[:NAME_LENGTH],
        state=Run.State.SUCCEEDED,
        options=diversity_run_options(origins=origins, options=options),
        result=diversity_result(report, origins),
        progress=1.0,
        message="Measured by the command itself.",
        started_at=now,
        finished_at=now,
    )


def diversity_run_options(
    *, origins: Sequence[Origin], options: DiversityOptions, source_testsets: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a run is launched with; `lemma` stands by itself for those who look for it."""
    return {
        "texts": [one.as_dict() for one in origins],
        "options": json.loads(json.dumps(asdict(options))),
        "source_testsets": list(source_testsets),
        "lemma": options.lemma,
    }


def diversity_result(report: Report, origins: Sequence[Origin]) -> dict[str, Any]:
    """Return a report for JSON, each text with where it comes from."""
    found = report.as_dict()
    for text, origin in zip(found["texts"], origins, strict=True):
        text["origin"] = origin.as_dict()
    return found


def diversity_check(options: DiversityOptions) -> None:
    """Refuse a seed, numbers of draws, a lemma or languages that no door takes.

    Raises:
        BadInput: naming which.
    """
    if not 0 <= options.seed <= MOST_SEED:
        raise BadInput("The seed cannot be used.", f"Give --seed from 0 to {MOST_SEED:,}.")
    if not 0 <= options.resamples <= MOST_RESAMPLES or not 2 <= options.draws <= MOST_DRAWS:
        raise BadInput(
            f"{options.resamples:,} resamples and {options.draws:,} draws cannot be made.",
            f"Give --resamples from 0 to {MOST_RESAMPLES:,} and --draws from 2 to {MOST_DRAWS:,}.",
        )
    if options.lemma != visible(options.lemma) or len(options.lemma) > MAX_LENGTH:
        raise BadInput(
            f"The lemma “{visible(options.lemma[:MAX_LENGTH])}” is no word.",
            f"Give --lemma as {MAX_LENGTH} characters at most, without invisible ones.",
        )
    for tag in (options.language, options.source_language):
        if tag and not (len(tag) <= MAX_TAG and _TAG.fullmatch(tag)):
            raise BadInput(f"“{visible(tag[:MAX_TAG])}” is no language.", "Give --language as de or zh-Hant.")


def definition_check(options: DiversityOptions) -> None:
    """Refuse words cut as the definition does not take them.

    Raises:
        DiversityError: they are.
    """
    if options.definition == "biasmt" and options.tokens == "moses":
        raise DiversityError(
            "the authors’ code splits at white space: --definition biasmt takes the text as given",
            "Leave --tokens out, or use --definition paper.",
        )


def _plan(options: DiversityOptions, source: Blocks | None) -> tuple[Plan, list[str]]:
    """Make ready what measuring takes; return it with what the reader must know."""
    definition_check(options)
    measures = measures_for(options.measures, options.definition, options.window)
    tokens = options.tokens or ("given" if options.definition == "biasmt" else "moses")
    tokeniser = tokeniser_for(tokens, options.language)
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    notices = _language_notices(options)
    lemmatiser, no_lemmas = _lemmatiser(options.lemmatiser, options.language)
    resources = Resources(lemmatiser, no_lemmas)
    parts: list[str] = []
    if options.training and options.definition == "biasmt":
        notices.append(
            "--training is not used: with --definition biasmt, bands are those of each text itself."
        )
    elif options.training:
        training = path_of(options.training, options.language)
        bands, _ = training_bands(partial(stream_blocks, training), tokeniser, jobs)
        resources = replace(resources, bands=bands)
        parts.append(f"training:{_named(options.training)}")
    if options.dictionary:
        chosen, own, said = _options_of(options, source, tokens, jobs)
        resources = replace(resources, options=chosen)
        parts += own
        notices += said
    elif options.source:
        notices.append("--source is for PTF, CDU and SynTTR, which need a --dictionary as well.")
    plan = Plan(
        measures, resources, tokeniser, tuple(parts), options.resamples, options.seed, jobs,
        options.intervals, options.pairs, options.lemma, options.equal, options.draws,
    )  # fmt: skip
    return plan, notices


def _options_of(
    options: DiversityOptions, source: Blocks | None, tokens: str, jobs: int
) -> tuple[dict[str, tuple[str, ...]], list[str], list[str]]:
    """Return the translation options that count, parts of the signature, and notices."""
    known = read_dictionary(options.dictionary)
    notices = []
    if known.phrases:
        notices.append(f"{known.name}: {known.phrases:,} translations of several words are left out.")
    given = path_of(options.source, options.source_language) if options.source else ""
    blocks = partial(stream_blocks, given) if given else source
    if blocks is None:
        return known.options, [f"dictionary:{known.name}", "dictionary-words:all"], [
            *notices, "No --source: every word of the dictionary counts as a source word.",
        ]  # fmt: skip
    lemmatiser, reason = _lemmatiser("simplemma", options.source_language)
    if not options.source_language:
        reason = "no language of the source given (--source-language)"
    words = source_words(blocks, _source_tokeniser(tokens, options), Resources(lemmatiser, reason), jobs)
    chosen = known.only(words)
    if not chosen:
        raise DiversityError(
            f"none of the source’s words is in {known.name}",
            "Check that the dictionary goes from the source’s language to the text’s.",
        )
    if lemmatiser is None:
        notices.append(f"Words of the source are looked up as they stand: {reason}.")
    notices.append(f"{len(chosen):,} words of the source have translations in {known.name}.")
    looked_up = lemmatiser.name if lemmatiser else "forms"
    return chosen, [f"dictionary:{known.name}", f"dictionary-words:source by {looked_up}"], notices


def _named(argument: str) -> str:
    """Return a file's own name, or the corpus as it is given."""
    return argument if argument.startswith(CORPUS) else Path(argument).name


def _source_tokeniser(tokens: str, options: DiversityOptions) -> Tokeniser:
    return tokeniser_for(tokens, options.source_language)


def _lemmatiser(choice: str, language: str) -> tuple[Lemmatiser | None, str]:
    """Return the lemmatiser, or the reason why there is none; a wrong file or option is an error."""
    try:
        return lemmatiser_for(choice, language), ""
    except ToolUnavailable as error:
        if choice != "simplemma":
            raise
        return None, str(error)


def _language_notices(options: DiversityOptions) -> list[str]:
    """Say which languages are not known; measures that need none go on."""
    notices = []
    for tag in (options.language, options.source_language):
        try:
            if tag:
                check_tag(tag)
        except LanguageError as error:
            notices.append(str(error))
    return notices
