"""Choosing the language of the pages; it is kept in a cookie of its own, for raters and researchers alike."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import decorator_from_middleware
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from annotation.views.access import InvitationCsrf, no_referrer

# Pages that send no referrer name no origin either: the form's token has to do.
choose = csrf_exempt(no_referrer(decorator_from_middleware(InvitationCsrf)(set_language)))
"""Keep the language of the button pressed and lead back to the page it stood on (POST)."""


def choose_here(request: HttpRequest) -> HttpResponseBase:
    """Keep the language and lead back to this very page, whose address is written into nothing sent."""
    response = set_language(request)
    response.headers["Location"] = "./"
    return response
