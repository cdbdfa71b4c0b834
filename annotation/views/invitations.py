"""Links on the campaign's page: new ones for raters, and the link by which anybody joins."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services.campaign_settings import MOST_JOINS_AN_HOUR
from annotation.services.joining import joining_set
from annotation.services.links import campaign_links
from annotation.templatetags.shown import grouped
from annotation.views.newcomers import link_told, may_see_links
from evalplatform.errors import BadInput, NotAllowed
from evalplatform.people import user_of


@require_POST
@login_required
def links_renew(request: HttpRequest, key: str) -> HttpResponse:
    """Give a rater, or with `every` all raters, a new link; the old one and what it opened end."""
    found = _own_campaign(request, key)
    name, every = request.POST.get("rater", ""), request.POST.get("every") == "yes"
    if not (name or every):
        raise BadInput(_("It is not said whose link is to be new."), _("Choose a rater on the page."))
    renewed = campaign_links(campaign=found, rater="" if every else name, renew=True)
    names = [rater for rater, _link in renewed]
    if every:
        said = _("All raters have new links; the old ones have ended. Send each the new one.")
        messages.success(request, said)
    else:
        said = _("%(name)s has a new link; the old one has ended, and browsers it had opened with it.")
        messages.success(
            request, format_html("{} {}", said % {"name": name}, link_told(request, found, names))
        )
    return _back(found, "invitation-links")


@require_POST
@login_required
def joining(request: HttpRequest, key: str) -> HttpResponse:
    """Let anybody with the joining link in, or nobody else, make a new link, or say how many may come."""
    found, wanted = _own_campaign(request, key), request.POST.get("joining", "")
    said = {
        "on": _("Whoever has the joining link can take part now."),
        "off": _("Nobody else can join; raters who have joined stay."),
        "renew": _("The joining link is new; the old one has ended. Raters who have joined stay."),
        "limit": _("How many may join in an hour is kept."),
    }
    if wanted not in said:
        raise BadInput(_("There is nothing of that kind to do."), _("Use the buttons of the page."))
    is_limit = wanted == "limit"
    joining_set(
        campaign=found,
        joins=bool(found.settings.get("joins")) if is_limit else wanted != "off",
        renew=wanted == "renew",
        an_hour=_an_hour(request.POST.get("an_hour", "")) if is_limit else None,
        actor=user_of(request),
    )
    messages.success(request, said[wanted])
    return _back(found, "joining-link")


def _own_campaign(request: HttpRequest, key: str) -> Campaign:
    """Return a campaign for who sees its links; 403 for those who only research in its study."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    if not may_see_links(request, found):
        raise NotAllowed(_("Links are for the owner of the study."), _("Ask the owner."))
    return found


def _an_hour(text: str) -> int:
    """Return how many may join in an hour; 0 is any number.

    Raises:
        BadInput: it is no whole number.
    """
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 10):
        raise BadInput(
            _("“%(text)s” is no number of people.") % {"text": plain[:20]},
            _("Give a whole number from 0 to %(most)s; 0 lets any number join.")
            % {"most": grouped(MOST_JOINS_AN_HOUR)},
        )
    return int(plain)


def _back(campaign: Campaign, place: str) -> HttpResponseRedirect:
    return redirect(f"{reverse('campaign', args=[campaign.key])}#{place}")
