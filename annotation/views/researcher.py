"""The researcher's pages: campaigns, one campaign, its results, its data."""

from __future__ import annotations

from typing import IO, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.campaigns import campaign_close, campaign_open
from annotation.services.judgement_export import (
    BINARY_FORMATS,
    FILE_ENDINGS,
    FILE_TYPES,
    judgements_export,
)
from annotation.services.plan_export import plan_export
from annotation.services.score_table import pooled_note
from annotation.services.scoring import campaign_score, options_read
from annotation.services.sealing import campaign_unseal
from annotation.services.waking import scores_wake
from annotation.stats.aggregate import REPEATS
from annotation.stats.options import RESAMPLES, ScoreOptions
from annotation.stats.ranking import RULES
from annotation.stats.standardise import POPULATIONS
from annotation.templatetags.shown import grouped
from annotation.views.campaign_page import campaign_page
from annotation.views.labels import describe
from annotation.views.tables import campaign_command, preference_tables, rater_rows, rating_tables
from evalplatform.errors import BadInput, Conflict
from evalplatform.files import written
from evalplatform.people import user_of

FORM_FIELDS = ("population", "repeats", "clusters", "by", "resamples", "seed", "hypothesis")


def campaign_of(request: HttpRequest, key: str) -> Campaign:
    """Return a campaign this person may see; anything else is not there (404)."""
    return get_object_or_404(Campaign.objects.visible_to(request.user).select_related("study"), key=key)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Lead on to the campaigns, or to signing in."""
    return redirect("campaigns" if request.user.is_authenticated else "login")


@require_safe
@login_required
def campaigns(request: HttpRequest) -> HttpResponse:
    """List the campaigns this person may see."""
    found = Campaign.objects.visible_to(request.user).with_progress().select_related("study")
    rows = [
        {
            "campaign": one,
            "about": describe(one),
            "done": grouped(getattr(one, "n_done", 0)),
            "total": grouped(getattr(one, "n_assigned", 0)),
        }
        for one in found
    ]
    return render(request, "researcher/campaigns.html", {"rows": rows})


@require_safe
@login_required
def campaign(request: HttpRequest, key: str) -> HttpResponse:
    """Show how a campaign is coming along."""
    return campaign_page(request, campaign_of(request, key))


@require_safe
@login_required
def results(request: HttpRequest, key: str) -> HttpResponse:
    """Show the scores of a campaign with the options of the form."""
    found = campaign_of(request, key)
    given = dict.fromkeys(FORM_FIELDS, "") | {name: text.strip() for name, text in request.GET.dict().items()}
    rated = PROTOCOLS[found.protocol].record == "rating"
    context: dict[str, Any] = {"campaign": found, "about": describe(found), "given": given, "rated": rated}
    context |= {"choices": _choices(), "limits": RESAMPLES, "defaults": ScoreOptions()}
    context["kept"] = [(name, text) for name, text in given.items() if name not in FORM_FIELDS and text]
    status = 200
    try:
        run = campaign_score(campaign=found, options=options_read(found, given), user=request.user)
    except BadInput as error:
        context["error"], status = error, error.status
    except Conflict as error:
        context["empty"] = error
    else:
        scores: dict[str, Any] = run.result or {}
        scale = (found.scale_low, found.scale_high)
        context |= rating_tables(scores, scale) if rated else preference_tables(scores)
        context |= {"result": scores, "raters": rater_rows(scores, scale)}
        context["command"] = campaign_command(found, run.options)
        if scores.get("pooled"):
            context["pooled"] = pooled_note(scores["pooled"])
            context["by_condition_url"] = f"?{urlencode(given | {'by': 'condition'})}"
    return render(request, "researcher/results.html", context, status=status)


def _choices() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return (option, label, [(value, label), …]) of each choice of the form."""
    return [
        ("population", _("Mean and spread over"), [(name, name.replace("_", " ")) for name in POPULATIONS]),
        ("repeats", _("Repeats"), [(name, name.replace("_", " ")) for name in REPEATS]),
        ("clusters", _("Clusters"), [(name, name) for name in RULES]),
        ("by", _("One row a"), [("system", _("system")), ("condition", _("condition"))]),
    ]


@require_POST
@login_required
def campaign_state(request: HttpRequest, key: str) -> HttpResponse:
    """Close or open a campaign."""
    found = campaign_of(request, key)
    wanted = request.POST.get("state")
    if wanted not in ("open", "closed"):
        raise BadInput(_("A campaign can be opened or closed, nothing else."), _("Use the page's buttons."))
    if wanted == "open":
        campaign_open(campaign=found, actor=user_of(request))
        messages.success(request, _("The campaign is open: raters can go on."))
    else:
        campaign_close(campaign=found, actor=user_of(request))
        scores_wake(campaign=found)
        messages.success(
            request, _("The campaign is closed. Its judgements are kept; it can be opened again.")
        )
    return redirect(found)


@require_POST
@login_required
def unseal(request: HttpRequest, key: str) -> HttpResponse:
    """Open the seal of a campaign before it is closed."""
    found = campaign_of(request, key)
    campaign_unseal(campaign=found, reason=request.POST.get("reason", ""), actor=user_of(request))
    messages.success(request, _("The results are no longer sealed; the report says why."))
    return redirect(found)


@require_safe
@login_required
def judgements_file(request: HttpRequest, key: str, format: str) -> HttpResponseBase:
    """Send the judgements as a file."""
    found = campaign_of(request, key)
    flavour, population = request.GET.get("flavour", "exact"), request.GET.get("population", "all")

    def write(stream: IO[Any]) -> None:
        judgements_export(
            campaign=found,
            stream=stream,
            format=format,
            flavour=flavour,
            population=population,
            user=request.user,
        )

    name = f"{found.name}.judgements.{FILE_ENDINGS.get(format, format)}"
    return written(write, name, FILE_TYPES[format], binary=format in BINARY_FORMATS)


@require_safe
@login_required
def plan_file(request: HttpRequest, key: str) -> HttpResponseBase:
    """Send the plan as a file."""
    found = campaign_of(request, key)

    flavour = request.GET.get("flavour", "exact")

    def write(stream: IO[str]) -> None:
        plan_export(campaign=found, stream=stream, flavour=flavour)

    return written(write, f"{found.name}.plan.csv", FILE_TYPES["csv"])
