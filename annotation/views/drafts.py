"""Pages of a campaign that was never opened: change it, or delete it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.forms.draft import DraftForm
from annotation.models import AuditEvent, Campaign
from annotation.services.drafts import draft_change, draft_delete, draft_traces, is_draft
from annotation.services.study_rights import study_own_check
from annotation.views.researcher import campaign_of
from evalplatform.errors import Conflict, UserError
from evalplatform.people import user_of


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Say what goes with a draft; with the tick set, delete it. A second press finds it deleted."""
    if request.method == "POST" and _was_deleted(request, key):
        messages.info(request, _("The draft is deleted already."))
        return redirect("campaigns")
    campaign = _own_draft(request, key)
    is_unsure = request.method == "POST" and not request.POST.get("sure")
    if request.method == "POST" and not is_unsure:
        draft_delete(campaign=campaign, actor=user_of(request))
        messages.success(request, _("The draft “%(name)s” is deleted.") % {"name": campaign.name})
        return redirect("campaigns")
    context = {"campaign": campaign, "traces": draft_traces(campaign=campaign), "is_unsure": is_unsure}
    return render(request, "researcher/draft_delete.html", context, status=400 if is_unsure else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def change(request: HttpRequest, key: str) -> HttpResponse:
    """Show what of a draft needs no plan, and change it."""
    campaign = _own_draft(request, key)
    posted = request.method == "POST"
    form = DraftForm(request.POST if posted else None, request.FILES if posted else None, campaign=campaign)
    if form.is_bound and form.is_valid():
        try:
            changed = draft_change(
                campaign=campaign, change=form.change(), made=form.made(), actor=user_of(request)
            )
        except UserError as error:
            form.refuse(error, "name" if isinstance(error, Conflict) and is_draft(campaign) else None)
        else:
            said = _("The draft is changed.") if changed else _("Nothing was changed.")
            messages.success(request, said)
            return redirect("campaign", campaign.key)
    context = {"campaign": campaign, "form": form}
    return render(request, "researcher/draft_change.html", context, status=form.status)


def _own_draft(request: HttpRequest, key: str) -> Campaign:
    """Return a draft for the owner of its study or an administrator."""
    campaign = campaign_of(request, key)
    study_own_check(study=campaign.study, user=request.user)
    if not is_draft(campaign):
        raise Conflict(
            _("“%(name)s” is no draft any more: it was opened, or somebody has answered.")
            % {"name": campaign.name},
            _("Close it instead; what was answered is kept."),
        )
    return campaign


def _was_deleted(request: HttpRequest, key: str) -> bool:
    """Tell whether this person has deleted the draft already."""
    own = AuditEvent.objects.filter(action="campaign.deleted", actor=user_of(request), data__key=key)
    return own.exists() and not Campaign.objects.filter(key=key).exists()
