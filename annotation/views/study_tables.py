"""The pages of a study's tables: all of them, what is behind one cell, files to take along."""

from __future__ import annotations

from shlex import quote
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import Study
from annotation.services.study_tables.cells import commands
from annotation.services.study_tables.fill import STUDIES, study_tables
from annotation.services.study_tables.filled import Filled
from annotation.services.study_tables.folder import tables_text
from annotation.services.study_tables.human_cells import RATED
from annotation.services.study_tables.links import links_of
from annotation.services.study_tables.material import Wish, material_read
from annotation.services.study_tables.texts import texts_of
from annotation.services.study_tables.writers import ENDINGS, shown, title_of, where_of
from annotation.views.files import attachment
from annotation.views.report_study import study_of
from evalplatform.errors import NotFound, UserError

FORMATS = {end: name for name, end in ENDINGS.items()}
TYPES = {"csv": "text/csv", "md": "text/markdown", "tex": "application/x-tex", "html": "text/html"}
FIELDS = ("testset", "system", "campaign")
TITLES = {
    "edunov": "Edunov et al. 2020",
    "vanmassenhove": "Vanmassenhove et al. 2021",
}


def _query(request: HttpRequest) -> dict[str, Any]:
    """Return what the address wishes, without what is empty."""
    found: dict[str, Any] = {name: request.GET.getlist(name) for name in FIELDS}
    found |= {name: request.GET.get(name, "") for name in ("protocol", "scope")}
    return {name: value for name, value in found.items() if value}


def _wish(query: dict[str, Any]) -> Wish:
    if query.get("protocol", RATED[0]) not in RATED or query.get("scope", "study") not in (
        "campaign",
        "study",
    ):
        raise NotFound(_("There is no such way to score."), _("Take one from the page."))
    return Wish(
        tuple(query.get("testset", ())),
        tuple(query.get("system", ())),
        tuple(query.get("campaign", ())),
        query.get("protocol", ""),
        query.get("scope", "campaign"),
    )


@require_safe
@login_required
def tables(request: HttpRequest, pk: int, which: str = "edunov") -> HttpResponse:
    """Show what a study joins, and the tables of one of the two studies filled with it."""
    study, query = study_of(request, pk), _query(request)
    if which not in STUDIES:
        raise NotFound(_("There is no such table."), _("Take it from the page of the study."))
    material = material_read(study, _wish(query))
    filled = study_tables(study=study, tables=which, wish=_wish(query))
    links = links_of(study, query)
    context = {
        "study": study,
        "shell_name": quote(study.name),
        "which": which,
        "studies": [{"name": name, "title": title} for name, title in TITLES.items()],
        "tables": [shown(table, links) for table in filled],
        "material": _material(study, material),
        "given": query,
        "query": urlencode(query, doseq=True),
        "protocols": RATED,
        "files": _files(urlencode(query, doseq=True)),
        "section": "studies",
    }
    return render(request, "study_tables/study.html", context)


def _files(query: str) -> list[tuple[str, str, str]]:
    """Return ending, title and query of every file of a table."""
    safe = f"{query}&flavour=spreadsheet" if query else "flavour=spreadsheet"
    return [
        ("csv", "CSV", query),
        ("csv", _("CSV for spreadsheets"), safe),
        ("tex", "LaTeX", query),
        ("md", "Markdown", query),
    ]


def _material(study: Study, material: Any) -> list[dict[str, Any]]:
    """Return what a study joins, a row a part."""
    texts = texts_of(study)
    named = [name for names in texts.corpora.values() for name in names]
    return [
        {"title": _("Language pairs"), "names": [pair.tag for pair in material.pairs]},
        {
            "title": _("Test sets"),
            "names": [one.name for pair in material.pairs for one in pair.testsets],
            "field": "testset",
        },
        {"title": _("Systems"), "names": _systems(material), "field": "system"},
        {"title": _("Campaigns"), "names": [one.name for one in material.campaigns], "field": "campaign"},
        {"title": _("Texts"), "names": [*named, *texts.translations.values()]},
    ]


def _systems(material: Any) -> list[str]:
    names = (system.name for row in material.rows for system in row.systems.values())
    return list(dict.fromkeys(names))


@require_safe
@login_required
def tables_file(request: HttpRequest, pk: int, which: str, format: str) -> HttpResponse:
    """Send tables as a file: all, those of one study, or one."""
    study = study_of(request, pk)
    found = _tables(study, which, _query(request))
    base, flavour = request.build_absolute_uri("/").rstrip("/"), request.GET.get("flavour", "exact")
    text = tables_text(study, found, FORMATS[format], base, flavour)
    return attachment(text, f"{study.name}.{which}.{format}", TYPES[format])


@require_safe
@login_required
def cell(request: HttpRequest, pk: int, name: str, row: int, column: int) -> HttpResponse:
    """Show what is behind one cell of a table."""
    study, query = study_of(request, pk), _query(request)
    found = _tables(study, name, query)[0]
    if row >= len(found.lines) or column >= len(found.columns):
        raise NotFound(_("The table has no such cell."), _("Take it from the page of the study."))
    line, head = found.lines[row], found.columns[column]
    own = line.cells[column]
    context = {
        "study": study,
        "title": title_of(found),
        "which": found.spec.study,
        "where": where_of(line, head),
        "cell": own,
        "exact": None if own.value is None else repr(own.value),
        "commands": commands(own.needs) if own.is_missing else [],
        "run": own.link.run if own.link else None,
        "query": urlencode(query, doseq=True),
        "section": "studies",
    }
    return render(request, "study_tables/cell.html", context)


def _tables(study: Study, name: str, query: dict[str, Any]) -> list[Filled]:
    """Return the tables of a name: of a study, a table, or a table of one language pair."""
    try:
        return study_tables(study=study, tables=name, wish=_wish(query))
    except UserError:
        parts = name.split("-")
        if len(parts) < 3:
            raise
        found = study_tables(study=study, tables="-".join(parts[:2]), wish=_wish(query))
        own = [one for one in found if one.name == name]
        if not own:
            raise
        return own
