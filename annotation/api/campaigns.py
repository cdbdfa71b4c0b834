"""The API: make campaigns, open and close them, invite raters, follow them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.permissions import MaySee
from annotation.api.requests import (
    EstimateSerializer,
    LinkSerializer,
    NewCampaignSerializer,
    RaterSerializer,
    StateSerializer,
    UnsealSerializer,
)
from annotation.api.serializers import CampaignSerializer
from annotation.api.views import OfCampaign, campaigns_of
from annotation.models import Campaign, Participation
from annotation.services.campaign_outlook import campaign_estimate, campaign_power
from annotation.services.campaign_request import CampaignRequest, request_draft, request_owner
from annotation.services.campaigns import (
    CampaignDraft,
    campaign_close,
    campaign_create,
    campaign_open,
    draft_notes,
)
from annotation.services.links import campaign_links
from annotation.services.sealing import campaign_unseal, may_unseal
from annotation.services.waking import scores_wake
from evalplatform.api import asked, filters_check
from evalplatform.asks import NothingAsked
from evalplatform.errors import BadInput, NotAllowed
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


class CampaignList(ListAPIView):
    """List the campaigns a person may see, newest first; make one."""

    permission_classes = [MaySee]
    serializer_class = CampaignSerializer
    queryset = Campaign.objects.none()

    def get_queryset(self) -> QuerySet[Campaign]:
        """Return them with their progress; `name` in the query finds one."""
        found = campaigns_of(self.request)
        name = self.request.query_params.get("name")
        return found.filter(name=name) if name else found

    @extend_schema(parameters=[OpenApiParameter("name", str, description="of the one that is sought")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them."""
        return super().get(request, *args, **kwargs)

    def replay_check(self, told: Any) -> None:
        """Make sure that the campaign of an answer is still this person's to see."""
        if told:
            get_object_or_404(campaigns_of(self.request), key=told["key"])

    @extend_schema(request=NewCampaignSerializer, responses={201: CampaignSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Plan a campaign and write it with its texts, raters and assignments, all or nothing."""
        draft, user = _draft(request)
        made = campaign_create(draft=draft, owner=user)
        body = CampaignSerializer(campaigns_of(request).get(pk=made.pk), context={"request": request}).data
        return Response({**body, "notes": draft_notes(draft)}, status=HTTPStatus.CREATED)


class Estimate(APIView):
    """What a campaign would ask of its raters; nothing is written."""

    permission_classes = [MaySee]

    @extend_schema(request=NewCampaignSerializer, responses=EstimateSerializer)
    def post(self, request: Request) -> Response:
        """Plan it and count."""
        draft, _ = _draft(request)
        found = campaign_estimate(draft=draft)
        return Response(
            {
                "items": found.items,
                "judgements": found.judgements,
                "loads": found.loads,
                "minutes": {rater: round(minutes, 1) for rater, minutes in found.minutes.items()},
                "power": campaign_power(draft=draft),
                "notes": draft_notes(draft),
            }
        )


class State(OfCampaign):
    """Open a campaign to raters, or close it."""

    @extend_schema(request=StateSerializer, responses=CampaignSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Change its state; being there already is a conflict (409)."""
        campaign = self.campaign(key)
        given = asked(StateSerializer, request.data)
        change = campaign_open if given["state"] == "open" else campaign_close
        change(campaign=campaign, actor=user_of(request))
        if campaign.state == Campaign.State.CLOSED:
            scores_wake(campaign=campaign)
        found = campaigns_of(request).get(pk=campaign.pk)
        return Response(CampaignSerializer(found, context={"request": request}).data)


class Unseal(OfCampaign):
    """Open the seal of a campaign before it is closed: for the owner of its study and administrators."""

    @extend_schema(request=UnsealSerializer, responses=CampaignSerializer)
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Open it, for good; the reason stands in the report."""
        campaign, user = self._own(key), user_of(request)
        given = asked(UnsealSerializer, request.data)
        campaign_unseal(campaign=campaign, reason=given["reason"], actor=user)
        found = campaigns_of(request).get(pk=campaign.pk)
        return Response(CampaignSerializer(found, context={"request": request}).data)

    def replay_check(self, told: Any, key: str) -> None:
        """Make sure that this person may still open it."""
        self._own(key)

    def _own(self, key: str) -> Campaign:
        campaign = self.campaign(key)
        if not may_unseal(campaign, user_of(self.request)):
            raise NotAllowed("Only the owner of the study can open the seal.", "Ask the owner.")
        return campaign


RATER = OpenApiParameter("rater", str, description="this one alone; without it everybody")


class Links(OfCampaign):
    """The invitation links of a campaign's raters, for the owner of its study."""

    @extend_schema(parameters=[RATER], responses=LinkSerializer(many=True), operation_id="campaign_links")
    def get(self, request: Request, key: str) -> Response:
        """Give one link a rater, for those who have not left."""
        links = campaign_links(campaign=self._own(key), rater=self._rater())
        return Response([{"rater": rater, "link": link} for rater, link in links])

    @extend_schema(
        request=None,
        parameters=[RATER],
        responses=LinkSerializer(many=True),
        operation_id="campaign_links_renew",
    )
    @idempotent
    def post(self, request: Request, key: str) -> Response:
        """Make new links, for everybody or for the `rater` of the query; older ones stop working."""
        asked(NothingAsked, request.data)
        links = campaign_links(campaign=self._own(key), rater=self._rater(), renew=True)
        return Response([{"rater": rater, "link": link} for rater, link in links])

    def replay_check(self, told: Any, key: str) -> None:
        """Make sure that this person may still have links."""
        self._own(key)

    def _rater(self) -> str:
        """Return whom the query names, "" where it names nobody: then everybody is meant.

        Raises:
            BadInput: it asks for something else, or for a rater without a name.
        """
        filters_check(self.request, self)
        name = self.request.query_params.get("rater")
        if name == "":
            raise BadInput("rater is empty.", "Give a name, or leave it out for everybody.")
        return name or ""

    def _own(self, key: str) -> Campaign:
        """Return the campaign for its owner or an administrator: a link is a rater's identity."""
        campaign = self.campaign(key)
        user = self.request.user
        if not (user.is_staff or campaign.study.owner_id == user.pk):
            raise NotAllowed("Invitation links are for the owner of the study.", "Ask the owner for them.")
        return campaign


class Raters(OfCampaign, ListAPIView):
    """The raters of a campaign, and how far each is."""

    serializer_class = RaterSerializer
    queryset = Participation.objects.none()

    def get_queryset(self) -> QuerySet[Participation]:
        """Return them in the order they were named."""
        found = self.campaign(self.kwargs["key"]).participations
        return found.with_progress().select_related("rater").order_by("pk")

    @extend_schema(responses=RaterSerializer(many=True), operation_id="campaign_raters")
    def get(self, request: Request, key: str) -> Response:
        """List them; a campaign one may not see is not there."""
        return self.list(request)


def _draft(request: Request) -> tuple[CampaignDraft, User | None]:
    """Check what is asked for and plan it; return it and who will own a new study."""
    wish = CampaignRequest(**asked(NewCampaignSerializer, request.data))
    user = User.objects.get(username=request.user.get_username())
    return request_draft(request=wish, user=user), request_owner(request=wish, user=user)
