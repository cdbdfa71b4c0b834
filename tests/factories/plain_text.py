"""A campaign from plain text: its files, its arguments, its plan."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from tests.factories.campaigns import invented_lines
from tests.factories.commands import run
from tests.factories.files import write_lines


def plain_texts(folder: Path) -> dict[str, str]:
    """Write files of 12 lines: source, reference, two outputs."""
    return {
        name: write_lines(folder / f"{name}.txt", invented_lines(12, seed=seed, mark=f"{name} "))
        for seed, name in enumerate(["src", "ref", "op", "bt"])
    }


def plain_arguments(texts: Mapping[str, str]) -> list[str]:
    """Return the arguments of a campaign from plain text."""
    return [
        "--languages", "en-de", "--source", texts["src"], "--reference", texts["ref"],
        "--output", f"OP={texts['op']}", "--output", f"BT={texts['bt']}",
    ]  # fmt: skip


def plan(name: str) -> list[dict[str, str]]:
    """Return the plan of a campaign as it is exported."""
    out, _ = run("export_plan", name)
    return list(csv.DictReader(io.StringIO(out)))
