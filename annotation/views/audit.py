"""The audit trail: of everything for administrators, of one campaign for its owner."""

from __future__ import annotations

from typing import IO, Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import AuditEvent, Campaign
from annotation.services.judgement_export import FILE_TYPES
from annotation.services.trail import (
    FILTERS,
    RATER,
    Wish,
    actions_known,
    data_of,
    events_find,
    trail_csv,
    who_did,
    wish_read,
)
from annotation.views.audit_words import action_words, details_of
from annotation.views.researcher import campaign_of
from evalplatform.errors import BadInput, NotAllowed
from evalplatform.files import written
from mtcore.views.access import admin_page

ROWS = 50


@require_safe
@admin_page
def audit(request: HttpRequest) -> HttpResponse:
    """Show what was changed and taken, the newest first."""
    return _page(request, None)


@require_safe
@admin_page
def audit_file(request: HttpRequest) -> HttpResponseBase:
    """Send what the page shows, all of it, as CSV."""
    return _file(request, None)


@require_safe
@login_required
def campaign_audit(request: HttpRequest, key: str) -> HttpResponse:
    """Show what was changed in a campaign and taken from it, to its owner and administrators."""
    return _page(request, _own(request, key))


@require_safe
@login_required
def campaign_audit_file(request: HttpRequest, key: str) -> HttpResponseBase:
    """Send what the page of a campaign shows, all of it, as CSV."""
    return _file(request, _own(request, key))


def _own(request: HttpRequest, key: str) -> Campaign:
    """Return a campaign to who may read its audit trail."""
    campaign = campaign_of(request, key)
    if not may_read(request, campaign):
        raise NotAllowed(
            _("The audit trail of a campaign is for the owner of its study."), _("Ask the owner for it.")
        )
    return campaign


def may_read(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell who reads the audit trail of a campaign: the owner of its study, and administrators."""
    user = request.user
    return user.is_authenticated and (user.is_staff or campaign.study.owner_id == user.pk)


def _page(request: HttpRequest, campaign: Campaign | None) -> HttpResponse:
    given = _given(request)
    query = urlencode({name: text for name, text in given.items() if text})
    context: dict[str, Any] = {
        "section": "campaigns" if campaign else "audit",
        "campaign": campaign,
        "given": given,
        "is_filtered": any(given.values()),
        "query": query,
        "file": reverse("campaign_audit_file", args=[campaign.key]) if campaign else reverse("audit_file"),
        "file_query": f"{query}&" if query else "",
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


def _given(request: HttpRequest) -> dict[str, str]:
    """Return what the form of the page looks for."""
    return {name: request.GET.get(name, "").strip() for name in FILTERS}


def _file(request: HttpRequest, campaign: Campaign | None) -> HttpResponseBase:
    events = events_find(wish=wish_read(_given(request)), campaign=campaign)
    flavour = request.GET.get("flavour", "exact")

    def write(stream: IO[str]) -> None:
        trail_csv(events=events, stream=stream, flavour=flavour)

    name = f"{campaign.name}.audit.csv" if campaign else "audit.csv"
    return written(write, name, FILE_TYPES["csv"])


def _row(event: AuditEvent) -> dict[str, Any]:
    """Return what one line of the page shows."""
    who, kind = who_did(event)
    return {
        "event": event,
        "words": action_words(event.action),
        "who": who,
        "kind": _("rater") if kind == RATER else "",
        "command": str(event.data.get("command", "")),
        "details": details_of(data_of(event)),
    }
