"""The pages of test sets: the list, one with its texts side by side, importing one, importing outputs."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from mtcore.corpora.languages import direction as language_direction
from mtcore.corpora.provenance import label
from mtcore.forms.fields import tried
from mtcore.forms.testsets import NamedSetForm, OutputForm, TestSetForm
from mtcore.models import TestSet, TextVersion
from mtcore.services.outputs import output_import
from mtcore.services.testset_look import testset_directions, testset_rows, testset_segments
from mtcore.services.testset_named import named_draft
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.versions import testset_direction, testset_versions

ROWS, SEGMENTS = 50, 25


@require_safe
@login_required
def testsets(request: HttpRequest) -> HttpResponse:
    """List test sets."""
    text = request.GET.get("q", "").strip()
    found = (
        TestSet.objects.listed()
        .annotate(n_segments=Count("segments", distinct=True), n_outputs=Count("outputs", distinct=True))
        .order_by("name")
    )
    if text:
        found = found.filter(name__icontains=text)
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context = {
        "section": "testsets",
        "page": page,
        "q": text,
        "query": urlencode({"q": text} if text else {}),
    }
    return render(request, "mtcore/testsets.html", context)


@require_safe
@login_required
def testset(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a test set: where its texts come from, the texts side by side, its outputs."""
    found = get_object_or_404(TestSet, pk=pk)
    versions = _with_notation(found)
    chosen = request.GET.get("direction", "")
    problems = request.GET.get("problems") == "1"
    page = Paginator(testset_segments(found, direction=chosen, problems=problems), SEGMENTS).get_page(
        request.GET.get("page")
    )
    languages = {"source": found.source_language, "target": found.target_language}
    given = {"direction": chosen, "problems": "1" if problems else ""}
    shown = [
        {"version": one, "notation": notation, "language": languages[one.side],
         "dir": language_direction(languages[one.side])}
        for one, notation in versions
    ]  # fmt: skip
    rows = testset_rows([one for one, _notation in versions], list(page.object_list))
    context = {
        "section": "testsets",
        "testset": found,
        "versions": shown,
        "rows": [
            {"segment": row.segment, "cells": [
                about | {"text": text} for about, text in zip(shown, row.texts, strict=True)
            ]}
            for row in rows
        ],
        "page": page,
        "given": given,
        "query": urlencode({name: text for name, text in given.items() if text}),
        "directions": testset_directions(found),
        "outputs": found.outputs.select_related("system", "input_version").order_by("system__name", "pk"),
    }  # fmt: skip
    return render(request, "mtcore/testset.html", context)


def _with_notation(found: TestSet) -> list[tuple[TextVersion, str]]:
    """Return the versions, each with what the literature calls it where the direction is known."""
    versions = testset_versions(found)
    direction = testset_direction(found)
    return [
        (row, label(version, list(versions), direction) if direction else "")
        for version, row in versions.items()
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def testset_import(request: HttpRequest) -> HttpResponse:
    """Import a test set: from files, or one of sacrebleu's."""
    is_named = "named" in request.POST
    form = TestSetForm(None if is_named else request.POST or None, request.FILES or None)
    named = NamedSetForm(request.POST if is_named else None, auto_id="id_named_%s")
    sent: TestSetForm | NamedSetForm = named if is_named else form
    if request.method == "POST" and sent.is_valid():
        made = tried(sent, lambda: _made(sent))
        if made:
            testset, created, notices = made
            _say(request, testset.name, created, notices)
            return redirect("testset", pk=testset.pk)
    context = {"section": "testsets", "form": form, "named": named, "sent": sent}
    return render(request, "mtcore/testset_import.html", context, status=sent.status)


def _made(form: TestSetForm | NamedSetForm) -> tuple[TestSet, bool, tuple[str, ...]]:
    make = named_draft if isinstance(form, NamedSetForm) else testset_draft
    draft = make(**form.draft_options())
    made, created = testset_create(draft)
    return made, created, draft.notices


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def output_import_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Import a system's output on a test set."""
    found = get_object_or_404(TestSet, pk=pk)
    inputs = [(one.name, str(one)) for one in found.versions.filter(side="source").order_by("position")]
    form = OutputForm(request.POST or None, request.FILES or None, inputs=inputs)
    if request.method == "POST" and form.is_valid():
        given: dict[str, Any] = form.cleaned_data
        made = tried(
            form,
            lambda: output_import(
                testset=found.name,
                system=given["system"],
                text=given["text"],
                input_version=given["input_version"],
                kind=given["kind"],
            ),
        )
        if made:
            output, created, notices = made
            _say(request, output.system.name, created, notices)
            return redirect("testset", pk=found.pk)
    context = {"section": "testsets", "form": form, "testset": found}
    return render(request, "mtcore/output_import.html", context, status=form.status)


def _say(request: HttpRequest, name: str, created: bool, notices: tuple[str, ...]) -> None:
    if created:
        messages.success(request, _("“%(name)s” is imported.") % {"name": name})
    else:
        messages.info(request, _("“%(name)s” is there already, with the same text.") % {"name": name})
    for notice in notices:
        messages.warning(request, notice)
