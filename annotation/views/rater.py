"""The rater's pages and the JSON behind them. What goes out is drawn from a `Screen`, never from a row."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import decorator_from_middleware
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.forms import ConsentForm
from annotation.models import Campaign, Participation
from annotation.protocols.base import Screen
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.invitations import invitation_read, participation_check
from annotation.services.judging import answer_key, judgement_save
from annotation.services.participation import (
    TEXT_LENGTH,
    completion_code,
    consent_check,
    consent_text,
    guidelines_html,
    participation_consent,
    participation_progress,
    participation_seen,
    participation_start,
    problem_report,
)
from annotation.services.screens import language_pair_label
from annotation.services.way import Way
from annotation.views.access import (
    InvitationCsrf,
    error_page,
    no_referrer,
    owner_mark,
    rater_json,
    rater_page,
    read_json,
    remember,
)
from annotation.views.language import choose_here
from annotation.views.rater_time import own_record_links
from evalplatform.errors import BadInput, UserError

LARGEST_LOOK_AHEAD = 10
page_methods = require_http_methods(["GET", "HEAD", "POST"])


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
    except UserError as error:
        return error_page(request, error)
    campaign = participation.campaign
    if request.method == "POST":
        participation_start(participation=participation)
        remember(request, participation)
        return redirect(_first_page(participation), campaign.key)
    context = _heading(campaign) | {"expires": participation.link_expires_at}
    if participation.consented_at is not None:
        context["progress"] = participation_progress(participation).as_dict()
    return render(request, "rater/invite.html", context)


def _first_page(participation: Participation) -> str:
    """Return the page an invitation leads to: consent, rating, or the last one when all is done."""
    if participation.consented_at is None:
        return "consent"
    progress = participation_progress(participation)
    return "rate" if progress.left or not progress.total else "finish"


@page_methods
@rater_page
def consent(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show guidelines and what is agreed to; go on once the box is ticked."""
    participation_check(participation)
    campaign = participation.campaign
    if participation.consented_at is not None:
        return redirect("rate", campaign.key)
    form = ConsentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        participation_consent(participation=participation)
        return redirect("rate", campaign.key)
    context = _heading(campaign) | {
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
    context = _heading(campaign) | {
        "guidelines_html": guidelines_html(campaign),
        "back_url": reverse("rate", args=[campaign.key]),
    }
    return render(request, "rater/guidelines.html", context)


@page_methods
@rater_page
def rate(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the next item; take an answer sent without a script."""
    campaign = participation.campaign
    if request.method == "POST":
        return _save_form(request, participation)
    participation_check(participation)
    if participation.consented_at is None:
        return redirect("consent", campaign.key)
    participation_seen(participation=participation)
    way = Way(participation)
    screen = way.next_screen()
    if screen is None:
        return redirect("finish", campaign.key)
    return _rating_page(request, way, screen)


@page_methods
@rater_page
def rate_item(request: HttpRequest, participation: Participation, key: str) -> HttpResponse:
    """Show one of the rater's own items, to answer it or to correct the answer."""
    if request.method == "POST":
        return _save_form(request, participation)
    participation_check(participation)
    if participation.consented_at is None:
        return redirect("consent", participation.campaign.key)
    way = Way(participation)
    return _rating_page(request, way, way.screen(key))


def _save_form(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Store a form's answer, then show the next item; a faulty one comes back with its message."""
    answers = {name: request.POST[name] for name in ("score", "choice") if name in request.POST}
    assignment = request.POST.get("assignment", "")
    comment = request.POST.get("comment", "").replace("\r\n", "\n")
    try:
        saved = judgement_save(
            participation=participation,
            assignment_key=assignment,
            client_key=answer_key(
                participation=participation,
                assignment_key=assignment,
                page_key=request.POST.get("client_key", ""),
                answer=json.dumps([answers, comment], sort_keys=True),
            ),
            answers=answers,
            comment=comment,
        )
    except BadInput as error:
        way = Way(participation)
        screen = way.screen(assignment)
        return _rating_page(request, way, screen, error=error, typed=answers, comment=comment)
    return redirect("rate" if saved.progress.left else "finish", participation.campaign.key)


def _rating_page(
    request: HttpRequest,
    way: Way,
    screen: Screen,
    *,
    error: UserError | None = None,
    typed: dict[str, str] | None = None,
    comment: str | None = None,
) -> HttpResponse:
    """Draw a screen; with an error, as it was sent."""
    campaign = way.participation.campaign
    shown = screen.as_dict()
    if error is not None:
        shown |= {"answer": typed or shown["answer"], "comment": comment or ""}
    context = _heading(campaign) | {
        "screen": shown,
        "progress": way.progress.as_dict(),
        "config": _config(request, way.participation),
        "error": None if error is None else {"detail": error.message, "remedy": error.remedy},
    }
    return render(request, "rater/rate.html", context, status=error.status if error else 200)


def _config(request: HttpRequest, participation: Participation) -> dict[str, Any]:
    """Return what the page's script needs: addresses, token, scale, limits, and whose answers it keeps."""
    campaign = participation.campaign
    settings = CampaignSettings.of(campaign)
    names = ["answers", "screens", "previous", "finish", "problem", "guidelines", "timesheet"]
    urls = {name: reverse(name, args=[campaign.key]) for name in names}
    if settings.can_skip:
        urls["skip"] = reverse("rate", args=[campaign.key]) + "skip"
    return {
        "urls": urls | {"items": reverse("rate_item", args=[campaign.key, "-"]).removesuffix("-")},
        "csrf": get_token(request),
        "scale": {"low": int(campaign.scale_low), "high": int(campaign.scale_high)},
        "owner": owner_mark(participation),
        "break_after": settings.break_after,
        "longest": TEXT_LENGTH,
        "strings": {},
    }


def _heading(campaign: Campaign) -> dict[str, Any]:
    return {"campaign_name": campaign.name, "language_pair_label": language_pair_label(campaign)}


@require_safe
@rater_page
def finish(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Thank the rater and show the completion code; also after the campaign has closed."""
    campaign = participation.campaign
    way = Way(participation)
    has_left = participation.state == Participation.State.LEFT
    if way.progress.left and not has_left:
        return redirect("rate", campaign.key)
    links = []
    if campaign.state == Campaign.State.OPEN and way.last_answered and not has_left:
        url = reverse("rate_item", args=[campaign.key, way.last_answered])
        links.append({"url": url, "label": _("Look at my last answer again")})
    links += own_record_links(campaign)
    context = _heading(campaign) | {
        "progress": way.progress.as_dict(),
        "completion_code": completion_code(participation, way.progress),
        "links": links,
        "has_left": has_left,
    }
    return render(request, "rater/finish.html", context)


@require_safe
@rater_json
def screens(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Return the next open screens after one, to be shown without waiting."""
    participation_check(participation)
    consent_check(participation)
    way = Way(participation)
    try:
        n = max(1, min(LARGEST_LOOK_AHEAD, int(request.GET.get("n", "3"))))
    except ValueError:
        raise BadInput(_("n is not a whole number.")) from None
    found = way.screens_after(request.GET.get("after", ""), n)
    return JsonResponse(
        {"screens": [screen.as_dict() for screen in found], "progress": way.progress.as_dict()}
    )


@require_safe
@rater_json
def previous(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Return the last answered screen before one, with its answer."""
    participation_check(participation)
    consent_check(participation)
    screen = Way(participation).previous_screen(request.GET.get("before", ""))
    return JsonResponse({"screen": None if screen is None else screen.as_dict()})


@require_POST
@rater_json
def answers(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Store an answer. The same key with the same answer is the same success again."""
    sent = read_json(request)
    saved = judgement_save(
        participation=participation,
        assignment_key=sent.get("assignment", ""),
        client_key=sent.get("client_key", ""),
        answers=sent.get("answers", {}),
        comment=sent.get("comment") or "",
        active_ms=sent.get("active_ms"),
    )
    return JsonResponse(
        {
            "saved": True,
            "assignment": sent["assignment"],
            "client_key": sent["client_key"],
            "progress": saved.progress.as_dict(),
            "finished": saved.progress.left == 0,
        }
    )


@require_POST
@rater_json
def problem(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Keep a report about an item or its page."""
    sent = read_json(request)
    problem_report(
        participation=participation, assignment_key=sent.get("assignment", ""), text=sent.get("text", "")
    )
    return JsonResponse({"saved": True})
