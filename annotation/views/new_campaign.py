"""The page on which a campaign is put together: checked, estimated and previewed before it is made."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.forms.campaign import CampaignForm
from annotation.forms.campaign_again import initial_again
from annotation.models import Campaign, Study
from annotation.services.campaign_outlook import campaign_estimate, campaign_power
from annotation.services.campaign_request import request_draft, request_owner
from annotation.services.campaigns import (
    CampaignDraft,
    campaign_create,
    draft_notes,
)
from annotation.services.preview import draft_before, draft_screens
from annotation.services.preview_words import draft_told
from annotation.views.researcher import campaign_of
from mtcore.forms.fields import tried
from mtcore.models import System, TestSet

ACTIONS = ("check", "draft", "open")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Show the form; check what it holds; make the campaign."""
    form = CampaignForm(
        request.POST or None,
        request.FILES or None,
        initial=_initial(request),
        testsets=_testsets(),
        systems=_systems(),
    )
    context: dict[str, Any] = {"form": form, "studies": Study.objects.visible_to(request.user)}
    if request.method == "POST" and form.is_valid():
        action = request.POST.get("action", "check")
        user = User.objects.get(username=request.user.get_username())
        wish = form.asked(opened=action == "open")
        draft = tried(form, lambda: request_draft(request=wish, user=user))
        if draft and action in ("draft", "open"):
            owner = request_owner(request=wish, user=user)
            made = tried(form, lambda: campaign_create(draft=draft, owner=owner))
            if made:
                return _made(request, made)
        elif draft:
            _keep_seed(form, draft.options.seed)
            context["estimate"] = _estimate(draft, form)
            context["before"] = draft_before(draft=draft)
            context["told"] = draft_told(draft=draft)
            context["screens"] = [screen.as_dict() for screen in draft_screens(draft=draft)]
    return render(request, "researcher/new_campaign.html", context, status=form.status)


def _keep_seed(form: CampaignForm, seed: int) -> None:
    """Write the seed that was drawn into the form, so that what is made is what was checked."""
    data = form.data.copy() if isinstance(form.data, QueryDict) else QueryDict(mutable=True)
    data["seed"] = str(seed)
    form.data = data


def _made(request: HttpRequest, made: Campaign) -> HttpResponse:
    if made.state == Campaign.State.OPEN:
        messages.success(request, _("The campaign is open; its links are below."))
    else:
        messages.success(request, _("The campaign is a draft: open it when everything is ready."))
    return redirect(made)


def _initial(request: HttpRequest) -> dict[str, Any]:
    """Begin from the campaign or the test set one comes from, with all that systems translated there."""
    if "from" in request.GET:
        return initial_again(campaign_of(request, request.GET["from"]))
    names = request.GET.getlist("testset")
    systems = (
        System.objects.filter(outputs__testset__name__in=names).distinct().values_list("name", flat=True)
    )
    return {"testsets": names, "systems": list(systems)} if names else {}


def _testsets() -> list[tuple[str, str]]:
    found = TestSet.objects.filter(texts_known=True, outputs__isnull=False).distinct().order_by("name")
    return [(one.name, f"{one.name} ({one.source_language}–{one.target_language})") for one in found]


def _systems() -> list[tuple[str, str]]:
    found = System.objects.filter(outputs__isnull=False).distinct().order_by("name")
    return [(one.name, one.name) for one in found]


def _estimate(draft: CampaignDraft, form: CampaignForm) -> dict[str, Any]:
    """Return what the campaign would ask, cost and find."""
    found = campaign_estimate(draft=draft)
    minutes = sum(found.minutes.values())
    rate: Decimal | None = form.cleaned_data["hourly_rate"]
    return {
        "items": found.items,
        "judgements": found.judgements,
        "raters": [
            {"rater": rater, "load": load, "minutes": max(1, round(found.minutes[rater]))}
            for rater, load in found.loads.items()
        ],
        "hours": round(minutes / 60, 1),
        "cost": None if rate is None or not minutes else round(rate * Decimal(minutes) / 60, 2),
        "currency": form.cleaned_data["currency"],
        "power": campaign_power(draft=draft),
        "notes": draft_notes(draft),
        "seed": draft.options.seed,
    }
