"""Choosing the language of the pages; it is kept in a cookie of its own, for raters and researchers alike."""

from django.utils.decorators import decorator_from_middleware
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from annotation.views.access import InvitationCsrf, no_referrer

# An invitation sends no referrer, so its browser names no origin either: the form's token has to do.
choose = csrf_exempt(no_referrer(decorator_from_middleware(InvitationCsrf)(set_language)))
"""Keep the language of the button pressed and lead back to the page it stood on (POST)."""
