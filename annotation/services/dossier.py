"""Everything that is known of one segment: its texts, every output, every judgement, every metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Campaign, CampaignOutput
from annotation.protocols import PROTOCOLS
from annotation.services.dossier_diff import Difference, Piece, words_compare
from annotation.services.dossier_metrics import SegmentMetric, metrics_of
from annotation.services.report.segment import Judged, segment_read
from annotation.services.sealing import is_sealed
from evalplatform.errors import BadInput, NotFound
from mtcore.corpora.provenance import ProvenanceError, Version, label
from mtcore.models import OutputSegment, Segment, SegmentText, SystemOutput
from mtcore.services.versions import testset_versions

OUTPUT = "output:"
"""Stands before the number of an output that others are compared with."""


@dataclass(frozen=True)
class DossierText:
    """A version of the segment: name, notation (X**), side, language and text."""

    name: str
    notation: str
    side: str
    language: str
    text: str

    @property
    def title(self) -> str:
        """Return notation and name."""
        return f"{self.notation} · {self.name}" if self.notation else self.name


@dataclass(frozen=True)
class DossierOutput:
    """A system's translation: what it was made from, its words against another text, what metrics say.

    `number` is its place among the outputs, from 1; `status` is "" for a translation that is there.
    """

    number: int
    system: str
    made_from: str
    text: str
    status: str
    difference: Difference
    metrics: Sequence[SegmentMetric]


@dataclass(frozen=True)
class DossierCampaign:
    """What raters of one campaign said of the segment."""

    campaign: Campaign
    rated: bool
    items: Sequence[Judged]
    n_judgements: int
    is_sealed: bool = False


@dataclass(frozen=True)
class Choice:
    """Something that outputs can be compared with."""

    value: str
    title: str


@dataclass(frozen=True)
class Dossier:
    """What is known of a segment.

    Attributes:
        testset: its test set.
        key: of the segment.
        document: what it belongs to, "" when unknown.
        direction: "direct", "reverse" or "".
        texts: every version of it.
        outputs: of the systems that the study judges.
        against: what outputs are compared with, "" for nothing.
        choices: what they can be compared with.
        campaigns: of the study that judge it, the one asked about first.
        before: key of the segment before, "" for none.
        after: key of the segment after, "" for none.
    """

    testset: str
    key: str
    document: str
    direction: str
    texts: Sequence[DossierText]
    outputs: Sequence[DossierOutput]
    against: str
    choices: Sequence[Choice]
    campaigns: Sequence[DossierCampaign]
    before: str = ""
    after: str = ""
    signatures: Sequence[tuple[str, str]] = field(default_factory=tuple)


def dossier_read(*, campaign: Campaign, testset: str, segment: str, against: str | None = None) -> Dossier:
    """Read everything about a segment that a study of the campaign knows.

    Args:
        campaign: which the person may see, and with it all of its study.
        testset: name.
        segment: key.
        against: what outputs are compared with: a version by "side:name", an output by "output:N", "" for
            nothing; None: the original reference where there is one.

    Raises:
        NotFound: the campaign does not judge such a segment.
        BadInput: there is nothing like `against` to compare with.
    """
    found = (
        Segment.objects.filter(items__campaign=campaign, testset__name=testset, key=segment)
        .select_related("document", "testset")
        .first()
    )
    if found is None:
        raise NotFound(
            _("The campaign does not judge this segment."), _("Open the segment from a page of the campaign.")
        )
    versions = _versions(found)
    outputs = _outputs(campaign, found)
    choices = _choices(versions, outputs)
    chosen, other = _chosen(against, choices, versions, outputs)
    metrics = metrics_of([output for output, _, _ in outputs], found)
    labels = {key: text.title for key, text in versions.items()}
    shown = [
        DossierOutput(
            number, output.system.name, labels.get(str(output.input_version), output.input_version.name),
            text, status,
            words_compare(text, other) if other is not None and chosen != f"{OUTPUT}{number}"
            else Difference((Piece("same", text),)),
            metrics.get(output.pk, ()),
        )
        for number, (output, text, status) in enumerate(outputs, start=1)
    ]  # fmt: skip
    before, after = _neighbours(campaign, found)
    return Dossier(
        testset=testset,
        key=segment,
        document=found.document.name if found.document else "",
        direction=found.direction,
        texts=list(versions.values()),
        outputs=shown,
        against=chosen,
        choices=choices,
        campaigns=_campaigns(campaign, found),
        before=before,
        after=after,
        signatures=_signatures(metrics.values()),
    )


def _versions(segment: Segment) -> dict[str, DossierText]:
    """Return the texts by "side:name", source before target, as the test set has them."""
    testset = segment.testset
    known = testset_versions(testset)
    texts = dict(SegmentText.objects.filter(segment=segment).values_list("version_id", "text"))
    languages = {"source": testset.source_language, "target": testset.target_language}
    return {
        str(version): DossierText(
            version.name,
            _notation(version, list(known), segment.direction),
            version.side,
            languages[version.side],
            texts[row.pk],
        )
        for version, row in known.items()
        if row.pk in texts
    }


def _notation(version: Version, known: list[Version], direction: str) -> str:
    if not direction:
        return _("Source") if version.side == "source" else _("Reference")
    try:
        return label(version, known, direction)
    except ProvenanceError:
        return ""


Line = tuple[SystemOutput, str, str]


def _outputs(campaign: Campaign, segment: Segment) -> list[Line]:
    """Return what the systems that the study judges on this test set made of the segment."""
    judged = CampaignOutput.objects.filter(campaign__study_id=campaign.study_id, testset=segment.testset)
    wanted = {(system, version) for system, version in judged.values_list("system_id", "input_version_id")}
    rows = (
        OutputSegment.objects.filter(segment=segment, output__system__in={system for system, _ in wanted})
        .select_related("output__system", "output__input_version", "output__testset")
        .order_by("output__input_version__position", "output__system__name")
    )
    found = []
    for row in rows:
        output = row.output
        original = output.input_version.kind == "original"
        if (output.system_id, output.input_version_id) in wanted or (
            original and (output.system_id, None) in wanted
        ):
            found.append((output, row.text, "" if row.status == "ok" else row.get_status_display()))
    return found


def _choices(versions: Mapping[str, DossierText], outputs: Sequence[Line]) -> list[Choice]:
    targets = [Choice(key, text.title) for key, text in versions.items() if text.side == "target"]
    others = [
        Choice(f"{OUTPUT}{number}", f"{output.system.name} ({output.input_version.name})")
        for number, (output, _, _) in enumerate(outputs, start=1)
    ]
    return [*targets, *others]


def _chosen(
    against: str | None,
    choices: Sequence[Choice],
    versions: Mapping[str, DossierText],
    outputs: Sequence[Line],
) -> tuple[str, str | None]:
    """Return what outputs are compared with, and its text (None: nothing)."""
    known = [choice.value for choice in choices]
    if against is None:
        targets = [value for value in known if value in versions]
        against = targets[0] if targets else ""
    if not against:
        return "", None
    if against not in known:
        raise BadInput(_("There is no such text to compare with."), _("Choose one of the list."))
    if against in versions:
        return against, versions[against].text
    return against, outputs[int(against.removeprefix(OUTPUT)) - 1][1]


def _campaigns(campaign: Campaign, segment: Segment) -> list[DossierCampaign]:
    own = (
        Campaign.objects.filter(study_id=campaign.study_id, items__segment=segment).distinct().order_by("pk")
    )
    ordered = sorted(own, key=lambda one: one.pk != campaign.pk)
    found = []
    for one in ordered:
        if is_sealed(one):
            found.append(DossierCampaign(one, False, (), 0, is_sealed=True))
            continue
        items = segment_read(one, segment.testset.name, segment.key).items
        shown = sorted((item for item in items if item.rows), key=_item_order)
        rated = PROTOCOLS[one.protocol].record == "rating"
        found.append(DossierCampaign(one, rated, shown, sum(len(item.rows) for item in items)))
    return found


def _item_order(item: Judged) -> tuple[bool, str]:
    """Return what items are sorted by: what counts first, then by systems."""
    return item.kind not in ("system", "repeat"), " – ".join(row["systems"] for row in item.candidates)


def _neighbours(campaign: Campaign, segment: Segment) -> tuple[str, str]:
    """Return the keys of the segments before and after that the campaign judges."""
    judged = Segment.objects.filter(items__campaign=campaign, testset=segment.testset)
    before = judged.filter(position__lt=segment.position).order_by("-position").values_list("key", flat=True)
    after = judged.filter(position__gt=segment.position).order_by("position").values_list("key", flat=True)
    return before.first() or "", after.first() or ""


def _signatures(metrics: Any) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.title, one.signature) for own in metrics for one in own))
