"""Score text files; no database is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evalplatform.errors import BadInput
from mtcore.corpora.languages import LanguageError, check_tag
from mtcore.corpora.reader import read_lines
from mtcore.metrics import METRICS, MetricError
from mtcore.metrics.scoring import Kept, Part, ScoreReport, check_pairs, score_kept
from mtcore.services.metric_overlap import overlap_check, overlap_tell
from mtcore.services.metric_scoring import (
    MetricOptions,
    Scorer,
    lines_prepare,
    metric_errors,
    scored_check,
    scorers_make,
    signature_of,
    texts_check,
)
from mtcore.services.texts import NamedText, as_bad_input, named_split

TOGETHER = " + "
"""Joins the names of references that count together."""


def files_score(
    *, hypotheses: Sequence[str], references: Sequence[str], options: MetricOptions, source: str = ""
) -> ScoreReport:
    """Score files, each given as FILE or NAME=FILE, against all reference files together.

    Args:
        hypotheses: the outputs.
        references: translations by people.
        options: which metrics, intervals and tests.
        source: the file that was translated, for metrics that look at it.

    Raises:
        BadInput: a file, name, model or option that cannot be used.
    """
    if not hypotheses:
        raise BadInput("There is nothing to score.", "Name files with --hypothesis.")
    overlap_check(options)
    outputs, refs = _texts(hypotheses, "hypothesis"), _texts(references, "reference")
    sources = _texts([source] if source else [], "source")
    _check_references(refs, options)
    options = replace(options, language=options.language or _language(refs or outputs))
    scorers = scorers_make(options)
    notices = [f"{text.name}: {notice}" for text in (*outputs, *refs) for notice in text.notices]
    notices += texts_check(outputs, refs, options.language, sources)
    with metric_errors():
        check_pairs([{text.name for text in outputs}], options.scoring.pairs)
        kept = [_kept(scorer, text, refs, sources, options) for scorer in scorers for text in outputs]
        scored_check(kept)
        report = score_kept(kept, [Part(None)], options.scoring, METRICS, notices)
    return overlap_tell(report, options)


def _kept(
    scorer: Scorer,
    text: NamedText,
    references: Sequence[NamedText],
    sources: Sequence[NamedText],
    options: MetricOptions,
) -> Kept:
    needed = references if "reference" in METRICS[scorer.name].needs else []
    reference = TOGETHER.join(one.name for one in needed) or None
    if scorer.metric is None:
        return Kept(text.name, None, reference, scorer.name, None, None, "", reason=scorer.reason)
    try:
        stats = scorer.metric.segment_stats(
            lines_prepare(text.lines, options),
            [lines_prepare(one.lines, options) for one in needed],
            lines_prepare(sources[0].lines, options) if sources else (),
        )
    except MetricError as error:
        return Kept(text.name, None, reference, scorer.name, None, None, "", reason=str(error))
    signature = signature_of(scorer.metric, len(needed), options)
    return Kept(text.name, None, reference, scorer.name, scorer.metric, stats, signature)


def _texts(arguments: Sequence[str], what: str) -> list[NamedText]:
    """Read files, empty lines and all; each has a name of its own, by default that of its file."""
    texts: list[NamedText] = []
    for argument in arguments:
        name, path = named_split(argument)
        with as_bad_input():
            read = read_lines(path)
        file = Path(path).name
        if not read.lines:
            raise BadInput(f"{file} is empty.", "Give a file with one segment a line.")
        texts.append(NamedText(name or file, file, tuple(read.lines), tuple(read.notices)))
    names = [text.name for text in texts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(
            f"Two files given with --{what} are called “{twice}”.",
            "Give each a name of its own, as NAME=FILE.",
        )
    return texts


def _check_references(references: Sequence[NamedText], options: MetricOptions) -> None:
    needing = [name for name in options.metrics if name in METRICS and "reference" in METRICS[name].needs]
    if needing and not references:
        raise BadInput(f"{', '.join(needing)} need a reference.", "Name its file with --reference.")
    for text in references:
        if not any(line.strip() for line in text.lines):
            raise BadInput(f"{text.file} holds nothing but blank lines.", "Give a reference with text in it.")


def _language(texts: Sequence[NamedText]) -> str:
    """Take the language from the end of a file's name where that is two letters: newstest.de, ref.zh.gz."""
    suffixes = Path(texts[0].file.removesuffix(".gz")).suffixes if texts else []
    try:
        return check_tag(suffixes[-1][1:]) if suffixes and len(suffixes[-1]) == 3 else ""
    except LanguageError:
        return ""
