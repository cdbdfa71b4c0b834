"""More raters for a campaign that is running: the form of its page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services.newcomers import Arrival, raters_add
from annotation.templatetags.shown import grouped
from annotation.views.campaign_page import campaign_page
from annotation.views.newcomers import link_told
from evalplatform.errors import BadInput, UserError
from evalplatform.people import user_of

MOST = 1000
"""Raters that can be added at once, as by the API."""


@require_POST
@login_required
def add(request: HttpRequest, key: str) -> HttpResponse:
    """Add raters, named one a line; they take what lacks judgements, and nobody's work is taken away."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    names = [name for line in request.POST.get("raters", "").split("\n") if (name := line.strip())]
    try:
        if len(names) > MOST:
            raise BadInput(
                _("%(n)s raters are named.") % {"n": grouped(len(names))},
                _("Add at most %(n)s at once.") % {"n": grouped(MOST)},
            )
        done = raters_add(campaign=found, names=names, actor=user_of(request))
    except UserError as error:
        if found.mode == Campaign.Mode.IMPORTED or found.state == Campaign.State.CLOSED:
            raise  # its page has no such form
        typed, back = request.POST.get("raters", ""), found.get_absolute_url()
        return campaign_page(request, found, status=error.status, add_error=error, add_names=typed, back=back)
    _tell(request, found, done)
    return redirect(f"{reverse('campaign', args=[found.key])}#raters")


def _tell(request: HttpRequest, found: Campaign, done: Arrival) -> None:
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
