"""The completion code, for which panels pay: who gets it, and what is missing until then."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Assignment, Campaign, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import Progress


@dataclass(frozen=True)
class Completion:
    """Where a rater stands with the completion code.

    Attributes:
        code: the campaign's code; "" while it is not earned.
        answered: items answered.
        passed: items passed over, or gone to others when a lease ended.
    """

    code: str
    answered: int
    passed: int

    @property
    def lacks_answers(self) -> bool:
        """Tell whether the code waits for answers alone: nothing is left, yet too much was passed over."""
        return not self.code and self.passed > self.answered


def completion_of(participation: Participation, progress: Progress) -> Completion:
    """Say whether a rater has earned the completion code.

    Nothing may be left, and at least as many items answered as passed over. In a pool, items that went to
    others because a lease ended count as passed over, unless the most items of a rater are answered. Look for
    more items (`pool_more`) before: nothing left means that nobody could give this rater anything.
    """
    campaign = participation.campaign
    if progress.left or participation.state == Participation.State.LEFT:
        return Completion("", progress.done, 0)
    gone = Assignment.objects.counted().filter(participation=participation, state=Assignment.State.RELEASED)
    counts = gone.aggregate(all=Count("pk"), lapsed=Count("pk", filter=Q(lease_until__isnull=False)))
    passed = counts["all"]
    most = CampaignSettings.of(campaign).most_items
    if campaign.mode == Campaign.Mode.POOL and most and progress.done >= most:
        passed -= counts["lapsed"]
    is_earned = progress.total > 0 and progress.done >= passed
    return Completion(campaign.completion_code if is_earned else "", progress.done, passed)
