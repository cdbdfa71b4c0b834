"""No change and no export by a signed-in person goes without an event in the audit trail.

Services write what happened in their own words. Where none did, this writes one: for a file or a list of the
API that was taken, and for a form or a write of the API that was accepted. Raters' answers are no events.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch

from annotation.models import AuditEvent, Campaign, Study
from evalplatform.acting import acting
from evalplatform.people import user_of

Handler = Callable[[HttpRequest], HttpResponse]
TAKEN, CHANGED = "file.taken", "page.changed"
#: Accepted posts that change nothing of what is stored for others.
NO_CHANGE = {"login", "logout", "admin:login", "admin:logout", "set_language", "api_estimate", "api_token"}
#: What the API lists of what there is, and how far it is. Everything else that it gives is data.
LISTS = {
    "api_schema", "api_docs", "api_studies", "api_study", "api_campaigns", "api_campaign", "api_testsets",
    "api_testset", "api_outputs", "api_output", "api_systems", "api_corpora", "api_corpus", "api_recipes",
    "api_recipe", "api_testsets_named", "api_looks", "api_machine", "api_runs", "api_run", "api_run_files",
    "api_users", "api_user",
}  # fmt: skip
#: What the API makes only when it answers 201: a dry run, or what was there already, is no change.
MAKES = ("api_launch_", "api_corpora", "api_corpus_")
#: Short answers of forms that say which change it was; nothing else of a form is kept.
TELLING = ("action", "state", "rater", "name")
LONGEST = 200


class AuditTrail:
    """Know who asks while a request is answered, and write the event that nobody else has written."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; the event is there before the answer leaves."""
        with acting(lambda: signed_in(request)) as now:
            response = self.get_response(request)
            place = request.resolver_match
            if place is not None and not now.n_events:
                action = _action(request, response, place)
                if action and signed_in(request) is not None:
                    _note(action, now.told, _about(request, response, place))
        return response


def _note(action: str, told: list[tuple[str, dict[str, Any]]], about: dict[str, Any]) -> None:
    """Write what was told of a change; where nothing was, the place at which it happened."""
    if action != CHANGED or not told:
        AuditEvent.note(action, **about)
        return
    known = {name: about[name] for name in ("actor", "led_to") if name in about}
    for done, what in told:
        AuditEvent.note(done, **what, **known)


def signed_in(request: HttpRequest) -> User | None:
    """Return the person who is signed in, by session or by token; None for raters and strangers."""
    known = request.__dict__.get("user")
    if type(known) is User:  # by token; by session it is looked up on demand, which raters need not pay for
        return known
    if SESSION_KEY not in getattr(request, "session", {}):
        return None
    return user_of(request)


def _action(request: HttpRequest, response: HttpResponse, place: ResolverMatch) -> str:
    """Return what was done; "" for what is no event."""
    if request.method in ("GET", "HEAD"):
        return TAKEN if request.method == "GET" and _is_export(response, place) else ""
    if place.view_name in NO_CHANGE or not _is_accepted(request, response, place):
        return ""
    return CHANGED


def _is_export(response: HttpResponse, place: ResolverMatch) -> bool:
    is_file = response.headers.get("Content-Disposition", "").startswith("attachment")
    is_data = place.view_name.startswith("api_") and place.view_name not in LISTS
    return response.status_code == HTTPStatus.OK and (is_file or is_data)


def _is_accepted(request: HttpRequest, response: HttpResponse, place: ResolverMatch) -> bool:
    """Tell whether a write was taken: pages lead on, the API says so."""
    if place.view_name.startswith(MAKES) and request.path.startswith("/api/"):
        return response.status_code == HTTPStatus.CREATED
    if request.path.startswith("/api/"):
        return response.status_code < HTTPStatus.MULTIPLE_CHOICES
    return response.status_code in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER)


def _about(request: HttpRequest, response: HttpResponse, place: ResolverMatch) -> dict[str, Any]:
    """Return what the event is about: the place, what was asked of it, and where it led."""
    known: dict[str, Any] = {"page": place.view_name}
    known |= {name: str(value)[:LONGEST] for name, value in place.kwargs.items()}
    if request.method == "GET":
        asked = request.GET.items()
    else:
        asked = ((name, value) for name in TELLING if (value := str(request.POST.get(name, ""))))
        if "Location" in response.headers:
            known["led_to"] = response.headers["Location"].partition("?")[0][:LONGEST]
    asked_for = {name[:LONGEST]: value[:LONGEST] for name, value in asked}
    return {
        "actor": signed_in(request),
        **_whose(place),
        **known,
        **({"asked": asked_for} if asked_for else {}),
    }


def _whose(place: ResolverMatch) -> dict[str, Any]:
    """Return the campaign or study that an address is about."""
    name = place.view_name.removeprefix("api_")
    if "key" in place.kwargs:
        campaign = Campaign.objects.select_related("study").filter(key=place.kwargs["key"]).first()
        return {"campaign": campaign, "study": campaign.study} if campaign else {}
    if name.startswith("study") and "pk" in place.kwargs:
        return {"study": Study.objects.filter(pk=place.kwargs["pk"]).first()}
    return {}
