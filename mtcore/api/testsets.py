"""The API: test sets, their outputs, systems."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from evalplatform.idempotency import idempotent
from mtcore.api.serializers import (
    NewOutputSerializer,
    NewTestSetSerializer,
    OutputSerializer,
    SystemSerializer,
    TestSetSerializer,
)
from mtcore.models import System, SystemOutput, TestSet
from mtcore.models.testset import TestSetQuerySet
from mtcore.services.given_texts import text_given
from mtcore.services.outputs import output_import
from mtcore.services.testsets import TestSetDraft, testset_create, testset_draft

DEFAULT = "reference"


class TestSetList(ListAPIView):
    """List test sets; import one."""

    __test__ = False  # not a test class
    permission_classes = [IsAuthenticated]
    serializer_class = TestSetSerializer

    def get_queryset(self) -> QuerySet[TestSet]:
        """Return those that are listed; `name` in the query finds one, also of practice."""
        name = self.request.query_params.get("name")
        return testsets_told().filter(name=name) if name else testsets_told().listed()

    @extend_schema(parameters=[OpenApiParameter("name", str, description="of the one that is sought")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them."""
        return super().get(request, *args, **kwargs)

    @extend_schema(request=NewTestSetSerializer, responses={201: TestSetSerializer, 200: TestSetSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Import a test set; the very same one again is found, not doubled (200)."""
        asked = NewTestSetSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        testset, created = testset_create(_draft(asked.validated_data))
        body = TestSetSerializer(testsets_told().get(pk=testset.pk)).data
        return Response(body, status=HTTPStatus.CREATED if created else HTTPStatus.OK)


class TestSetDetail(RetrieveAPIView):
    """Show one test set."""

    __test__ = False
    permission_classes = [IsAuthenticated]
    serializer_class = TestSetSerializer

    def get_queryset(self) -> QuerySet[TestSet]:
        """Return all."""
        return testsets_told()


class OutputList(ListAPIView):
    """List the outputs on a test set; import one."""

    permission_classes = [IsAuthenticated]
    serializer_class = OutputSerializer
    queryset = SystemOutput.objects.none()

    def get_queryset(self) -> QuerySet[SystemOutput]:
        """Return those on this test set."""
        testset = get_object_or_404(TestSet, pk=self.kwargs["pk"])
        return testset.outputs.select_related("system", "testset", "input_version").order_by("pk")

    @extend_schema(request=NewOutputSerializer, responses={201: OutputSerializer, 200: OutputSerializer})
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Import a system's output; the very same one again is found, not doubled (200)."""
        testset = get_object_or_404(TestSet, pk=pk)
        asked = NewOutputSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given: dict[str, Any] = asked.validated_data
        output, created, notices = output_import(
            testset=testset.name,
            system=given["system"],
            text=text_given(given["text"], name=given["system"], file="text"),
            input_version=given["input_version"],
            kind=given["kind"],
        )
        body = {**OutputSerializer(output, context={"request": request}).data, "notices": list(notices)}
        return Response(body, status=HTTPStatus.CREATED if created else HTTPStatus.OK)


class SystemList(ListAPIView):
    """List systems."""

    permission_classes = [IsAuthenticated]
    serializer_class = SystemSerializer
    queryset = System.objects.listed().annotate(n_outputs=Count("outputs")).order_by("name")


def testsets_told() -> TestSetQuerySet:
    """Return all test sets, with what is told of each."""
    return (
        TestSet.objects.annotate(n_segments=Count("segments"))
        .prefetch_related("versions__derived_from")
        .order_by("name")
    )


def _draft(given: dict[str, Any]) -> TestSetDraft:
    doubles = given["double_translations"]
    documents = given["documents"]
    return testset_draft(
        name=given["name"],
        languages=given["languages"],
        sources=[text_given(given["source"], name="", file="source")],
        references=[
            text_given(text, name="" if name == DEFAULT else name, file=f"reference {name}")
            for name, text in given["references"].items()
        ],
        double_translations=[
            (one["side"], text_given(one["text"], name=one["name"], file=f"double translation {one['name']}"))
            for one in doubles
        ],
        derived_from=[one["derived_from"] for one in doubles if one["derived_from"]],
        direction=given["direction"],
        documents=text_given(documents, name="documents", file="documents") if documents else None,
    )
