"""What comes before the first item: invitation or joining, the form on languages, consent, guidelines."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import decorator_from_middleware
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from annotation.forms.rater import ConsentForm, ProfileForm
from annotation.models import Campaign, Participation
from annotation.services.completion import completion_of
from annotation.services.eligibility import (
    asked_about,
    asks_form,
    form_pending,
    is_refused,
    missing,
    needs,
    profile_ask,
    profile_save,
)
from annotation.services.invitations import invitation_read, invitation_url, participation_check
from annotation.services.joining import Panel, joining_read, needs_place, participation_join, place_take
from annotation.services.participation import (
    consent_text,
    guidelines_html,
    participation_consent,
    participation_progress,
    participation_start,
)
from annotation.views.access import (
    InvitationCsrf,
    anonymous_join_check,
    anonymous_join_note,
    error_page,
    no_referrer,
    opened_before,
    outsider_check,
    rater_page,
    remember,
)
from annotation.views.language import choose_here
from annotation.views.rater_common import heading, page_methods, page_next
from evalplatform.errors import UserError
from mtcore.corpora.language_choice import offered


@csrf_exempt
@no_referrer
@decorator_from_middleware(InvitationCsrf)
@never_cache
@page_methods
def invite(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show an invitation; only its button (POST) opens it. The token goes no further than this address."""
    if "language" in request.POST:
        return choose_here(request)
    try:
        participation = invitation_read(token)
        outsider_check(request, participation.campaign)
        if request.method == "POST":
            participation_start(participation=participation)
    except UserError as error:
        return error_page(request, error)
    campaign = participation.campaign
    if request.method == "POST":
        remember(request, participation)
        return redirect(page_next(participation), campaign.key)
    context = heading(campaign) | {"expires": participation.link_expires_at}
    if participation.consented_at is not None:
        progress = participation_progress(participation)
        context |= {"progress": progress.as_dict(), "is_closed": campaign.state == Campaign.State.CLOSED}
        context["has_code"] = bool(completion_of(participation, progress).code)
    return render(request, "rater/invite.html", context)


@csrf_exempt
@no_referrer
@decorator_from_middleware(InvitationCsrf)
@never_cache
@page_methods
def join(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what a campaign is about to whoever has its link; only the button (POST) makes a rater of them."""
    if "language" in request.POST:
        return choose_here(request)
    try:
        campaign = joining_read(token)
        outsider_check(request, campaign)
        panel = Panel.read(request.POST if request.method == "POST" else request.GET)
        if request.method == "POST":
            return _joined(request, campaign, panel)
    except UserError as error:
        return error_page(request, error)
    context = heading(campaign) | {"fields": panel.as_fields(), "person": panel.person}
    return render(request, "rater/join.html", context)


def _joined(request: HttpRequest, campaign: Campaign, panel: Panel) -> HttpResponse:
    """Let somebody in: as who the panel says, as who this browser was before, or as somebody new."""
    known = None if panel.person else opened_before(request, campaign.key)
    is_new = not panel.person and known is None
    if is_new:
        anonymous_join_check(request)
    participation = known or participation_join(campaign=campaign, panel=panel)
    if participation.campaign.state != Campaign.State.CLOSED or participation.consented_at is None:
        participation_check(participation)
    participation_start(participation=participation)
    remember(request, participation)
    if is_new:
        anonymous_join_note(request)
    return redirect("own_link" if is_new else page_next(participation), campaign.key)


@require_safe
@rater_page
def own_link(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show who joined without an id the link by which they come back.

    Who was sent by a panel comes back through the panel: an id proves too little for a lasting link.
    """
    campaign = participation.campaign
    if not participation.settings.get("joined") or participation.settings.get("panel"):
        return redirect(page_next(participation), campaign.key)
    context = heading(campaign) | {
        "link": invitation_url(participation, base_url=request.build_absolute_uri("/").rstrip("/")),
        "expires": participation.link_expires_at,
        "next_url": reverse(page_next(participation), args=[campaign.key]),
    }
    return render(request, "rater/own_link.html", context)


@page_methods
@rater_page
def profile(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Ask for languages and experience; go on, or say kindly what is missing."""
    participation_check(participation)
    campaign = participation.campaign
    if is_refused(participation):
        return _refused(request, participation)
    is_past = not form_pending(participation) and participation.consented_at is not None
    if is_past or not asks_form(campaign):
        return redirect(page_next(participation), campaign.key)
    form = ProfileForm(request.POST if request.method == "POST" else None, known=participation.rater.profile)
    if form.is_valid() and not profile_ask(participation=participation, profile=form.profile()):
        if not profile_save(participation=participation, profile=form.profile()):
            return _refused(request, participation)
        return redirect(page_next(participation), campaign.key)
    context = heading(campaign) | {
        "form": form,
        "languages": offered(get_language() or "en"),
        "needs": [need.words() for need in needs(campaign)],
        "pseudonym": participation.rater.name,
        "is_known": bool(participation.rater.profile) and not form.is_bound,
        "asked": [need.words() for need in asked_about(participation)],
    }
    return render(request, "rater/profile.html", context, status=400 if form.errors else 200)


def _refused(request: HttpRequest, participation: Participation) -> HttpResponse:
    lacking: dict[str, Any] = {"missing": [need.words() for need in missing(participation)]}
    return render(request, "rater/refused.html", heading(participation.campaign) | lacking, status=403)


@page_methods
@rater_page
def consent(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show guidelines and what is agreed to; go on once the box is ticked."""
    participation_check(participation)
    campaign = participation.campaign
    if form_pending(participation) or participation.consented_at is not None:
        return redirect(page_next(participation), campaign.key)
    form = ConsentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if needs_place(participation):
            place_take(participation=participation)
        participation_consent(participation=participation)
        participation.refresh_from_db(fields=["consented_at", "state"])
        return redirect(page_next(participation), campaign.key)
    context = heading(campaign) | {
        "guidelines_html": guidelines_html(campaign),
        "consent_text": consent_text(campaign),
        "form": form,
    }
    return render(request, "rater/consent.html", context, status=400 if form.is_bound else 200)


@require_safe
@rater_page
def guidelines(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the guidelines again."""
    campaign = participation.campaign
    context = heading(campaign) | {
        "guidelines_html": guidelines_html(campaign),
        "back_url": reverse("rate", args=[campaign.key]),
    }
    return render(request, "rater/guidelines.html", context)
