"""The files that a run published."""

from __future__ import annotations

import json
from pathlib import Path

from django.utils.translation import gettext as _

from evalplatform.errors import NotFound
from mtcore.engines.rundir import MANIFEST
from mtcore.models import Run
from mtcore.services.run_context import run_directory


def manifest_of(folder: Path) -> dict[str, str]:
    """Return name → SHA-256 of a published folder; nothing where there is none."""
    try:
        sums = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in sums.items()} if isinstance(sums, dict) else {}


def run_file_find(run: Run, name: str) -> Path:
    """Return the path of a file that a run made. Only what the manifest of its folder names can be had.

    Raises:
        NotFound: there is no such file.
    """
    folder = run_directory(run.pk).result
    path = folder / name
    inside = name in manifest_of(folder) and path.resolve().is_relative_to(folder.resolve())
    if not inside or not path.is_file():
        raise NotFound(
            _("Run %(n)s has no such file.") % {"n": run.pk}, _("Take it from the page of the run.")
        )
    return path
