"""What every API view shares: default deny, pages, problem+json, strict numbers."""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from evalplatform.errors import REMEDIES, BadInput, NotAllowed, NotFound, UserError
from evalplatform.words import holds_nul, options_worded
from mtcore.corpora.strict_json import JsonError, read_json

if TYPE_CHECKING:  # rest_framework.views reads the settings that name this module
    from rest_framework.views import APIView

SHOWN = 100
"""Characters of what somebody sent that a message repeats."""
LONGEST_BODY = 100_000_000

OWN_REMEDIES = {
    HTTPStatus.METHOD_NOT_ALLOWED: gettext_noop(
        "The schema at /api/v1/schema/ names the methods of every address."
    ),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: gettext_noop(
        "Send JSON (Content-Type: application/json), or a multipart form where files are taken."
    ),
}
"""What scripts do about an error where people at pages do something else."""
TITLES = {int(kind.status): kind.title for kind in (BadInput, NotAllowed, NotFound)}
"""Titles of the framework's own errors; its other ones keep the phrase of their status."""


class BodyTooLong(APIException):
    """More was sent at once than is taken."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


class StrictJSONParser(BaseParser):
    """Read JSON bodies strictly: what could be neither stored nor sent back is refused here.

    It is none of the framework's own parsers, whose bodies may be no longer than a form.
    """

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return what the body holds.

        Raises:
            BodyTooLong: it is.
            ParseError: it is not UTF-8 or not strict JSON, is nested too deeply, or holds half a
                character or a NUL.
        """
        body = stream.read(LONGEST_BODY + 1)
        if len(body) > LONGEST_BODY:
            raise BodyTooLong(
                _("The body of the request is longer than %(n)d MB.") % {"n": LONGEST_BODY // 10**6}
            )
        try:
            found = read_json(body.decode("utf-8-sig"))
        except JsonError as error:
            raise ParseError(_("The body of the request %(found)s.") % {"found": error}) from error
        except UnicodeDecodeError as error:
            raise ParseError(_("The body of the request is not UTF-8.")) from error
        if b"\\u0000" in body and holds_nul(found):
            raise ParseError(_("The body of the request %(found)s.") % {"found": "holds a NUL character"})
        return found


class PlainMultiPartParser(MultiPartParser):
    """Read forms with files; a field that no database can hold is refused, as in JSON."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the fields and the files.

        Raises:
            ParseError: it is no such form, or a field holds a NUL.
        """
        found = super().parse(stream, media_type, parser_context)
        if holds_nul(dict(found.data.lists())):
            raise ParseError(_("The body of the request %(found)s.") % {"found": "holds a NUL character"})
        return found


class DenyByDefault(BasePermission):
    """Refuse: a view that forgets to name its permission is closed."""

    def has_permission(self, request: HttpRequest, view: Any) -> bool:
        """Say no."""
        return False


class AnyType(DefaultContentNegotiation):
    """Take any `Accept`: what files are is said by the query, and errors are problem+json."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the first there is."""
        return renderers[0], renderers[0].media_type


def asked(serializer: type[Serializer[Any]], data: Any, *, loose: bool = False) -> dict[str, Any]:
    """Return what was asked for, once it is checked.

    Args:
        serializer: what may be asked.
        data: what is.
        loose: pass over what is no field of it, as in the query of an address.

    Raises:
        ValidationError: naming every field that is wrong or that there is not (400).
    """
    found = serializer(data=data, context={"loose": loose})
    found.is_valid(raise_exception=True)
    return found.validated_data


def filters_check(request: Request, view: "APIView") -> None:
    """Make sure that a list is asked only for what its operation names in the schema.

    Raises:
        BadInput: the query holds another name, or a value that is none of the choices.
    """
    named = {one.name: one.enum for one in _parameters(view)} | dict.fromkeys(("limit", "offset"))
    for name in request.query_params:
        if name not in named:
            raise BadInput(
                f"“{name[:SHOWN]}” cannot be asked for here.", f"Known are: {', '.join(sorted(named))}."
            )
        for text in request.query_params.getlist(name):
            choices = [str(one) for one in named[name] or ()]
            if text and choices and text not in choices:
                raise BadInput(f"{name} is “{text[:SHOWN]}”.", f"Choose one of: {', '.join(choices)}.")


def _parameters(view: "APIView") -> list[OpenApiParameter]:
    """Return the parameters that the schema has of a view's GET beside those of pages."""
    schema = _schema(view, "GET")
    found = schema.get_override_parameters() if schema else []
    return [one for one in found if isinstance(one, OpenApiParameter)]


def _schema(view: "APIView", method: str) -> Any:
    """Return what the schema says of a method of a view; None where that says nothing of its own."""
    made = getattr(getattr(view, method.lower(), None), "kwargs", {}).get("schema")
    if made is None:
        return None
    found = made()
    found.view, found.method = view, method
    return found


def _fields(view: "APIView | None", method: str) -> Collection[str]:
    """Return the names of what a method of a view takes, as the schema has them."""
    if view is None:
        return ()
    asks: Any = getattr(view, "asks", None)
    if asks is None:
        schema = _schema(view, method)
        asks = schema.get_request_serializer() if schema and method != "GET" else None
    if isinstance(asks, Mapping):  # by content type
        asks = next(iter(asks.values()), None)
    is_serializer = isinstance(asks, type) and issubclass(asks, Serializer)
    return (asks().fields if is_serializer else {}) or [one.name for one in _parameters(view)]


class Pages(LimitOffsetPagination):
    """Pages of 100 rows by default, 1,000 at most, of lists that are asked for what they know."""

    default_limit = 100
    max_limit = 1000

    def paginate_queryset(
        self, queryset: Any, request: Request, view: "APIView | None" = None
    ) -> list[Any] | None:
        """Return the rows of a page.

        Raises:
            BadInput: the query holds what the list does not know.
        """
        if view is not None:
            filters_check(request, view)
        return super().paginate_queryset(queryset, request, view)

    def get_limit(self, request: Request) -> int | None:
        """Return the number of rows of a page.

        Raises:
            BadInput: `limit` is no whole number from 1 on.
        """
        _whole(request, self.limit_query_param, lowest=1)
        return super().get_limit(request)

    def get_offset(self, request: Request) -> int:
        """Return how many rows come before the page.

        Raises:
            BadInput: `offset` is no whole number from 0 on.
        """
        _whole(request, self.offset_query_param, lowest=0)
        return super().get_offset(request)


def _whole(request: Request, name: str, *, lowest: int) -> None:
    text = request.query_params.get(name)
    is_whole = text is None or (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= lowest)
    if not is_whole:
        raise BadInput(f"{name} is “{text}”.", f"Give a whole number from {lowest} on, below 1,000,000,000.")


def problem_json(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer errors as problem+json (RFC 9457)."""
    if isinstance(error, UserError):
        request = context.get("request")
        fields = _fields(context.get("view"), request.method if request else "GET")
        body = {
            "title": _(error.title),
            "status": int(error.status),
            "detail": options_worded(error.message, fields, str),
            "remedy": options_worded(error.remedy, fields, str),
        }
        if error.code:
            body["code"] = error.code
        return Response(body, status=error.status, content_type="application/problem+json")
    # Imported late: rest_framework.views reads the settings that name this module.
    from rest_framework.views import exception_handler

    response = exception_handler(error, context)
    if response is None:
        return None
    detail = getattr(error, "detail", "")
    if isinstance(error, APIException) and isinstance(detail, dict | list):
        extra: dict[str, Any] = {"errors": detail}
        detail, remedy = _("Some fields are wrong."), _("Put right what “errors” names, and send it again.")
    else:
        extra = {}
        is_missing = isinstance(error, Http404)
        nothing = _("There is nothing at this address, or it is not yours to see.")
        detail = nothing if is_missing else str(detail or error)
        remedy = _remedy(response.status_code)
    title = _(TITLES[response.status_code]) if response.status_code in TITLES else response.status_text
    said = {"title": title, "status": response.status_code, "detail": detail, "remedy": remedy}
    response.data = said | extra
    response.content_type = "application/problem+json"
    return response


def _remedy(status: int) -> str:
    """Return what to do about an error of the framework, which does not say so itself."""
    known = {**REMEDIES, **OWN_REMEDIES}
    return _(known.get(HTTPStatus(status), REMEDIES[HTTPStatus.BAD_REQUEST]))
