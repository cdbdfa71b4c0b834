"""Write what a package holds of test sets: segments, where texts come from, and their hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.services.package_layout import slugs, write_json, write_table, write_text
from mtcore.models import OutputSegment, SegmentText, SystemOutput, TestSet, TextVersion
from mtcore.models.fields import sha256

TEXT_COLUMNS = ("what", "side", "name", "input", "segment", "status", "sha256")
SEGMENT_COLUMNS = ("position", "segment", "document", "direction")
NO_DOCUMENT = "-"
CHUNK = 2000


def testset_write(testset: TestSet, systems: Iterable[str], folder: Path, *, with_texts: bool) -> None:
    """Write a test set: its versions, its segments, and a hash (or the text) of every line.

    Args:
        testset: the test set.
        systems: names of the systems whose outputs belong to the study.
        folder: where to.
        with_texts: write the texts themselves too; licences may forbid it.
    """
    versions = testset.versions.select_related("derived_from").order_by("side", "position", "pk")
    outputs = _outputs(testset, systems)
    write_json(folder / "testset.json", _description(testset, versions, outputs))
    segments = testset.segments.order_by("position")
    write_table(
        folder / "segments.csv",
        SEGMENT_COLUMNS,
        segments.values_list("position", "key", "document__name", "direction").iterator(CHUNK),
    )
    columns = (*TEXT_COLUMNS, "text") if with_texts else TEXT_COLUMNS
    rows = _texts(versions, outputs)
    write_table(folder / "texts.csv", columns, rows if with_texts else (row[:-1] for row in rows))


def _outputs(testset: TestSet, systems: Iterable[str]) -> list[SystemOutput]:
    found = SystemOutput.objects.filter(testset=testset, system__name__in=list(systems))
    return list(
        found.select_related("system", "input_version").order_by("system__name", "input_version__name")
    )


def _description(
    testset: TestSet, versions: Iterable[TextVersion], outputs: Iterable[SystemOutput]
) -> dict[str, Any]:
    return {
        "name": testset.name,
        "source_language": testset.source_language,
        "target_language": testset.target_language,
        "texts_known": testset.texts_known,
        "sha256": testset.sha256,
        "versions": [
            {
                "side": version.side,
                "kind": version.kind,
                "name": version.name,
                "derived_from": str(version.derived_from) if version.derived_from else None,
                "sha256": version.sha256,
            }
            for version in versions
        ],
        "outputs": [
            {"system": output.system.name, "input": output.input_version.name, "sha256": output.sha256}
            for output in outputs
        ],
    }


def _texts(versions: Iterable[TextVersion], outputs: Sequence[SystemOutput]) -> Iterator[tuple[object, ...]]:
    """Yield every line of every version and output, its hash and the line itself."""
    for version in versions:
        lines = SegmentText.objects.filter(version=version).order_by("segment__position")
        for key, text, stored in lines.values_list("segment__key", "text", "sha256").iterator(CHUNK):
            yield ("version", version.side, version.name, "", key, "", stored or sha256(text), text)
    for output in outputs:
        found = OutputSegment.objects.filter(output=output).order_by("segment__position")
        head = ("output", "target", output.system.name, output.input_version.name)
        rows = found.values_list("segment__key", "status", "text", "sha256")
        for key, status, text, stored in rows.iterator(CHUNK):
            yield (*head, key, status, stored or sha256(text), text)


def mtme_texts_write(testset: TestSet, systems: Iterable[str], folders: dict[str, Path], pair: str) -> None:
    """Write the texts of a test set in the layout of mt-metrics-eval.

    Args:
        testset: the test set.
        systems: names of the systems whose outputs belong to the study.
        folders: where to, by the name of the input version.
        pair: the language pair, as cs-en.
    """
    versions = list(testset.versions.order_by("side", "position", "pk"))
    references = [version for version in versions if version.side == "target"]
    called = slugs(version.name for version in references)
    outputs = _outputs(testset, systems)
    files = slugs(dict.fromkeys(output.system.name for output in outputs))
    for version in versions:
        if version.side != "source" or version.name not in folders:
            continue
        folder = folders[version.name]
        _lines(folder / "sources" / f"{pair}.txt", SegmentText.objects.filter(version=version))
        for reference in references:
            lines = SegmentText.objects.filter(version=reference)
            _lines(folder / "references" / f"{pair}.{called[reference.name]}.txt", lines)
        for output in outputs:
            if output.input_version_id == version.pk:
                path = folder / "system-outputs" / pair / f"{files[output.system.name]}.txt"
                _lines(path, OutputSegment.objects.filter(output=output))


def _lines(path: Path, found: Any) -> None:
    """Write texts one a line; a line end inside a text becomes a blank."""
    texts = found.order_by("segment__position").values_list("text", flat=True)
    write_text(path, "".join(" ".join(text.split("\n")) + "\n" for text in texts))
