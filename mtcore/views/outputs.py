"""The page of an output: its lines beside source and reference, how it came about, and its text as a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from evalplatform.files import written
from mtcore.corpora.languages import direction as language_direction
from mtcore.models import SystemOutput
from mtcore.services.output_look import (
    BLANK,
    CHECKS,
    COPIED,
    FAR,
    LONG,
    LOST,
    SHORT,
    output_file_name,
    output_look,
    output_provenance,
    output_reference,
    output_references,
    output_write,
)
from mtcore.services.testset_look import testset_directions
from mtcore.views.words import figure

LINES = 25
SUMS = ("checkpoints",)
"""What of a provenance is a checksum."""


@require_safe
@login_required
def output(request: HttpRequest, pk: int) -> HttpResponse:
    """Show an output: lines beside source and reference, what is odd in them, how it came about."""
    found = _found(pk)
    given = {name: request.GET.get(name, "").strip() for name in ("direction", "check", "reference")}
    given["line"] = str(_first(request.GET.get("line", "")))
    reference = output_reference(found, given["reference"])
    look = output_look(
        found, first=int(given["line"]), n=LINES, direction=given["direction"], check=given["check"],
        reference=reference,
    )  # fmt: skip
    testset = found.testset
    kept = {name: text for name, text in given.items() if text and name != "line"}
    words = check_words()
    context = {
        "section": "testsets",
        "output": found,
        "testset": testset,
        "source": _side(testset.source_language),
        "target": _side(testset.target_language),
        "reference": reference,
        "references": output_references(found),
        "look": look,
        "lines": [{"line": one, "checks": [words[name] for name in one.checks]} for one in look.lines],
        "checks": [(name, words[name], look.counts[name]) for name in CHECKS],
        "given": given,
        "query": urlencode(kept),
        "directions": testset_directions(testset),
        "facts": _facts(found, administrator=request.user.is_staff),
        "file": found.provenance.get("file") if isinstance(found.provenance, dict) else "",
        "far": FAR,
    }
    return render(request, "mtcore/output.html", context)


@require_safe
@login_required
def output_file(request: HttpRequest, pk: int) -> FileResponse:
    """Send an output as plain text, a segment a line."""
    found = _found(pk)
    return written(
        lambda stream: output_write(found, stream), output_file_name(found), "text/plain; charset=utf-8"
    )


def check_words() -> dict[str, str]:
    """Write what each check says of a line."""
    return {
        BLANK: _("blank"),
        COPIED: _("the same as the source"),
        LONG: _("far too long"),
        SHORT: _("far too short"),
        LOST: _("not translated"),
    }


def _found(pk: int) -> SystemOutput:
    return get_object_or_404(
        SystemOutput.objects.select_related("system", "testset", "input_version", "run"), pk=pk
    )


def _side(language: str) -> dict[str, str]:
    return {"language": language, "dir": language_direction(language)}


def _first(text: str) -> int:
    """Return the line from which to show; the first where no number is given."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 10 else 1


def _facts(output: SystemOutput, *, administrator: bool) -> list[tuple[str, list[str], bool]]:
    """Return (name, values, whether they are checksums) of what is known of an output's making."""
    told = output_provenance(output, administrator=administrator)
    n_checkpoints = len(told.get("checkpoints") or [])
    names = {
        "recipe": _("Recipe"),
        "corpora": _("Learned from"),
        "seeds": ngettext("Seed of the training", "Seeds of the trainings", len(told.get("seeds") or [])),
        "checkpoints": _("Checkpoints, SHA-256") if n_checkpoints > 1 else _("Checkpoint, SHA-256"),
        "engine": _("Engine"),
        "beam": _("Beam"),
        "seed": _("Seed of the decoding"),
        "versions": _("Versions"),
    }
    found = []
    for name, words in names.items():
        values = [text for text in _values(told.get(name)) if text]
        if values:
            found.append((words, values, name in SUMS))
    return found


def _values(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return [f"{name} {one}" for name, one in value.items()]
    if isinstance(value, list):
        return [str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in value]
    return [figure(value) if isinstance(value, int | float) and abs(value) < 1000 else str(value)]
