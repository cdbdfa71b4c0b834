"""Published test sets, judgements and rankings: read, imported and compared with."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from tests.factories.commands import run


def scores(name: str, *options: str) -> dict[str, Any]:
    """Score a campaign by the command."""
    return json.loads(run("score_campaign", name, "--format", "json", *options)[0])


def official(path: Path) -> list[dict[str, str]]:
    """Read a published table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def check_ranking(result: dict[str, Any], rows: list[dict[str, str]]) -> None:
    """Compare every published cell: Ave. to 0.05, Ave. z to 0.0005, counts, wins and clusters exactly."""
    found = {row["system"]: row for row in result["systems"]}
    assert len(found) == len(rows)
    for row in rows:
        own = found[row["system"]]
        assert own["raw_mean"] == pytest.approx(float(row["ave_raw"]), abs=0.05 + 1e-9)
        assert own["z_mean"] == pytest.approx(float(row["ave_z"]), abs=0.0005 + 1e-9)
        assert own["n_segments"] == int(row["n_segments"])
        assert own["n_judgements"] == int(row["n_judgments"])
        assert own["wins"] == int(row["wins"])
        if "cluster_start" in row:
            assert own["cluster"] == [int(row["cluster_start"]), int(row["cluster_end"])]


def import_set(
    name: str,
    folder: Path,
    languages: str,
    source: str,
    *references: tuple[str, str],
    outputs: Collection[str] | None = None,
) -> None:
    """Import a published test set with references (name, file) and its outputs, or those that are named."""
    run(
        "import_testset", name, "--languages", languages, "--source", folder / source,
        "--reference", *(f"{version}={folder / file}" for version, file in references),
    )  # fmt: skip
    for file in sorted((folder / "outputs").iterdir()):
        if outputs is None or file.stem in outputs:
            run("import_output", name, file.stem, file)


def published(path: Path, reference: str, column: str) -> dict[str, float]:
    """Read the published scores of systems against a reference."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return {row["system"]: float(row[column]) for row in rows if row["reference"] == reference}
