"""The API: judgements made elsewhere, imported from a file that is sent."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.serializers import CampaignSerializer
from annotation.api.views import campaigns_of
from annotation.formats import FORMATS
from annotation.protocols import PROTOCOLS
from annotation.services.judgement_upload import LONGEST_MAP, upload_import
from evalplatform.api import PlainMultiPartParser, asked
from evalplatform.asks import Asked
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


def _said(longest: int, help_text: str) -> serializers.CharField:
    return serializers.CharField(
        max_length=longest, default="", allow_blank=True, trim_whitespace=False, help_text=help_text
    )


class ImportSerializer(Asked):
    """A file of judgements, and what it does not say itself; as `import_judgements` takes them."""

    campaign = serializers.CharField(
        max_length=120, trim_whitespace=False, help_text="to make, or of an import before, to add to"
    )
    file = serializers.FileField(help_text="plain or .gz, at most 20 MB")
    format = serializers.ChoiceField(list(FORMATS))
    protocol = serializers.ChoiceField(sorted(PROTOCOLS), default="", allow_blank=True)
    languages = _said(80, "source and target, as cs-en")
    testset = _said(120, "a test set with texts that the segments belong to")
    map = _said(
        LONGEST_MAP,
        "columns of a foreign table, as rater=COL,system=COL,segment=COL,score=COL; also kind, group, time",
    )
    scale = _said(60, "lowest and highest score, as 0-100")
    unknown_kinds = serializers.ChoiceField(["refuse", "skip"], default="refuse")
    study = _said(120, "of a new campaign; without it, its own")


class ImportedSerializer(serializers.Serializer):
    """What an import did."""

    campaign = CampaignSerializer()
    n_judgements = serializers.IntegerField()
    n_identical = serializers.IntegerField(help_text="items whose two sides are the same")
    n_raters = serializers.IntegerField()
    n_systems = serializers.IntegerField()
    kinds = serializers.DictField(child=serializers.IntegerField(), help_text="judgements by kind of item")
    notices = serializers.ListField(child=serializers.CharField())


class ImportJudgements(APIView):
    """Judgements made elsewhere."""

    permission_classes = [IsAuthenticated]
    parser_classes = [PlainMultiPartParser]
    asks = ImportSerializer

    def replay_check(self, told: Any) -> None:
        """Make sure that the campaign of an answer is still this person's to see."""
        if told:
            get_object_or_404(campaigns_of(self.request), key=told["campaign"]["key"])

    @extend_schema(
        operation_id="judgements_import",
        request={"multipart/form-data": ImportSerializer},
        responses={201: ImportedSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Import a file into a closed campaign, all of it or nothing; the campaign is made where none is."""
        given = asked(ImportSerializer, request.data)
        done = upload_import(upload=given.pop("file"), given=given, user=user_of(request))
        made = campaigns_of(request).get(pk=done.campaign.pk)
        body = {
            "campaign": CampaignSerializer(made, context={"request": request}).data,
            "n_judgements": done.n_judgements,
            "n_identical": done.n_identical,
            "n_raters": done.n_raters,
            "n_systems": done.n_systems,
            "kinds": done.kinds,
            "notices": done.notices,
        }
        return Response(body, status=HTTPStatus.CREATED)
