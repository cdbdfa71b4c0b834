"""One campaign's page, as its view and the forms on it show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.drafts import is_draft
from annotation.services.links import campaign_links
from annotation.services.overview import Overview, campaign_overview
from annotation.services.remarks import comments_read, late_read, problems_read, skips_count, skips_read
from annotation.services.report.glance import agreement_glance
from annotation.services.sealing import may_unseal, seal_read
from annotation.templatetags.shown import grouped
from annotation.views.figures import bars_svg
from annotation.views.hours import hours_panel
from annotation.views.labels import describe
from annotation.views.looks import looks_panel
from annotation.views.newcomers import shows_links
from annotation.views.people import people_panel
from annotation.views.progress import progress_panel
from annotation.views.quality import quality_panel
from annotation.views.rounds import rounds_panel


def campaign_page(
    request: HttpRequest, found: Campaign, *, status: int = 200, **refused: object
) -> HttpResponse:
    """Show how a campaign is coming along.

    Args:
        request: of who sees it.
        found: the campaign.
        status: of the answer.
        refused: what a refused form of the page held, and why: `add_error`, `add_names`; and `back`, the
            address of the page.
    """
    overview, progress = campaign_overview(found), progress_panel(found)
    context = {
        "campaign": found,
        "about": describe(found),
        "overview": overview,
        "done": grouped(overview.n_done),
        "total": grouped(overview.n_assigned),
        "n_open": overview.n_assigned - overview.n_done,
        "raters": _raters(overview, skips_count(found)),
        "links": campaign_links(campaign=found) if shows_links(request, found) else [],
        "progress": progress,
        "all_silent": _all_silent(overview, len(progress["silent"])),
        "people": people_panel(found, shows_links=shows_links(request, found)),
        "rounds": rounds_panel(found),
        "looks": looks_panel(found),
        "quality": quality_panel(found, overview.n_done),
        "agreement": agreement_glance(found, overview.n_done),
        "hours": hours_panel(found, overview.n_done),
        "problems": problems_read(found),
        "late": late_read(found),
        "comments": comments_read(found),
        "skips": skips_read(found),
        "rated": PROTOCOLS[found.protocol].record == "rating",
        "seal": seal_read(found),
        "may_unseal": may_unseal(found, request.user),
        "is_planned": found.mode != Campaign.Mode.IMPORTED,
        "is_draft": is_draft(found),
        "is_owner": request.user.is_staff or found.study.owner_id == request.user.pk,
    }
    return render(request, "researcher/campaign.html", context | refused, status=status)


def _all_silent(overview: Overview, n_silent: int) -> bool:
    """Tell whether everybody who has work to do has gone silent."""
    at_work = [one for one in overview.raters if one.n_assigned > one.n_done]
    return 0 < len(at_work) <= n_silent


def _raters(overview: Overview, skips: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "rater": rater,
            "figure": bars_svg(rater.bars, ", ".join(str(n) for n in rater.bars)),
            "n_skipped": skips.get(rater.name, 0),
        }
        for rater in overview.raters
    ]
