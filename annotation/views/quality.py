"""Quality control on the researcher's pages: what is known of each rater, and a person's decision."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services.quality import (
    RaterQuality,
    quality_counts,
    quality_read,
    rater_exclude,
    rater_include,
)
from annotation.services.score_table import number
from evalplatform.errors import BadInput
from evalplatform.people import user_of

#: Above so many answers the page does not wait for every rater to be judged.
MOST_ANSWERS = 50_000
ORDER = ("failed", "undecided", "passed")
CLASSES = {"failed": "bad", "undecided": "", "passed": "good"}


def quality_panel(campaign: Campaign, n_done: int) -> dict[str, Any]:
    """Return what the campaign's page says of its raters' reliability; those to be looked at come first."""
    if n_done == 0:
        return {"rows": []}
    if n_done > MOST_ANSWERS:
        return {"rows": [], "too_large": True}
    found = sorted(
        quality_read(campaign),
        key=lambda one: (one.state != "failed", not one.warnings, ORDER.index(one.state), one.rater),
    )
    warned = [one.rater for one in found if one.warnings and not one.excluded_by]
    return {
        "rows": [_row(one) for one in found],
        "warned": warned[:10],
        "n_warned": len(warned),
        "n_excluded": sum(bool(one.excluded_by) for one in found),
        "has_items": bool(quality_counts(campaign)),
    }


def _row(one: RaterQuality) -> dict[str, Any]:
    words = {"failed": _("failed"), "undecided": _("undecided"), "passed": _("passed")}
    return {
        "rater": one.rater,
        "state": words[one.state],
        "state_class": CLASSES[one.state],
        "evidence": one.reason[:1].upper() + one.reason[1:],
        "warnings": [_warning(code, value) for code, value in one.warnings if code != "failed"],
        "excluded_by": one.excluded_by,
    }


def _warning(code: str, value: float) -> str:
    words = {
        "run": _("%(value)d times the same answer in a row"),
        "fast": _("%(value).1f seconds an item (median)"),
        "attention": _("attention items answered otherwise than asked: %(value)d"),
        "disagrees": _("hardly agrees with the other raters (correlation %(value).2f)"),
    }
    return (words[code] % {"value": value}).replace(f"{value:.2f}", number(value, 2))


@require_POST
@login_required
def exclude(request: HttpRequest, key: str) -> HttpResponse:
    """Exclude a rater with a reason, or take that back."""
    found = get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)
    actor = user_of(request)
    rater, action = request.POST.get("rater", ""), request.POST.get("action")
    if action == "exclude":
        rater_exclude(campaign=found, rater=rater, why=request.POST.get("why", ""), actor=actor)
        messages.success(request, _("%(rater)s is excluded from the scores.") % {"rater": rater})
    elif action == "include":
        rater_include(campaign=found, rater=rater, actor=actor)
        messages.success(request, _("The answers of %(rater)s count again.") % {"rater": rater})
    else:
        raise BadInput(_("A rater can be excluded or taken in again."), _("Use the page's buttons."))
    return redirect(f"{reverse('campaign', args=[found.key])}#quality")
