"""Judgements of outputs whose texts are here, for tests of metrics against people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.factories.campaigns import invented_lines
from tests.factories.commands import run
from tests.factories.files import write_lines

MAP = "rater=rater,system=system,segment=segment,score=score"


def spoil(line: str, words: int) -> str:
    """Return a line whose first words are gone."""
    return " ".join(line.split()[words:]) or line


def import_texts(
    folder: Path, systems: Mapping[str, int], lines: int = 12, name: str = "quay", **more: Any
) -> list[str]:
    """Import a test set (en-de, first half direct) with outputs that have lost so many words; return it.

    The source is “src”, a double translation of it “back”, references are “ref” and “other”.
    """
    texts = {
        part: invented_lines(lines, seed=seed) for seed, part in enumerate(("src", "back", "ref", "other"))
    }
    files = {part: write_lines(folder / f"{name}.{part}", own) for part, own in texts.items()}
    half = lines // 2
    directions = more.get("directions", ["direct"] * half + ["reverse"] * (lines - half))
    told = write_lines(folder / f"{name}.directions", directions)
    run(
        "import_testset", name, "--languages", "en-de", "--source", f"src={files['src']}",
        "--reference", f"ref={files['ref']}", f"other={files['other']}",
        "--double-translation", f"source=back={files['back']}", "--derived-from", "ref",
        "--direction", told,
    )  # fmt: skip
    for system, lost in systems.items():
        output = [spoil(line, lost) for line in texts["ref"]]
        run("import_output", name, system, write_lines(folder / f"{name}.{system}", output))
    return texts["ref"]


def import_ratings(
    folder: Path, rows: Sequence[tuple[str, str, object, object]], name: str = "quay judged", **more: Any
) -> None:
    """Import ratings (rater, system, segment, score) of a test set that is here."""
    protocol, testset = more.get("protocol", "source_da"), more.get("testset", "quay")
    file = write_lines(
        folder / "ratings.csv", ["rater,system,segment,score", *(",".join(map(str, row)) for row in rows)]
    )
    scale = more.get("scale", "0-100")
    run(
        "import_judgements", name, file, "--format", "csv", "--protocol", protocol, "--languages", "en-de",
        "--map", MAP, f"--scale={scale}", *(["--testset", testset] if testset else []),
    )  # fmt: skip


def rated_quay(folder: Path, systems: Mapping[str, int], lines: int = 12, **more: Any) -> None:
    """Import texts, and ratings of two raters who like outputs the less the more words they lost."""
    import_texts(folder, systems, lines)
    rows = []
    for rater, shift in (("Ada", 0), ("Ben", 7)):
        for system, lost in systems.items():
            for segment in range(1, lines + 1):
                rows.append((rater, system, segment, 90 - 9 * lost - shift + (5 * segment + 3 * lost) % 7))
    import_ratings(folder, rows, **more)


def correlated(*arguments: object) -> dict[str, Any]:
    """Run the command and return its strict JSON."""
    out = run("correlate", *arguments, "--format", "json")[0]
    return json.loads(out, parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))


def result_of(found: Mapping[str, Any], **wanted: object) -> dict[str, Any]:
    """Return the one result with these values."""
    rows = [row for row in found["results"] if all(row[key] == value for key, value in wanted.items())]
    assert len(rows) == 1, (wanted, [(row["level"], row["direction"], row["metric"]) for row in rows])
    return rows[0]
