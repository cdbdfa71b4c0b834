"""On whose behalf something is done at this moment: a person behind a request, or a command.

A request or a command opens an `acting()`; whoever writes the audit trail below it needs not be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.contrib.auth.models import User


def nobody() -> User | None:
    """Return no person."""
    return None


@dataclass
class Acting:
    """Who acts, by which command ("" behind a page), and how many events were written meanwhile."""

    who: Callable[[], User | None] = nobody
    command: str = ""
    n_events: int = 0


_ACTING: ContextVar[Acting | None] = ContextVar("acting", default=None)


def acting_now() -> Acting | None:
    """Return who acts here; None outside of requests and commands."""
    return _ACTING.get()


@contextmanager
def acting(who: Callable[[], User | None] = nobody, *, command: str = "") -> Iterator[Acting]:
    """Let what is done inside be done on somebody's behalf."""
    now = Acting(who, command)
    token = _ACTING.set(now)
    try:
        yield now
    finally:
        _ACTING.reset(token)
