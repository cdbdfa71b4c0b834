"""What metrics say of the outputs that people judged: from kept statistics, made where they are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotation.models import Campaign
from annotation.services.correlate_options import CorrelateOptions
from annotation.services.correlate_people import People
from annotation.services.correlate_scores import scores_read
from annotation.services.correlate_texts import Texts, texts_read
from annotation.stats.records import Entry, FloatArray
from mtcore.metrics import METRICS, Metric, MetricError
from mtcore.metrics.packing import stats_unpack
from mtcore.models import MetricResult, OutputSegment, SystemOutput, TextVersion
from mtcore.models.metric import TOGETHER
from mtcore.services.metric_results import metric_result_keep
from mtcore.services.metric_scoring import (
    MetricOptions,
    Scorer,
    lines_prepare,
    scorers_make,
    signature_of,
)
from mtcore.services.texts import as_bad_input
from mtcore.services.versions import version_lines

SURE = "chrf"
"""A metric that can always be had, so that others may say why they cannot."""


@dataclass(frozen=True)
class MetricFacts:
    """What is known of a metric: how it is called and printed, and how it was made.

    Attributes:
        name: in METRICS, or of one's own.
        title: of tables, without an arrow.
        digits: decimals.
        higher_is_better: False turns the sign before anything is correlated.
        reference: versions compared with, "" for none.
        signature: how scores were made; several, joined, where kept ones differ.
        reason: why there is nothing, "" when there is something.
        failures: system → why its output could not be scored, where others could.
    """

    name: str
    title: str
    digits: int
    higher_is_better: bool
    reference: str
    signature: str
    reason: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def sign(self) -> int:
        """Return what scores are multiplied with so that higher is better."""
        return 1 if self.higher_is_better else -1


class OwnMetric:
    """Scores of a metric from elsewhere: statistics [score, 1], a corpus has the mean over its segments."""

    def corpus_score(self, sums: FloatArray) -> FloatArray:
        """Return the mean of each row of summed statistics."""
        return np.asarray(sums[..., 0] / np.maximum(sums[..., 1], 1.0), dtype=np.float64)

    def segment_scores(self, stats: FloatArray) -> FloatArray:
        """Return the score of each segment."""
        return np.asarray(stats[..., 0], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Side:
    """A metric under one choice of references: the statistics of every output, by segment of its test set.

    A row of `stats` with nan is a segment without a score.
    """

    facts: MetricFacts
    scorer: Metric | OwnMetric | None
    stats: Mapping[Entry, FloatArray]


def sides_read(
    campaign: Campaign, people: Sequence[People], options: CorrelateOptions, reference: str
) -> tuple[Texts, list[Side]]:
    """Return what is known of the texts, and every metric that is asked for.

    A metric without statistics has the reason why.

    Args:
        campaign: whose outputs.
        people: what was judged, in every direction.
        options: which metrics, and which may be computed.
        reference: target version by name or notation; "": what raters compared with, else the original.

    Raises:
        BadInput: an unknown metric or version, or a model or file that cannot be used.
    """
    entries = list(dict.fromkeys(cells.entry for one in people for cells in one.entries))
    texts = texts_read(entries, reference)
    wanted = [name for name in dict.fromkeys(options.metrics) if name not in options.scores]
    asked = MetricOptions(
        metrics=(*wanted, SURE), language=campaign.target_language, models=dict(options.models),
        tokens=options.tokens, nfc=options.nfc, needed=tuple(wanted) if len(wanted) == 1 else (),
    )  # fmt: skip
    scorers = {scorer.name: scorer for scorer in scorers_make(asked)}
    kept = _kept(texts, wanted)
    sides = [_side(scorers[name], texts, kept, asked, options) for name in wanted]
    own = [_own_side(name, path, entries, texts, options) for name, path in options.scores.items()]
    return texts, [*sides, *own]


def _kept(texts: Texts, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return what is kept of the outputs against one reference each, without the statistics themselves."""
    outputs = {output.pk for output in texts.outputs.values()}
    rows = MetricResult.objects.filter(output__in=outputs, metric__in=metrics, segment_stats__isnull=False)
    rows = rows.exclude(signature__contains=TOGETHER)
    columns = ("pk", "output_id", "reference_id", "metric", "signature")
    return [dict(zip(columns, row, strict=True)) for row in rows.order_by("pk").values_list(*columns)]


def _side(
    scorer: Scorer,
    texts: Texts,
    kept: Sequence[dict[str, Any]],
    asked: MetricOptions,
    options: CorrelateOptions,
) -> Side:
    """Return one metric of the house."""
    kind = METRICS[scorer.name]
    by_reference = "reference" in kind.needs
    needed = {
        entry: (output, texts.references.get(entry) if by_reference else None)
        for entry, output in texts.outputs.items()
        if entry in texts.references or not by_reference
    }
    rows = {
        (row["output_id"], row["reference_id"], row["signature"]): row["pk"]
        for row in kept
        if row["metric"] == scorer.name
    }
    pairs = {(output.pk, version.pk if version else None) for output, version in needed.values()}
    own = "" if scorer.metric is None else signature_of(scorer.metric, int(by_reference), asked)
    may_compute = scorer.metric is not None and scorer.name in options.compute
    signature = own if may_compute else _best_signature(rows, pairs, own)
    blobs = _blobs(rows[(*pair, signature)] for pair in pairs if (*pair, signature) in rows)
    places = {
        entry: (output.pk, version.pk if version else None) for entry, (output, version) in needed.items()
    }
    ready = {
        entry: blobs[rows[(*place, signature)]]
        for entry, place in places.items()
        if (*place, signature) in rows
    }
    failures: dict[str, str] = {}
    if may_compute and scorer.metric is not None:
        missing = {entry: pair for entry, pair in needed.items() if entry not in ready}
        computed, failures = _computed(scorer.metric, own, missing, asked)
        ready |= computed
    bare = scorer.metric or _bare(scorer.name, ready)
    ready = ready if bare is not None else {}
    names = dict.fromkeys(version.name for _, version in needed.values() if version is not None)
    facts = MetricFacts(
        scorer.name, kind.title, kind.digits, kind.higher_is_better, " + ".join(names), signature,
        "" if ready else "; ".join(dict.fromkeys(failures.values())) or _why(scorer, texts, needed), failures,
    )  # fmt: skip
    return Side(facts, bare, ready)


def _best_signature(
    rows: Mapping[tuple[int, int | None, str], int], pairs: set[tuple[int, int | None]], own: str
) -> str:
    """Return the signature under which most outputs are kept: the usual one first, then the newest."""
    counts: Counter[str] = Counter()
    newest: dict[str, int] = {}
    for (output, reference, signature), pk in rows.items():
        if (output, reference) in pairs:
            counts[signature] += 1
            newest[signature] = max(pk, newest.get(signature, 0))
    return max(counts, key=lambda one: (counts[one], one == own, newest[one]), default=own)


def _blobs(pks: Iterable[int]) -> dict[int, FloatArray]:
    rows = MetricResult.objects.filter(pk__in=list(pks)).values_list("pk", "segment_stats")
    return {pk: stats_unpack(blob) for pk, blob in rows if blob is not None}


def _computed(
    metric: Metric,
    signature: str,
    needed: Mapping[Entry, tuple[SystemOutput, TextVersion | None]],
    asked: MetricOptions,
) -> tuple[dict[Entry, FloatArray], dict[str, str]]:
    """Extract and keep the statistics of outputs.

    Returns:
        The statistics, and for each system whose output could not be scored the reason.
    """
    lines: dict[int, Sequence[str]] = {}

    def of_version(version: TextVersion) -> Sequence[str]:
        if version.pk not in lines:
            lines[version.pk] = lines_prepare(version_lines(version), asked)
        return lines[version.pk]

    found: dict[Entry, FloatArray] = {}
    failures: dict[str, str] = {}
    made: dict[tuple[int, int | None], FloatArray] = {}
    for entry, (output, version) in needed.items():
        key = (output.pk, version.pk if version else None)
        if key not in made:

            def extract(output: SystemOutput = output, version: TextVersion | None = version) -> FloatArray:
                own = OutputSegment.objects.filter(output=output).order_by("segment__position")
                text = lines_prepare(list(own.values_list("text", flat=True)), asked)
                references = [of_version(version)] if version is not None else []
                sources = of_version(output.input_version) if "source" in metric.needs else ()
                return metric.segment_stats(text, references, sources)

            try:
                with as_bad_input():
                    made[key] = metric_result_keep(
                        output=output, reference=version, metric=metric, signature=signature, extract=extract
                    )[1]
            except MetricError as error:
                failures[output.system.name] = str(error)
                continue
        found[entry] = made[key]
    return found, failures


def _bare(name: str, ready: Mapping[Entry, FloatArray]) -> Metric | None:
    """Return a metric without its model, where that is enough to turn kept statistics into scores."""
    metric: Metric = object.__new__(METRICS[name])
    try:
        for stats in ready.values():
            metric.segment_scores(stats[:1])
    except AttributeError:
        return None
    return metric


def _why(scorer: Scorer, texts: Texts, needed: Mapping[Entry, Any]) -> str:
    """Say why a metric has nothing."""
    if not texts.outputs:
        return (
            "the texts of the outputs are not here: import the test set and its outputs, then the judgements "
            "with --testset"
        )
    if not needed:
        return "there is no such reference to compare with"
    sets = sorted({output.testset.name for output in texts.outputs.values()})
    command = f"not scored yet: manage.py score_outputs {sets[0]} --metrics {scorer.name}"
    return f"{scorer.reason}; {command}" if scorer.reason else command


def _own_side(
    name: str, path: str, entries: Sequence[Entry], texts: Texts, options: CorrelateOptions
) -> Side:
    """Return a metric of one's own."""
    given = scores_read(name, path)
    stats: dict[Entry, FloatArray] = {}
    by_output: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for (system, testset, input_, segment), score in given.items():
        by_output.setdefault((system, testset, input_), []).append((segment, score))
    for entry in entries:
        rows = texts.rows[entry.testset or ""]
        table = np.full((len(texts.directions[entry.testset or ""]), 2), np.nan)
        for key in _own_keys(entry, by_output):
            for segment, score in by_output[key]:
                if segment in rows:
                    table[rows[segment]] = (score, 1.0)
        if not np.isnan(table).all():
            stats[entry] = table
    systems = {key[0] for key in given}
    reason = ""
    if not stats:
        known = ", ".join(sorted({entry.system for entry in entries})[:5])
        told = ", ".join(sorted(systems)[:5])
        reason = f"no score is about a judged segment of {known}; the file is about {told}"
    facts = MetricFacts(
        name, name, 4, name not in options.lower_is_better, "", f"{name}:segment scores as given|corpus:mean",
        reason,
    )  # fmt: skip
    return Side(facts, OwnMetric(), stats)


def _own_keys(entry: Entry, known: Mapping[tuple[str, str, str], Any]) -> list[tuple[str, str, str]]:
    return [
        key
        for testset in ("", entry.testset or "")
        for input_ in dict.fromkeys(("", entry.input or ""))
        if (key := (entry.system, testset, input_)) in known
    ]
