"""The API: change or delete a campaign that was never opened, for the owner of its study."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.permissions import own_study
from annotation.api.views import OfCampaign
from annotation.models import Campaign
from annotation.services.campaign_request import settings_typed
from annotation.services.drafts import NEEDS_NO_PLAN, draft_change, draft_delete, draft_traces, is_draft
from evalplatform.api import asked
from evalplatform.asks import Asked, NothingAsked
from evalplatform.errors import Conflict
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


class DraftTracesSerializer(serializers.Serializer):
    """What goes with a draft; test sets and outputs stay."""

    items = serializers.IntegerField()
    assignments = serializers.IntegerField()
    links = serializers.IntegerField()
    practice = serializers.IntegerField(help_text="practice and calibration items")
    raters = serializers.ListField(
        child=serializers.CharField(), help_text="those who are in no other campaign"
    )
    study = serializers.CharField(
        help_text="the study that was made with it and holds nothing else, or empty"
    )


class DraftChangeSerializer(Asked):
    """What is to be different in a draft; what is not said stays."""

    name = serializers.CharField(max_length=120, required=False)
    guidelines = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    consent = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    settings = serializers.DictField(
        child=serializers.JSONField(),
        default=dict,
        help_text=f"by name, as for a new campaign: {', '.join(sorted(NEEDS_NO_PLAN))}",
    )


class DraftChangedSerializer(serializers.Serializer):
    """The names of what is different now."""

    changed = serializers.ListField(child=serializers.CharField())


class _OfDraft(OfCampaign):
    """Something of a draft, for the owner of its study and administrators."""

    def own(self, key: str) -> Campaign:
        """Return the campaign for who may change it."""
        campaign = self.campaign(key)
        own_study(self.request, campaign.study)
        return campaign


class DraftDelete(_OfDraft):
    """Delete a draft with its plan and links."""

    @extend_schema(operation_id="campaign_delete_traces", responses=DraftTracesSerializer)
    def get(self, request: Request, key: str) -> Response:
        """Say what would go; nothing is changed. 409 once the campaign was opened."""
        campaign = self.own(key)
        if not is_draft(campaign):
            raise Conflict(f"“{campaign.name}” is no draft any more.", "Close it instead.")
        return Response(asdict(draft_traces(campaign=campaign)))

    @extend_schema(operation_id="campaign_delete", request=None, responses=DraftTracesSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Delete it, for good; 409 once the campaign was opened, or anybody has answered."""
        campaign = self.own(key)
        asked(NothingAsked, request.data)
        return Response(asdict(draft_delete(campaign=campaign, actor=user_of(request))))

    def replay_check(self, told: Any, key: str) -> None:
        """Let who deleted it have the answer again: answers are kept by person, and the draft is gone."""
        if Campaign.objects.filter(key=key).exists():
            self.own(key)


class DraftChange(_OfDraft):
    """Change a draft in what needs no plan."""

    @extend_schema(
        operation_id="campaign_change", request=DraftChangeSerializer, responses=DraftChangedSerializer
    )
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Change what is said; 409 once the campaign was opened, or anybody has answered."""
        campaign = self.own(key)
        given = asked(DraftChangeSerializer, request.data)
        made = settings_typed(given.pop("settings"), NEEDS_NO_PLAN)
        changed = draft_change(campaign=campaign, change=given, made=made, actor=user_of(request))
        return Response({"changed": changed})

    def replay_check(self, told: Any, key: str) -> None:
        """Make sure that this person may still change it."""
        self.own(key)
