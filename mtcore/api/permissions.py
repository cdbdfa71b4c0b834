"""Who may use the API of this wing."""

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView


class IsAdministrator(IsAuthenticated):
    """Signed in as an administrator."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Let staff in."""
        return super().has_permission(request, view) and bool(request.user and request.user.is_staff)
