"""The API: campaigns, scores, judgements with z, tokens."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.authtoken import models as authtoken
from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.generics import RetrieveAPIView
from rest_framework.parsers import FormParser
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.views import APIView

from annotation.api.permissions import MaySee
from annotation.api.scoring import SCORING, scoring_of
from annotation.api.serializers import CampaignDetailSerializer
from annotation.models import AuditEvent, Campaign, Item
from annotation.services.judgement_export import JudgementPages
from annotation.services.judgement_filter import ORDERS, filter_read, names_check
from annotation.services.scoring import campaign_score, options_read
from annotation.services.sealing import seal_check
from annotation.stats.standardise import POPULATIONS
from evalplatform.api import Pages, PlainMultiPartParser, StrictJSONParser, filters_check

FOR_ALL = (
    "campaigns", "estimate", "import", "studies", "testsets", "systems", "token", "schema", "docs",
)  # fmt: skip
FOR_STAFF = ("runs", "corpora", "users", "audit")
"""What has an address of its own, for everybody who is signed in and for administrators."""
PARTS = (
    "scores", "judgements", "raters", "links", "state", "report", "reliability", "correlation", "compare",
    "looks", "round", "before", "timesheets", "joining", "trace", "dossier", "plan", "unseal", "audit",
    "change", "delete",
)  # fmt: skip
"""What a campaign has below its own address."""


FILTERS = [
    OpenApiParameter("rater", str),
    OpenApiParameter("system", str),
    OpenApiParameter("kind", str, enum=list(Item.Kind.values), description="of the item"),
    OpenApiParameter("testset", str),
    OpenApiParameter("segment", str, description="its key, its number, or a range of numbers as 3-9"),
    OpenApiParameter("low", float, description="lowest score"),
    OpenApiParameter("high", float, description="highest score"),
    OpenApiParameter("prefers", str, description="the system that is better, or equal"),
    OpenApiParameter("excluded", str, enum=["yes", "no"], description="whether the rater is"),
    OpenApiParameter("comment", str, enum=["yes"], description="with a comment"),
    OpenApiParameter("problem", str, enum=["yes"], description="with a reported problem"),
    OpenApiParameter("corrected", str, enum=["yes"], description="given otherwise before"),
    OpenApiParameter("q", str, description="words in a comment or a text, as they stand"),
    OpenApiParameter("order", str, enum=list(ORDERS), default="rater"),
]


class Endpoints(APIView):
    """List what the API has; `{key}` stands for a campaign's key."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="addresses")
    def get(self, request: Request) -> Response:
        """Return the addresses by name."""
        listed = (*FOR_ALL, *FOR_STAFF) if request.user.is_staff else FOR_ALL
        found = {name: request.build_absolute_uri(reverse(f"api_{name}")) for name in listed}
        one = f"{found['campaigns']}{{key}}/"
        return Response(found | {"campaign": one} | {part: f"{one}{part}/" for part in PARTS})


class CampaignDetail(RetrieveAPIView):
    """Show one campaign."""

    permission_classes = [MaySee]
    serializer_class = CampaignDetailSerializer
    lookup_field = "key"

    def get_queryset(self) -> QuerySet[Campaign]:
        """Return those among which it may be."""
        return campaigns_of(self.request)


def campaigns_of(request: Request) -> QuerySet[Campaign]:
    """Return the campaigns a person may see, with their progress."""
    return Campaign.objects.visible_to(request.user).with_progress().select_related("study")


class OfCampaign(APIView):
    """Something of one campaign."""

    permission_classes = [MaySee]

    def campaign(self, key: str) -> Campaign:
        """Return the campaign when this person may see it; otherwise 404."""
        found = get_object_or_404(Campaign.objects.visible_to(self.request.user), key=key)
        self.check_object_permissions(self.request, found)
        return found

    def replay_check(self, told: Any, key: str) -> None:
        """Make sure that this person may still have an answer given before."""
        self.campaign(key)


class Scores(OfCampaign):
    """Scores of a campaign, computed with the options of the query (those of `score_campaign`)."""

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="campaign_scores", parameters=SCORING)
    def get(self, request: Request, key: str) -> Response:
        """Score; the same options and judgements give the stored result."""
        campaign = self.campaign(key)
        options = options_read(campaign, scoring_of(request))
        return Response(campaign_score(campaign=campaign, options=options, user=request.user).result)


class Judgements(OfCampaign):
    """The current judgements of a campaign with z, in pages; keys are the columns of our CSV."""

    @extend_schema(
        operation_id="campaign_judgements",
        responses=OpenApiTypes.OBJECT,
        parameters=[
            OpenApiParameter("population", str, enum=list(POPULATIONS), default="all"),
            OpenApiParameter("limit", int),
            OpenApiParameter("offset", int),
            *FILTERS,
        ],
    )
    def get(self, request: Request, key: str) -> Response:
        """Return one page; `population` names the ratings behind z, the others choose judgements."""
        campaign = self.campaign(key)
        given = request.query_params.dict()
        seal_check(campaign)
        filters_check(request, self)
        wanted = filter_read(given)
        names_check(campaign, wanted)
        pages = JudgementPages(campaign, given.get("population", "all"), wanted)
        paginator = Pages()
        rows: list[dict[str, Any]] = paginator.paginate_queryset(pages, request, view=self) or []
        return paginator.get_paginated_response(rows)


class TokenRequests(AnonRateThrottle):
    """Ten attempts a minute from one address."""

    rate = "10/min"


class Token(ObtainAuthToken):
    """Give the token of a user in return for username and password."""

    permission_classes = [AllowAny]
    authentication_classes = []
    throttle_classes = [TokenRequests]
    parser_classes = [StrictJSONParser, FormParser, PlainMultiPartParser]

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Give it, and keep who asked."""
        response = super().post(request, *args, **kwargs)
        owner = authtoken.Token.objects.select_related("user").get(key=response.data["token"]).user
        AuditEvent.note("token.taken", actor=owner)
        return response

    def get_serializer_context(self) -> dict[str, Any]:
        """Let whoever counts wrong passwords see the request as the server has it."""
        return {**super().get_serializer_context(), "request": self.request._request}
