"""Progress on the campaign's page: by system and day, who has gone silent, and handing work over."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation.models import Campaign
from annotation.services.handing_over import work_hand_over, work_hand_over_trial
from annotation.services.progress import days_progress, silent_raters, systems_progress
from annotation.services.withdrawal import Withdrawal
from annotation.templatetags.shown import grouped
from annotation.views.figures import bars_svg
from annotation.views.newcomers import link_told
from evalplatform.people import user_of


def progress_panel(campaign: Campaign) -> dict[str, Any]:
    """Return what the campaign's page says of systems, days and silent raters."""
    days = days_progress(campaign)
    label = ", ".join(f"{date_format(day, 'j M')}: {n}" for day, n in days)
    return {
        "systems": systems_progress(campaign),
        "days": [row for row in reversed(days) if row[1]],
        "figure": bars_svg([n for _day, n in days], label),
        "silent": silent_raters(campaign),
        "silent_days": settings.SILENT_DAYS,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def hand_over(request: HttpRequest, key: str) -> HttpResponse:
    """Say who would get the open work of a rater; give it to them, and to somebody new who is named."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    if request.method != "POST":
        return _preview(request, found)
    new = request.POST.get("new_rater", "").strip()
    change = work_hand_over(
        campaign=found, rater=request.POST.get("rater", ""), new_rater=new, actor=user_of(request)
    )
    said = _told(change)
    messages.success(request, format_html("{} {}", said, link_told(request, found, [new])) if new else said)
    for text in change.short:
        messages.warning(request, text)
    return redirect(f"{reverse('campaign', args=[found.key])}#raters")


def _preview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show who would get what."""
    rater, new = request.GET.get("rater", ""), request.GET.get("new_rater", "").strip()
    change = work_hand_over_trial(campaign=campaign, rater=rater, new_rater=new)
    before = {
        row.rater.name: getattr(row, "n_assigned", 0) - getattr(row, "n_done", 0)
        for row in campaign.participations.with_progress().select_related("rater")
    }
    rows = [
        {"rater": name, "before": before.get(name, 0), "gets": n, "after": before.get(name, 0) + n}
        for name, n in change.given.items()
    ]
    context = {
        "campaign": campaign,
        "change": change,
        "rows": rows,
        "n_given": sum(change.given.values()),
        "n_nobody": max(0, change.released - sum(change.given.values())),
        "new_rater": new,
    }
    return render(request, "researcher/hand_over.html", context)


def _told(change: Withdrawal) -> str:
    """Say what changed hands."""
    released = ngettext("%(n)s open item", "%(n)s open items", change.released)
    given = ", ".join(f"{name}: {grouped(n)}" for name, n in change.given.items())
    return _("%(rater)s has left; the answers stay. %(released)s taken back, given to: %(given)s.") % {
        "rater": change.rater,
        "released": released % {"n": grouped(change.released)},
        "given": given or _("nobody"),
    }
