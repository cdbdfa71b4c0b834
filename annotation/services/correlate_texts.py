"""The texts behind what was judged: segments, outputs, and the references they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.stats.records import Entry
from evalplatform.errors import BadInput
from mtcore.models import Segment, SystemOutput, TestSet, TextVersion
from mtcore.services.versions import version_find


@dataclass(frozen=True, eq=False)
class Texts:
    """The test sets of a campaign as metrics need them.

    Attributes:
        rows: test set → key or line number of a segment → its row.
        directions: test set → direction of each row.
        outputs: entry → its output, for entries whose texts are known.
        references: entry → version that its output is compared with.
    """

    rows: Mapping[str, Mapping[str, int]]
    directions: Mapping[str, Sequence[str]]
    outputs: Mapping[Entry, SystemOutput]
    references: Mapping[Entry, TextVersion]


def texts_read(entries: Sequence[Entry], reference: str) -> Texts:
    """Read rows, outputs and references of the test sets, by few queries whatever their number.

    Args:
        entries: what was judged.
        reference: target version by name or notation; "": what raters compared with, else the original.

    Raises:
        BadInput: no test set has such a version.
    """
    names = {entry.testset for entry in entries}
    rows: dict[str, dict[str, int]] = {name or "": {} for name in names}
    lines: dict[str, dict[str, int]] = {name or "": {} for name in names}
    directions: dict[str, list[str]] = {name or "": [] for name in names}
    found = Segment.objects.filter(testset__name__in=names).order_by("testset_id", "position")
    for testset, key, position, direction in found.values_list(
        "testset__name", "key", "position", "direction"
    ):
        rows[testset][key] = len(directions[testset])
        lines[testset][str(position)] = len(directions[testset])
        directions[testset].append(direction)
    known = TextVersion.objects.filter(testset__name__in=names, testset__texts_known=True)
    versions = list(known.select_related("testset"))
    outputs = _outputs(entries, versions)
    return Texts(
        {name: lines[name] | own for name, own in rows.items()},
        directions,
        outputs,
        _references(outputs, versions, reference),
    )


def _outputs(entries: Sequence[Entry], versions: Sequence[TextVersion]) -> dict[Entry, SystemOutput]:
    """Return the output of each entry; without an input of its own it is the one made from the original."""
    originals = {
        version.testset.name: version.name
        for version in versions
        if (version.side, version.kind) == ("source", "original")
    }
    rows = SystemOutput.objects.filter(
        system__name__in={entry.system for entry in entries},
        testset__name__in={entry.testset for entry in entries},
    ).select_related("system", "testset", "input_version")
    known = {(row.system.name, row.testset.name, row.input_version.name): row for row in rows}
    found = {}
    for entry in entries:
        input_ = entry.input or originals.get(entry.testset or "", "")
        row = known.get((entry.system, entry.testset or "", input_))
        if row is not None:
            found[entry] = row
    return found


def _references(
    outputs: Mapping[Entry, SystemOutput], versions: Sequence[TextVersion], reference: str
) -> dict[Entry, TextVersion]:
    targets = {
        (version.testset.name, version.name): version for version in versions if version.side == "target"
    }
    originals = {name: row for (name, _), row in targets.items() if row.kind == "original"}
    chosen: dict[str, TextVersion] = {}
    if reference:
        chosen = _version_of(reference, {output.testset.name: output.testset for output in outputs.values()})
    found = {}
    for entry, output in outputs.items():
        name = output.testset.name
        own = targets.get((name, entry.reference or ""))
        version = chosen.get(name) if reference else own or originals.get(name)
        if version is not None:
            found[entry] = version
    return found


def _version_of(reference: str, testsets: Mapping[str, TestSet]) -> dict[str, TextVersion]:
    """Return the version of each test set that has one of this name or notation.

    Raises:
        BadInput: none has; the message is that of the last.
    """
    found: dict[str, TextVersion] = {}
    refused: BadInput | None = None
    for name, testset in testsets.items():
        try:
            found[name] = version_find(testset, reference, side="target")
        except BadInput as error:
            refused = error
    if not found and refused is not None:
        raise refused
    return found
