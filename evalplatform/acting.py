"""On whose behalf something is done at this moment: a person behind a request, or a command.

A request or a command opens an `acting()`; whoever writes the audit trail below it needs not be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User


def nobody() -> User | None:
    """Return no person."""
    return None


@dataclass
class Acting:
    """Who acts, by which command ("" behind a page), and how many events were written meanwhile.

    `told` is what was done, as (action, what is told of it), where it was done below the audit trail.
    """

    who: Callable[[], User | None] = nobody
    command: str = ""
    n_events: int = 0
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


_ACTING: ContextVar[Acting | None] = ContextVar("acting", default=None)


def acting_now() -> Acting | None:
    """Return who acts here; None outside of requests and commands."""
    return _ACTING.get()


def acting_tell(action: str, **what: Any) -> None:
    """Say what was done, for the audit trail, in a place that must not know of it; it may be left unheard."""
    now = acting_now()
    if now is not None:
        now.told.append((action, what))


@contextmanager
def acting(who: Callable[[], User | None] = nobody, *, command: str = "") -> Iterator[Acting]:
    """Let what is done inside be done on somebody's behalf."""
    now = Acting(who, command)
    token = _ACTING.set(now)
    try:
        yield now
    finally:
        _ACTING.reset(token)
