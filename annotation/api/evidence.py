"""The API: metrics beside people, campaigns side by side, looks at a running one, items judged again."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.asks import (
    LookSerializer,
    MetricsSerializer,
    RoundSerializer,
    ScoringAskedSerializer,
    TakenLooksSerializer,
)
from annotation.api.scoring import SCORING, scoring_of
from annotation.api.tables import FILE, FILES, file_of
from annotation.api.views import OfCampaign
from annotation.models import Campaign
from annotation.services.compare import campaigns_compare
from annotation.services.correlate import campaigns_correlate
from annotation.services.correlate_asked import correlation_asked
from annotation.services.correlate_options import BY, SEGMENTS
from annotation.services.correlate_scoring import asked_told, campaign_metrics_score
from annotation.services.correlate_tables import TABLES, tables_of
from annotation.services.correlate_write import correlate_csv
from annotation.services.looks import campaign_look, looks_taken
from annotation.services.report.latex import to_latex
from annotation.services.round_words import round_sentences, rounds_told
from annotation.services.rounds import RoundDraft, round_assign, round_draft
from annotation.services.scoring import options_read
from evalplatform.api import AnyType, asked
from evalplatform.errors import BadInput
from evalplatform.files import TABLE_TYPES, attachment
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


class Correlation(OfCampaign):
    """How automatic metrics and people agree, over systems and over segments."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="campaign_correlation",
        parameters=[
            OpenApiParameter("metric", str, many=True, description="by default those with scores"),
            OpenApiParameter("with", str, many=True, description="keys of campaigns of the study, beside it"),
            OpenApiParameter("reference", str),
            OpenApiParameter("scores", str, enum=("z", "raw")),
            OpenApiParameter("by", str, enum=BY),
            OpenApiParameter("segments", str, enum=SEGMENTS),
            OpenApiParameter("table", str, enum=TABLES, description="which one CSV and LaTeX write"),
            *(one for one in FILE if one.name == "flavour"),
            OpenApiParameter("file", str, enum=("json", "csv", "tex"), default="json"),
        ],
        responses={kind: what for kind, what in FILES.items() if kind[1] != TABLE_TYPES["md"]},
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give coefficients with intervals, tests between metrics, pairs, and the segments farthest apart."""
        campaign = self.campaign(key)
        visible = Campaign.objects.visible_to(request.user)
        campaigns, options = correlation_asked(campaign, visible, request.query_params)
        ending = file_of(request, ("json", "csv", "tex"))
        table = request.query_params.get("table", TABLES[0])
        if table not in TABLES:
            raise BadInput(f"There is no table “{table}”.", f"Give table as one of {', '.join(TABLES)}.")
        flavour = request.query_params.get("flavour", "exact")
        if flavour not in ("exact", "spreadsheet"):
            raise BadInput(f"There is no flavour “{flavour}”.", "Give exact or spreadsheet.")
        result = campaigns_correlate(campaigns=campaigns, options=options)
        if ending == "json":
            return Response(result)
        tables = [one for one in tables_of(result, table) if one.rows]
        text = (
            correlate_csv(result, table, flavour)
            if ending == "csv"
            else "\n".join(to_latex(one, result["signature"]) for one in tables)
        )
        return attachment(text, f"{campaign.name}.{table}.{ending}", TABLE_TYPES[ending])

    @extend_schema(
        request=MetricsSerializer,
        responses=ScoringAskedSerializer,
        operation_id="campaign_correlation_score",
    )
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Have the outputs of the campaign scored by metrics; large test sets become runs."""
        campaign, given = self.campaign(key), asked(MetricsSerializer, request.data)
        done = campaign_metrics_score(campaign=campaign, user=user_of(request), **given)
        return Response(
            {"scored": done.scored, "runs": [run.pk for run in done.runs], "message": asked_told(done)}
        )


class Compare(OfCampaign):
    """Two campaigns about the same systems."""

    @extend_schema(
        operation_id="campaign_compare",
        parameters=[OpenApiParameter("with", str, required=True, description="key of the other"), *SCORING],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, key: str) -> Response:
        """Put their scores side by side: correlation, differences, decisions that agree."""
        first = self.campaign(key)
        visible = Campaign.objects.visible_to(request.user)
        other = request.query_params.get("with", "")
        if not other:
            raise BadInput("The other campaign is not named.", "Give its key in with.")
        second = get_object_or_404(visible, key=other)
        options = options_read(first, scoring_of(request, besides=("with",)))
        return Response(campaigns_compare(first=first, second=second, options=options, user=user_of(request)))


class Looks(OfCampaign):
    """Tests while a campaign runs, without paying for them with false alarms."""

    @extend_schema(responses=TakenLooksSerializer, operation_id="campaign_looks")
    def get(self, request: Request, key: str) -> Response:
        """List the looks that were taken, the first one first; none is taken by that."""
        return Response(TakenLooksSerializer({"looks": looks_taken(self.campaign(key))}).data)

    @extend_schema(request=LookSerializer, responses=OpenApiTypes.OBJECT, operation_id="campaign_look")
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Look now; the look is recorded, and later ones pay for it."""
        campaign, given = self.campaign(key), asked(LookSerializer, request.data)
        found = campaign_look(campaign=campaign, actor=user_of(request), **given)
        return Response(found.as_dict())


class Rounds(OfCampaign):
    """Items on which raters differ too much, judged once more."""

    @extend_schema(operation_id="campaign_round", parameters=[RoundSerializer], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, key: str) -> Response:
        """Say what would be given out now, and what has been."""
        campaign = self.campaign(key)
        given = asked(RoundSerializer, request.query_params.dict(), loose=True)
        draft = round_draft(campaign=campaign, **given)
        return Response(_round(draft) | {"before": list(rounds_told(campaign))})

    @extend_schema(
        request=RoundSerializer, responses=OpenApiTypes.OBJECT, operation_id="campaign_round_assign"
    )
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Give them out; no item comes back twice."""
        campaign, given = self.campaign(key), asked(RoundSerializer, request.data)
        return Response(_round(round_assign(campaign=campaign, actor=user_of(request), **given)))


def _round(draft: RoundDraft) -> dict[str, Any]:
    return draft.as_dict() | {"n_judgements": draft.n_judgements, "words": round_sentences(draft)}
