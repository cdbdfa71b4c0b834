"""Who asks: the person behind a request."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request


def user_of(request: HttpRequest | Request) -> User | None:
    """Return who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None
