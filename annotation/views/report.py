"""The pages of a report: a campaign, where a number comes from, one segment, files to take along."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.report.compute import Report, campaign_report
from annotation.services.report.document import figure_named, sections_of, table_named
from annotation.services.report.headline import headline
from annotation.services.report.methods import methods
from annotation.services.report.segment import segment_read
from annotation.services.report.trace_asked import trace_asked
from annotation.services.report.writers import svg_file, table_write
from annotation.services.scoring import options_read
from annotation.stats.options import CHOICES, RESAMPLES, ScoreOptions
from annotation.views.files import attachment
from annotation.views.labels import describe
from annotation.views.report_cells import section_cells
from annotation.views.report_trace import TYPES, given_of, trace_page
from annotation.views.researcher import campaign_of
from annotation.views.tables import campaign_command
from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.corpora.languages import direction


def _report(request: HttpRequest, key: str) -> tuple[Campaign, Report]:
    campaign = campaign_of(request, key)
    options = options_read(campaign, given_of(request))
    heavy = request.GET.get("fit") == "1"
    return campaign, campaign_report(campaign=campaign, options=options, user=request.user, heavy=heavy)


@require_safe
@login_required
def report(request: HttpRequest, key: str) -> HttpResponse:
    """Show the report of a campaign."""
    campaign, given = campaign_of(request, key), given_of(request)
    context: dict[str, Any] = {
        "campaign": campaign,
        "about": describe(campaign),
        "rated": PROTOCOLS[campaign.protocol].record == "rating",
        "given": given,
        "query": urlencode(given),
        "choices": choices_of(given),
        "limits": RESAMPLES,
        "defaults": ScoreOptions(),
    }
    status = 200
    try:
        _found, made = _report(request, key)
    except BadInput as error:
        context["error"], status = error, error.status
    except Conflict as error:
        context["empty"] = error
    else:
        context |= {
            "report": made,
            "headline": headline(made),
            "sections": [section_cells(one, campaign, given) for one in sections_of(made)],
            "methods": methods(made),
            "command": campaign_command(campaign, vars(made.options)),
        }
    return render(request, "report/campaign.html", context, status=status)


def choices_of(given: dict[str, str]) -> list[dict[str, Any]]:
    """Return the choices of the form, with what was chosen."""
    labels = {
        "population": _("Mean and spread over"),
        "scope": _("… of the ratings in the"),
        "repeats": _("Repeats"),
        "disagreement": _("Judged again"),
        "clusters": _("Clusters"),
        "interval": _("Intervals"),
        "unit": _("Resample"),
        "raters": _("Raters"),
        "test": _("Test to correct"),
        "correction": _("Correct for pairs"),
    }
    default = ScoreOptions()
    return [
        {
            "name": name,
            "label": labels.get(name, name),
            "values": [(value, value.replace("_", " ")) for value in values],
            "chosen": given.get(name) or getattr(default, name),
        }
        for name, values in CHOICES.items()
    ]


@require_safe
@login_required
def report_figure(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """Send a figure of a report as an SVG file."""
    campaign, made = _report(request, key)
    figure = figure_named(sections_of(made), name)
    if figure is None:
        raise NotFound(_("The report has no such figure."), _("Take it from the report's page."))
    return attachment(svg_file(figure), f"{campaign.name}.{name}.svg", TYPES["svg"])


@require_safe
@login_required
def report_table(request: HttpRequest, key: str, name: str, format: str) -> HttpResponse:
    """Send a table of a report as CSV, Markdown or LaTeX."""
    campaign, made = _report(request, key)
    table = table_named(sections_of(made), name)
    if table is None:
        raise NotFound(_("The report has no such table."), _("Take it from the report's page."))
    flavour = request.GET.get("flavour", "exact")
    text = table_write(table, made.scores["signature"], format, flavour)
    return attachment(text, f"{campaign.name}.{name}.{format}", TYPES[format])


@require_safe
@login_required
def campaign_trace(request: HttpRequest, key: str) -> HttpResponse:
    """Show what is behind a number; `?format=csv` sends all of it as a file."""
    campaign, given = campaign_of(request, key), given_of(request)
    found, behind = trace_asked(campaign, given, request.GET.dict())
    command = "report_campaign" if "part" in request.GET else "score_campaign"
    context = {
        "campaign": campaign,
        "about": describe(campaign),
        "command": campaign_command(campaign, vars(behind.options), command),
    }
    return trace_page(request, campaign, found, given, context)


@require_safe
@login_required
def campaign_segment(request: HttpRequest, key: str) -> HttpResponse:
    """Show a segment: its texts, all outputs, all judgements."""
    campaign, given = campaign_of(request, key), given_of(request)
    options = options_read(campaign, given)
    found = segment_read(
        campaign, request.GET.get("testset", ""), request.GET.get("segment", ""), options.population
    )
    target = campaign.target_language
    context = {
        "campaign": campaign,
        "about": describe(campaign),
        "segment": found,
        "texts": [{"own": text, "dir": direction(text.language)} for text in found.texts],
        "target": {"lang": target, "dir": direction(target)},
        "report_query": urlencode(given),
        "rated": PROTOCOLS[campaign.protocol].record == "rating",
    }
    return render(request, "report/segment.html", context)
