"""The API: one output – how it came about, its lines beside source and reference, its text."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import RetrieveAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalplatform.api import AnyType, asked
from evalplatform.asks import Asked
from evalplatform.files import written
from mtcore.api.serializers import OutputSerializer
from mtcore.models import SystemOutput
from mtcore.services.output_look import (
    CHECKS,
    DIRECTIONS,
    output_file_name,
    output_look,
    output_reference,
    output_write,
)

MOST_LINES = 1000


class LinesAsked(Asked):
    """Which lines of an output are wanted."""

    first = serializers.IntegerField(default=1, min_value=1, max_value=10**9, help_text="the line from which")
    limit = serializers.IntegerField(default=25, min_value=1, max_value=MOST_LINES)
    direction = serializers.ChoiceField(["", *DIRECTIONS], default="")
    check = serializers.ChoiceField(["", *CHECKS], default="", help_text="only lines to which this objects")
    reference = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=120,
        help_text="a version of the target side; none: the first",
    )


class LineSerializer(serializers.Serializer):
    """A line of an output beside its source and reference."""

    line = serializers.IntegerField(source="segment.position")
    segment = serializers.CharField(source="segment.key")
    document = serializers.CharField(source="segment.document.name", default=None, allow_null=True)
    direction = serializers.CharField(source="segment.direction")
    source = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    text = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    status = serializers.CharField()
    checks = serializers.ListField(child=serializers.CharField())


class LinesSerializer(serializers.Serializer):
    """Some lines, and how many of the chosen direction each check objects to."""

    count = serializers.IntegerField(source="n_found")
    checks = serializers.DictField(source="counts", child=serializers.IntegerField())
    previous = serializers.IntegerField(help_text="ask for these by `first`; 0: there are none")
    next = serializers.IntegerField()
    lines = LineSerializer(many=True)


class OutputDetail(RetrieveAPIView):
    """Show one output."""

    permission_classes = [IsAuthenticated]
    serializer_class = OutputSerializer
    queryset = SystemOutput.objects.select_related("system", "testset", "input_version")


class OutputLines(APIView):
    """The lines of an output."""

    permission_classes = [IsAuthenticated]

    @extend_schema(operation_id="output_lines", parameters=[LinesAsked], responses=LinesSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """Give some of them beside source and reference, with what is odd in them."""
        output = get_object_or_404(SystemOutput.objects.select_related("testset"), pk=pk)
        given = asked(LinesAsked, request.query_params)
        look = output_look(
            output, first=given["first"], n=given["limit"], direction=given["direction"],
            check=given["check"], reference=output_reference(output, given["reference"]),
        )  # fmt: skip
        return Response(LinesSerializer(look).data)


class OutputText(APIView):
    """The text of an output."""

    permission_classes = [IsAuthenticated]
    content_negotiation_class = AnyType

    @extend_schema(operation_id="output_text", responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Give all of it, a segment a line."""
        output = get_object_or_404(
            SystemOutput.objects.select_related("system", "testset", "input_version"), pk=pk
        )
        return written(
            lambda stream: output_write(output, stream), output_file_name(output), "text/plain; charset=utf-8"
        )
