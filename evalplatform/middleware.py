"""Content security, and one place that turns errors into pages or problem+json."""

import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from evalplatform.errors import REMEDIES, UserError
from evalplatform.room import room_remedy
from evalplatform.words import quoted, storable

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


class PrivateAnswers:
    """Let nothing on the way keep an answer: pages hold invitation links, names, results.

    Styles and scripts are sent before this is asked, and may be kept.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Say so with every answer, whatever it is and whoever asked."""
        response = self.get_response(request)
        patch_cache_control(response, private=True, no_store=True)
        return response


class PlainRequests:
    """Refuse addresses and forms that hold a NUL character: PostgreSQL cannot take it, no name has one."""

    ANSWERED = ("comment",)
    """Fields in which a rater writes: the page comes back with what was written, and says what is wrong."""

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

    def process_view(self, request: HttpRequest, view: object, *_arguments: object) -> HttpResponse | None:
        """Pass on forms that can be stored; JSON is looked at where it is read.

        So is a large form whose view looks at who asks before it reads anything.
        """
        is_late = getattr(view, "csrf_exempt", False)
        if request.method != "POST" or (is_late and _length(request) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE):
            return None
        odd = [
            name
            for name, values in request.POST.lists()
            if "\0" in name or (name not in self.ANSWERED and any("\0" in str(one) for one in values))
        ]
        if not odd:
            return None
        return problem(
            request,
            HTTPStatus.BAD_REQUEST,
            _("This request cannot be used"),
            _("The form holds a NUL character: %(fields)s.")
            % {"fields": quoted(storable(one) for one in odd)},
            _("Take the invisible character out and send it again."),
        )


class ErrorPages:
    """Map errors to 400/403/404/409/422 pages and problem+json."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; errors arrive in `process_exception`, or without a word (405)."""
        response = self.get_response(request)
        is_mute = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not (
            response.streaming or response.content
        )
        return method_not_allowed(request, response.headers["Allow"]) if is_mute else response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a known error; an unknown one stays a 500 and is logged by Django."""
        if isinstance(error, UserError):
            return problem(request, error.status, _(error.title), error.message, error.remedy)
        if isinstance(error, PermissionDenied):
            return permission_denied(request, error)
        if room_remedy(error):
            logger.error("no room: %s", error)
            return no_room(request)
        if isinstance(error, Http404):
            return page_not_found(request)
        if isinstance(error, SuspiciousOperation):
            logger.warning("suspicious request: %s", error)
            return bad_request(request, error)
        return None


def no_room(request: HttpRequest) -> HttpResponse:
    """Answer 507: the disk of the server is full."""
    return problem(
        request,
        HTTPStatus.INSUFFICIENT_STORAGE,
        _("The disk of the server is full"),
        _("Nothing was done by half, and nothing that was saved before is lost."),
        _("Tell whoever runs the server to make room where DATA_DIR lies, then do it again."),
    )


def _length(request: HttpRequest) -> int:
    """Return how long a body is said to be, in bytes."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def wants_json(request: HttpRequest) -> bool:
    """Tell whether the client is a script rather than a person."""
    return (
        request.path.startswith("/api/")
        or request.headers.get("Accept", "").startswith("application/json")
        or request.content_type == "application/json"
    )


def problem(
    request: HttpRequest, status: int, title: str, detail: str, remedy: str | None = None, **extra: object
) -> HttpResponse:
    """Return an error as a styled page or, for scripts, as problem+json (RFC 9457).

    Without a remedy it is the one of the status; "" where the detail says what to do.
    """
    if remedy is None:
        remedy = _(REMEDIES[HTTPStatus(status)]) if status in REMEDIES else ""
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
    leads_nowhere = found is not None and (
        found.path == reverse("login") or (request.method in ("GET", "HEAD") and found.path == request.path)
    )
    if found is None or leads_nowhere:
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
    """Answer 400; 413 where it was too much at once; 503 where the database was away for a session."""
    if is_away(exception):
        return unavailable(request)
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        return too_much(request, exception)
    detail = _("The server cannot read the request, or its address is not one of this site.")
    return problem(request, HTTPStatus.BAD_REQUEST, _("This request cannot be used"), detail)


def too_much(request: HttpRequest, exception: SuspiciousOperation) -> HttpResponse:
    """Answer 413 with the limit."""
    if isinstance(exception, TooManyFieldsSent):
        detail = _("More than %(n)s fields were sent.") % {"n": settings.DATA_UPLOAD_MAX_NUMBER_FIELDS}
    elif isinstance(exception, TooManyFilesSent):
        detail = _("More than %(n)s files were sent.") % {"n": settings.DATA_UPLOAD_MAX_NUMBER_FILES}
    else:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
        detail = _("Without its files, a form can hold at most %(n)s MB; more was sent.") % {"n": limit}
    return problem(
        request,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        _("This is too much at once"),
        detail,
        _("Send it in several parts, or as a file where the page takes one."),
    )


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403."""
    detail = str(exception or "") or _("This is not yours to see or to do.")
    return problem(request, HTTPStatus.FORBIDDEN, _("Not allowed"), detail)


def method_not_allowed(request: HttpRequest, allowed: str) -> HttpResponse:
    """Answer 405: somebody opened the address of a button, or came back to it after signing in."""
    response = problem(
        request,
        HTTPStatus.METHOD_NOT_ALLOWED,
        _("This request cannot be used"),
        _("This address takes %(allowed)s; the request was %(method)s. Nothing was done.")
        % {"allowed": allowed, "method": request.method},
    )
    response.headers["Allow"] = allowed
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without touching the database; 503 where it is that which is away, 507 on a full disk."""
    if room_remedy(sys.exception()):
        return no_room(request)
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
