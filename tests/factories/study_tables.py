"""A study with invented, known cells: two language pairs, four conditions, OP and BT in each."""

from __future__ import annotations

import hashlib
import statistics
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils import timezone

from annotation.models import Campaign, Study
from annotation.services.campaigns import CampaignOptions, campaign_create, campaign_draft
from annotation.services.judging import judgement_save
from annotation.services.selection import selection_load
from mtcore.metrics.packing import stats_pack
from mtcore.models import MetricResult, SystemOutput, TestSet, TextVersion
from mtcore.services.outputs import output_create, output_draft
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.versions import version_find
from tests.factories.campaigns import invented_lines, named

PAIRS = ("en-de", "de-en")
SYSTEMS = ("OP", "BT")
SEGMENTS = 3
SIGNATURE = "nrefs:1|invented"

CONDITIONS = {
    ("X", "Y*"): ("direct", "source", "reference"),
    ("X*", "Y"): ("reverse", "source", "reference"),
    ("X**", "Y*"): ("direct", "source2", "reference"),
    ("X*", "Y**"): ("reverse", "source", "reference2"),
}
"""Condition → direction, input version and reference version."""


@dataclass(frozen=True)
class Known:
    """A study and what its Table 3 must hold: (pair, input, reference, system) → (BLEU, z)."""

    study: Study
    bleu: dict[tuple[str, str, str, str], float]
    human: dict[tuple[str, str, str, str], float]


def known_study(name: str = "Known") -> Known:
    """Make the study: texts, outputs, kept BLEU scores of which each is another, judged campaigns."""
    study = Study.objects.create(name=name)
    bleu, human = {}, {}
    value = 20.0
    for pair in PAIRS:
        sets = {direction: known_testset(pair, direction) for direction in ("direct", "reverse")}
        for (source, reference), (direction, input_name, reference_name) in CONDITIONS.items():
            for system in SYSTEMS:
                value += 1.3
                keep_score(sets[direction], f"{system} {pair}", input_name, reference_name, value)
                bleu[pair, source, reference, system] = value
        for number, (source, direction, input_name) in enumerate(
            [("X", "direct", "source"), ("X*", "reverse", "source"), ("X**", "direct", "source2")]
        ):
            z = known_campaign(study, pair, sets[direction], input_name, source, number)
            for reference in (one[1] for one in CONDITIONS if one[0] == source):
                human |= {(pair, source, reference, system): z[system] for system in SYSTEMS}
    return Known(study, bleu, human)


def known_testset(pair: str, direction: str) -> TestSet:
    """Make a test set with a text translated there and back, and outputs of OP and BT from each input."""
    texts = {
        side: named(side, invented_lines(SEGMENTS, seed=number, mark=f"{pair} {direction} {side} "))
        for number, side in enumerate(("source", "reference"))
    }
    double = "source" if direction == "direct" else "target"
    doubled = invented_lines(SEGMENTS, seed=5, mark=f"{pair} {direction} double ")
    testset, _ = testset_create(
        testset_draft(
            name=f"{pair} {direction}",
            languages=pair,
            sources=[texts["source"]],
            references=[texts["reference"]],
            double_translations=[(double, named("source2" if double == "source" else "reference2", doubled))],
            direction=direction,
        )
    )
    for input_name in ("source", *(("source2",) if direction == "direct" else ())):
        version = version_find(testset, input_name, side="source")
        for number, system in enumerate(SYSTEMS):
            lines = invented_lines(SEGMENTS, seed=20 + number, mark=f"{pair} {direction} {input_name} ")
            text = named(system, lines)
            draft = output_draft(system=f"{system} {pair}", text=text, source=texts["source"], kind=system)
            output_create(draft, testset=testset, input_version=version)
    return testset


def keep_score(
    testset: TestSet, system: str, input_name: str, reference: str, value: float, metric: str = "bleu"
) -> MetricResult:
    """Keep an invented score of an output."""
    output = SystemOutput.objects.get(testset=testset, system__name=system, input_version__name=input_name)
    return MetricResult.objects.create(
        output=output,
        reference=TextVersion.objects.get(testset=testset, side="target", name=reference),
        metric=metric,
        signature=SIGNATURE,
        signature_sha256=hashlib.sha256(SIGNATURE.encode()).hexdigest(),
        value=value,
        n_segments=SEGMENTS,
        segment_stats=stats_pack(np.zeros((SEGMENTS, 10))),
    )


def known_campaign(
    study: Study, pair: str, testset: TestSet, input_name: str, notation: str, number: int
) -> dict[str, float]:
    """Let one rater judge OP and BT from an input; return the z of each by the plain formula."""
    draft = campaign_draft(
        options=CampaignOptions(
            name=f"{pair} {notation}", protocol="source_da", raters=("Mia",), judgements=1, seed=7,
            study=study.name,
        ),
        selection=selection_load(
            testsets=[testset.name], systems=[f"{one} {pair}" for one in SYSTEMS], inputs=[input_name]
        ),
    )  # fmt: skip
    campaign = campaign_create(draft=draft, owner=None)
    scores = {
        "OP": [30 + number, 45, 50 + PAIRS.index(pair)],
        "BT": [60, 75 + 3 * number, 95 - PAIRS.index(pair)],
    }
    _judge(campaign, scores)
    everything = [score for own in scores.values() for score in own]
    mean, spread = statistics.mean(everything), statistics.stdev(everything)
    return {system: (statistics.mean(own) - mean) / spread for system, own in scores.items()}


def _judge(campaign: Campaign, scores: dict[str, Sequence[int]]) -> None:
    participation = campaign.participations.select_related("campaign", "rater").get()
    participation.consented_at = timezone.now()
    participation.save(update_fields=["consented_at"])
    for assignment in participation.assignments.select_related("item__segment"):
        (output,) = assignment.item.candidates.get().outputs.all()
        own = scores[output.system.name.split()[0]]
        judgement_save(
            participation=participation,
            assignment_key=assignment.key,
            client_key=uuid.uuid4().hex,
            answers={"score": own[assignment.item.segment.position % len(own)]},
        )
