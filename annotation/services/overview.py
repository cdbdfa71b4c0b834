"""How a campaign is coming along: progress, pace, and each rater's use of the scale."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, Min, Sum
from django.utils import timezone
from django.utils.translation import pgettext

from annotation.models import Campaign, Judgement, Participation
from annotation.protocols import PROTOCOLS
from annotation.services.sealing import is_sealed

BINS = 10
PACE_DAYS = 7
FARTHEST_DAYS = 366


@dataclass(frozen=True)
class RaterProgress:
    """One rater in a campaign.

    `bars` counts the answers: over ten equal parts of the scale, or A, equal, B for preferences; empty while
    results are sealed.
    """

    name: str
    state: str
    excluded_by: str
    n_assigned: int
    n_done: int
    median_seconds: float | None
    bars: tuple[int, ...]
    last_seen_at: datetime | None


@dataclass(frozen=True)
class Overview:
    """The figures of a campaign's page.

    `pace` is judgements a day over the last `PACE_DAYS` days (None where nothing came in), and `expected_end`
    is reached at this pace; None where nothing is left, nothing came in, or it lies more than a year ahead.
    """

    n_assigned: int
    n_done: int
    n_active: int
    n_systems: int
    n_segments: int
    median_seconds: float | None
    pace: float | None
    expected_end: datetime | None
    raters: tuple[RaterProgress, ...]

    @property
    def percent(self) -> int:
        """Return the part that is done; 100 only when all of it is."""
        return 100 * self.n_done // self.n_assigned if self.n_assigned else 0


def _state(participation: Participation) -> str:
    """Name how far a rater has come, in the language of the page."""
    words = {
        Participation.State.INVITED: pgettext("rater", "invited"),
        Participation.State.ACTIVE: pgettext("rater", "active"),
        Participation.State.FINISHED: pgettext("rater", "finished"),
        Participation.State.LEFT: pgettext("rater", "left"),
    }
    return words[Participation.State(participation.state)]


def campaign_overview(campaign: Campaign) -> Overview:
    """Read the figures of a campaign in a fixed number of queries."""
    bars, times = _use(campaign)
    sealed = is_sealed(campaign)
    raters = tuple(
        RaterProgress(
            name=row.rater.name,
            state=_state(row),
            excluded_by=row.excluded_by,
            n_assigned=getattr(row, "n_assigned", 0),
            n_done=getattr(row, "n_done", 0),
            median_seconds=median(times[row.pk]) / 1000 if times[row.pk] else None,
            bars=() if sealed else tuple(bars[row.pk]),
            last_seen_at=row.last_seen_at,
        )
        for row in campaign.participations.with_progress().select_related("rater").order_by("pk")
    )
    everything = [ms for own in times.values() for ms in own]
    n_assigned, n_done = (sum(getattr(row, name) for row in raters) for name in ("n_assigned", "n_done"))
    if campaign.mode == Campaign.Mode.POOL:
        n_assigned = campaign.items.counted().aggregate(n=Sum("wanted"))["n"] or 0
    pace = _pace(campaign)
    return Overview(
        n_assigned=n_assigned,
        n_done=n_done,
        n_active=campaign.participations.available().count(),
        n_systems=campaign.outputs.filter(role="system").order_by().values("system_id").distinct().count(),
        n_segments=campaign.items.counted().order_by().values("segment_id").distinct().count(),
        median_seconds=median(everything) / 1000 if everything else None,
        pace=pace,
        expected_end=_expected_end(campaign, n_assigned - n_done, pace),
        raters=raters,
    )


def _use(campaign: Campaign) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return, by participation, how often each part of the scale was used, and active milliseconds."""
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    bars: dict[int, list[int]] = defaultdict(lambda: [0] * (BINS if rated else 3))
    times: dict[int, list[int]] = defaultdict(list)
    low, width = campaign.scale_low, campaign.scale_high - campaign.scale_low
    rows = Judgement.objects.current().of_campaign(campaign.pk).order_by()
    for rater, score, choice, active_ms in rows.values_list(
        "assignment__participation_id", "score", "choice", "active_ms"
    ).iterator(5000):
        if score is not None:
            bars[rater][min(BINS - 1, int(BINS * (score - low) / width))] += 1
        elif choice:
            bars[rater][("left", "equal", "right").index(choice)] += 1
        if active_ms is not None:
            times[rater].append(active_ms)
    return bars, times


def _pace(campaign: Campaign) -> float | None:
    """Return judgements a day over the last days, or since the first of them, but a day at the least."""
    now = timezone.now()
    since = now - timedelta(days=PACE_DAYS)
    recent = Judgement.objects.current().of_campaign(campaign.pk).filter(submitted_at__gte=since)
    found = recent.aggregate(first=Min("submitted_at"), n=Count("pk"))
    if not found["n"]:
        return None
    return float(found["n"] / max(1.0, (now - found["first"]) / timedelta(days=1)))


def _expected_end(campaign: Campaign, n_left: int, pace: float | None) -> datetime | None:
    """Return when the campaign ends at this pace; None when that cannot be said."""
    if campaign.state != Campaign.State.OPEN or n_left <= 0 or not pace:
        return None
    days = timedelta(days=min(n_left / pace, FARTHEST_DAYS))
    return timezone.now() + days if days < timedelta(days=FARTHEST_DAYS) else None
