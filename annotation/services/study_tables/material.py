"""What a study holds: language pairs, test sets by direction, systems as rows, outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Q

from annotation.models import Campaign, CampaignOutput, Study
from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.names import MAX_LENGTH, visible
from mtcore.corpora.provenance import Version, notation
from mtcore.models import Segment, System, SystemOutput, TestSet, TextVersion
from mtcore.services.versions import testset_versions

KIND_ORDER = ("OP", "BT", "other", "human")


@dataclass(frozen=True)
class Place:
    """The segments of one direction in a test set.

    Attributes:
        testset: which.
        direction: "direct", "reverse", or "" for all segments, whatever their direction.
        positions: places of the segments in the test set's order; None for all of them.
        n_segments: how many.
        versions: all versions of the test set.
    """

    testset: TestSet
    direction: str
    positions: tuple[int, ...] | None
    n_segments: int
    versions: Mapping[Version, TextVersion]

    def find(self, side: str, wanted: str) -> list[TextVersion]:
        """Return the versions of a side by notation, the original first; "" means the original itself."""
        own = list(self.versions)
        found = [
            one
            for one in own
            if one.side == side
            and (notation(one, own, self.direction) == wanted if wanted else one.kind == "original")
        ]
        return [self.versions[one] for one in sorted(found, key=lambda one: one.kind != "original")]


@dataclass(frozen=True)
class Pair:
    """A language pair: its tag, its test sets, and their segments by direction ("" for all)."""

    tag: str
    source: str
    target: str
    places: Mapping[str, Sequence[Place]]

    @property
    def testsets(self) -> list[TestSet]:
        """Return the test sets of the pair."""
        return [place.testset for place in self.places.get("", ())]


@dataclass(frozen=True)
class SystemRow:
    """A row of systems: its label, and which system stands there for each language pair."""

    label: str
    systems: Mapping[str, System]
    kind: str = ""

    def of(self, pair: Pair) -> System | None:
        """Return the system of a language pair."""
        return self.systems.get(pair.tag)


@dataclass(frozen=True)
class Wish:
    """What of a study is wanted; empty means all.

    Attributes:
        testsets: names.
        systems: names.
        campaigns: names.
        protocol: of the human scores; "" takes source-based ones, and reference-based where there are none.
        scope: the ratings that make a rater's mean and spread, of the "campaign" or of the "study".
    """

    testsets: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    campaigns: tuple[str, ...] = ()
    protocol: str = ""
    scope: str = "campaign"


@dataclass(frozen=True, eq=False)
class Material:
    """Everything the tables of a study are made from."""

    study: Study
    wish: Wish
    pairs: Sequence[Pair]
    rows: Sequence[SystemRow]
    campaigns: Sequence[Campaign]
    outputs: Mapping[tuple[int, int, int], SystemOutput] = field(repr=False)

    def output(self, system: System, testset: TestSet, version: TextVersion) -> SystemOutput | None:
        """Return what a system made of a version of a test set."""
        return self.outputs.get((system.pk, testset.pk, version.pk))

    @cached_property
    def outputs_by_key(self) -> dict[int, SystemOutput]:
        """Return the outputs by their keys."""
        return {one.pk: one for one in self.outputs.values()}


def material_read(study: Study, wish: Wish) -> Material:
    """Read what a study holds.

    Test sets and systems are those of the study and of its campaigns; without any systems, all that have an
    output for one of its test sets.

    Raises:
        NotFound: a test set, system or campaign that is wanted is not in the study.
        BadInput: the rows that were set for the study name a system it does not hold.
    """
    campaigns = list(Campaign.objects.filter(study=study).order_by("pk"))
    _check("campaign", wish.campaigns, [one.name for one in campaigns], study)
    campaigns = [one for one in campaigns if not wish.campaigns or one.name in wish.campaigns]
    judged = CampaignOutput.objects.filter(campaign__in=campaigns)
    testsets = list(
        TestSet.objects.filter(
            Q(pk__in=study.testsets.values("pk")) | Q(pk__in=judged.values("testset"))
        ).order_by("pk")
    )
    _check("test set", wish.testsets, [one.name for one in testsets], study)
    testsets = [one for one in testsets if not wish.testsets or one.name in wish.testsets]
    outputs = list(
        SystemOutput.objects.filter(testset__in=testsets).select_related("system", "input_version", "testset")
    )
    systems = _systems(study, judged, outputs)
    _check("system", wish.systems, [one.name for one in systems], study)
    systems = [one for one in systems if not wish.systems or one.name in wish.systems]
    pairs = _pairs(testsets)
    present = {(row.system_id, row.testset_id) for row in outputs}
    present |= set(judged.exclude(role="reference").values_list("system_id", "testset_id"))
    return Material(
        study,
        wish,
        pairs,
        _rows(study, pairs, systems, present),
        campaigns,
        {(row.system_id, row.testset_id, row.input_version_id): row for row in outputs},
    )


def pair_tag(source: str, target: str) -> str:
    """Write a language pair as commands take it."""
    return (":" if "-" in source + target else "-").join((source, target))


def _check(what: str, wanted: Sequence[str], known: Sequence[str], study: Study) -> None:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise NotFound(
            f"The study “{study.name}” has no {what} “{unknown[0]}”.",
            f"There are {quoted(known)}." if known else "Add one with `manage.py add_to_study`.",
        )


def _systems(study: Study, judged: Any, outputs: Sequence[SystemOutput]) -> list[System]:
    found = System.objects.filter(
        Q(pk__in=study.systems.values("pk")) | Q(pk__in=judged.filter(role="system").values("system"))
    )
    systems = list(found.order_by("name"))
    return systems or sorted({row.system for row in outputs}, key=lambda one: one.name)


def _pairs(testsets: Sequence[TestSet]) -> list[Pair]:
    found: dict[tuple[str, str], list[TestSet]] = {}
    for one in testsets:
        found.setdefault((one.source_language, one.target_language), []).append(one)
    directions: dict[int, list[str]] = {}
    segments = Segment.objects.filter(testset__in=testsets).order_by("testset_id", "position")
    for testset_id, direction in segments.values_list("testset_id", "direction"):
        directions.setdefault(testset_id, []).append(direction)
    pairs = []
    for (source, target), own in found.items():
        places: dict[str, list[Place]] = {}
        for testset in own:
            for place in _places(testset, directions.get(testset.pk, [])):
                places.setdefault(place.direction, []).append(place)
        pairs.append(Pair(pair_tag(source, target), source, target, places))
    return pairs


def _places(testset: TestSet, directions: Sequence[str]) -> list[Place]:
    versions = testset_versions(testset)
    found = [Place(testset, "", None, len(directions), versions)]
    for direction in ("direct", "reverse"):
        at = tuple(place for place, one in enumerate(directions) if one == direction)
        if at:
            whole = len(at) == len(directions)
            found.append(Place(testset, direction, None if whole else at, len(at), versions))
    return found


def _rows(
    study: Study, pairs: Sequence[Pair], systems: Sequence[System], present: set[tuple[int, int]]
) -> list[SystemRow]:
    """Arrange systems as rows: those set for the study, else one a kind where that tells them apart."""
    of_pair = {
        pair.tag: [
            one for one in systems if any((one.pk, testset.pk) in present for testset in pair.testsets)
        ]
        for pair in pairs
    }
    chosen = rows_chosen(study)
    if chosen:
        return _chosen_rows(study, chosen, of_pair, systems)
    rows: list[SystemRow] = []
    for kind in KIND_ORDER:
        own = {tag: [one for one in found if one.kind == kind] for tag, found in of_pair.items()}
        if kind in ("OP", "BT") and all(len(found) <= 1 for found in own.values()):
            if any(own.values()):
                rows.append(SystemRow(kind, {tag: found[0] for tag, found in own.items() if found}, kind))
            continue
        for system in dict.fromkeys(one for found in own.values() for one in found):
            rows.append(SystemRow(system.name, {tag: system for tag in own if system in own[tag]}, kind))
    return rows


def rows_chosen(study: Study) -> dict[str, list[str]]:
    """Return the rows set for a study: label → names of systems, in their order.

    They are kept as a list, for no database is bound to keep the order of names in JSON.
    """
    return dict(study.settings.get("tables", {}).get("rows", []))


def _chosen_rows(
    study: Study,
    chosen: Mapping[str, Sequence[str]],
    of_pair: Mapping[str, Sequence[System]],
    systems: Sequence[System],
) -> list[SystemRow]:
    known = {one.name: one for one in systems}
    rows = []
    for label, names in chosen.items():
        of_row: dict[str, System] = {}
        for name in names:
            if name not in known:
                continue  # left out by the wish, or no longer of the study
            for tag, found in of_pair.items():
                if known[name] in found and tag in of_row:
                    raise BadInput(
                        f"The row “{label}” of the study “{study.name}” has two systems for {tag}: "
                        f"“{of_row[tag].name}” and “{name}”.",
                        "Set the rows anew, one system for each language pair.",
                    )
                if known[name] in found:
                    of_row[tag] = known[name]
        rows.append(SystemRow(_told(label), of_row))
    return rows


def _told(label: str) -> str:
    """Return a label as tables can hold it, whatever was kept before labels were checked."""
    return visible(label if len(label) <= MAX_LENGTH else f"{label[:MAX_LENGTH]}…")
