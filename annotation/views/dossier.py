"""The dossier of a segment: everything that is known of it on one page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.services.dossier import Dossier, DossierOutput, dossier_read
from annotation.services.score_table import number
from annotation.views.labels import describe
from annotation.views.researcher import campaign_of
from mtcore.corpora.languages import direction


@require_safe
@login_required
def campaign_dossier(request: HttpRequest, key: str) -> HttpResponse:
    """Show a segment: its texts, every output with what differs, every judgement, every metric."""
    campaign = campaign_of(request, key)
    found = dossier_read(
        campaign=campaign,
        testset=request.GET.get("testset", ""),
        segment=request.GET.get("segment", ""),
        against=request.GET.get("against"),
    )
    target = campaign.target_language
    context = {
        "campaign": campaign,
        "about": describe(campaign),
        "dossier": found,
        "direction": {"direct": _("direct text"), "reverse": _("reverse text")}.get(found.direction, ""),
        "texts": [{"own": text, "dir": direction(text.language)} for text in found.texts],
        "target": {"lang": target, "dir": direction(target)},
        "outputs": [_output(one) for one in found.outputs],
        "metrics": _metric_table(found),
        "campaigns": [{"own": one, "about": describe(one.campaign)} for one in found.campaigns],
    }
    return render(request, "correlation/dossier.html", context)


def _output(one: DossierOutput) -> dict[str, Any]:
    """Return an output with what its differences come to, in words."""
    found = one.difference
    told = ""
    if found.too_long:
        told = _("too long to compare")
    elif found.added or found.missing:
        told = _("%(added)s added, %(missing)s missing") % {"added": found.added, "missing": found.missing}
    elif found.spaces_differ:
        told = _("differs in white space or invisible marks only")
    return {"own": one, "told": told, "is_compared": any(piece.kind != "same" for piece in found.pieces)}


def _metric_table(found: Dossier) -> dict[str, Any]:
    """Return a row an output and a column a metric and reference."""
    heads: dict[tuple[str, str], str] = {}
    for output in found.outputs:
        for metric in output.metrics:
            arrow = "" if metric.higher_is_better else " ↓"
            heads.setdefault((metric.name, metric.reference), f"{metric.title}{arrow}")
    several = len({reference for _name, reference in heads if reference}) > 1
    rows = []
    for output in found.outputs:
        values = {(one.name, one.reference): number(one.value, one.digits) for one in output.metrics}
        rows.append({"output": output, "cells": [values.get(head, "–") for head in heads]})
    titles = [
        f"{title}, {reference}" if several and reference else title for (_, reference), title in heads.items()
    ]
    return {"heads": titles, "rows": rows}
