"""Look at a test set: its texts side by side, page by page, and what is odd in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from mtcore.models import Segment, SegmentText, TestSet, TextVersion


@dataclass(frozen=True)
class Row:
    """A segment with its text in each version, in the order of the versions; None where there is none."""

    segment: Segment
    texts: Sequence[str | None]


def testset_rows(versions: Sequence[TextVersion], segments: Sequence[Segment]) -> list[Row]:
    """Return the texts of some segments in all versions, with one question to the database."""
    found = {
        (one.segment_id, one.version_id): one.text
        for one in SegmentText.objects.filter(segment__in=segments, version__in=versions)
    }
    return [Row(one, [found.get((one.pk, version.pk)) for version in versions]) for one in segments]


def testset_segments(testset: TestSet, *, direction: str = "", problems: bool = False) -> QuerySet[Segment]:
    """Return segments in their order: of one direction, or only those with a blank text in some version."""
    found = testset.segments.select_related("document").order_by("position")
    if direction:
        found = found.filter(direction="" if direction == "unknown" else direction)
    if problems:
        found = found.filter(Q(texts__text="") | Q(texts__text__regex=r"^\s+$")).distinct()
    return found


def testset_directions(testset: TestSet) -> dict[str, int]:
    """Count the segments of each direction."""
    names = testset.segments.order_by().values_list("direction", flat=True)
    counts: dict[str, int] = {}
    for name in names:
        counts[name or "unknown"] = counts.get(name or "unknown", 0) + 1
    return counts
