"""What raters wrote to the researcher: problems, comments beside answers, why they passed items over."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Assignment, AuditEvent, Campaign, Judgement

LAST_COMMENTS = 50
SKIPPED = "assignment.skipped"


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
    return _events_read(campaign, "problem.reported", "text")


def skips_read(campaign: Campaign) -> list[Remark]:
    """Return the items that raters of a campaign passed over, with their reasons, newest first."""
    return _events_read(campaign, SKIPPED, "reason")


def skips_count(campaign: Campaign) -> dict[str, int]:
    """Return how many items each rater passed over, by name; who passed over none is not in it."""
    rows = AuditEvent.objects.filter(campaign=campaign, action=SKIPPED).order_by()
    return Counter(name for name in rows.values_list("participation__rater__name", flat=True) if name)


def _events_read(campaign: Campaign, action: str, name: str) -> list[Remark]:
    """Return what the audit trail keeps of such events under a name, with the place it is about."""
    events = AuditEvent.objects.filter(campaign=campaign, action=action)
    rows = list(events.values_list("at", "participation__rater__name", "data"))
    keys = {data.get("assignment", "") for _, _, data in rows}
    places = {
        key: (testset, segment)
        for key, testset, segment in Assignment.objects.filter(
            item__campaign=campaign, key__in=keys
        ).values_list("key", "item__segment__testset__name", "item__segment__key")
    }
    return [
        Remark(at, rater or "", *places.get(data.get("assignment", ""), ("", "")), str(data.get(name, "")))
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
