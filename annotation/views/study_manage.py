"""The pages on which a study is made and managed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.forms.study import NewStudyForm, StudyForm
from annotation.models import Campaign, Study
from annotation.services.studies import study_create
from annotation.services.study_changes import Changed, study_change
from annotation.services.study_members import Added
from annotation.services.study_rights import study_own_check
from annotation.templatetags.shown import grouped
from evalplatform.errors import UserError
from evalplatform.people import user_of
from evalplatform.words import quoted
from mtcore.models import System, TestSet

SHOWN = 200
"""Names that the page lists to choose from."""


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def study_new(request: HttpRequest) -> HttpResponse:
    """Make an empty study, owned by who asks; its page of managing comes next."""
    form = NewStudyForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = study_create(**form.cleaned_data, owner=user_of(request))
        except UserError as error:
            form.refuse(error)
        else:
            messages.success(request, _("The study “%(name)s” is made.") % {"name": made.name})
            return redirect("study_manage", pk=made.pk)
    return render(request, "report/study_new.html", {"form": form, "section": "studies"}, status=form.status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def study_manage(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what belongs to a study and who sees it, and change it, all or nothing; for its owner."""
    study = get_object_or_404(Study.objects.visible_to(request.user).select_related("owner"), pk=pk)
    study_own_check(study=study, user=request.user)
    user = user_of(request)
    form = StudyForm(request.POST if request.method == "POST" else None, study=study, user=user)
    if form.is_bound and form.is_valid():
        try:
            changed = study_change(study=study, change=form.change(), actor=user)
        except UserError as error:
            form.refuse(error)
        else:
            _tell(request, changed)
            return redirect("study_manage", pk=study.pk)
    context: dict[str, Any] = {"study": study, "form": form, "section": "studies"}
    context |= {"has": _members(study), "choices": _choices(request, study)}
    return render(request, "report/study_manage.html", context, status=form.status)


def _members(study: Study) -> list[tuple[str, list[str]]]:
    return [
        (_("Campaigns"), list(study.campaigns.order_by("name").values_list("name", flat=True))),
        (_("Test sets"), list(study.testsets.order_by("name").values_list("name", flat=True))),
        (_("Systems"), list(study.systems.order_by("name").values_list("name", flat=True))),
    ]


def _choices(request: HttpRequest, study: Study) -> list[tuple[str, list[str]]]:
    """Return names that can be added: campaigns of own studies, test sets, systems."""
    campaigns = Campaign.objects.visible_to(request.user).exclude(study=study)
    if not request.user.is_staff:
        campaigns = campaigns.filter(study__owner=user_of(request))
    found: tuple[tuple[str, QuerySet[Any]], ...] = (
        (_("Campaigns"), campaigns),
        (_("Test sets"), TestSet.objects.exclude(studies=study)),
        (_("Systems"), System.objects.exclude(studies=study)),
    )
    return [
        (label, list(names.order_by("name").values_list("name", flat=True)[: SHOWN + 1]))
        for label, names in found
    ]


def _tell(request: HttpRequest, changed: Changed) -> None:
    """Say what became different."""
    said = [_("The description is kept.")] if changed.described else []
    if changed.people:
        said.append(_("Who sees the study is kept."))
    if changed.added is not None:
        said += _added(changed.added)
    if changed.removed is not None:
        names = quoted((*changed.removed.testsets, *changed.removed.systems))
        said.append(_("No longer in the study: %(names)s.") % {"names": names})
    if said:
        messages.success(request, " ".join(said))
    else:
        messages.info(request, _("Nothing was changed."))
    if changed.added is None:
        return
    if changed.added.united:
        united = quoted(changed.added.united)
        words = _("The study knew these raters: %(names)s. Same name, same person.") % {"names": united}
        messages.info(request, words)
    for text in changed.added.alike:
        messages.warning(request, text)


def _added(added: Added) -> list[str]:
    said = [
        _("“%(campaign)s” moved here from the study “%(study)s”.") % {"campaign": campaign, "study": study}
        for campaign, study in added.moved
    ]
    if added.n_testsets:
        said.append(_("Test sets added: %(n)s.") % {"n": grouped(added.n_testsets)})
    if added.n_systems:
        said.append(_("Systems added: %(n)s.") % {"n": grouped(added.n_systems)})
    if added.known:
        said.append(_("In the study already: %(names)s.") % {"names": quoted(added.known)})
    return said
