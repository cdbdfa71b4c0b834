"""The worked plan in docs/admin.md is what preflight works out from the figures that stand above it."""

import pytest

from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.services.preflight_estimate import estimate
from tests.paths import ROOT

LINES, MONO = 5_180_000, 226_000_000
TOKENS_AN_UPDATE, TOKENS_A_SECOND = 3_584 * 16 * 8, 20_000
MEASURED = {
    "sample_lines": 20_000, "sample_bytes": 20_000 * 260, "prepare_seconds": 2.0, "start_seconds": 60,
    "updates": 20, "updates_an_epoch": 2.0, "checkpoint_bytes": 2_600_000_000,
    "prepared_bytes": 20_000 * 520, "decode_lines_per_second": 1000.0, "memory_bytes": 0,
    "gpu_memory_bytes": 0,
}  # fmt: skip
PLACES = {1: (1, 1, 128), 8: (8, 1, 16), 32: (8, 4, 4)}
"""Accelerators → of a machine, machines, batches of a step: the step has the same size everywhere."""


def planned(n):
    devices, machines, frequency = PLACES[n]
    recipe = recipe_set(
        recipe_find("edunov-bt"),
        {
            "training.devices": str(devices),
            "training.machines": str(machines),
            "training.update_frequency": str(frequency),
        },
    )
    measured = {**MEASURED, "seconds_an_update": TOKENS_AN_UPDATE / (TOKENS_A_SECOND * n)}
    return estimate(recipe, measured, lines=LINES, mono_lines=MONO, workers=n)


def hours(seconds):
    return f"{seconds / 3600:,.1f}"


@pytest.mark.parametrize("n", PLACES)
def test_the_plan_for_226_million_sentences_is_worked_out(n):
    told = planned(n)
    steps = (
        hours(told["seconds"][name]) for name in ("reverse model", "back-translation", "prepare", "train")
    )
    row = [f"{n}", *steps, hours(told["total_seconds"]), f"{told['gpu_hours']:,.0f}"]
    text = (ROOT / "docs" / "admin.md").read_text("utf-8")
    assert f"| {' | '.join(row)} |" in text, row
    assert told["shards"] == 452 and "452 shards" in text
    disk = {name: f"{value / 1e9:,.0f} GB" for name, value in told["disk_bytes"].items()}
    for name, size in disk.items():
        assert f"{name} {size}" in text, disk
    assert f"{told['total_disk_bytes'] / 1e9:,.0f} GB together" in text
