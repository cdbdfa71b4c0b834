"""Who sees these pages: administrators. Anybody else is told so, and whoever is not signed in may do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

View = Callable[..., HttpResponseBase]


def admin_page(view: View) -> View:
    """Let administrators in; raise PermissionDenied for others, lead the unknown to signing in."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_staff:
            raise PermissionDenied(
                _("These pages are for administrators. Ask one to make your account one, or sign in anew.")
            )
        return view(request, *args, **kwargs)

    return guarded
