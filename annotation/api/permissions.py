"""Who may use the API: people who are signed in, for what they may see."""

from collections.abc import Sequence

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.models import Campaign, Study
from annotation.services.study_rights import campaigns_own_check, study_own_check


class MaySee(IsAuthenticated):
    """Signed in, and the campaign belongs to a study of this person (or the person is an administrator)."""

    def has_object_permission(self, request: Request, view: APIView, obj: object) -> bool:
        """Check a campaign; anything else is refused."""
        return (
            isinstance(obj, Campaign) and Campaign.objects.visible_to(request.user).filter(pk=obj.pk).exists()
        )


def own_study(request: Request, study: Study) -> None:
    """Make sure that this person owns a study, or is an administrator.

    Raises:
        NotAllowed: somebody who only researches in it.
    """
    study_own_check(study=study, user=request.user)


def own_campaigns(request: Request, names: Sequence[str]) -> None:
    """Make sure that this person may move campaigns: they belong to studies that he or she owns.

    Raises:
        NotFound: a campaign that is not there, or not for this person.
        NotAllowed: one of a study of somebody else.
    """
    campaigns_own_check(names=names, user=request.user)
