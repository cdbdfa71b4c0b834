"""What comes after the last item: thanks, the completion code, and the way back to a panel."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import Campaign, Participation
from annotation.services.completion import completion_of
from annotation.services.invitations import is_over, participation_check
from annotation.services.participation import Progress, return_link
from annotation.services.pool import pool_has_room, pool_more
from annotation.services.way import Way
from annotation.views.access import owner_mark, rater_page
from annotation.views.rater_common import heading, page_before
from annotation.views.rater_time import own_record_links


@require_safe
@rater_page
def finish(request: HttpRequest, participation: Participation) -> HttpResponse:
    """Thank the rater and show the completion code; also after the campaign has closed."""
    campaign = participation.campaign
    way = Way(participation)
    has_left = participation.state == Participation.State.LEFT
    is_closed = campaign.state == Campaign.State.CLOSED
    if is_closed and not is_over(participation) and not has_left:
        participation_check(participation)
    before = page_before(participation)
    if not has_left and not is_closed and (before or way.progress.left):
        return redirect(before or "rate", campaign.key)
    if pool_has_room(participation, way.progress) and pool_more(participation=participation):
        return redirect("rate", campaign.key)
    links = []
    if campaign.state == Campaign.State.OPEN and way.last_answered and not has_left:
        url = reverse("rate_item", args=[campaign.key, way.last_answered])
        links.append({"url": url, "label": _("Look at my last answer again")})
    links += own_record_links(campaign)
    completion = completion_of(participation, way.progress)
    context = heading(campaign) | {
        "progress": way.progress.as_dict(),
        "completion": completion,
        "completion_code": completion.code,
        "return_link": return_link(campaign, completion.code),
        "links": links,
        "has_left": has_left,
        "is_closed": is_closed,
        "more_url": more_url(participation, way.progress),
        "has_looked": "looked" in request.GET,
        "config": _sending(request, participation),
    }
    return render(request, "rater/finish.html", context)


def _sending(request: HttpRequest, participation: Participation) -> dict[str, Any]:
    """Return what the page's script needs to send answers that are still in the browser."""
    return {
        "urls": {"answers": reverse("answers", args=[participation.campaign.key])},
        "csrf": get_token(request),
        "owner": owner_mark(participation),
        "strings": {
            "unsent_title": _("Answers still on this device: {n}."),
            "unsent_detail": _(
                "They wait for the connection. Keep this page open, or open it again later: they are kept in "
                "this browser."
            ),
            "closed_detail": _(
                "The campaign closed before they arrived, so they are not among the saved ones. They are "
                "kept beside the results, for the people who run the campaign, and in this browser. If the "
                "campaign opens again, open your invitation link here and they are sent."
            ),
            "session_detail": _(
                "Your answers are kept in this browser. Open your invitation link again, then come back to "
                "this page."
            ),
            "refused_title": _("An answer was not taken."),
        },
    }


def more_url(participation: Participation, progress: Progress) -> str:
    """Return where a rater of a pool looks for more items; nothing where there can be none."""
    has_room = pool_has_room(participation, progress)
    return reverse("more", args=[participation.campaign.key]) if has_room else ""
