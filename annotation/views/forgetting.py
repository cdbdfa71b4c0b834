"""Forget a rater on request: what goes and what stays, then the deed."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.services.forgetting import is_forgotten, rater_forget, rater_traces
from annotation.services.handing_over import Handed, leaving_trial
from annotation.services.lookup import rater_named
from annotation.templatetags.shown import grouped
from annotation.views.researcher import campaign_of
from evalplatform.people import user_of
from mtcore.views.access import admin_page


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@admin_page
def forget(request: HttpRequest, key: str) -> HttpResponse:
    """Say what goes and what stays; with the tick set, forget."""
    campaign = campaign_of(request, key)
    rater = rater_named(campaign, request.POST.get("rater") or request.GET.get("rater", ""))
    is_unsure = request.method == "POST" and not request.POST.get("sure")
    if request.method == "POST" and not is_unsure:
        done = rater_forget(rater=rater, actor=user_of(request))
        said = _("Forgotten before: %(name)s.") if done.again else _("Forgotten. The pseudonym is %(name)s.")
        messages.success(request, said % {"name": done.pseudonym})
        for one in done.handed_over:
            messages.info(request, _handed_words(one))
        return redirect(campaign)
    context = {
        "campaign": campaign,
        "rater": rater,
        "traces": rater_traces(rater=rater),
        "is_forgotten": is_forgotten(rater),
        "is_unsure": is_unsure,
        "work": [] if is_forgotten(rater) else [_handed_words(one) for one in leaving_trial(rater=rater)],
    }
    return render(request, "researcher/forget.html", context, status=400 if is_unsure else 200)


def _handed_words(one: Handed) -> str:
    """Say who gets what of the open work in a campaign, and what nobody takes."""
    given = ", ".join(f"{name}: {grouped(n)}" for name, n in one.given.items())
    told = ngettext(
        "%(campaign)s: %(n)s open item, to %(given)s.",
        "%(campaign)s: %(n)s open items, to %(given)s.",
        one.released,
    ) % {"campaign": one.campaign, "n": grouped(one.released), "given": given or _("nobody")}
    return " ".join((told, *one.short))
