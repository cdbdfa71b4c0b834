"""Content security, and one place that turns errors into pages or problem+json."""

import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from evalplatform.errors import UserError

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponse]

RETRY_SECONDS = 5
"""So long a script may wait before it asks again."""

POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


class ContentSecurityPolicy:
    """Send a policy that allows nothing inline and no foreign host."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the header to every answer."""
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class SmallerStatics(GZipMiddleware):
    """Send styles and scripts compressed. They are the same for everybody, so their size tells nothing."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress what comes from the static files, and nothing else."""
        if not request.path.startswith(settings.STATIC_URL):
            return response
        return super().process_response(request, response)


class PlainAddresses:
    """Refuse addresses that hold a NUL character: no name has one, and PostgreSQL cannot look for it."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on what can be looked for."""
        query = request.META.get("QUERY_STRING", "")
        if any("\0" in text or "%00" in text for text in (request.path, query)):
            return problem(
                request,
                HTTPStatus.BAD_REQUEST,
                _("This request cannot be used"),
                _("The address holds a NUL character."),
            )
        return self.get_response(request)


class ErrorPages:
    """Map errors to 400/403/404/409/422 pages and problem+json."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; errors arrive in `process_exception`."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a known error; an unknown one stays a 500 and is logged by Django."""
        if isinstance(error, UserError):
            return problem(request, error.status, _(error.title), error.message, error.remedy)
        if isinstance(error, PermissionDenied):
            return problem(request, HTTPStatus.FORBIDDEN, _("Not allowed"), str(error))
        if isinstance(error, Http404):
            return page_not_found(request)
        if isinstance(error, SuspiciousOperation):
            logger.warning("suspicious request: %s", error)
            return problem(request, HTTPStatus.BAD_REQUEST, _("This request cannot be used"), "")
        return None


def wants_json(request: HttpRequest) -> bool:
    """Tell whether the client is a script rather than a person."""
    return (
        request.path.startswith("/api/")
        or request.headers.get("Accept", "").startswith("application/json")
        or request.content_type == "application/json"
    )


def problem(
    request: HttpRequest, status: int, title: str, detail: str, remedy: str = "", **extra: object
) -> HttpResponse:
    """Return an error as a styled page or, for scripts, as problem+json (RFC 9457)."""
    body = {"title": title, "status": int(status), "detail": detail, "remedy": remedy}
    if wants_json(request):
        return JsonResponse(body | extra, status=status, content_type="application/problem+json")
    return render(request, "errors/error.html", body | extra | _way(request, status), status=status)


def _way(request: HttpRequest, status: int) -> dict[str, object]:
    """Return the frame of an error's page and the way back: who is signed in has the menu.

    Errors of ours ask neither the database nor the session who that is.
    """
    user = getattr(request, "user", None)
    try:
        is_known = status < HTTPStatus.INTERNAL_SERVER_ERROR and user is not None and user.is_authenticated
    except (OperationalError, InterfaceError):
        is_known = False
    if not is_known:
        return {"frame": "base.html"}
    return {"frame": "researcher/base.html", "section": "none"} | _back(request)


def _back(request: HttpRequest) -> dict[str, object]:
    """Return where the person came from, when that is a page of ours, else the campaigns."""
    referer = request.headers.get("Referer", "")
    try:
        is_ours = url_has_allowed_host_and_scheme(referer, {request.get_host()})
    except SuspiciousOperation:
        is_ours = False
    found = urlsplit(referer) if is_ours else None
    if found is None or (request.method in ("GET", "HEAD") and found.path == request.path):
        return {"back": reverse("campaigns"), "came_from": False}
    return {"back": found._replace(scheme="", netloc="", fragment="").geturl(), "came_from": True}


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 404."""
    return problem(
        request,
        HTTPStatus.NOT_FOUND,
        _("Not found"),
        _("There is nothing at this address, or it is not yours to see."),
        _("Check the address, or sign in with another account."),
    )


def is_away(error: BaseException | None) -> bool:
    """Tell whether the database did not answer, whatever was made of that on the way."""
    while error is not None:
        if isinstance(error, OperationalError | InterfaceError):
            return True
        error = error.__cause__ or error.__context__
    return False


def unavailable(request: HttpRequest) -> HttpResponse:
    """Answer 503: whoever asked may send the same again."""
    response = problem(
        request,
        HTTPStatus.SERVICE_UNAVAILABLE,
        _("The database does not answer"),
        _("Nothing that was saved before is lost, and nothing was done by half."),
        _("Try again in a moment."),
    )
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 400; 503 where a session could not be written because the database is away."""
    if is_away(exception):
        return unavailable(request)
    return problem(request, HTTPStatus.BAD_REQUEST, _("This request cannot be used"), "")


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403."""
    return problem(request, HTTPStatus.FORBIDDEN, _("Not allowed"), "")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without touching the database; 503 where it is the database that is away."""
    if is_away(sys.exception()):
        return unavailable(request)
    return problem(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        _("Something went wrong on our side"),
        _("The error has been written to the log. Nothing that was saved before is lost."),
        _("Try again in a moment."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a request whose page is too old: say so, keep what was typed (the browser holds it)."""
    return problem(
        request,
        HTTPStatus.FORBIDDEN,
        _("This page is too old"),
        _("You were signed in again meanwhile, or cookies are blocked, so the answer was not taken."),
        _("Go back, reload the page and send it again; what you typed is kept in the browser."),
    )


def locked_out(request: HttpRequest, *_args: object, **_kwargs: object) -> HttpResponse:
    """Answer who has given too many wrong passwords."""
    return problem(
        request,
        HTTPStatus.TOO_MANY_REQUESTS,
        _("Too many wrong passwords"),
        _("This name cannot sign in from here for fifteen minutes."),
        _("Wait, or ask an administrator to let you in."),
    )
