"""The API: the report of a campaign, its tables and figures, what is behind a number, one segment."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.scoring import SCORING, scoring_of
from annotation.api.tables import FILE, FILES, figures_told, report_json, sent, table_json
from annotation.api.views import OfCampaign
from annotation.models import AuditEvent, Campaign
from annotation.services.dossier import Dossier as Known
from annotation.services.dossier import dossier_read
from annotation.services.report.behind import Behind
from annotation.services.report.compute import Report, campaign_report
from annotation.services.report.document import figure_named, sections_of, table_named
from annotation.services.report.headline import headline
from annotation.services.report.methods import methods
from annotation.services.report.trace import Trace as Found
from annotation.services.report.trace import times_of
from annotation.services.report.trace_asked import ASKED, trace_asked
from annotation.services.report.writers import svg_file
from annotation.services.scoring import options_read
from evalplatform.api import AnyType
from evalplatform.errors import BadInput, NotFound
from evalplatform.files import TABLE_TYPES, attachment
from evalplatform.people import user_of

_FIT = OpenApiParameter("fit", str, enum=["1"], description="fit the mixed model to a large campaign too")
_OWN = ("fit", "file", "flavour", *ASKED)


class OfReport(OfCampaign):
    """Something of a campaign's report."""

    content_negotiation_class = AnyType

    def report(self, request: Request, key: str) -> tuple[Campaign, Report]:
        """Return the campaign and its report."""
        campaign = self.campaign(key)
        options = options_read(campaign, scoring_of(request, besides=_OWN))
        heavy = request.query_params.get("fit") == "1"
        return campaign, campaign_report(
            campaign=campaign, options=options, user=user_of(request), heavy=heavy
        )


class ReportDetail(OfReport):
    """The report of a campaign."""

    @extend_schema(operation_id="campaign_report", parameters=[*SCORING, _FIT], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, key: str) -> Response:
        """Give all of it: words, tables with raw values, addresses of figures, the methods paragraph."""
        campaign, made = self.report(request, key)
        figures = figures_told(request, "api_report_figure", {"key": campaign.key})
        return Response(
            report_json(sections_of(made), figures)
            | {
                "campaign": campaign.name,
                "signature": made.scores["signature"],
                "headline": [{"value": value, "what": what} for value, what in headline(made)],
                "methods": methods(made),
            }
        )


class ReportTable(OfReport):
    """One table of the report; its names stand in the report."""

    @extend_schema(operation_id="campaign_report_table", parameters=[*SCORING, _FIT, *FILE], responses=FILES)
    def get(self, request: Request, key: str, name: str) -> HttpResponseBase:
        """Give it with raw values (JSON, CSV) or as people read it (Markdown, LaTeX)."""
        campaign, made = self.report(request, key)
        table = table_named(sections_of(made), name)
        if table is None:
            raise NotFound("The report has no such table.", "Its names stand in the report.")
        signature = made.scores["signature"]
        AuditEvent.note(
            "report.exported", actor=user_of(request), campaign=campaign, study=campaign.study, table=name
        )
        return sent(request, table, signature, f"{campaign.name}.{name}")


class ReportFigure(OfReport):
    """One figure of the report as SVG."""

    @extend_schema(
        operation_id="campaign_report_figure",
        parameters=[*SCORING, _FIT],
        responses={(200, "image/svg+xml"): OpenApiTypes.STR},
    )
    def get(self, request: Request, key: str, name: str) -> HttpResponseBase:
        """Give the file."""
        campaign, made = self.report(request, key)
        figure = figure_named(sections_of(made), name)
        if figure is None:
            raise NotFound("The report has no such figure.", "Its names stand in the report.")
        return attachment(svg_file(figure), f"{campaign.name}.{name}.svg", TABLE_TYPES["svg"])


class Trace(OfCampaign):
    """What is behind a number of the report: the judgements or segments it is made from."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="campaign_trace",
        parameters=[*(OpenApiParameter(name, str) for name in ASKED), *SCORING, *FILE],
        responses=FILES,
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give it for a `system` (its quantity `of`), a pair (`a`, `b`), a `rater` or a `part`."""
        campaign = self.campaign(key)
        given = scoring_of(request, besides=_OWN)
        found, behind = trace_asked(campaign, given, request.query_params.dict())
        return trace_sent(request, found, behind, campaign.name)


def trace_sent(request: Request, found: Found, behind: Behind, name: str) -> HttpResponseBase:
    """Send what is behind a number, as JSON or as the file that the query asks for.

    Args:
        request: its query names the `file`.
        found: what is behind the number.
        behind: the scores it belongs to.
        name: of the campaign or study.
    """
    times_of(found.table.rows)
    if request.query_params.get("file", "json") != "json":
        return sent(request, found.table, found.signature, f"{name}.trace")
    told: dict[str, Any] = {
        "title": found.title,
        "value": found.value,
        "words": list(found.words),
        "campaigns": [one.name for one in behind.campaigns],
        "options": asdict(behind.options),
    }
    return Response(told | table_json(found.table, found.signature))


class Dossier(OfCampaign):
    """Everything known of one segment: texts, outputs with their metrics, judgements."""

    @extend_schema(
        operation_id="campaign_dossier",
        parameters=[
            OpenApiParameter("testset", str, required=True),
            OpenApiParameter("segment", str, required=True),
            OpenApiParameter("against", str, description="what outputs are compared with, as target:ref"),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, key: str) -> Response:
        """Give it; the keys of the segments before and after are in it."""
        campaign, query = self.campaign(key), request.query_params
        if not (query.get("testset") and query.get("segment")):
            raise BadInput("The segment is not named.", "Give testset and segment.")
        found = dossier_read(
            campaign=campaign,
            testset=query["testset"],
            segment=query["segment"],
            against=query.get("against"),
        )
        return Response(_dossier(found))


def _dossier(found: Known) -> dict[str, Any]:
    return {
        "testset": found.testset,
        "segment": found.key,
        "document": found.document,
        "direction": found.direction,
        "texts": [asdict(one) for one in found.texts],
        "against": found.against,
        "choices": [asdict(one) for one in found.choices],
        "outputs": [asdict(one) for one in found.outputs],
        "campaigns": [
            {
                "key": one.campaign.key,
                "name": one.campaign.name,
                "protocol": one.campaign.protocol,
                "sealed": one.is_sealed,
                "n_judgements": one.n_judgements,
                "items": [asdict(item) for item in one.items],
            }
            for one in found.campaigns
        ],
        "before": found.before,
        "after": found.after,
    }
