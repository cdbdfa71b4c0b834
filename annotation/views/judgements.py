"""The judgement browser: a campaign's judgements with their texts, filtered, in pages, as a file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby
from typing import IO, Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from annotation.models import Campaign, Item
from annotation.protocols import PROTOCOLS
from annotation.services.judgement_browser import Judged, JudgementBrowser, browser_choices, browser_file
from annotation.services.judgement_export import FILE_TYPES
from annotation.services.judgement_filter import EQUAL, NAMES, SPREAD, JudgementFilter, filter_read
from annotation.services.score_table import number
from annotation.services.sealing import Sealed, is_sealed
from annotation.views.labels import describe
from annotation.views.researcher import campaign_of
from evalplatform.errors import BadInput
from evalplatform.files import written
from mtcore.corpora.languages import direction

ROWS = 50


@require_safe
@login_required
def judgements(request: HttpRequest, key: str) -> HttpResponseBase:
    """Show the judgements of a campaign that the address asks for, or send them as CSV."""
    found = campaign_of(request, key)
    given = {name: request.GET.get(name, "").strip() for name in NAMES}
    rated = PROTOCOLS[found.protocol].record == "rating"
    said = {name: text for name, text in given.items() if text}
    query = urlencode(said)
    sealed = is_sealed(found)
    context: dict[str, Any] = {
        "campaign": found,
        "sealed": sealed,
        "about": describe(found),
        "rated": rated,
        "given": given,
        "query": query,
        "is_filtered": bool(said.keys() - {"order"}),
        "file_query": f"{query}&" if query else "",
        "choices": _choices(found, given, rated, sealed),
        "more": _more(given),
        "spread_query": urlencode(said | {"order": SPREAD}),
        "languages": _languages(found),
    }
    try:
        wanted = filter_read(given)
        rows: Any = JudgementBrowser(found, wanted)
        if request.GET.get("format") == "csv":
            return _file(request, found, wanted)
    except (BadInput, Sealed) as error:
        return render(request, "researcher/judgements.html", context | {"error": error}, status=error.status)
    page: Any = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    context |= {"page": page, "groups": _groups(list(page.object_list), rated), "order": wanted.order}
    return render(request, "researcher/judgements.html", context)


def _file(request: HttpRequest, campaign: Campaign, wanted: JudgementFilter) -> HttpResponseBase:
    flavour = request.GET.get("flavour", "exact")

    def write(stream: IO[str]) -> None:
        browser_file(campaign=campaign, wanted=wanted, stream=stream, flavour=flavour, user=request.user)

    return written(write, f"{campaign.name}.chosen.csv", FILE_TYPES["csv"])


def _languages(campaign: Campaign) -> dict[str, str]:
    source, target = campaign.source_language, campaign.target_language
    return {
        "source": source, "source_dir": direction(source), "target": target, "target_dir": direction(target),
    }  # fmt: skip


def _groups(found: list[Judged], rated: bool) -> list[dict[str, Any]]:
    """Put judgements of one item that follow each other together, so that its texts stand there once."""
    groups = []
    for _item, own in groupby(found, key=lambda one: one.item):
        rows = list(own)
        first = rows[0]
        groups.append(
            {
                "item": first.answer.item,
                "kind": kind_words(first.answer.item.kind),
                "first": first,
                "texts": [(" | ".join(systems), text) for systems, text in first.texts],
                "rows": [_row(one, rated) for one in rows],
                "n": len(rows),
                "spread": _spread(first.spread, rated),
            }
        )
    return groups


def _row(one: Judged, rated: bool) -> dict[str, Any]:
    answer = one.answer
    return {
        "rater": answer.rater,
        "excluded_by": answer.excluded_by,
        "round": answer.round if answer.round > 1 else None,
        "value": _value(answer.value, rated),
        "z": number(one.z, 3),
        "seconds": answer.active_ms / 1000 if answer.active_ms is not None else None,
        "when": datetime.fromisoformat(answer.submitted_at) if answer.submitted_at else None,
        "comment": answer.comment,
        "problems": one.problems,
        "earlier": ", ".join(_value(row.value, rated) for row in one.earlier),
    }


def _value(value: object, rated: bool) -> str:
    """Write an answer: the score, or who is better."""
    if rated or value is None:
        return f"{value:g}" if isinstance(value, float | int) else "–"
    names = value if isinstance(value, tuple) else (str(value),)
    if names == (EQUAL,):
        return _("equal")
    return _("%(system)s better") % {"system": " | ".join(names)}


def _spread(spread: float, rated: bool) -> str:
    if rated:
        return _("%(points)s points apart") % {"points": f"{spread:g}"}
    return _("%(percent)d %% differ from the most frequent answer") % {"percent": round(100 * spread)}


def kind_words(kind: str) -> str:
    """Name the kind of an item in the language of the page."""
    return {
        "system": pgettext("item", "system output"),
        "reference": pgettext("item", "reference"),
        "bad_reference": pgettext("item", "damaged text"),
        "repeat": pgettext("item", "repeat"),
        "practice": pgettext("item", "practice"),
        "attention": pgettext("item", "attention item"),
    }[Item.Kind(kind).value]


Choice = tuple[str, str, list[tuple[str, str]], str]


def _choices(campaign: Campaign, given: Mapping[str, str], rated: bool, sealed: bool) -> list[Choice]:
    """Return (name, label, [(value, words), …], chosen) of the choices about texts and answers."""
    found = browser_choices(campaign)
    orders = [("rater", _("rater, as they worked")), ("newest", _("newest first")), ("segment", _("segment"))]
    if not sealed:
        orders.insert(1, (SPREAD, _("raters far apart first")))
    if rated and not sealed:
        orders += [("lowest", _("lowest score first")), ("highest", _("highest score first"))]
    every = ("", _("all"))
    choices = [
        ("rater", _("Rater"), [every, *((one, one) for one in found.raters)]),
        ("system", _("System"), [every, *((one, one) for one in found.systems)]),
    ]
    if not rated and not sealed:
        prefers = [(one, one) for one in found.systems]
        choices.append(("prefers", _("Better"), [("", _("any answer")), (EQUAL, _("equal")), *prefers]))
    if len(found.kinds) > 1:
        choices.append(("kind", _("Kind"), [every, *((one, kind_words(one)) for one in found.kinds)]))
    if len(found.testsets) > 1:
        choices.append(("testset", _("Test set"), [every, *((one, one) for one in found.testsets)]))
    choices.append(("order", _("Order"), orders))
    return [(*one, given[one[0]]) for one in choices]


def _more(given: Mapping[str, str]) -> list[Choice]:
    """Return the same of the choices about raters and remarks."""
    either = [("", _("all"))]
    choices = [
        ("excluded", _("Excluded raters"), [*either, ("no", _("left out")), ("yes", _("only they"))]),
        ("comment", _("Comments"), [*either, ("yes", _("with a comment"))]),
        ("problem", _("Reported problems"), [*either, ("yes", _("with a problem"))]),
        ("corrected", _("Corrections"), [*either, ("yes", _("corrected ones"))]),
    ]
    return [(*one, given[one[0]]) for one in choices]
