"""The extra round on the researcher's pages: what was given out, what would be, and the button."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.round_words import round_sentences, rounds_told
from annotation.services.rounds import round_assign, round_draft
from evalplatform.people import user_of


def rounds_panel(campaign: Campaign) -> dict[str, Any]:
    """Return what the campaign's page says of items judged again, and of items that lack judgements."""
    is_planned = campaign.mode == Campaign.Mode.PLANNED
    lacking = campaign.items.filter(given__lt=F("wanted")).count() if is_planned else 0
    can_start = PROTOCOLS[campaign.protocol].record == "rating" and campaign.mode != Campaign.Mode.IMPORTED
    return {
        "told": rounds_told(campaign),
        "lacking": lacking,
        "can_start": can_start and campaign.state != Campaign.State.CLOSED,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def disagreement(request: HttpRequest, key: str) -> HttpResponse:
    """Show which items would be judged again; the button gives them out."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    if request.method == "POST":
        actor = user_of(request)
        messages.success(request, " ".join(round_sentences(round_assign(campaign=found, actor=actor))))
        return redirect(found)
    draft = round_draft(campaign=found)
    context = {
        "campaign": found,
        "sentences": round_sentences(draft),
        "given": list(draft.given.items()),
        "n_judgements": draft.n_judgements,
        "n_items": len(draft.dealt.renewed) + len(draft.dealt.same) + len(draft.pooled),
        "closed": found.state == Campaign.State.CLOSED,
        "title": _("Judge items again"),
    }
    return render(request, "researcher/disagreement.html", context)
