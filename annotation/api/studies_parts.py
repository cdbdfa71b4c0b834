"""The API: what belongs to a study, its scores, its report, its tables, its package."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.asks import (
    AddedSerializer,
    DescriptionSerializer,
    MembersOutSerializer,
    MembersRemovedSerializer,
    MembersSerializer,
    PackageSerializer,
    ResearchersSerializer,
    TextsSerializer,
)
from annotation.api.permissions import own_campaigns, own_study
from annotation.api.reports import trace_sent
from annotation.api.requests import StudySerializer
from annotation.api.scoring import SCORING, scoring_of
from annotation.api.studies import studies_of
from annotation.api.study_tables import tables_told
from annotation.api.tables import FILE, FILES, figures_told, file_of, report_json, sent
from annotation.models import AuditEvent, Study
from annotation.services.package_sent import package_write
from annotation.services.report.document import figure_named, table_named
from annotation.services.report.study import StudyReport, study_report
from annotation.services.report.trace_asked import ASKED, study_trace_asked
from annotation.services.report.writers import flavour_check, svg_file
from annotation.services.studies import study_researchers_change
from annotation.services.study_changes import study_describe
from annotation.services.study_members import study_add
from annotation.services.study_removal import study_remove
from annotation.services.study_scores import study_options, study_score
from annotation.services.study_tables.fill import study_tables
from annotation.services.study_tables.folder import tables_text
from annotation.services.study_tables.human_cells import RATED
from annotation.services.study_tables.material import Wish, rows_chosen
from annotation.services.study_tables.texts import study_texts_set, texts_of
from annotation.services.study_tables.writers import ENDINGS
from evalplatform.api import AnyType, asked
from evalplatform.errors import BadInput, NotFound
from evalplatform.files import TABLE_TYPES, attachment, written
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


class OfStudy(APIView):
    """Something of one study."""

    permission_classes = [IsAuthenticated]

    def study(self, pk: int) -> Study:
        """Return the study when this person may see it; otherwise 404."""
        return get_object_or_404(studies_of(self.request), pk=pk)

    def own(self, pk: int) -> Study:
        """Return the study for its owner or an administrator; 403 for those who research in it."""
        study = self.study(pk)
        own_study(self.request, study)
        return study

    def replay_check(self, told: Any, pk: int) -> None:
        """Make sure that this person may still have an answer given before."""
        self.study(pk)


class _OfOwnStudy(OfStudy):
    def replay_check(self, told: Any, pk: int) -> None:
        """Make sure that this person still owns the study."""
        self.own(pk)


class Members(_OfOwnStudy):
    """What belongs to a study: campaigns, test sets, systems."""

    @extend_schema(request=MembersSerializer, responses=AddedSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Add by name, all or nothing; campaigns of studies that one owns move, with their raters."""
        study, given = self.own(pk), asked(MembersSerializer, request.data)
        own_campaigns(request, given["campaigns"])
        return Response(asdict(study_add(study=study, actor=user_of(request), **given)))


class MembersRemove(_OfOwnStudy):
    """What no longer belongs to a study."""

    @extend_schema(
        operation_id="study_members_remove",
        request=MembersOutSerializer,
        responses=MembersRemovedSerializer,
    )
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Take test sets and systems out, all or nothing; not those that its campaigns judge (409)."""
        study, given = self.own(pk), asked(MembersOutSerializer, request.data)
        return Response(asdict(study_remove(study=study, actor=user_of(request), **given)))


class Researchers(_OfOwnStudy):
    """Who researches in a study beside its owner."""

    @extend_schema(request=ResearchersSerializer, responses=StudySerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Add and remove people by user name; whoever is added sees all of the study."""
        study, given = self.own(pk), asked(ResearchersSerializer, request.data)
        study_researchers_change(study=study, actor=user_of(request), **given)
        return Response(StudySerializer(self.study(pk)).data)


class Description(_OfOwnStudy):
    """What a study asks."""

    @extend_schema(request=DescriptionSerializer, responses=StudySerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Set the description; an empty one takes it away."""
        study, given = self.own(pk), asked(DescriptionSerializer, request.data)
        study_describe(study=study, actor=user_of(request), **given)
        return Response(StudySerializer(self.study(pk)).data)


class Texts(OfStudy):
    """What the tables of a study are made from beside its test sets."""

    asks = TextsSerializer

    @extend_schema(responses=TextsSerializer, operation_id="study_texts")
    def get(self, request: Request, pk: int) -> Response:
        """Give corpora by their part, translations by system, rows by label."""
        return Response(_texts(self.study(pk)))

    @extend_schema(request=TextsSerializer, responses=TextsSerializer, operation_id="study_texts_set")
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Set them; an empty list or name takes away."""
        study, given = self.study(pk), asked(TextsSerializer, request.data)
        study_texts_set(study=study, actor=user_of(request), **given)
        return Response(_texts(study))


class StudyScores(OfStudy):
    """The scores of a study: campaigns of one protocol and language pair together."""

    @extend_schema(operation_id="study_scores", parameters=SCORING, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """Score; a rater's mean and spread are over the whole study unless `scope` is campaign."""
        study = self.study(pk)
        options = study_options(study, scoring_of(request))
        return Response(study_score(study=study, options=options, user=user_of(request)).result)


class _OfReport(OfStudy):
    content_negotiation_class = AnyType

    def report(self, request: Request, pk: int) -> tuple[Study, StudyReport]:
        """Return the study and its report."""
        study = self.study(pk)
        options = study_options(study, scoring_of(request, besides=("file", "flavour")))
        return study, study_report(study=study, options=options, user=user_of(request))


class StudyReportDetail(_OfReport):
    """The report of a study."""

    @extend_schema(operation_id="study_report", parameters=SCORING, responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """Give words, tables with raw values, addresses of figures."""
        study, made = self.report(request, pk)
        figures = figures_told(request, "api_study_report_figure", {"pk": pk})
        told = {"study": study.name, "signature": made.scores["signature"]}
        return Response(told | report_json(made.sections, figures))


class StudyReportTable(_OfReport):
    """One table of a study's report."""

    @extend_schema(operation_id="study_report_table", parameters=[*SCORING, *FILE], responses=FILES)
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        """Give it with raw values (JSON, CSV) or as people read it (Markdown, LaTeX)."""
        study, made = self.report(request, pk)
        table = table_named(made.sections, name)
        if table is None:
            raise NotFound("The report has no such table.", "Its names stand in the report.")
        AuditEvent.note("report.exported", actor=user_of(request), study=study, table=name)
        return sent(request, table, made.scores["signature"], f"{study.name}.{name}")


class StudyReportFigure(_OfReport):
    """One figure of a study's report as SVG."""

    @extend_schema(
        operation_id="study_report_figure",
        parameters=SCORING,
        responses={(200, "image/svg+xml"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        """Give the file."""
        study, made = self.report(request, pk)
        figure = figure_named(made.sections, name)
        if figure is None:
            raise NotFound("The report has no such figure.", "Its names stand in the report.")
        return attachment(svg_file(figure), f"{study.name}.{name}.svg", TABLE_TYPES["svg"])


class StudyTrace(OfStudy):
    """What is behind a number of campaigns that are scored together in a study."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="study_trace",
        parameters=[
            OpenApiParameter("group", str, required=True, description="key of any campaign of the group"),
            *(OpenApiParameter(name, str) for name in ASKED),
            *SCORING,
            *FILE,
        ],
        responses=FILES,
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Give it for a `system` (and quantity `of`), a pair (`a`, `b`) or a `rater`."""
        study = self.study(pk)
        given = scoring_of(request, besides=("file", "flavour", "group", *ASKED))
        found, behind = study_trace_asked(study, given, request.query_params.dict())
        return trace_sent(request, found, behind, study.name)


class StudyTables(OfStudy):
    """The tables of two published studies, filled with the results of this one."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="study_tables",
        parameters=[
            *(OpenApiParameter(name, str, many=True) for name in ("testset", "system", "campaign")),
            OpenApiParameter("protocol", str, enum=RATED),
            OpenApiParameter("scope", str, enum=("campaign", "study")),
            *FILE,
        ],
        responses=FILES,
    )
    def get(self, request: Request, pk: int, which: str) -> HttpResponseBase:
        """Give those of edunov or vanmassenhove, or one as edunov-3; empty cells say what fills them."""
        study, query = self.study(pk), request.query_params
        if query.get("protocol", RATED[0]) not in RATED or query.get("scope", "campaign") not in (
            "campaign",
            "study",
        ):
            raise BadInput("There is no such way to score.", f"protocol is {' or '.join(RATED)}.")
        wish = Wish(
            tuple(query.getlist("testset")),
            tuple(query.getlist("system")),
            tuple(query.getlist("campaign")),
            query.get("protocol", ""),
            query.get("scope", "campaign"),
        )
        ending, flavour = file_of(request, ("json", "csv", "md", "tex")), query.get("flavour", "exact")
        flavour_check(flavour)
        found = study_tables(study=study, tables=which, wish=wish)
        AuditEvent.note("tables.exported", actor=user_of(request), study=study, tables=which)
        if ending == "json":
            return Response({"study": study.name, "tables": tables_told(found)})
        names = {end: name for name, end in ENDINGS.items()}
        base = request.build_absolute_uri("/").rstrip("/")
        text = tables_text(study, found, names[ending], base, flavour)
        return attachment(text, f"{study.name}.{which}.{ending}", TABLE_TYPES[ending])


class Package(OfStudy):
    """Everything needed to check a study, as one zip that verify_study recomputes."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="study_package",
        parameters=[PackageSerializer],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Give it; raters have numbers unless the owner asks for their names."""
        study, given = self.study(pk), asked(PackageSerializer, request.query_params.dict(), loose=True)

        def write(stream: IO[Any]) -> None:
            package_write(study=study, stream=stream, actor=user_of(request), **given)

        return written(write, f"{study.name}.zip", "application/zip", binary=True)


def _texts(study: Study) -> dict[str, Any]:
    texts = texts_of(study)
    return {
        "corpora": texts.corpora,
        "translations": texts.translations,
        "rows": {label: list(systems) for label, systems in rows_chosen(study).items()},
    }
