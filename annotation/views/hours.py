"""The hours of a campaign's raters, for those who pay them."""

from __future__ import annotations

import io
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import AuditEvent, Campaign
from annotation.services.timesheets import campaign_timesheets, timesheet_csv
from annotation.stats.worktime import hours_and_minutes, hundredths
from annotation.views.files import attachment
from evalplatform.errors import BadInput

MOST_ANSWERS = 20_000
"""In larger campaigns the page shows the file alone: laying out a million answers takes a while."""


def hours_panel(campaign: Campaign, n_done: int) -> dict[str, Any]:
    """Return what the campaign's page shows about hours."""
    if campaign.mode == Campaign.Mode.IMPORTED:
        return {}
    panel: dict[str, Any] = {"zone": timezone.get_default_timezone_name()}
    if n_done > MOST_ANSWERS:
        return panel
    sheets = [sheet for sheet in campaign_timesheets(campaign=campaign) if sheet.lines]
    minutes = sum(sheet.minutes for sheet in sheets)
    hours = sum(hundredths(sheet.minutes) for sheet in sheets) / 100  # of the raters' hours as they stand
    return panel | {"sheets": sheets, "together": hours_and_minutes(minutes), "hours": hours}


@require_safe
@login_required
def hours_file(request: HttpRequest, key: str) -> HttpResponse:
    """Send hours by rater and day as CSV."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    flavour = request.GET.get("flavour", "exact")
    if flavour not in ("exact", "spreadsheet"):
        raise BadInput(_("There is no such file."), _("Use the buttons of the page."))
    out = io.StringIO()
    timesheet_csv(campaign_timesheets(campaign=found), out, spreadsheet=flavour == "spreadsheet")
    AuditEvent.note("hours.exported", actor=request.user, campaign=found, study=found.study)
    return attachment(out.getvalue(), f"{found.name}.timesheet.csv", "text/csv")
