"""The pages of studies: the list, and a study's report."""

from __future__ import annotations

from dataclasses import replace
from typing import IO, Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.models import Study
from annotation.services.package_sent import may_name_raters, package_write
from annotation.services.report.document import figure_named, table_named
from annotation.services.report.study import study_report
from annotation.services.report.trace_asked import study_trace_asked
from annotation.services.report.writers import svg_file, table_write
from annotation.services.sealing import is_sealed
from annotation.services.study_rights import owns_study
from annotation.services.study_scores import study_options
from annotation.stats.options import ScoreOptions
from annotation.views.files import attachment
from annotation.views.labels import describe
from annotation.views.report import choices_of
from annotation.views.report_cells import section_cells
from annotation.views.report_trace import TYPES, given_of, trace_page
from annotation.views.tables import study_command
from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.files import written
from evalplatform.people import user_of


@require_safe
@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies this person may see."""
    found = Study.objects.visible_to(request.user).annotate(n_campaigns=Count("campaigns", distinct=True))
    return render(request, "report/studies.html", {"studies": found, "section": "studies"})


def study_of(request: HttpRequest, pk: int) -> Study:
    """Return a study this person may see; anything else is not there (404)."""
    return get_object_or_404(Study.objects.visible_to(request.user), pk=pk)


@require_safe
@login_required
def study(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the report of a study."""
    found, given = study_of(request, pk), given_of(request) | _by(request)
    context: dict[str, Any] = {
        "study": found,
        "given": given,
        "query": urlencode(given),
        "choices": choices_of(given | {"scope": given.get("scope", "study")}),
        "by": given.get("by", "system"),
        "defaults": ScoreOptions(),
        "section": "studies",
        "sealed": [one.name for one in found.campaigns.order_by("name") if is_sealed(one)],
        "may_name_raters": may_name_raters(found, request.user),
        "may_manage": owns_study(found, request.user),
    }
    status = 200
    try:
        made = study_report(study=found, options=study_options(found, given), user=request.user)
    except BadInput as error:
        context["error"], status = error, error.status
    except Conflict as error:
        context["empty"] = error
    else:
        options = made.scores["options"]
        context |= {
            "report": made,
            "sections": [section_cells(one, found, given) for one in made.sections],
            "command": study_command(found, options),
        }
    return render(request, "report/study.html", context, status=status)


def _by(request: HttpRequest) -> dict[str, str]:
    return {"by": "condition"} if request.GET.get("by") == "condition" else {}


@require_safe
@login_required
def study_trace(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what is behind a number of campaigns scored together; `?format=csv` sends all of it as a file."""
    found, given, asked = study_of(request, pk), given_of(request) | _by(request), request.GET.dict()
    opened, behind = study_trace_asked(found, given, asked)
    rows = [row | {"trace_group": asked["group"]} for row in opened.table.rows]
    context = {
        "study": found,
        "section": "studies",
        "campaigns": behind.campaigns,
        "about": describe(behind.campaigns[0]),
        "command": study_command(found, vars(behind.options)),
    }
    return trace_page(request, found, replace(opened, table=opened.table.with_rows(rows)), given, context)


@require_safe
@login_required
def study_file(request: HttpRequest, pk: int, name: str, format: str) -> HttpResponse:
    """Send a figure or table of a study's report as a file."""
    found, given = study_of(request, pk), given_of(request) | _by(request)
    made = study_report(study=found, options=study_options(found, given), user=request.user)
    figure, table = figure_named(made.sections, name), table_named(made.sections, name)
    if format == "svg" and figure is not None:
        text = svg_file(figure)
    elif format != "svg" and table is not None:
        text = table_write(table, made.scores["signature"], format, request.GET.get("flavour", "exact"))
    else:
        raise NotFound(_("The report has no such figure or table."), _("Take it from the report's page."))
    return attachment(text, f"{found.name}.{name}.{format}", TYPES[format])


@require_safe
@login_required
def study_package(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send everything needed to check a study, as one zip that verify_study recomputes."""
    found = study_of(request, pk)
    wanted = {name: request.GET.get(name) in ("on", "true", "1") for name in ("with_texts", "identities")}

    def write(stream: IO[Any]) -> None:
        package_write(study=found, stream=stream, actor=user_of(request), **wanted)

    return written(write, f"{found.name}.zip", "application/zip", binary=True)
