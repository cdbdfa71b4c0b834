"""The page that imports judgements made elsewhere."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation.forms.judgements import ImportForm
from annotation.services.judgement_import import Imported
from annotation.services.judgement_upload import upload_import
from annotation.templatetags.shown import grouped
from evalplatform.people import user_of
from mtcore.forms.fields import tried
from mtcore.services.texts import sentence


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def judgements_import(request: HttpRequest) -> HttpResponse:
    """Show the form; import the file, all of it or nothing, and lead to its campaign."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        done = tried(
            form,
            lambda: upload_import(upload=form.cleaned_data["file"], given=form.said(), user=user_of(request)),
        )
        if done:
            return _made(request, done)
    return render(request, "researcher/judgement_import.html", {"form": form}, status=form.status)


def _made(request: HttpRequest, done: Imported) -> HttpResponse:
    said = ngettext("%(n)s judgement was imported.", "%(n)s judgements were imported.", done.n_judgements)
    messages.success(request, said % {"n": grouped(done.n_judgements)})
    for notice in done.notices:
        messages.warning(request, _("Note: %(text)s") % {"text": sentence(notice)})
    return redirect(done.campaign)
