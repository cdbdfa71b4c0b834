"""The pages of corpora: the list, one corpus, and the runs that make others of them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evalplatform.errors import UserError
from evalplatform.people import user_of
from mtcore.corpora.languages import direction
from mtcore.forms.corpora import FilterForm, MixForm, SplitForm
from mtcore.forms.fields import HouseForm, tried
from mtcore.models import Corpus, Run
from mtcore.services.corpora import corpus_languages, corpus_name_free, corpus_verify
from mtcore.services.corpora_look import corpus_lines, corpus_overlap
from mtcore.services.run_once import run_launch_once
from mtcore.views.access import admin_page
from mtcore.views.plan import shown
from mtcore.views.run_rows import run_rows
from mtcore.views.words import corpus_kind_words, grouped, state_of

ROWS = 50
PREVIEW_LINES = 10
FARTHEST_LINE = 2_000_000
"""Lines further on are not sought: the file would have to be read up to them."""


@require_safe
@admin_page
def corpora(request: HttpRequest) -> HttpResponse:
    """List the corpora."""
    given = {name: request.GET.get(name, "").strip() for name in ("q", "kind")}
    found = Corpus.objects.annotate(n_derived=Count("derived")).order_by("name")
    if given["q"]:
        found = found.filter(name__icontains=given["q"])
    if given["kind"]:
        found = found.filter(kind=given["kind"])
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    context = {
        "section": "corpora",
        "page": page,
        "rows": [_row(one) for one in page.object_list],
        "given": given,
        "is_filtered": any(given.values()),
        "query": urlencode({name: text for name, text in given.items() if text}),
        "kinds": [(kind, corpus_kind_words(kind)) for kind in Corpus.Kind.values],
    }
    return render(request, "mtcore/corpora.html", context)


def _row(corpus: Corpus) -> dict[str, Any]:
    return {
        "corpus": corpus,
        "languages": "-".join(corpus_languages(corpus)),
        "kind": corpus_kind_words(corpus.kind),
        "lines": grouped(corpus.n_lines),
        "made_by": made_by_words(str(corpus.report.get("made_by", ""))),
    }


def made_by_words(made_by: str) -> str:
    """Write how a corpus came about."""
    words = {
        "import": _("import"),
        "filter": _("filtering"),
        "split": _("splitting"),
        "mix": _("mixing"),
        "back-translation": _("back-translation"),
        "translation": _("translation"),
    }
    return words.get(made_by, made_by)


@require_safe
@admin_page
def corpus(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a corpus: counts, lines, what was removed, where it comes from and what was made from it."""
    found = get_object_or_404(Corpus.objects.select_related("run"), pk=pk)
    report = found.report
    first = _first(request.GET.get("line", ""), found)
    context: dict[str, Any] = {
        "section": "corpora",
        "corpus": found,
        "kind": corpus_kind_words(found.kind),
        "made_by": made_by_words(str(report.get("made_by", ""))),
        "languages": [
            {
                "tag": tag,
                "dir": direction(tag),
                "words": report.get("words", {}).get(tag),
                "characters": report.get("characters", {}).get(tag),
            }
            for tag in corpus_languages(found)
        ],
        "first": first,
        "removed": _removed(report),
        "parents": list(found.derived_from.order_by("name")),
        "children": list(found.derived.order_by("name")[:100]),
        "runs": _runs(found),
        "state": state_of(found.run) if found.run else None,
        "options": {name: shown(value) for name, value in (report.get("options") or {}).items()},
        "parts": report.get("parts") or [],
    }
    try:
        lines = corpus_lines(found, first=first, n=PREVIEW_LINES)
        context["lines"] = lines
        context["next_line"] = first + PREVIEW_LINES if first + PREVIEW_LINES <= found.n_lines else 0
        context["previous_line"] = max(1, first - PREVIEW_LINES) if first > 1 else 0
        if request.GET.get("overlap") == "1":
            context["overlap"] = corpus_overlap(found)
    except UserError as error:
        context["damage"] = error
    return render(request, "mtcore/corpus.html", context)


def _first(text: str, corpus: Corpus) -> int:
    """Return the first line to show, within what there is."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else 1
    return max(1, min(number, corpus.n_lines, FARTHEST_LINE))


def _removed(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each filter removed, with its part of what was read."""
    words = {
        "empty": _("blank"),
        "too short": _("too short"),
        "too long": _("too long"),
        "length ratio": _("length ratio"),
        "test segment": _("test segments"),
        "other language": _("another language"),
        "duplicate": _("duplicates"),
        "empty source": _("empty source"),
        "empty output": _("empty translation"),
    }
    read = report.get("read") or 0
    return [
        {"name": words.get(name, name), "n": n, "part": f"{100 * n / read:.1f} %" if read else ""}
        for name, n in (report.get("removed") or {}).items()
    ]


def _runs(corpus: Corpus) -> list[dict[str, Any]]:
    """Return the runs that were launched on this corpus, the newest first."""
    found = Run.objects.filter(options__corpus=corpus.name).defer("history", "result").order_by("-pk")[:20]
    return run_rows(list(found))


@require_http_methods(["GET", "HEAD", "POST"])
@admin_page
def corpus_filter(request: HttpRequest, pk: int) -> HttpResponse:
    """Launch a run that filters a corpus."""
    found = get_object_or_404(Corpus, pk=pk)
    form = FilterForm(request.POST or None, initial={"name": f"{found.name}-clean"[:120]})
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        options = {
            "corpus": found.name,
            "filters": form.options(),
            "name": name,
            "drop_test_segments": form.cleaned_data["drop_test_segments"],
        }
        answer = launched(request, form, kind="filter_corpus", name=name, options=options)
        if answer is not None:
            return answer
    lead = _(
        "Lines that a filter objects to are left out of the new corpus; the report counts them by filter."
    )
    return _form(request, form, found, _("Filter “%(name)s”") % {"name": found.name}, lead, _("Filter it"))


@require_http_methods(["GET", "HEAD", "POST"])
@admin_page
def corpus_split(request: HttpRequest, pk: int) -> HttpResponse:
    """Launch a run that holds lines out of a corpus."""
    found = get_object_or_404(Corpus, pk=pk)
    initial = {"rest": f"{found.name}-rest"[:120], "held": f"{found.name}-valid"[:120]}
    form = SplitForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        if given["lines"] >= found.n_lines:
            form.add_error(
                "lines", _("The corpus has %(n)s lines: give fewer.") % {"n": grouped(found.n_lines)}
            )
        elif given["rest"] == given["held"]:
            form.add_error("held", _("Both parts have the same name."))
        else:
            options = {
                "corpus": found.name,
                "names": [given["rest"], given["held"]],
                "held_out": given["lines"],
                "seed": given["seed"],
            }
            answer = launched(request, form, kind="split_corpus", name=given["rest"], options=options)
            if answer is not None:
                return answer
    lead = _("A random part is held out, to validate on or as monolingual text. Both parts keep their order.")
    return _form(request, form, found, _("Split “%(name)s”") % {"name": found.name}, lead, _("Split it"))


@require_http_methods(["GET", "HEAD", "POST"])
@admin_page
def corpora_mix(request: HttpRequest) -> HttpResponse:
    """Launch a run that puts corpora together."""
    form = MixForm(request.POST or None, corpora=corpus_choices())
    if request.method == "POST" and form.is_valid():
        name, parts = form.cleaned_data["name"], form.parts()
        answer = launched(
            request, form, kind="mix_corpora", name=name, options={"name": name, "parts": parts}
        )
        if answer is not None:
            return answer
    return render(
        request, "mtcore/corpora_mix.html", {"section": "corpora", "form": form}, status=form.status
    )


@require_POST
@admin_page
def corpus_check(request: HttpRequest, pk: int) -> HttpResponse:
    """Hold the files of a corpus against their checksums."""
    found = get_object_or_404(Corpus, pk=pk)
    try:
        corpus_verify(found)
    except UserError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The files are those that were registered."))
    return redirect("corpus", pk=pk)


def launched(
    request: HttpRequest, form: HouseForm, *, kind: str, name: str, options: dict[str, Any]
) -> HttpResponse | None:
    """Launch a run from a form and lead to its page; None when it was refused, which the form says."""

    def launch() -> tuple[Run, bool]:
        if kind.endswith(("_corpus", "_corpora")):
            corpus_name_free(name)
        return run_launch_once(kind=kind, name=name, options=options, requested_by=user_of(request))

    answer = tried(form, launch)
    if answer is None:
        return None
    run, created = answer
    said = _("Run %(n)s is in the queue.") if created else _("Run %(n)s does this already.")
    messages.success(request, said % {"n": run.pk})
    return redirect("run", pk=run.pk)


def corpus_choices(*, languages: int = 0) -> list[tuple[str, str]]:
    """Return the corpora to choose from, with 1 or 2 languages, or all."""
    found = Corpus.objects.order_by("name").only("name", "source_language", "target_language", "n_lines")
    return [
        (
            one.name,
            _("%(name)s (%(languages)s, %(n)s lines)")
            % {"name": one.name, "languages": "-".join(corpus_languages(one)), "n": grouped(one.n_lines)},
        )
        for one in found
        if not languages or len(corpus_languages(one)) == languages
    ]


def _form(
    request: HttpRequest, form: HouseForm, found: Corpus, title: str, lead: str, verb: str
) -> HttpResponse:
    context = {
        "section": "corpora",
        "form": form,
        "corpus": found,
        "title": title,
        "lead": lead,
        "verb": verb,
    }
    return render(request, "mtcore/corpus_form.html", context, status=form.status)
