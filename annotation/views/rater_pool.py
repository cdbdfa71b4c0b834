"""More items for who has finished in a campaign without a plan."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Participation
from annotation.services.invitations import participation_check
from annotation.services.participation import begin_check
from annotation.services.pool import pool_more
from annotation.views.access import rater_page


@require_POST
@rater_page
def more(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Go on rating if there is anything; else say that there is not."""
    participation_check(participation)
    begin_check(participation)
    if pool_more(participation=participation):
        return redirect("rate", participation.campaign.key)
    return redirect(reverse("finish", args=[participation.campaign.key]) + "?looked=1")
