"""Before rating, on the researcher's pages: how far raters have come, who was refused, the joining link."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.eligibility import rater_admit
from annotation.services.joining import free_places, joined_lately, joining_url
from annotation.services.people import people_read
from evalplatform.people import user_of


def people_panel(campaign: Campaign, *, shows_links: bool) -> dict[str, Any]:
    """Return what the campaign's page says of what comes before rating."""
    joins = shows_links and bool(campaign.settings.get("joins"))
    is_planned = campaign.mode == Campaign.Mode.PLANNED
    return {
        "before": people_read(campaign),
        "can_set_joining": shows_links,
        "joining_url": joining_url(campaign) if joins else "",
        "an_hour": CampaignSettings.of(campaign).joins_an_hour,
        "n_joined": joined_lately(campaign) if joins else 0,
        "n_free": free_places(campaign).count() if joins and is_planned else None,
    }


@require_POST
@login_required
def admit(request: HttpRequest, key: str) -> HttpResponse:
    """Let a rater in who was refused."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    actor = user_of(request)
    name = request.POST.get("rater", "")
    rater_admit(campaign=found, rater=name, why=request.POST.get("why", ""), actor=actor)
    messages.success(request, _("%(name)s may take part now: the same link works again.") % {"name": name})
    return redirect(found)
