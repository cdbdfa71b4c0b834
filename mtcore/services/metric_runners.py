"""The scripts of metrics that run in environments of their own, from the settings."""

from __future__ import annotations

from django.conf import settings

from mtcore.engines.setup import MT_SIDE
from mtcore.services.engine_setup import engine_setup


def metric_runners() -> dict[str, tuple[str, ...]]:
    """Return for each such metric the beginning of its command: interpreter and script."""
    setup = engine_setup()
    return {
        "bertscore": tuple(setup.script("bertscore_runner.py")),
        "ppl": tuple(setup.script("causal_lm_runner.py")),
        "comet": (str(settings.COMET_PYTHON or ""), str(MT_SIDE / "comet_runner.py")),
    }
