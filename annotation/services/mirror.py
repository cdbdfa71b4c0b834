"""A mirror for a rater, after closing: own consistency, own use of the scale, and the others as a group.

Nothing here says which system an answer was about, or why an item was shown.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from math import ceil, sqrt
from statistics import fmean, stdev

from django.db.models import Avg, Count, F
from django.utils.translation import gettext as _

from annotation.models import Campaign, Judgement, Participation
from annotation.models.judgement import JudgementQuerySet
from annotation.protocols import PROTOCOLS
from evalplatform.errors import Conflict

BINS = 10
CHOICES = ("left", "equal", "right")
LEAST_OTHERS = 3
"""With fewer others their figures would be somebody's."""

Answer = tuple[int, int | None, float | None, str, bool]
"""Item, the item it repeats, score, choice as shown, whether the sides were swapped."""


@dataclass(frozen=True)
class Repeats:
    """Items that were answered more than once: how far apart the answers are, and how many are the same.

    `difference` is the mean over items of the absolute differences in points, None for preferences.
    """

    n: int
    same: int
    difference: float | None


@dataclass(frozen=True)
class Use:
    """How a scale was used: `bars` count answers, over ten equal parts or A, equal, B."""

    bars: tuple[float, ...]
    mean: float | None
    sd: float | None


@dataclass(frozen=True)
class Others:
    """The other raters together: how many, what they did on average, and how far the rater is from them.

    `distance` is the mean absolute difference from the others' mean on the `n_items` they answered too.
    """

    n: int
    use: Use
    n_items: int
    distance: float | None


@dataclass(frozen=True)
class Mirror:
    """What a rater sees of themselves."""

    rated: bool
    n: int
    use: Use
    parts: tuple[str, ...]
    repeats: Repeats | None
    others: Others | None


def mirror_read(participation: Participation) -> Mirror:
    """Return the mirror of a rater in a closed campaign.

    Raises:
        Conflict: the campaign is not closed yet.
    """
    campaign = participation.campaign
    if campaign.state != Campaign.State.CLOSED:
        raise Conflict(
            _("Your mirror is shown when the campaign is closed."),
            _("Until then nothing about the answers is shown, so that it cannot influence them."),
        )
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    current = Judgement.objects.current().of_campaign(campaign.pk).filter(assignment__round__gt=0)
    own = list(
        current.filter(assignment__participation=participation).values_list(
            "assignment__item_id", "assignment__item__repeat_of", "score", "choice", "assignment__swap"
        )
    )
    return Mirror(
        rated=rated,
        n=len(own),
        use=_own_use(campaign, own, rated),
        parts=_parts(campaign) if rated else (_("A"), _("Equal"), _("B")),
        repeats=_repeats(own, rated),
        others=_others(campaign, participation, current, own, rated),
    )


def _parts(campaign: Campaign) -> tuple[str, ...]:
    """Name ten equal parts of a scale of whole numbers."""
    low, width = campaign.scale_low, campaign.scale_high - campaign.scale_low
    starts = [ceil(low + width * part / BINS) for part in range(BINS)]
    ends = [start - 1 for start in starts[1:]] + [int(campaign.scale_high)]
    return tuple(f"{a}–{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True))


def _bin(campaign: Campaign, score: float) -> int:
    width = campaign.scale_high - campaign.scale_low
    return min(BINS - 1, int(BINS * (score - campaign.scale_low) / width))


def _own_use(campaign: Campaign, own: list[Answer], rated: bool) -> Use:
    if not rated:
        return Use(tuple(float(sum(one[3] == choice for one in own)) for choice in CHOICES), None, None)
    scores = [one[2] for one in own if one[2] is not None]
    bars = [0.0] * BINS
    for score in scores:
        bars[_bin(campaign, score)] += 1
    mean = fmean(scores) if scores else None
    return Use(tuple(bars), mean, stdev(scores) if len(scores) > 1 else None)


def _first(choice: str, swap: bool) -> str:
    """Return a choice as if the sides had not been swapped."""
    return {"left": "right", "right": "left"}.get(choice, choice) if swap else choice


def _repeats(own: list[Answer], rated: bool) -> Repeats | None:
    """Hold the answers to one item against each other: shown again as a check, or in an extra round."""
    answers: dict[int, list[Answer]] = defaultdict(list)
    for one in own:
        answers[one[1] or one[0]].append(one)
    several = [group for group in answers.values() if len(group) > 1]
    if not several:
        return None
    if not rated:
        chosen = [{_first(one[3], one[4]) for one in group} for group in several]
        return Repeats(len(chosen), sum(len(one) == 1 for one in chosen), None)
    scores = [[one[2] for one in group if one[2] is not None] for group in several]
    apart = [fmean(abs(a - b) for a, b in combinations(one, 2)) for one in scores if len(one) > 1]
    return Repeats(len(apart), sum(one == 0 for one in apart), fmean(apart)) if apart else None


def _others(
    campaign: Campaign,
    participation: Participation,
    current: JudgementQuerySet,
    own: list[Answer],
    rated: bool,
) -> Others | None:
    """Return the other raters together; None when there are too few."""
    theirs = current.exclude(assignment__participation=participation).filter(
        assignment__participation__excluded_at=None
    )
    by_rater = theirs.order_by().values("assignment__participation")
    if not rated:
        return _other_choices(by_rater)
    rows = list(by_rater.annotate(n=Count("pk"), mean=Avg("score"), square=Avg(F("score") * F("score"))))
    rows = [row for row in rows if row["n"] > 1]
    if len(rows) < LEAST_OTHERS:
        return None
    sds = [sqrt(max(0.0, row["square"] - row["mean"] ** 2) * row["n"] / (row["n"] - 1)) for row in rows]
    bars = [0.0] * BINS
    for score, n in theirs.order_by().values_list("score").annotate(n=Count("pk")):
        bars[_bin(campaign, score)] += n
    scores = {one[0]: one[2] for one in own if one[2] is not None}
    on_items = theirs.filter(assignment__item__in=list(scores)).order_by().values_list("assignment__item")
    apart = [abs(scores[item] - mean) for item, mean in on_items.annotate(mean=Avg("score"))]
    use = Use(tuple(bars), fmean(row["mean"] for row in rows), fmean(sds))
    return Others(len(rows), use, len(apart), fmean(apart) if apart else None)


def _other_choices(by_rater) -> Others | None:  # type: ignore[no-untyped-def]
    rows = list(by_rater.values_list("assignment__participation", "choice").annotate(n=Count("pk")))
    raters = {rater for rater, _, _ in rows}
    if len(raters) < LEAST_OTHERS:
        return None
    bars = tuple(float(sum(n for _, choice, n in rows if choice == one)) for one in CHOICES)
    return Others(len(raters), Use(bars, None, None), 0, None)
