"""The setup of engines, from the settings."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from mtcore.engines.setup import Setup


def engine_setup() -> Setup:
    """Return where engines find what they need here."""
    return Setup(mt_python=Path(settings.MT_PYTHON))
