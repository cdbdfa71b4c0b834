"""Looks at a running campaign: what they cost, which were taken, and the button that takes one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.forms.look import SPENDING_WORDS, LookForm
from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.looks import CampaignLook, PairLook, TakenLook, campaign_look, looks_taken, too_late
from annotation.services.score_table import number
from annotation.services.sealing import is_sealed
from annotation.stats.sequential import Look
from evalplatform.errors import UserError
from evalplatform.people import user_of


def looks_panel(campaign: Campaign) -> dict[str, Any]:
    """Return what the campaign's page says of looks; nothing where there can be none."""
    taken = looks_taken(campaign)
    if not _is_rated(campaign) or is_sealed(campaign) or (too_late(campaign) and not taken):
        return {}
    return {"n": len(taken), "last": taken[-1] if taken else None, "shown": True}


def _is_rated(campaign: Campaign) -> bool:
    return PROTOCOLS[campaign.protocol].record == "rating"


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def look(request: HttpRequest, key: str) -> HttpResponse:
    """Say what a look costs and which were taken; the button takes one and shows it."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    form = LookForm(request.POST if request.method == "POST" else None)
    made, error, status = None, None, int(form.status)
    if form.is_bound and form.is_valid():
        try:
            made = campaign_look(campaign=found, actor=user_of(request), **form.cleaned_data)
        except UserError as refused:
            error, status = refused, int(refused.status)
    taken = looks_taken(found)
    context = {
        "campaign": found,
        "title": _("Look while it runs"),
        "form": form,
        "error": error,
        "made": _told(made) if made else None,
        "looks": _rows(taken, (*made.previous, made.current) if made else ()),
        "first": taken[0] if taken else None,
        "spending": SPENDING_WORDS[taken[0].spending] if taken else "",
        "sealed": is_sealed(found),
        "rated": _is_rated(found),
        "too_late": too_late(found),
    }
    return render(request, "researcher/look.html", context, status=status)


def _told(made: CampaignLook) -> dict[str, Any]:
    """Return a look as the page shows it."""
    row = made.current.as_row()
    return {
        "number": made.number,
        "n_done": made.n_done,
        "n_planned": made.n_planned,
        "boundary": None if row["boundary"] is None else number(row["boundary"], 2),
        "pairs": [{"pair": pair, "z": number(pair.z, 2), "words": _verdict(pair)} for pair in made.pairs],
        "n_pairs": len(made.pairs),
        "level": f"{made.level:.3g}",
    }


def _verdict(pair: PairLook) -> str:
    if pair.z is None:
        return pair.words
    return {
        "stop": _("they differ: the campaign may stop"),
        "go_on": _("not decided: go on"),
        "no_difference": _("no difference found"),
    }[pair.verdict]


def _rows(taken: Sequence[TakenLook], known: Sequence[Look]) -> list[dict[str, Any]]:
    """Return a row a look that was taken; with its boundary where that was computed now."""
    return [
        {
            "look": one,
            "boundary": "∞" if row["boundary"] is None else number(row["boundary"], 2),
            "spent": f"{row['spent']:.2g}",
        }
        if row
        else {"look": one}
        for one, row in ((one, other.as_row() if other else None) for one, other in zip_longest(taken, known))
    ]
