"""Read test sets: find one by name, its versions, the version that is meant, and their texts."""

from __future__ import annotations

from collections.abc import Iterable

from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.provenance import Version, resolve
from mtcore.models import TestSet, TextVersion
from mtcore.services.texts import as_bad_input


def testset_find(name: str) -> TestSet:
    """Return the test set of a name.

    Raises:
        NotFound: there is none; the message lists some that exist.
    """
    found = TestSet.objects.filter(name=name).first()
    if found is None:
        known = list(TestSet.objects.listed().order_by("name").values_list("name", flat=True)[:10])
        raise NotFound(
            f"There is no test set “{name}”.",
            f"Known are: {quoted(known)}." if known else "Import it with `manage.py import_testset` first.",
        )
    return found


def testset_direction(testset: TestSet) -> str:
    """Return the direction that all segments share, or "" when they differ or it is unknown."""
    return uniform_direction(testset.segments.order_by().values_list("direction", flat=True).distinct())


def uniform_direction(directions: Iterable[str]) -> str:
    """Return the one direction among those given, or ""."""
    found = set(directions)
    return found.pop() if len(found) == 1 else ""


def testset_versions(testset: TestSet) -> dict[Version, TextVersion]:
    """Return the versions of a test set as the pure package knows them, with their rows, in order."""
    rows = list(testset.versions.select_related("derived_from").order_by("side", "position", "pk"))
    return {
        Version(row.side, row.kind, row.name, str(row.derived_from) if row.derived_from else None): row
        for row in rows
    }


def version_find(testset: TestSet, wanted: str, *, side: str | None = None) -> TextVersion:
    """Return the version meant by a name, "side:name" or notation such as "X**".

    Raises:
        BadInput: none or several fit; the message lists the choices.
    """
    versions = testset_versions(testset)
    with as_bad_input():
        return versions[resolve(wanted, list(versions), testset_direction(testset), side)]


def version_lines(version: TextVersion) -> list[str]:
    """Return the texts of a version in the order of the segments."""
    return list(version.texts.order_by("segment__position").values_list("text", flat=True))


def version_original(testset: TestSet, side: str) -> TextVersion:
    """Return the original text of a side.

    Raises:
        BadInput: the test set has none there.
    """
    found = testset.versions.filter(side=side, kind="original").first()
    if found is None:
        raise BadInput(f"Test set “{testset.name}” has no {side} text.", "Import one with the test set.")
    return found
