"""What raters wrote to the researcher: problems, comments beside answers, why they passed items over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import Assignment, AuditEvent, Campaign, Judgement
from annotation.services.sealing import LATE, is_sealed, late_sealed

LAST_COMMENTS = 50
SKIPPED = "assignment.skipped"
PROBLEM = "problem.reported"
_Row = tuple[datetime | None, str | None, dict[str, Any]]


@dataclass(frozen=True)
class Remark:
    """Something a rater wrote about a segment; `testset` and `segment` are empty when that is gone."""

    at: datetime | None
    rater: str
    testset: str
    segment: str
    text: str


def problems_read(campaign: Campaign) -> list[Remark]:
    """Return the problems that raters of a campaign reported, newest first."""
    return _events_read(campaign, PROBLEM, "text")


def skips_read(campaign: Campaign) -> list[Remark]:
    """Return the items that raters of a campaign passed over, with their reasons, newest first."""
    return _events_read(campaign, SKIPPED, "reason")


def late_read(campaign: Campaign) -> list[Remark]:
    """Return the answers that came too late and do not count since, newest first; sealed ones by comment."""
    rows = _rows(campaign, LATE)
    if is_sealed(campaign):
        rows = [(at, rater, late_sealed(data)) for at, rater, data in rows]
    keys = {data.get("client_key", "") for _, _, data in rows}
    found = Judgement.objects.of_campaign(campaign.pk).filter(client_key__in=keys)
    counted = set(found.values_list("client_key", flat=True))
    return _remarks(campaign, [row for row in rows if row[2].get("client_key") not in counted], _late_words)


def _late_words(data: dict[str, Any]) -> str:
    answers = data.get("answers")
    values = [str(value) for value in answers.values()] if isinstance(answers, dict) else []
    return " · ".join([*values, *filter(None, [str(data.get("comment") or "")])])


def skips_count(campaign: Campaign) -> dict[str, int]:
    """Return how many items each rater passed over, by name; who passed over none is not in it."""
    rows = AuditEvent.objects.filter(campaign=campaign, action=SKIPPED).order_by()
    return Counter(name for name in rows.values_list("participation__rater__name", flat=True) if name)


def _events_read(campaign: Campaign, action: str, name: str) -> list[Remark]:
    """Return what the audit trail keeps of such events under a name, with the place it is about."""
    return _remarks(campaign, _rows(campaign, action), lambda data: str(data.get(name, "")))


def _rows(campaign: Campaign, action: str) -> list[_Row]:
    events = AuditEvent.objects.filter(campaign=campaign, action=action)
    return list(events.values_list("at", "participation__rater__name", "data"))


def _remarks(
    campaign: Campaign, rows: Sequence[_Row], words: Callable[[dict[str, Any]], str]
) -> list[Remark]:
    """Return what events about assignments of one campaign say, each with the place it is about."""
    keys = {data.get("assignment", "") for _, _, data in rows}
    places = {
        key: (testset, segment)
        for key, testset, segment in Assignment.objects.filter(
            item__campaign=campaign, key__in=keys
        ).values_list("key", "item__segment__testset__name", "item__segment__key")
    }
    return [
        Remark(at, rater or "", *places.get(data.get("assignment", ""), ("", "")), words(data))
        for at, rater, data in rows
    ]


def comments_read(campaign: Campaign, last: int = LAST_COMMENTS) -> list[Remark]:
    """Return the last comments beside the answers that count, newest first."""
    found = Judgement.objects.current().of_campaign(campaign.pk).exclude(comment="")
    rows = found.order_by("-submitted_at", "-pk").values_list(
        "submitted_at",
        "assignment__participation__rater__name",
        "assignment__item__segment__testset__name",
        "assignment__item__segment__key",
        "comment",
    )
    return [Remark(*row) for row in rows[:last]]
