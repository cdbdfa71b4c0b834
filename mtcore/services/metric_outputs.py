"""Score the outputs for a test set, by condition: input version, reference version and direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.provenance import ProvenanceError, label
from mtcore.engines.base import Work
from mtcore.metrics import METRICS, MetricError
from mtcore.metrics.scoring import Kept, Part, ScoreReport, check_pairs, score_kept
from mtcore.models import Run, SystemOutput, TestSet, TextVersion
from mtcore.models.metric import TOGETHER
from mtcore.services.metric_overlap import overlap_check, overlap_tell
from mtcore.services.metric_results import metric_result_keep
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
from mtcore.services.texts import NamedText
from mtcore.services.versions import (
    testset_direction,
    testset_find,
    testset_versions,
    version_find,
    version_lines,
    version_original,
)

DIRECTIONS = ("direct", "reverse", "all")
Watch = Callable[[float, str], None]


@dataclass(frozen=True)
class Selection:
    """Which outputs, references and segments are meant; empty means all outputs, the original reference."""

    systems: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    together: bool = False
    directions: tuple[str, ...] = ("all",)
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reference:
    """One reference version, or several that count together; `None` of a metric that needs none."""

    versions: tuple[TextVersion, ...]
    texts: tuple[NamedText, ...]

    @property
    def name(self) -> str | None:
        """Return the name, or the names joined."""
        return " + ".join(version.name for version in self.versions) or None


NO_REFERENCE = Reference((), ())


def outputs_score(
    *,
    testset: str,
    selection: Selection,
    options: MetricOptions,
    run: Run | None = None,
    watch: Watch | None = None,
    work: Work | None = None,
) -> ScoreReport:
    """Score outputs for a test set; statistics of segments are kept and never extracted twice.

    Args:
        testset: its name.
        selection: which outputs, references and segments.
        options: which metrics, intervals and tests.
        run: the run that the work is done for.
        watch: told what part is done, and what comes next, before each output and metric.
        work: who runs an engine where a metric needs one; by default here and now.

    Raises:
        NotFound: there is no such test set, or a system has no output for it.
        BadInput: a version, direction, document, metric or model that cannot be used.
    """
    overlap_check(options)
    found = testset_find(testset)
    outputs = _outputs(found, selection)
    parts = _parts(found, selection)
    with metric_errors():
        check_pairs(_by_input(outputs), options.scoring.pairs)
    options = replace(options, language=found.target_language)
    scorers = scorers_make(options, work)
    references = _references(found, selection, scorers)
    texts = {output.pk: _text(output) for output in outputs}
    notices = _notices(outputs, texts, references, options)
    conditions = _Conditions(found, parts)
    todo = [
        (scorer, reference, output)
        for scorer in scorers
        for reference in (references if "reference" in METRICS[scorer.name].needs else [NO_REFERENCE])
        for output in outputs
    ]
    kept: list[Kept] = []
    with metric_errors():
        for scorer, reference, output in todo:
            if watch is not None:
                watch(len(kept) / len(todo), f"{scorer.name} of {texts[output.pk].name}")
            one = _kept(scorer, output, texts[output.pk], reference, options, run)
            kept.append(replace(one, conditions=conditions.of(output, reference)))
        scored_check(kept)
        report = score_kept(kept, parts, options.scoring, METRICS, notices)
    return overlap_tell(report, options)


def outputs_score_check(*, testset: str, selection: Selection, options: MetricOptions) -> None:
    """Refuse what `outputs_score` would refuse, without scoring.

    Raises:
        NotFound: there is no such test set, or a system has no output for it.
        BadInput: a version, direction, document, metric or model that cannot be used.
    """
    overlap_check(options)
    found = testset_find(testset)
    outputs = _outputs(found, selection)
    _parts(found, selection)
    with metric_errors():
        check_pairs(_by_input(outputs), options.scoring.pairs)
    scorers = scorers_make(replace(options, language=found.target_language))
    _references(found, selection, scorers)


def _kept(
    scorer: Scorer,
    output: SystemOutput,
    text: NamedText,
    reference: Reference,
    options: MetricOptions,
    run: Run | None,
) -> Kept:
    """Return what is kept of an output, from the database where it is there."""
    system, input_ = output.system.name, output.input_version.name
    metric = scorer.metric
    if metric is None:
        return Kept(system, input_, reference.name, scorer.name, None, None, "", reason=scorer.reason)
    signature = signature_of(metric, len(reference.versions), options)
    if len(reference.versions) > 1:
        signature += TOGETHER + "+".join(version.name for version in reference.versions)
    try:
        _, stats, _ = metric_result_keep(
            output=output,
            reference=reference.versions[0] if reference.versions else None,
            metric=metric,
            signature=signature,
            extract=lambda: metric.segment_stats(
                lines_prepare(text.lines, options),
                [lines_prepare(one.lines, options) for one in reference.texts],
                lines_prepare(_source(output), options) if "source" in metric.needs else (),
            ),
            run=run,
        )
    except MetricError as error:
        return Kept(system, input_, reference.name, scorer.name, None, None, "", reason=str(error))
    return Kept(system, input_, reference.name, scorer.name, metric, stats, signature)


def _outputs(testset: TestSet, selection: Selection) -> list[SystemOutput]:
    rows = SystemOutput.objects.filter(testset=testset).select_related("system", "input_version")
    rows = rows.order_by("input_version__position", "input_version_id", "system__name")
    known = sorted({row.system.name for row in rows})
    if not known:
        raise NotFound(
            f"Test set “{testset.name}” has no outputs.", "Import one with `manage.py import_output`."
        )
    unknown = [name for name in selection.systems if name not in known]
    if unknown:
        raise NotFound(
            f"“{unknown[0]}” has no output for test set “{testset.name}”.",
            f"There are outputs of {quoted(known)}.",
        )
    inputs = {version_find(testset, wanted, side="source").pk for wanted in selection.inputs}
    found = [
        row
        for row in rows
        if (not selection.systems or row.system.name in selection.systems)
        and (not inputs or row.input_version_id in inputs)
    ]
    if not found:
        raise NotFound("No system has an output made from that input.", "Leave --input out to see which are.")
    return found


def _by_input(outputs: Sequence[SystemOutput]) -> list[set[str]]:
    """Return the systems of each input."""
    found: dict[int, set[str]] = {}
    for output in outputs:
        found.setdefault(output.input_version_id, set()).add(output.system.name)
    return list(found.values())


def _references(testset: TestSet, selection: Selection, scorers: Sequence[Scorer]) -> list[Reference]:
    if not any("reference" in METRICS[scorer.name].needs for scorer in scorers):
        return []
    if selection.references:
        versions = [version_find(testset, wanted, side="target") for wanted in selection.references]
        versions = list(dict.fromkeys(versions))
    else:
        versions = [version_original(testset, "target")]
    texts = [NamedText(row.name, f"{testset.name} ({row})", tuple(version_lines(row))) for row in versions]
    if selection.together:
        return [Reference(tuple(versions), tuple(texts))]
    return [Reference((row,), (text,)) for row, text in zip(versions, texts, strict=True)]


def _parts(testset: TestSet, selection: Selection) -> list[Part]:
    """Return the segments of each direction that is asked for, of the documents that are meant."""
    rows = list(testset.segments.order_by("position").values_list("direction", "document__name"))
    documents = {name for _, name in rows}
    for name in selection.documents:
        if name not in documents:
            raise NotFound(f"“{name}” is no document of test set “{testset.name}”.", "Check its name.")
    parts = []
    for direction in dict.fromkeys(selection.directions):
        places = [
            place
            for place, (own, document) in enumerate(rows)
            if direction in ("all", own) and (not selection.documents or document in selection.documents)
        ]
        if not places:
            raise BadInput(
                f"Test set “{testset.name}” has no {direction} segment"
                + (" in these documents." if selection.documents else "."),
                _direction_remedy({own for own, _ in rows}),
            )
        whole = len(places) == len(rows)
        parts.append(Part(direction, None if whole else np.array(places, dtype=np.int64)))
    return parts


def _direction_remedy(known: set[str]) -> str:
    if known == {""}:
        return "Its directions are not known: give them when it is imported, or leave --direction out."
    return f"Its segments are {' and '.join(sorted(name or 'unknown' for name in known))}."


def _text(output: SystemOutput) -> NamedText:
    lines = output.lines.order_by("segment__position").values_list("text", flat=True)
    name = output.system.name
    if output.input_version.kind != "original":
        name = f"{name} ({output.input_version.name})"
    return NamedText(name, name, tuple(lines))


def _source(output: SystemOutput) -> list[str]:
    return version_lines(output.input_version)


def _notices(
    outputs: Sequence[SystemOutput],
    texts: dict[int, NamedText],
    references: Sequence[Reference],
    options: MetricOptions,
) -> list[str]:
    refs = {text.name: text for reference in references for text in reference.texts}
    return texts_check([texts[output.pk] for output in outputs], list(refs.values()), options.language)


class _Conditions:
    """Writes X → Y* for each direction in which the scored segments share one."""

    def __init__(self, testset: TestSet, parts: Sequence[Part]) -> None:
        self.versions = {row: version for version, row in testset_versions(testset).items()}
        shared = testset_direction(testset)
        self.directions = {
            part.direction: shared if part.direction in (None, "all") else part.direction or ""
            for part in parts
        }

    def of(self, output: SystemOutput, reference: Reference) -> dict[str | None, str]:
        """Return the condition of an output by direction; nothing where it is not known."""
        written = {asked: self._write(output, reference, own) for asked, own in self.directions.items()}
        return {asked: text for asked, text in written.items() if text}

    def _write(self, output: SystemOutput, reference: Reference, direction: str) -> str:
        rows = (output.input_version, *reference.versions)
        known = list(self.versions.values())
        try:
            first, *others = [label(self.versions[row], known, direction) for row in rows]
        except ProvenanceError:
            return ""
        return " → ".join([first, *([" + ".join(others)] if others else [])]) if direction else ""
