"""Cells of automatic metrics: from the statistics kept of outputs, for the segments that are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from annotation.services.study_tables.cells import Cell, Link, Need, Shared, missing, printed
from annotation.services.study_tables.material import Material, Pair, Place, SystemRow
from annotation.services.study_tables.spec import Condition, Quantity
from mtcore.metrics import METRICS, MetricError
from mtcore.metrics.base import FloatArray, Metric, MetricSettings, total
from mtcore.metrics.packing import stats_unpack
from mtcore.metrics.scoring import finite
from mtcore.models import MetricResult, SystemOutput, TextVersion
from mtcore.models.metric import TOGETHER

"""In the signature of a score by several references at once, which no table of the studies holds."""


class MetricCells:
    """Finds the score of an output among what is kept."""

    def __init__(self, material: Material) -> None:
        self.material = material

    def cell(self, pair: Pair, condition: Condition, row: SystemRow, quantity: Quantity) -> Cell:
        """Return the score of the row's system in a condition, over all test sets of the pair that have it.

        A score over several test sets comes from the sums of their statistics, as if they were one.
        """
        system = row.of(pair)
        if system is None:
            return missing(f"no system “{row.label}” for {pair.tag}", _system_need(pair))
        wants_reference = "reference" in METRICS[quantity.name].needs
        places, need = fitting(self.material, pair, condition, wants_reference)
        if not places:
            return missing(lacking(pair, condition), need)
        found: list[tuple[Place, MetricResult]] = []
        for place, inputs, references in places:
            output, version = self._output(row, pair, place, inputs)
            if output is None:
                where = f"for {place.testset.name} from {version.name}"
                return missing(
                    f"“{system.name}” has no output {where}",
                    output_need(place, system.name, version),
                    shared=Shared(f"there is no output {where} of {{whose}}", whose=system.name),
                )
            result = self._result(pair, output, references[0] if references else None, quantity.name)
            if result is None:
                reference = references[0] if references else None
                title, where = METRICS[quantity.name].title, f"for {place.testset.name} from {version.name}"
                return missing(
                    f"the output of “{system.name}” {where} is not scored by {title}",
                    score_need(place, system.name, version, reference, quantity.name),
                    shared=Shared(f"not scored by {{what}} {where}: {{whose}}", title, system.name),
                )
            found.append((place, result))
        return self._score(pair, found, quantity)

    def _output(
        self, row: SystemRow, pair: Pair, place: Place, inputs: Sequence[TextVersion]
    ) -> tuple[SystemOutput | None, TextVersion]:
        system = row.systems[pair.tag]
        for version in inputs:
            output = self.material.output(system, place.testset, version)
            if output is not None:
                return output, version
        return None, inputs[0]

    def _result(
        self, pair: Pair, output: SystemOutput, reference: TextVersion | None, metric: str
    ) -> MetricResult | None:
        """Return what is kept of an output, under the signature that most outputs of the pair have."""
        key = (output.pk, reference.pk if reference else None, metric)
        own = {result.signature: result for result in self._kept.get(key, ())}
        order = self._signatures[pair.tag, metric] if own else ()
        return next((own[signature] for signature in order if signature in own), None)

    @cached_property
    def _kept(self) -> dict[tuple[int, int | None, str], list[MetricResult]]:
        """Return the results of the study's outputs without their statistics."""
        rows = MetricResult.objects.filter(output__in=[one.pk for one in self.material.outputs.values()])
        found: dict[tuple[int, int | None, str], list[MetricResult]] = {}
        for row in rows.select_related("reference").defer("segment_stats").order_by("pk"):
            if TOGETHER not in row.signature:
                found.setdefault((row.output_id, row.reference_id, row.metric), []).append(row)
        return found

    @cached_property
    def _signatures(self) -> dict[tuple[str, str], list[str]]:
        """Return the signatures of each pair and metric, the one with most results first, then the newest."""
        tags = {testset.pk: pair.tag for pair in self.material.pairs for testset in pair.testsets}
        of_output = {one.pk: tags[one.testset_id] for one in self.material.outputs.values()}
        counts: dict[tuple[str, str], Counter[str]] = {}
        newest: dict[str, int] = {}
        for (output, _, metric), rows in self._kept.items():
            for row in rows:
                counts.setdefault((of_output[output], metric), Counter())[row.signature] += 1
                newest[row.signature] = max(newest.get(row.signature, 0), row.pk)
        return {key: sorted(own, key=lambda one: (-own[one], -newest[one])) for key, own in counts.items()}

    def _score(self, pair: Pair, found: list[tuple[Place, MetricResult]], quantity: Quantity) -> Cell:
        results = [result for _, result in found]
        signatures = list(dict.fromkeys(result.signature for result in results))
        if len(signatures) > 1:
            return missing(f"test sets of {pair.tag} are scored in different ways: {'; '.join(signatures)}")
        place, first = found[0]
        value = first.value if len(found) == 1 and place.positions is None else self._of_part(found, pair)
        if value is None:
            return missing(first.reason or "the score of these segments cannot be taken from what is kept")
        size = sum(place.n_segments for place, _ in found)
        behind = [_words(place, self.material.outputs_by_key[row.output_id], row) for place, row in found]
        run = next((row.run_id for row in results if row.run_id), None)
        return Cell(
            value, printed(value, quantity.digits, quantity.scale), tuple(behind), signatures[0], size,
            Link("run", run=run) if run else Link("result"),
        )  # fmt: skip

    def _of_part(self, found: list[tuple[Place, MetricResult]], pair: Pair) -> float | None:
        """Return the score of the segments that are meant, from their statistics."""
        sums: FloatArray | None = None
        for place, result in found:
            packed = MetricResult.objects.values_list("segment_stats", flat=True).get(pk=result.pk)
            if packed is None:
                return None
            stats = stats_unpack(packed)
            if place.positions is not None:
                stats = stats[np.array(place.positions, dtype=np.int64)]
            sums = total(stats) if sums is None else sums + total(stats)
        scorer = _scorer(found[0][1].metric, pair.target)
        if sums is None or scorer is None:
            return None
        return finite(float(scorer.corpus_score(sums)))


def fitting(
    material: Material, pair: Pair, condition: Condition, wants_reference: bool = True
) -> tuple[list[tuple[Place, list[TextVersion], list[TextVersion]]], Need]:
    """Return the segments that a condition has in a pair, with their versions, and what brings them in."""
    found = []
    for place in pair.places.get(condition.direction, ()):
        inputs = place.find("source", condition.input)
        references = place.find("target", condition.reference)
        if condition.alternative:
            references = [one for one in references if one.name == condition.alternative]
        elif condition.alternatives:
            references = references[1:]
        if inputs and (references or not wants_reference):
            found.append((place, inputs, references if wants_reference else []))
    return found, testset_need(pair, condition)


def lacking(pair: Pair, condition: Condition) -> str:
    """Say that no test set of a pair has a condition."""
    what = f"{condition.input} → {condition.reference}" if condition.input else "a source and a reference"
    other = " with another reference" if condition.alternatives else ""
    return f"no test set for {pair.tag} in the study has {what}{other}"


def testset_need(pair: Pair, condition: Condition) -> Need:
    """Return the command that imports a test set with a condition."""
    options: dict[str, tuple[str, ...]] = {"--languages": (pair.tag,), "--source": ("FILE",)}
    options["--reference"] = ("FILE", "NAME=FILE") if condition.alternatives else ("FILE",)
    if condition.direction:
        options["--direction"] = (condition.direction,)
    double = {"X**": "source=FILE", "Y**": "target=FILE"}
    doubled = [double[one] for one in (condition.input, condition.reference) if one in double]
    if doubled:
        options["--double-translation"] = tuple(doubled)
    return Need(("import_testset", "NAME"), options, pair.tag + condition.direction)


def output_need(place: Place, system: str, version: TextVersion) -> Need:
    """Return the command that brings an output in."""
    options = {} if version.kind == "original" else {"--input": (version.name,)}
    return Need(("import_output", place.testset.name, system, "FILE"), options)


def score_need(
    place: Place, system: str, version: TextVersion, reference: TextVersion | None, metric: str
) -> Need:
    """Return the command that scores an output."""
    options: dict[str, tuple[str, ...]] = {"--systems": (system,), "--metrics": (metric,)}
    if METRICS[metric].needs & {"model"}:
        options["--model"] = (f"{metric}=PATH",)
    if reference is not None:
        options["--reference"] = (reference.name,)
    options["--input"] = (version.name,)
    return Need(("score_outputs", place.testset.name), options)


def _system_need(pair: Pair) -> Need:
    names = [testset.name for testset in pair.testsets]
    return Need(("import_output", names[0], "SYSTEM", "FILE"))


def _words(place: Place, output: SystemOutput, result: MetricResult) -> str:
    reference = f", reference {result.reference.name}" if result.reference else ""
    part = f", {place.direction} segments" if place.positions is not None else ""
    by_run = f", run {result.run_id}" if result.run_id else ""
    return (
        f"{METRICS[result.metric].title} of {output.system.name} for {place.testset.name} from "
        f"{output.input_version.name}{reference}{part}{by_run}"
    )


def _scorer(name: str, language: str) -> Metric | None:
    """Return a metric that turns sums into scores; its model or program is not needed for that."""
    kind = METRICS[name]
    try:
        return kind.of_settings(MetricSettings(language))
    except MetricError:
        return object.__new__(kind)
