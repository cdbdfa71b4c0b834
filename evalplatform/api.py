"""What every API view shares: default deny, pages, problem+json, strict numbers."""

from typing import Any

from django.http import HttpRequest
from rest_framework.exceptions import APIException
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.permissions import BasePermission
from rest_framework.response import Response

from evalplatform.errors import UserError


class DenyByDefault(BasePermission):
    """Refuse: a view that forgets to name its permission is closed."""

    def has_permission(self, request: HttpRequest, view: Any) -> bool:
        """Say no."""
        return False


class Pages(LimitOffsetPagination):
    """Pages of 100 rows by default, 1,000 at most."""

    default_limit = 100
    max_limit = 1000


def problem_json(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer errors as problem+json (RFC 9457)."""
    if isinstance(error, UserError):
        body = {
            "title": error.title,
            "status": int(error.status),
            "detail": error.message,
            "remedy": error.remedy,
        }
        return Response(body, status=error.status, content_type="application/problem+json")
    # Imported late: rest_framework.views reads the settings that name this module.
    from rest_framework.views import exception_handler

    response = exception_handler(error, context)
    if response is None:
        return None
    detail = getattr(error, "detail", "")
    if isinstance(error, APIException) and isinstance(detail, dict | list):
        extra: dict[str, Any] = {"errors": detail}
        detail = "Some fields are wrong."
    else:
        extra = {}
        detail = str(detail or error) or "Not found."
    response.data = {"title": response.status_text, "status": response.status_code, "detail": detail} | extra
    response.content_type = "application/problem+json"
    return response
