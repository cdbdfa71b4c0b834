"""Texts, models and calls for tests of automatic metrics."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.factories.campaigns import invented_lines
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.paths import ROOT

FILES = ROOT / "tests" / "files"


def strict(text: str) -> dict[str, Any]:
    """Read JSON in which NaN and Infinity are mistakes."""
    return json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))


def scored(*arguments: object) -> dict[str, Any]:
    """Run a command that scores and return its JSON."""
    return strict(run(*arguments, "--format", "json")[0])


def case_scores(hypothesis: str, *references: str, more: Sequence[object] = ()) -> dict[str, Any]:
    """Score a case file against others; 0 resamples unless told."""
    arguments = ["--hypothesis", FILES / hypothesis, "--reference", *(FILES / one for one in references)]
    return scored("score_files", *arguments, "--resamples", 0, *more)


def values(report: dict[str, Any], key: str = "metric") -> dict[str, float | None]:
    """Return values by metric, or by another key."""
    return {row[key]: row["value"] for row in report["results"]}


def rows_of(text: str) -> list[dict[str, str]]:
    """Read a CSV file with a header."""
    return list(csv.DictReader(io.StringIO(text)))


def spoiled(lines: Sequence[str], every: int) -> list[str]:
    """Return lines of which every n-th has lost its second word."""
    return [
        line if number % every else " ".join(word for place, word in enumerate(line.split()) if place != 1)
        for number, line in enumerate(lines)
    ]


def import_scored_set(folder, lines: int = 12, systems: Sequence[str] = ("A", "B")) -> list[str]:
    """Import a test set "demo" (en-de, half direct, half reverse) with two references; return the first.

    The n-th system spoils every (n + 2)-th line of the reference.
    """
    texts = {name: invented_lines(lines, seed=seed) for seed, name in enumerate(("src", "ref", "other"))}
    files = {name: write_lines(folder / name, own) for name, own in texts.items()}
    half = lines // 2
    directions = write_lines(folder / "directions", ["direct"] * half + ["reverse"] * (lines - half))
    documents = write_lines(folder / "documents", [f"doc{number // 3}" for number in range(lines)])
    run(
        "import_testset", "demo", "--languages", "en-de", "--source", files["src"],
        "--reference", files["ref"], f"other={files['other']}", "--direction", directions,
        "--documents", documents,
    )  # fmt: skip
    for number, name in enumerate(systems, start=2):
        run("import_output", "demo", name, write_lines(folder / name, spoiled(texts["ref"], number)))
    return texts["ref"]
