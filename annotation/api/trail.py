"""The API: the audit trail, of everything for administrators, of one campaign for its owner."""

from __future__ import annotations

from typing import IO

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.api.permissions import own_study
from annotation.api.tables import file_of
from annotation.api.views import OfCampaign
from annotation.models import AuditEvent, Campaign
from annotation.services.judgement_export import FILE_TYPES
from annotation.services.trail import FILTERS as NAMES
from annotation.services.trail import LONGEST, event_told, events_find, trail_csv, wish_read
from evalplatform.api import AnyType, Pages, filters_check
from evalplatform.files import written
from mtcore.api.permissions import IsAdministrator
from mtcore.corpora.spreadsheets import FLAVOURS


def _words(name: str, description: str) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "string", "maxLength": LONGEST}, description=description)


ASKED = [
    _words("who", "part of the name of a person, a rater or a command"),
    _words("about", "part of the name of a study, a campaign, or anything else an event names"),
    _words("what", "the name of an action"),
    OpenApiParameter("since", OpenApiTypes.DATE, description="first day"),
    OpenApiParameter("until", OpenApiTypes.DATE, description="last day"),
    OpenApiParameter("file", str, enum=["json", "csv"], default="json"),
    OpenApiParameter("flavour", str, enum=FLAVOURS, default="exact", description="of CSV"),
    OpenApiParameter("limit", int, description="of JSON"),
    OpenApiParameter("offset", int, description="of JSON"),
]
"""What may be asked of the trail."""


class EventSerializer(serializers.Serializer):
    """What somebody changed or took."""

    at = serializers.DateTimeField()
    who = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(["", "person", "rater"])
    command = serializers.CharField(allow_blank=True)
    action = serializers.CharField()
    campaign = serializers.CharField(allow_blank=True)
    study = serializers.CharField(allow_blank=True)
    data = serializers.DictField()  # type: ignore[assignment]


class TrailSerializer(serializers.Serializer):
    """A page of events, the newest first."""

    count = serializers.IntegerField()
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = EventSerializer(many=True)


ANSWERS = {(200, "application/json"): TrailSerializer, (200, "text/csv"): OpenApiTypes.STR}


class Trail(APIView):
    """Who changed what, and who took data out."""

    permission_classes = [IsAdministrator]
    content_negotiation_class = AnyType

    @extend_schema(operation_id="audit", parameters=ASKED, responses=ANSWERS)
    def get(self, request: Request) -> HttpResponseBase:
        """Give a page of events as JSON, the newest first, or all of them as CSV; taking them is noted."""
        return _given(request, self, None)


class CampaignTrail(OfCampaign):
    """Who changed a campaign, and who took data out of it."""

    content_negotiation_class = AnyType

    @extend_schema(operation_id="campaign_audit", parameters=ASKED, responses=ANSWERS)
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """Give it to the owner of the study and to administrators."""
        campaign = self.campaign(key)
        own_study(request, campaign.study)
        return _given(request, self, campaign)


def _given(request: Request, view: APIView, campaign: Campaign | None) -> HttpResponseBase:
    filters_check(request, view)
    query = request.query_params
    wish = wish_read({name: query.get(name, "").strip() for name in NAMES})
    events = events_find(wish=wish, campaign=campaign)
    if file_of(request, ("json", "csv")) == "csv":

        def write(stream: IO[str]) -> None:
            trail_csv(events=events, stream=stream, flavour=query.get("flavour", "exact"))

        name = f"{campaign.name}.audit.csv" if campaign else "audit.csv"
        return written(write, name, FILE_TYPES["csv"])
    pages = Pages()
    found: list[AuditEvent] = pages.paginate_queryset(events, request, view=view) or []
    return pages.get_paginated_response([event_told(one) for one in found])
