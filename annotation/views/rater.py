"""The rater's pages and the JSON behind them. What goes out is drawn from a `Screen`, never from a row."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Participation
from annotation.protocols.base import Screen
from annotation.services.calling_back import was_called_back
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.invitations import is_over, participation_check
from annotation.services.judging import judgement_save
from annotation.services.participation import (
    TEXT_LENGTH,
    begin_check,
    participation_seen,
    problem_report,
)
from annotation.services.way import Way
from annotation.views.access import (
    owner_mark,
    rater_json,
    rater_page,
    read_json,
)
from annotation.views.rater_common import heading, page_before, page_methods, save_answer, sent_answer
from evalplatform.errors import BadInput, UserError

LARGEST_LOOK_AHEAD = 12


@page_methods
@rater_page
def rate(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Show the next item; take an answer sent without a script."""
    campaign = participation.campaign
    if request.method == "POST":
        return _save_form(request, participation)
    if is_over(participation):
        return redirect("finish", campaign.key)
    participation_check(participation)
    before = page_before(participation)
    if before:
        return redirect(before, campaign.key)
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
    if is_over(participation):
        return redirect("finish", participation.campaign.key)
    participation_check(participation)
    before = page_before(participation)
    if before:
        return redirect(before, participation.campaign.key)
    way = Way(participation)
    return _rating_page(request, way, way.screen(key))


def _save_form(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Store a form's answer, then show the next item; a faulty one comes back with its message."""
    try:
        saved = save_answer(request, participation)
    except BadInput as error:
        way = Way(participation)
        screen = way.screen(request.POST.get("assignment", ""))
        typed, comment = sent_answer(request)
        return _rating_page(request, way, screen, error=error, typed=typed, comment=comment)
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
    context = heading(campaign) | {
        "screen": shown,
        "progress": way.progress.as_dict(),
        "config": page_config(request, way.participation),
        "called_back": was_called_back(way.participation, way.progress),
        "error": None if error is None else {"detail": error.message, "remedy": error.remedy},
    }
    return render(request, "rater/rate.html", context, status=error.status if error else 200)


def page_config(request: HttpRequest, participation: Participation) -> dict[str, Any]:
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


@require_safe
@rater_json
def screens(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Return the next open screens after one, to be shown without waiting."""
    participation_check(participation)
    begin_check(participation)
    way = Way(participation)
    try:
        n = max(1, min(LARGEST_LOOK_AHEAD, int(request.GET.get("n", "3"))))
    except ValueError:
        raise BadInput(_("n is not a whole number.")) from None
    found = way.screens_after(request.GET.get("after", ""), n)
    return JsonResponse(
        {
            "screens": [screen.as_dict() for screen in found],
            "progress": way.progress.as_dict(),
            "more": not found and way.holds_enough,
        }
    )


@require_safe
@rater_json
def previous(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Return the last answered screen before one, with its answer."""
    participation_check(participation)
    begin_check(participation)
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
