"""Import a corpus through the browser: small texts at once, larger ones as a run."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from evalplatform.errors import BadInput, UserError
from evalplatform.people import user_of
from mtcore.forms.corpora import ImportForm
from mtcore.models import Corpus
from mtcore.services.corpora_taken import corpus_take
from mtcore.services.corpora_upload import MOST_BYTES
from mtcore.views.access import admin_page
from mtcore.views.words import size

_MORE = 1024**2
"""What a form has besides its files."""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@admin_page
def import_page(request: HttpRequest) -> HttpResponseBase:
    """Look at who asks and how much comes before the body is read, then at the token, as everywhere."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if request.method == "POST" and (not length.isdecimal() or int(length) > 2 * MOST_BYTES + _MORE):
        raise BadInput(
            _("The files have more than %(most)s together.") % {"most": size(2 * MOST_BYTES)},
            _("Bring them onto the server and import them there: manage.py import_corpus."),
        )
    return _import_page(request)


@csrf_protect
def _import_page(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _taken_in(request, form.cleaned_data)
        except UserError as error:
            form.refuse(error)
    context = {
        "section": "corpora",
        "form": form,
        "most": size(MOST_BYTES),
        "most_bytes": MOST_BYTES,
        "too_large": _("More than %(most)s: import it on the server.") % {"most": size(MOST_BYTES)},
    }
    return render(request, "mtcore/corpus_import.html", context, status=form.status)


def _taken_in(request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
    """Import the files, and lead to what became of them.

    Raises:
        BadInput, Conflict: the files or the name cannot be used; nothing is left of them.
    """
    taken = corpus_take(
        name=given["name"],
        languages=given["languages"],
        sources=given["sources"],
        targets=given["targets"],
        test_segments=given["test_segments"],
        user=user_of(request),
    )
    if taken.corpus is None:
        run = taken.run
        messages.success(request, _("The files are here; run %(n)s imports them.") % {"n": run and run.pk})
        return redirect("run", pk=run and run.pk)
    _say(request, taken.corpus, taken.created)
    return redirect("corpus", pk=taken.corpus.pk)


def _say(request: HttpRequest, corpus: Corpus, created: bool) -> None:
    if created:
        messages.success(request, _("“%(name)s” is imported.") % {"name": corpus.name})
    else:
        messages.info(request, _("“%(name)s” is there already, with the same text.") % {"name": corpus.name})
