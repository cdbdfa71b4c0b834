"""The JSON behind passing an item over."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from annotation.models import Participation
from annotation.services.skipping import assignment_skip
from annotation.views.access import rater_json, read_json


@require_POST
@rater_json
def skip(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Pass an item over; sent again it is the same success. Who takes it stays unsaid."""
    sent = read_json(request)
    found = assignment_skip(
        participation=participation,
        assignment_key=sent.get("assignment", ""),
        reason=sent.get("reason") or "",
    )
    return JsonResponse(
        {"skipped": True, "progress": found.progress.as_dict(), "finished": found.progress.left == 0}
    )
