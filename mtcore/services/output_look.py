"""Look at an output: its lines beside source and reference, what is odd in them, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import IO, Any

from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.checks import is_blank
from mtcore.models import OutputSegment, Segment, SegmentText, SystemOutput, TextVersion

BLANK, COPIED, LONG, SHORT, LOST = CHECKS = ("blank", "copied", "long", "short", "lost")
FAR = 3
"""A line is far too long or short when it is so many times longer or shorter than usual …"""
FAR_CHARACTERS = 20
"""… and differs by more than so many characters from what would be usual."""
DIRECTIONS = ("direct", "reverse", "unknown")
OF_ADMINISTRATORS = ("corpora",)
"""What of an output's provenance is told to administrators only, as corpora themselves are."""


@dataclass(frozen=True)
class Line:
    """A line of an output beside its source and reference, with the checks that object to it.

    `source` and `reference` are None where there is no such text.
    """

    segment: Segment
    source: str | None
    reference: str | None
    text: str
    status: str
    checks: Sequence[str]


@dataclass(frozen=True)
class Look:
    """Some lines of an output. Counts are of the lines of the chosen direction.

    `previous` and `next` are the positions from which the lines before and after are shown, 0 where none are.
    """

    lines: Sequence[Line]
    n_lines: int
    counts: Mapping[str, int]
    n_found: int
    previous: int
    next: int


def output_references(output: SystemOutput) -> list[TextVersion]:
    """Return the texts of the target side beside which an output may be read, the original first."""
    return list(output.testset.versions.filter(side="target").order_by("position", "pk"))


def output_reference(output: SystemOutput, name: str = "") -> TextVersion | None:
    """Return the reference of a name; without one the first, or None where there is none.

    Raises:
        NotFound: the test set has no reference of this name.
    """
    found = output_references(output)
    if not name:
        return found[0] if found else None
    named = next((one for one in found if one.name == name), None)
    if named is None:
        raise NotFound(
            f"Test set “{output.testset.name}” has no reference “{name[:120]}”.",
            f"Its references are {quoted(one.name for one in found) or 'none'}.",
        )
    return named


def output_look(
    output: SystemOutput,
    *,
    first: int = 1,
    n: int = 25,
    direction: str = "",
    check: str = "",
    reference: TextVersion | None = None,
) -> Look:
    """Return some lines of an output.

    Args:
        output: the output.
        first: the position of the segment from which lines are wanted.
        n: how many lines at most.
        direction: "direct", "reverse" or "unknown"; empty for all.
        check: one of CHECKS, for the lines that it objects to; empty for all.
        reference: the text of the target side beside it.

    Raises:
        BadInput: there is no such direction or check.
    """
    for word, known in ((direction, DIRECTIONS), (check, CHECKS)):
        if word and word not in known:
            raise BadInput(f"“{word[:60]}” cannot be chosen.", f"Choose one of: {', '.join(known)}.")
    objections = _objections(output)
    kept = _positions(output, direction)
    counts = {name: len(kept & objections[name]) for name in CHECKS}
    found = sorted(kept & objections[check] if check else kept)
    begin = next((at for at, position in enumerate(found) if position >= first), len(found))
    shown = found[begin : begin + n]
    return Look(
        lines=_lines(output, shown, reference, objections),
        n_lines=len(kept),
        counts=counts,
        n_found=len(found),
        previous=found[max(0, begin - n)] if begin else 0,
        next=found[begin + n] if begin + n < len(found) else 0,
    )


def output_write(output: SystemOutput, stream: IO[str]) -> int:
    """Write the lines of an output as plain text, as they would be imported; return their number."""
    number = 0
    for text in output.lines.order_by("segment__position").values_list("text", flat=True).iterator():
        stream.write(f"{text}\n")
        number += 1
    return number


def output_file_name(output: SystemOutput) -> str:
    """Return the name of the file with an output's text."""
    parts = (output.testset.name, output.system.name, output.input_version.name, "txt")
    return ".".join(parts).replace("/", "_")


def output_provenance(output: SystemOutput, *, administrator: bool) -> dict[str, Any]:
    """Return what is known of how an output came about; names of corpora for administrators only."""
    told = output.provenance if isinstance(output.provenance, dict) else {}
    return {name: value for name, value in told.items() if administrator or name not in OF_ADMINISTRATORS}


def _positions(output: SystemOutput, direction: str) -> set[int]:
    found = OutputSegment.objects.filter(output=output)
    if direction:
        found = found.filter(segment__direction="" if direction == "unknown" else direction)
    return set(found.values_list("segment__position", flat=True))


def _objections(output: SystemOutput) -> dict[str, set[int]]:
    """Return the positions of the lines to which each check objects."""
    sources = dict(
        SegmentText.objects.filter(version=output.input_version_id).values_list("segment__position", "text")
    )
    rows = list(output.lines.values_list("segment__position", "text", "status"))
    found: dict[str, set[int]] = {name: set() for name in CHECKS}
    lengths: dict[int, tuple[int, int]] = {}
    for position, text, status in rows:
        source = sources.get(position, "")
        if status in (OutputSegment.Status.TOO_LONG, OutputSegment.Status.FAILED):
            found[LOST].add(position)
        if is_blank(text):
            if not is_blank(source):
                found[BLANK].add(position)
            continue
        if text == source:
            found[COPIED].add(position)
        if not is_blank(source):
            lengths[position] = (len(source), len(text))
    if lengths:
        usual = median(made / given for given, made in lengths.values())
        for position, (given, made) in lengths.items():
            expected = usual * given
            if made > FAR * expected and made - expected > FAR_CHARACTERS:
                found[LONG].add(position)
            if made * FAR < expected and expected - made > FAR_CHARACTERS:
                found[SHORT].add(position)
    return found


def _lines(
    output: SystemOutput,
    positions: Sequence[int],
    reference: TextVersion | None,
    objections: Mapping[str, set[int]],
) -> list[Line]:
    rows = (
        output.lines.filter(segment__position__in=positions)
        .select_related("segment__document")
        .order_by("segment__position")
    )
    versions = [output.input_version_id, *([reference.pk] if reference else [])]
    texts = {
        (one.version_id, one.segment_id): one.text
        for one in SegmentText.objects.filter(
            version__in=versions, segment__testset=output.testset_id, segment__position__in=positions
        )
    }
    return [
        Line(
            segment=row.segment,
            source=texts.get((output.input_version_id, row.segment_id)),
            reference=texts.get((reference.pk, row.segment_id)) if reference else None,
            text=row.text,
            status=row.status,
            checks=[name for name in CHECKS if row.segment.position in objections[name]],
        )
        for row in rows
    ]
