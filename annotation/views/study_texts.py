"""The page on which corpora, translations and rows of a study's tables are named."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.forms.study_texts import StudyTextsForm
from annotation.models import Study
from annotation.services.study_tables.material import rows_chosen
from annotation.services.study_tables.texts import study_texts_set, texts_of, texts_version
from annotation.views.report_study import study_of
from evalplatform.errors import Conflict, UserError
from evalplatform.people import user_of
from mtcore.models import Corpus, System


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def texts(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what is named, and set it."""
    study = study_of(request, pk)
    known, rows = texts_of(study), rows_chosen(study)
    filled = StudyTextsForm.initial_of(known, rows) | {"seen": texts_version(study)}
    form = StudyTextsForm(request.POST if request.method == "POST" else None, initial=filled)
    newer: list[tuple[str, str]] = []
    if form.is_bound and form.is_valid():
        changes = form.changes(known, rows)
        try:
            if changes:
                seen = form.cleaned_data["seen"]
                study_texts_set(study=study, actor=user_of(request), seen=seen, **changes)
            messages.success(request, _("It is kept.") if changes else _("Nothing was changed."))
            return redirect("study_tables", pk=study.pk)
        except Conflict as error:
            form.refuse(error)
            newer = _now(study, form)
        except UserError as error:
            form.refuse(error)
    context: dict[str, Any] = {
        "study": study,
        "form": form,
        "newer": newer,
        "systems": System.objects.listed().order_by("name").values_list("name", flat=True),
        "corpora": Corpus.objects.order_by("name").values_list("name", flat=True)
        if request.user.is_staff
        else (),
        "section": "studies",
    }
    return render(
        request, "study_tables/texts.html", context, status=HTTPStatus.CONFLICT if newer else form.status
    )


def _now(study: Study, form: StudyTextsForm) -> list[tuple[str, str]]:
    """Return what a study has now beside what was typed, by field; the form goes on from there."""
    study.refresh_from_db()
    form.take(texts_version(study))
    now = StudyTextsForm.initial_of(texts_of(study), rows_chosen(study))
    return [(str(form.fields[name].label), text) for name, text in now.items()]
