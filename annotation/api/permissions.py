"""Who may use the API: people who are signed in, for what they may see."""

from collections.abc import Sequence

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.models import Campaign, Study
from evalplatform.errors import NotAllowed, NotFound


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
    if not (request.user.is_staff or study.owner_id == request.user.pk):
        raise NotAllowed("This is for the owner of the study.", "Ask the owner.")


def own_campaigns(request: Request, names: Sequence[str]) -> None:
    """Make sure that this person may move campaigns: they belong to studies that he or she owns.

    Raises:
        NotFound: a campaign that is not there, or not for this person.
        NotAllowed: one of a study of somebody else.
    """
    found = Campaign.objects.visible_to(request.user).filter(name__in=names).select_related("study")
    known = {one.name: one for one in found}
    for name in names:
        if name not in known:
            raise NotFound(f"There is no campaign “{name}”.", "Look at the list of campaigns.")
        own_study(request, known[name].study)
