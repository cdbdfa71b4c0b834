"""The API: forget a rater on request, for administrators."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.asks import NamedSerializer
from annotation.api.views import OfCampaign
from annotation.models import Rater
from annotation.services.forgetting import is_forgotten, rater_forget, rater_traces
from annotation.services.handing_over import leaving_trial
from annotation.services.lookup import rater_named
from evalplatform.api import asked
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.permissions import IsAdministrator


class TracesSerializer(serializers.Serializer):
    """What there is of a rater: what goes when he or she is forgotten, and what stays."""

    rater = serializers.CharField()
    forgotten = serializers.BooleanField()
    campaigns = serializers.ListField(child=serializers.CharField())
    open_campaigns = serializers.ListField(
        child=serializers.CharField(), help_text="the rater leaves them, and open work goes to others"
    )
    judgements = serializers.IntegerField(help_text="they stay")
    comments = serializers.IntegerField()
    remarks = serializers.IntegerField(help_text="words of reports and reasons")
    has_profile = serializers.BooleanField()
    has_panel_id = serializers.BooleanField()
    open_work = serializers.ListField(
        child=serializers.DictField(), help_text="who would get it now: campaign, released, given, short"
    )


class HandedSerializer(serializers.Serializer):
    """Open work of a campaign that goes to others."""

    campaign = serializers.CharField()
    released = serializers.IntegerField(help_text="items taken back")
    given = serializers.DictField(child=serializers.IntegerField(), help_text="items by rater")
    short = serializers.ListField(child=serializers.CharField(), help_text="what nobody takes, in words")


class ForgottenSerializer(serializers.Serializer):
    """A rater who was forgotten."""

    pseudonym = serializers.CharField()
    again = serializers.BooleanField(help_text="it had been done before; nothing was changed")
    handed_over = HandedSerializer(many=True, help_text="open work that went to others")


class Forget(OfCampaign):
    """Remove everything that says who a rater was, in all campaigns of the study; judgements stay."""

    permission_classes = [IsAdministrator]

    def rater(self, key: str, name: str) -> Rater:
        """Return a rater of the campaign, or 404."""
        return rater_named(self.campaign(key), name)

    @extend_schema(
        operation_id="rater_traces",
        parameters=[OpenApiParameter("rater", str, required=True)],
        responses=TracesSerializer,
    )
    def get(self, request: Request, key: str) -> Response:
        """Say what would go and what would stay; nothing is changed."""
        rater = self.rater(key, request.query_params.get("rater", ""))
        told: dict[str, Any] = {"rater": rater.name, "forgotten": is_forgotten(rater)}
        work = [] if is_forgotten(rater) else [asdict(one) for one in leaving_trial(rater=rater)]
        return Response(told | asdict(rater_traces(rater=rater)) | {"open_work": work})

    @extend_schema(operation_id="rater_forget", request=NamedSerializer, responses=ForgottenSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Forget the rater, for good; the name gives way to a pseudonym drawn at random."""
        given = asked(NamedSerializer, request.data)
        done = rater_forget(rater=self.rater(key, given["rater"]), actor=user_of(request))
        return Response(asdict(done))
