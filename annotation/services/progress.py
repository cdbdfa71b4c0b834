"""Progress of a campaign by system and by day, and the raters who have gone silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max, Min, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotation.models import Assignment, Campaign, CampaignOutput, Item, Judgement, Participation
from annotation.models.assignment import PRACTICE_ROUND

DAYS = 28
"""Days that the page shows, the last ones in which anything was done."""
_GIVEN = "candidates__item__assignments"


@dataclass(frozen=True)
class SystemProgress:
    """How many judgements of a system's outputs are wanted of raters, and how many are there."""

    system: str
    n_assigned: int
    n_done: int


@dataclass(frozen=True)
class SilentRater:
    """A rater with open work who has not been seen for days; `seen` is None for one who never came."""

    name: str
    n_open: int
    n_done: int
    seen: datetime | None
    days: int


def systems_progress(campaign: Campaign) -> list[SystemProgress]:
    """Return the progress of each system that has something to be judged, by name.

    What merged outputs are given counts for each of them; repeats, spoilt translations and other items for
    quality control count for none.
    """
    outputs = CampaignOutput.objects.filter(campaign=campaign, role=CampaignOutput.Role.SYSTEM).order_by()
    own = Q(candidates__item__kind=Item.Kind.SYSTEM, **{f"{_GIVEN}__round__gt": PRACTICE_ROUND})
    live = own & ~Q(**{f"{_GIVEN}__state": "released"})
    rows = outputs.values("system__name").annotate(
        n=Count(_GIVEN, distinct=True, filter=live),
        done=Count(_GIVEN, distinct=True, filter=live & Q(**{f"{_GIVEN}__state": "done"})),
    )
    found = rows.filter(n__gt=0).values_list("system__name", "n", "done")
    return [SystemProgress(*row) for row in sorted(found)]


def days_progress(campaign: Campaign) -> list[tuple[date, int]]:
    """Return how many judgements came in on each of the last days, from the first of them to the last."""
    rows = Judgement.objects.current().of_campaign(campaign.pk).filter(submitted_at__isnull=False).order_by()
    by_day = rows.annotate(day=TruncDate("submitted_at")).values("day").annotate(n=Count("pk"))
    counts: Mapping[date, int] = {row["day"]: row["n"] for row in by_day}
    if not counts:
        return []
    last = max(counts)
    first = max(min(counts), last - timedelta(days=DAYS - 1))
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [(day, counts.get(day, 0)) for day in days]


def silent_raters(campaign: Campaign) -> Sequence[SilentRater]:
    """Return the raters of an open, planned campaign who have work and showed no sign for `SILENT_DAYS`."""
    if campaign.mode != Campaign.Mode.PLANNED or campaign.state != Campaign.State.OPEN:
        return []
    now = timezone.now()
    rows = (
        campaign.participations.with_progress()
        .exclude(state__in=(Participation.State.LEFT, Participation.State.FINISHED))
        .select_related("rater")
        .order_by("pk")
    )
    answered = dict(
        Judgement.objects.of_campaign(campaign.pk)
        .order_by()
        .values("assignment__participation")
        .annotate(last=Max("submitted_at"))
        .values_list("assignment__participation", "last")
    )
    given = dict(
        Assignment.objects.filter(item__campaign=campaign)
        .order_by()
        .values("participation")
        .annotate(first=Min("created_at"))
        .values_list("participation", "first")
    )
    found = []
    for row in rows:
        n_open = getattr(row, "n_assigned", 0) - getattr(row, "n_done", 0)
        signs = [at for at in (row.last_seen_at, answered.get(row.pk)) if at is not None]
        seen = max(signs, default=None)
        begun = max(campaign.opened_at or campaign.created_at, given.get(row.pk, campaign.created_at))
        since = (now - (seen or begun)).days
        if n_open > 0 and since >= settings.SILENT_DAYS:
            found.append(SilentRater(row.rater.name, n_open, getattr(row, "n_done", 0), seen, since))
    return found
