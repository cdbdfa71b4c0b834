"""The audit trail: of everything for administrators, of one campaign for its owner."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import AuditEvent, Campaign
from annotation.services.trail import FILTERS, Wish, actions_known, events_find, wish_read
from annotation.views.audit_words import action_words, details_of
from annotation.views.researcher import campaign_of
from evalplatform.errors import BadInput, NotAllowed
from mtcore.views.access import admin_page

ROWS = 50


@require_safe
@admin_page
def audit(request: HttpRequest) -> HttpResponse:
    """Show what was changed and taken, the newest first."""
    return _page(request, None)


@require_safe
@login_required
def campaign_audit(request: HttpRequest, key: str) -> HttpResponse:
    """Show what was changed in a campaign and taken from it, to its owner and administrators."""
    campaign = campaign_of(request, key)
    if not may_read(request, campaign):
        raise NotAllowed(
            _("The audit trail of a campaign is for the owner of its study."), _("Ask the owner for it.")
        )
    return _page(request, campaign)


def may_read(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell who reads the audit trail of a campaign: the owner of its study, and administrators."""
    user = request.user
    return user.is_authenticated and (user.is_staff or campaign.study.owner_id == user.pk)


def _page(request: HttpRequest, campaign: Campaign | None) -> HttpResponse:
    given = {name: request.GET.get(name, "").strip() for name in FILTERS}
    context: dict[str, Any] = {
        "section": "campaigns" if campaign else "audit",
        "campaign": campaign,
        "given": given,
        "is_filtered": any(given.values()),
        "query": urlencode({name: text for name, text in given.items() if text}),
        "actions": [(name, action_words(name)) for name in actions_known(campaign=campaign)],
    }
    status = 200
    try:
        found = events_find(wish=wish_read(given), campaign=campaign)
    except BadInput as error:
        found, status = events_find(wish=Wish(), campaign=campaign).none(), error.status
        context["error"] = error
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context |= {"page": page, "rows": [_row(event) for event in page.object_list]}
    return render(request, "researcher/audit.html", context, status=status)


def _row(event: AuditEvent) -> dict[str, Any]:
    """Return what one line of the page shows."""
    command = str(event.data.get("command", ""))
    if event.participation is not None:
        who, kind = event.participation.rater.name, _("rater")
    elif event.actor is not None:
        who, kind = event.actor.get_username(), ""
    else:
        who, kind = "", ""
    return {
        "event": event,
        "words": action_words(event.action),
        "who": who,
        "kind": kind,
        "command": command,
        "details": details_of(event.data),
    }
