"""The API: the named test sets of sacrebleu."""

from __future__ import annotations

from http import HTTPStatus

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalplatform.api import asked
from evalplatform.asks import Asked
from evalplatform.idempotency import idempotent
from mtcore.api.serializers import TestSetSerializer
from mtcore.api.testsets import testsets_told
from mtcore.services.testset_named import named_draft, named_sets
from mtcore.services.testsets import testset_create


class NamedSetSerializer(serializers.Serializer):
    """A named test set."""

    name = serializers.CharField()
    description = serializers.CharField()
    pairs = serializers.ListField(child=serializers.CharField())


class NamedSetAsked(Asked):
    """A named test set to be imported, as `import_testset --sacrebleu` takes it."""

    name = serializers.CharField(max_length=120, help_text="what it is to be called here")
    sacrebleu = serializers.CharField(max_length=60, help_text="as wmt19")
    languages = serializers.CharField(max_length=80, help_text="as en-de")


class NamedSets(APIView):
    """The named test sets of sacrebleu."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="testsets_named", responses=NamedSetSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List them with their language pairs; whether they are in the cache is seen when one is imported."""
        return Response(NamedSetSerializer(named_sets(), many=True).data)

    @extend_schema(
        operation_id="testsets_named_import",
        request=NamedSetAsked,
        responses={201: TestSetSerializer, 200: TestSetSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Import one, from sacrebleu's cache or the network; what cannot be reached is said (409)."""
        given = asked(NamedSetAsked, request.data)
        draft = named_draft(name=given["name"], named=given["sacrebleu"], languages=given["languages"])
        testset, created = testset_create(draft)
        body = TestSetSerializer(testsets_told().get(pk=testset.pk)).data
        return Response(body, status=HTTPStatus.CREATED if created else HTTPStatus.OK)
