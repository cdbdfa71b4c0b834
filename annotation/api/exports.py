"""The API: a campaign's judgements and plan as files, written row by row and streamed."""

from __future__ import annotations

from typing import IO, Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from annotation.api.asks import ExportSerializer, PlanSerializer
from annotation.api.views import OfCampaign
from annotation.models import AuditEvent
from annotation.services.judgement_export import (
    BINARY_FORMATS,
    FILE_ENDINGS,
    FILE_TYPES,
    judgements_export,
)
from annotation.services.plan_export import plan_export
from evalplatform.api import AnyType, asked
from evalplatform.files import written
from evalplatform.people import user_of


class JudgementsFile(OfCampaign):
    """The judgements of a campaign as a file."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="campaign_judgements_file",
        parameters=[ExportSerializer],
        responses={
            (200, kind.partition(";")[0]): OpenApiTypes.BINARY if "parquet" in kind else OpenApiTypes.STR
            for kind in FILE_TYPES.values()
        },
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give raw scores and z in our own columns, which import_judgements reads back, or Appraise's."""
        campaign = self.campaign(key)
        given = asked(ExportSerializer, request.query_params.dict(), loose=True)
        form = given.pop("file")

        def write(stream: IO[Any]) -> None:
            judgements_export(campaign=campaign, stream=stream, format=form, user=user_of(request), **given)

        name = f"{campaign.name}.judgements.{FILE_ENDINGS.get(form, form)}"
        return written(write, name, FILE_TYPES[form], binary=form in BINARY_FORMATS)


class PlanFile(OfCampaign):
    """Who judges what, in which order, on which side. It names the systems: not for raters."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="campaign_plan",
        parameters=[PlanSerializer],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give the plan as CSV."""
        campaign = self.campaign(key)
        given = asked(PlanSerializer, request.query_params.dict(), loose=True)

        def write(stream: IO[str]) -> None:
            plan_export(campaign=campaign, stream=stream, **given)

        AuditEvent.note("plan.exported", actor=user_of(request), campaign=campaign, study=campaign.study)
        return written(write, f"{campaign.name}.plan.csv", FILE_TYPES["csv"])
