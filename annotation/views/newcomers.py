"""More raters for a campaign that is running: the form of its page, and where their links stand."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services.newcomers import raters_add
from annotation.templatetags.shown import grouped
from evalplatform.errors import BadInput
from evalplatform.people import user_of

MOST = 1000
"""Raters that can be added at once, as by the API."""


def may_see_links(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell who sees invitation links: the owner of the study and administrators."""
    user = request.user
    return user.is_authenticated and (user.is_staff or campaign.study.owner_id == user.pk)


def shows_links(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell whether the page shows invitation links: to who may see them, while raters can use them."""
    can_rate = campaign.mode != Campaign.Mode.IMPORTED and campaign.state == Campaign.State.OPEN
    return can_rate and may_see_links(request, campaign)


def link_told(request: HttpRequest, campaign: Campaign, names: Sequence[str]) -> SafeString:
    """Say where the links of new raters stand; it leads there for who sees them now."""
    place = format_html("“{}”", _("Invitation links"))
    n = len(names)
    if shows_links(request, campaign):
        place = format_html('<a href="#invitation-links">{}</a>', _("Invitation links"))
        words = ngettext("The link of %(names)s stands under", "The links of %(names)s stand under", n)
    elif may_see_links(request, campaign):
        words = ngettext(
            "Once the campaign is open, the link of %(names)s stands under",
            "Once the campaign is open, the links of %(names)s stand under",
            n,
        )
    else:
        words = ngettext(
            "The owner of the study finds the link of %(names)s under",
            "The owner of the study finds the links of %(names)s under",
            n,
        )
    return format_html("{} {}.", words % {"names": ", ".join(names)}, place)


@require_POST
@login_required
def add(request: HttpRequest, key: str) -> HttpResponse:
    """Add raters, named one a line; they take what lacks judgements, and nobody's work is taken away."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    names = [name for line in request.POST.get("raters", "").split("\n") if (name := line.strip())]
    if len(names) > MOST:
        raise BadInput(
            _("%(n)s raters are named.") % {"n": grouped(len(names))},
            _("Add at most %(n)s at once.") % {"n": grouped(MOST)},
        )
    done = raters_add(campaign=found, names=names, actor=user_of(request))
    said = _("Added: %(names)s.") % {"names": ", ".join(done.raters)}
    if done.given:
        given = [_("%(n)s to %(name)s") % {"n": grouped(n), "name": name} for name, n in done.given.items()]
        said += " " + _("Items given out: %(given)s.") % {"given": ", ".join(given)}
    elif found.mode == Campaign.Mode.POOL:
        said += " " + _("In a pool, whoever comes takes the next items.")
    messages.success(request, format_html("{} {}", said, link_told(request, found, done.raters)))
    if not done.given and found.mode == Campaign.Mode.PLANNED:
        messages.info(
            request,
            _(
                "No item lacks judgements now. There is work for new raters once somebody leaves or items "
                "are judged again."
            ),
        )
    for text in (*done.short, *done.alike):
        messages.warning(request, text)
    return redirect(f"{reverse('campaign', args=[found.key])}#raters")
