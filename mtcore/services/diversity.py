"""Measure the diversity of texts in files and of outputs in the database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.languages import LanguageError, check_tag
from mtcore.corpora.stream import stream_blocks
from mtcore.diversity import measures_for
from mtcore.diversity.base import DiversityError, ToolUnavailable
from mtcore.diversity.counting import line_blocks
from mtcore.diversity.dictionaries import read_dictionary
from mtcore.diversity.lemmas import Lemmatiser, lemmatiser_for
from mtcore.diversity.measuring import Blocks, Plan, Report, measure_texts, source_words, training_bands
from mtcore.diversity.tokens import Tokeniser, tokeniser_for
from mtcore.diversity.vocabulary import Resources
from mtcore.models import SystemOutput
from mtcore.services.texts import as_bad_input, sentence
from mtcore.services.versions import testset_find, testset_versions, version_lines, version_original

Text = tuple[str, Blocks]


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


@contextmanager
def diversity_errors() -> Iterator[None]:
    """Turn the errors of the pure packages into BadInput."""
    try:
        with as_bad_input():
            yield
    except DiversityError as error:
        message = str(error)
        raise BadInput(sentence(message[:1].upper() + message[1:]), error.remedy) from error


def diversity_measure(
    *, texts: Sequence[Text], options: DiversityOptions, source: Blocks | None = None
) -> Report:
    """Measure texts by all measures that are wanted; what cannot be had is missing with its reason.

    Args:
        texts: from `text_of_file` and `texts_of_testset`.
        options: what is asked for.
        source: the source text, where it is not a file of the options.

    Raises:
        BadInput: a file, tool or option that cannot be used.
    """
    with diversity_errors():
        plan, notices = _plan(options, source)
        report = measure_texts(texts, plan)
    return replace(report, notices=(*notices, *report.notices))


def text_of_file(name: str, path: str) -> Text:
    """Return a text that is read from a file, plain or gzip, when it is counted."""
    return name or Path(path).name, partial(stream_blocks, path)


@dataclass(frozen=True)
class TestSetTexts:
    """The target texts and outputs of a test set, its source and its languages."""

    __test__ = False  # not a test class

    texts: list[Text]
    source: Blocks
    language: str
    source_language: str


def texts_of_testset(*, testset: str, systems: Sequence[str]) -> TestSetTexts:
    """Return the target texts of a test set and the outputs of systems.

    Args:
        testset: its name.
        systems: names of systems; none means all.

    Raises:
        NotFound: there is no such test set, or a system has no output for it.
    """
    found = testset_find(testset)
    texts = [
        (row.name, _lines(version_lines(row)))
        for row in testset_versions(found).values()
        if row.side == "target"
    ]
    outputs = SystemOutput.objects.filter(testset=found).select_related("system", "input_version")
    outputs = outputs.order_by("system__name", "input_version__position", "pk")
    known = {output.system.name for output in outputs}
    unknown = [name for name in systems if name not in known]
    if unknown:
        remedy = (
            f"There are outputs of {quoted(sorted(known))}." if known else "Import one with import_output."
        )
        raise NotFound(f"“{unknown[0]}” has no output for test set “{testset}”.", remedy)
    taken = {name for name, _ in texts}
    for output in outputs:
        if systems and output.system.name not in systems:
            continue
        name = output.system.name
        if output.input_version.kind != "original" or name in taken:
            name = f"{name} ({output.input_version.name})"
        lines = list(output.lines.order_by("segment__position").values_list("text", flat=True))
        texts.append((name, _lines(lines)))
    source = _lines(version_lines(version_original(found, "source")))
    return TestSetTexts(texts, source, found.target_language, found.source_language)


def _lines(lines: list[str]) -> Blocks:
    return partial(line_blocks, lines)


def _plan(options: DiversityOptions, source: Blocks | None) -> tuple[Plan, list[str]]:
    """Make ready what measuring takes; return it with what the reader must know."""
    if options.definition == "biasmt" and options.tokens == "moses":
        raise DiversityError(
            "the authors’ code splits at white space: --definition biasmt takes the text as given",
            "Leave --tokens out, or use --definition paper.",
        )
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
        bands, _ = training_bands(partial(stream_blocks, options.training), tokeniser, jobs)
        resources = replace(resources, bands=bands)
        parts.append(f"training:{Path(options.training).name}")
    if options.dictionary:
        chosen, own, said = _options_of(options, source, tokens, jobs)
        resources = replace(resources, options=chosen)
        parts += own
        notices += said
    elif options.source:
        notices.append("--source is for PTF, CDU and SynTTR, which need a --dictionary as well.")
    plan = Plan(
        measures, resources, tokeniser, tuple(parts), options.resamples, options.seed, jobs,
        options.intervals, options.pairs,
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
    blocks = partial(stream_blocks, options.source) if options.source else source
    if blocks is None:
        return known.options, [f"dictionary:{known.name}", "dictionary-words:all"], [
            *notices, "No --source: every word of the dictionary counts as a source word.",
        ]  # fmt: skip
    lemmatiser, reason = _lemmatiser("simplemma", options.source_language)
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
