"""Who may use the API: people who are signed in, for what they may see."""

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.models import Campaign


class MaySee(IsAuthenticated):
    """Signed in, and the campaign belongs to a study of this person (or the person is an administrator)."""

    def has_object_permission(self, request: Request, view: APIView, obj: object) -> bool:
        """Check a campaign; anything else is refused."""
        return (
            isinstance(obj, Campaign) and Campaign.objects.visible_to(request.user).filter(pk=obj.pk).exists()
        )
