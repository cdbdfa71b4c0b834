"""End sessions of browsers: of a person who may no longer sign in, of a rater who is to be forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session

CHUNK = 500
OPENED = "participations"
"""Under this name a session holds the invitations that its browser has opened: campaign → (key, version)."""


def sessions_of_user_end(*, user_id: int) -> int:
    """End every session in which a person is signed in; return how many."""
    return _end(lambda held: held.get(SESSION_KEY) == str(user_id))


def sessions_of_rater_end(*, keys: set[str]) -> int:
    """End every session that has opened one of these participations; return how many."""
    return _end(lambda held: any(key in keys for key, _version in held.get(OPENED, {}).values()))


def _end(matches: Callable[[dict[str, Any]], bool]) -> int:
    """Look through all sessions: what they hold cannot be searched for."""
    found = [one.pk for one in Session.objects.iterator(CHUNK) if matches(one.get_decoded())]
    for start in range(0, len(found), CHUNK):
        Session.objects.filter(pk__in=found[start : start + CHUNK]).delete()
    return len(found)
