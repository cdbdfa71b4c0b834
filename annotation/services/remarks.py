"""What raters wrote to the researcher: reported problems, and comments beside answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Assignment, AuditEvent, Campaign, Judgement

LAST_COMMENTS = 50


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
    events = AuditEvent.objects.filter(campaign=campaign, action="problem.reported")
    rows = list(events.values_list("at", "participation__rater__name", "data"))
    keys = {data.get("assignment", "") for _, _, data in rows}
    places = {
        key: (testset, segment)
        for key, testset, segment in Assignment.objects.filter(key__in=keys).values_list(
            "key", "item__segment__testset__name", "item__segment__key"
        )
    }
    return [
        Remark(at, rater or "", *places.get(data.get("assignment", ""), ("", "")), str(data.get("text", "")))
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
