"""The page of metrics against people, and its tables as files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign
from annotation.services.correlate import campaigns_correlate
from annotation.services.correlate_asked import SCORES, correlation_asked, metrics_asked
from annotation.services.correlate_options import BY, LIGHT, SEGMENTS, CorrelateOptions
from annotation.services.correlate_scoring import (
    asked_told,
    campaign_metrics_score,
    metrics_kept,
    outputs_judged,
)
from annotation.services.correlate_tables import TABLES, tables_of
from annotation.services.correlate_write import correlate_csv
from annotation.services.report.latex import to_latex
from annotation.views.correlation_parts import sections
from annotation.views.files import attachment
from annotation.views.labels import describe
from annotation.views.researcher import campaign_of
from evalplatform.errors import BadInput, Conflict, NotFound, UserError
from evalplatform.people import user_of
from mtcore.metrics import METRICS

CLOUD = 300
"""Segment scores drawn in a figure."""

FILES = {"csv": "text/csv", "tex": "application/x-tex"}


@require_safe
@login_required
def correlation(request: HttpRequest, key: str) -> HttpResponse:
    """Show how metrics and people agree in a campaign, and in others of its study that are chosen."""
    campaign = campaign_of(request, key)
    kept = metrics_kept(outputs_judged([campaign]))
    context: dict[str, Any] = {
        "campaign": campaign,
        "about": describe(campaign),
        "choices": _choices(request, kept),
        "metrics": _metric_boxes(request, kept),
        "others": _other_boxes(request, campaign),
        "reference": request.GET.get("reference", ""),
        "missing": [name for name in metrics_asked(request.GET, kept) if name in LIGHT and name not in kept],
        "query": request.GET.urlencode(),
    }
    status = 200
    try:
        campaigns, options = _asked(request, campaign)
        result = campaigns_correlate(campaigns=campaigns, options=options)
    except Conflict as error:
        context["empty"] = error
    except UserError as error:
        context["error"], status = error, error.status
    else:
        context |= {
            "result": result,
            "sections": sections(result, {one.name: one for one in campaigns}, _files(request, campaign)),
            "command": _command(campaigns, options),
        }
    return render(request, "correlation/correlation.html", context, status=status)


@require_safe
@login_required
def correlation_file(request: HttpRequest, key: str, name: str, format: str) -> HttpResponse:
    """Send a table of the page as a file."""
    campaign = campaign_of(request, key)
    if name not in TABLES:
        raise NotFound(_("The page has no such table."), _("Take it from the page."))
    flavour = request.GET.get("flavour", "exact")
    if flavour not in ("exact", "spreadsheet"):
        raise BadInput(_("flavour must be exact or spreadsheet."), _("Take the file from the page."))
    campaigns, options = _asked(request, campaign)
    result = campaigns_correlate(campaigns=campaigns, options=options)
    if format == "csv":
        text = correlate_csv(result, name, flavour)
    else:
        text = "\n".join(
            to_latex(table, result["signature"]) for table in tables_of(result, name) if table.rows
        )
    return attachment(text, f"{campaign.name}.{name}.{format}", FILES[format])


@require_POST
@login_required
def correlation_score(request: HttpRequest, key: str) -> HttpResponse:
    """Have the metrics scored that are missing, then show the page again."""
    campaign = campaign_of(request, key)
    user = user_of(request)
    asked = campaign_metrics_score(
        campaign=campaign,
        metrics=request.POST.getlist("metric"),
        references=[name for name in [request.POST.get("reference", "").strip()] if name],
        user=user,
    )
    messages.success(request, asked_told(asked))
    query = QueryDict(request.POST.get("query", "")).urlencode()
    address = reverse("campaign_correlation", args=[campaign.key])
    return redirect(f"{address}?{query}" if query else address)


def _asked(request: HttpRequest, campaign: Campaign) -> tuple[list[Campaign], CorrelateOptions]:
    """Return the campaigns and options that the address asks for."""
    return correlation_asked(campaign, Campaign.objects.visible_to(request.user), request.GET, cloud=CLOUD)


def _choices(request: HttpRequest, kept: Sequence[str]) -> list[dict[str, Any]]:
    """Return the lists of the form, with what was chosen."""
    lists = (
        ("scores", _("People’s scores"), SCORES, {"z": _("z"), "raw": _("raw")}),
        ("by", _("A point is"), BY, {"system": _("a system"), "condition": _("a system in a condition")}),
        (
            "segments", _("Metrics over"), SEGMENTS,
            {"common": _("the segments judged"), "all": _("the whole test set")},
        ),
    )  # fmt: skip
    return [
        {
            "name": name,
            "label": label,
            "values": [(value, words[value]) for value in values],
            "chosen": request.GET.get(name) or values[0],
        }
        for name, label, values, words in lists
    ]


def _metric_boxes(request: HttpRequest, kept: Sequence[str]) -> list[dict[str, Any]]:
    chosen = metrics_asked(request.GET, kept)
    return [
        {"name": name, "title": METRICS[name].title, "chosen": name in chosen, "kept": name in kept}
        for name in METRICS
        if name in kept or name in LIGHT
    ]


def _other_boxes(request: HttpRequest, campaign: Campaign) -> list[dict[str, Any]]:
    keys = request.GET.getlist("with")
    others = Campaign.objects.visible_to(request.user).filter(study_id=campaign.study_id)
    return [
        {"key": one.key, "name": one.name, "chosen": one.key in keys}
        for one in others.exclude(pk=campaign.pk).order_by("pk")
    ]


def _files(request: HttpRequest, campaign: Campaign) -> dict[str, list[tuple[str, str]]]:
    """Return titles and addresses of the files of each table."""
    query = request.GET.copy()
    query.pop("flavour", None)
    found = {}
    for name in TABLES:
        exact, tex = (
            reverse("correlation_file", args=[campaign.key, name, end])
            + (f"?{query.urlencode()}" if query else "")
            for end in FILES
        )
        safe = f"{exact}{'&' if query else '?'}{urlencode({'flavour': 'spreadsheet'})}"
        found[name] = [("CSV", exact), (_("CSV for spreadsheets"), safe), ("LaTeX", tex)]
    return found


def _command(campaigns: Sequence[Campaign], options: CorrelateOptions) -> str:
    """Write the command that prints the same numbers."""
    parts = ["manage.py", "correlate", "--campaign", *(one.name for one in campaigns)]
    parts += ["--metrics", ",".join(options.metrics)]
    parts += ["--reference", *options.references] if options.references else []
    parts += ["--by", options.by] if options.by != "system" else []
    parts += ["--raw"] if options.raw else []
    parts += ["--segments", options.segments] if options.segments != "common" else []
    return shlex.join(parts)
