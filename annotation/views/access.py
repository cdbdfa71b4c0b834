"""Who a rater's browser is, and how errors reach it. A session holds what invitations have opened."""

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, NoReturn

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache

from annotation.models import Campaign, Participation
from annotation.services.joining import ANONYMOUS_JOINS
from annotation.services.participation import participation_find
from evalplatform.errors import BadInput, Conflict, NotAllowed, UserError

_OPENED = "participations"
_JOINED = "joined"
View = Callable[..., HttpResponseBase]
Answer = Callable[[HttpRequest, UserError, Participation | None], HttpResponse]


class InvitationNeeded(UserError):
    """The browser has not opened an invitation to this campaign, or its session has ended."""

    status = HTTPStatus.UNAUTHORIZED
    title = gettext_noop("You are no longer signed in")


class InvitationCsrf(CsrfViewMiddleware):
    """The usual check, for a page that sends no referrer: its browser sends the origin `null`.

    The secret token of the form still has to match the cookie.
    """

    def _origin_verified(self, request: HttpRequest) -> bool:
        return request.headers.get("Origin") == "null" or super()._origin_verified(request)  # type: ignore[misc]


def remember(request: HttpRequest, participation: Participation) -> None:
    """Let this browser rate as this rater, besides what it had opened before."""
    request.session.cycle_key()
    opened = request.session.get(_OPENED, {})
    opened[participation.campaign.key] = [participation.key, participation.link_version]
    request.session[_OPENED] = opened


def outsider_check(request: HttpRequest, campaign: Campaign) -> None:
    """Make sure that nobody rates in a campaign whose results they can see.

    Raises:
        NotAllowed: this browser is signed in as one of its researchers or as an administrator.
    """
    if SESSION_KEY not in request.session:
        return
    if Campaign.objects.visible_to(request.user).filter(pk=campaign.pk).exists():
        raise NotAllowed(
            _("You are signed in as %(name)s, who can see this campaign's results, so you cannot rate in it.")
            % {"name": request.user.get_username()},
            _("To see what raters see, sign out or open the link in a private window."),
        )


def anonymous_join_check(request: HttpRequest) -> None:
    """Make sure that this browser has not become many raters.

    Raises:
        Conflict: it has.
    """
    if int(request.session.get(_JOINED, 0)) >= ANONYMOUS_JOINS:
        raise Conflict(
            _("This browser has joined %(n)d times already.") % {"n": ANONYMOUS_JOINS},
            _("Open the link of your own that you were given to go on."),
        )


def anonymous_join_note(request: HttpRequest) -> None:
    """Count how often this browser became a new rater."""
    request.session[_JOINED] = int(request.session.get(_JOINED, 0)) + 1


def participation_of(request: HttpRequest, campaign_key: str) -> Participation:
    """Return who this browser is in a campaign.

    Raises:
        InvitationNeeded: nobody; or the link that opened it was replaced since.
    """
    key, version = request.session.get(_OPENED, {}).get(campaign_key, ("", 0))
    found = participation_find(key=key, campaign_key=campaign_key) if key else None
    if found is None or found.link_version != version:
        raise InvitationNeeded(
            _("Your session has ended, or this browser has not opened the invitation."),
            _("Open your invitation link again; what you typed is kept."),
        )
    outsider_check(request, found.campaign)
    return found


def opened_before(request: HttpRequest, campaign_key: str) -> Participation | None:
    """Return who this browser is in a campaign, or None."""
    try:
        return participation_of(request, campaign_key)
    except InvitationNeeded:
        return None


def owner_mark(participation: Participation) -> str:
    """Return what a page knows its rater by, to keep answers of several raters on one browser apart."""
    return hashlib.sha256(participation.key.encode()).hexdigest()[:16]


def _owner_check(request: HttpRequest, participation: Participation) -> None:
    """Make sure that a page speaks for the rater whose invitation this browser opened last.

    Raises:
        InvitationNeeded: somebody else opened theirs meanwhile; nothing may be taken for them.
    """
    owner = request.headers.get("X-Rating-Owner", "")
    if owner and owner != owner_mark(participation):
        raise InvitationNeeded(
            _("Somebody else has opened an invitation to this campaign in this browser."),
            _("Open your own invitation link again; what you typed is kept."),
        )


def no_referrer(view: View) -> View:
    """Keep the address of a page from every server it leads to, whatever its answer is."""

    @wraps(view)
    def inner(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        response = view(request, **kwargs)
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return inner


def rater_page(view: View) -> View:
    """Give the view its `participation`; answer a user's mistake with a page that says what to do."""
    return _with_participation(view, page_for)


def rater_json(view: View) -> View:
    """Give the view its `participation`; answer a user's mistake with problem+json."""
    return _with_participation(view, lambda request, error, participation: error_json(error))


def _with_participation(view: View, answer: Answer) -> View:
    @wraps(view)
    def inner(request: HttpRequest, campaign_key: str, **kwargs: Any) -> HttpResponseBase:
        participation = None
        try:
            participation = participation_of(request, campaign_key)
            _owner_check(request, participation)
            return view(request, participation, **kwargs)
        except UserError as error:
            return answer(request, error, participation)

    return never_cache(inner)


def page_for(request: HttpRequest, error: UserError, participation: Participation | None) -> HttpResponse:
    """Return the page of an error, with the way back to rating where there is one."""
    if participation is None:
        return error_page(request, error)
    campaign = participation.campaign
    url = reverse("rate", args=[campaign.key])
    can_rate = campaign.state == campaign.State.OPEN and participation.state != participation.State.LEFT
    links = [{"url": url, "label": _("Back to rating")}] if can_rate and request.path != url else []
    return error_page(request, error, campaign_name=campaign.name, links=links)


def error_page(request: HttpRequest, error: UserError, **more: Any) -> HttpResponse:
    """Return a page with the message and the remedy."""
    context = {
        "title": _(error.title),
        "detail": error.message,
        "remedy": error.remedy,
        "campaign_name": _("Translation evaluation"),
    }
    return _challenge(render(request, "rater/message.html", context | more, status=error.status))


def error_json(error: UserError) -> HttpResponse:
    """Return the same as problem+json (RFC 9457)."""
    body = {
        "title": _(error.title),
        "status": int(error.status),
        "detail": error.message,
        "remedy": error.remedy,
    }
    if error.code:
        body["code"] = error.code
    if isinstance(error, InvitationNeeded):
        body["login_url"] = ""
    return _challenge(JsonResponse(body, status=error.status, content_type="application/problem+json"))


def _challenge(response: HttpResponse) -> HttpResponse:
    """Name the way in, as a 401 must; browsers show no dialog for it."""
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Invitation realm="rating"'
    return response


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object a browser sent.

    Raises:
        BadInput: it is something else.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    if request.content_type != "application/json":
        raise BadInput(_("JSON is expected (Content-Type: application/json)."), _("Reload the page."))
    try:
        body = json.loads(request.body, parse_constant=refuse)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise BadInput(_("A JSON object is expected."), _("Reload the page and send it again."))
    return body
