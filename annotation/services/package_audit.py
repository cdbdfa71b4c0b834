"""The audit trail of a package: who changed or took out what, without what raters wrote to researchers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotation.models import AuditEvent
from annotation.services.pseudonyms import Pseudonyms

#: What is published as its length only, by action: words that were meant for the researchers, and the name
#: of a place that had no rater yet and so has no number.
UNPUBLISHED = {
    "assignment.skipped": ("reason",),
    "problem.reported": ("text",),
    "answer.late": ("comment",),
    "place.taken": ("place",),
}
_COLUMNS = ("at", "action", "campaign__name", "actor__username", "participation__rater__name", "data")


def audit_lines(events: QuerySet[AuditEvent], names: Pseudonyms) -> Iterator[str]:
    """Yield events as JSON; where raters are numbered, people of the platform are numbered too."""
    is_numbered = bool(names.names)
    people: dict[str, str] = {}
    for at, action, campaign, actor, rater, data in events.values_list(*_COLUMNS):
        if actor and is_numbered:
            actor = people.setdefault(actor, f"U{len(people) + 1}")
        kept = _published(action, data) if is_numbered else data
        line = {
            "at": at.isoformat(),
            "action": action,
            "campaign": campaign,
            "actor": actor,
            "rater": names.name(rater) if rater else None,
            "data": names.plain(kept),
        }
        yield json.dumps(line, ensure_ascii=False, sort_keys=True)


def _published(action: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an event; of what is not published, how long it is."""
    left_out = UNPUBLISHED.get(action, ())
    return {
        key: {"left_out": len(value)} if key in left_out and isinstance(value, str) else value
        for key, value in data.items()
    }
