"""A rater's own hours, and after closing the mirror of own answers; both stay after closing."""

from __future__ import annotations

import io
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import AuditEvent, Campaign, Participation
from annotation.services.mirror import Mirror, Use, mirror_read
from annotation.services.screens import language_pair_label
from annotation.services.timesheets import Sheet, rater_timesheet, timesheet_csv
from annotation.views.access import rater_page
from annotation.views.figures import histogram_svg
from annotation.views.files import attachment
from evalplatform.errors import BadInput
from evalplatform.words import rounded
from mtcore.corpora.spreadsheets import FLAVOURS


@require_safe
@rater_page
def timesheet(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the rater's own hours and items by day."""
    every = _every(request)
    context = _heading(participation) | {
        "sheet": _sheet(participation, every=every),
        "every": every,
        "has_others": participation.rater.participations.count() > 1,
        "zone": timezone.get_default_timezone_name(),
        "csv_url": reverse("timesheet_csv", args=[participation.campaign.key]),
    }
    return render(request, "rater/timesheet.html", context)


@require_safe
@rater_page
def timesheet_file(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Send the same as CSV."""
    flavour = request.GET.get("flavour", "exact")
    if flavour not in FLAVOURS:
        raise BadInput(_("There is no such file."), _("Use the buttons of the page."))
    every = _every(request)
    sheet = _sheet(participation, every=every)
    out = io.StringIO()
    timesheet_csv([sheet], out, spreadsheet=flavour == "spreadsheet")
    campaign = participation.campaign
    AuditEvent.note("hours.exported", participation=participation, campaign=campaign, study=campaign.study)
    name = sheet.rater if every else f"{sheet.rater} {participation.campaign.name}"
    return attachment(out.getvalue(), f"{name}.timesheet.csv", "text/csv")


def _every(request: HttpRequest) -> bool:
    """Tell whether all campaigns of the study are asked for."""
    return request.GET.get("campaigns") == "all"


def _sheet(participation: Participation, *, every: bool) -> Sheet:
    return rater_timesheet(rater=participation.rater, campaign=None if every else participation.campaign)


@require_safe
@rater_page
def mirror(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the rater how consistent they were and how they used the scale."""
    found = mirror_read(participation)
    rows, figure = _use(found)
    context = _heading(participation) | {
        "mirror": found,
        "figure": figure,
        "rows": rows,
        "numbers": _numbers(found),
    }
    return render(request, "rater/mirror.html", context)


def own_record_links(campaign: Campaign) -> list[dict[str, str]]:
    """Return the links to the rater's hours and, after closing, to the mirror."""
    links = [{"url": reverse("timesheet", args=[campaign.key]), "label": _("Your hours")}]
    if campaign.state == Campaign.State.CLOSED:
        links.append({"url": reverse("mirror", args=[campaign.key]), "label": _("Your mirror")})
    return links


def _heading(participation: Participation) -> dict[str, Any]:
    campaign = participation.campaign
    can_rate = campaign.state == Campaign.State.OPEN and participation.state != Participation.State.LEFT
    is_closed = campaign.state == Campaign.State.CLOSED
    return {
        "campaign_name": campaign.name,
        "language_pair_label": language_pair_label(campaign),
        "back_url": reverse("rate", args=[campaign.key]) if can_rate else "",
        "mirror_url": reverse("mirror", args=[campaign.key]) if is_closed else "",
        "timesheet_url": reverse("timesheet", args=[campaign.key]),
    }


def _shares(use: Use) -> list[float]:
    whole = sum(use.bars) or 1
    return [bar / whole for bar in use.bars]


def _use(found: Mirror) -> tuple[list[dict[str, str]], str]:
    """Return the table of the use of the scale and its figure."""
    own = _shares(found.use)
    others = _shares(found.others.use) if found.others else []
    rows = [
        {
            "part": part,
            "n": number_format(found.use.bars[n], 0),
            "share": f"{100 * own[n]:.0f} %",
            "others": f"{100 * others[n]:.0f} %" if others else "",
        }
        for n, part in enumerate(found.parts)
    ]
    names = [part.partition("–")[0] for part in found.parts]
    return rows, histogram_svg(own, others, names, _("Your use of the scale; the table says the same."))


def _numbers(found: Mirror) -> dict[str, str]:
    """Write the numbers of the page with one decimal."""
    others, repeats = found.others, found.repeats
    values = {
        "mean": found.use.mean,
        "sd": found.use.sd,
        "others_mean": others.use.mean if others else None,
        "others_sd": others.use.sd if others else None,
        "distance": others.distance if others else None,
        "repeat_difference": repeats.difference if repeats else None,
    }
    return {name: "–" if value is None else rounded(value, 1) for name, value in values.items()}
