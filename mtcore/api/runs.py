"""The API: runs of heavy work and corpora, for administrators."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalplatform.errors import BadInput
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.permissions import IsAdministrator
from mtcore.api.serializers import ChangeSerializer, CorpusSerializer, NewRunSerializer, RunSerializer
from mtcore.models import Corpus, Run
from mtcore.services.runs import run_cancel, run_find, run_launch, run_resume

_FILTERS = ("kind", "state", "queue")


class RunList(ListAPIView):
    """List runs, newest first; launch one."""

    permission_classes = [IsAdministrator]
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[Run]:
        """Return those that `kind`, `state` and `queue` in the query keep."""
        given = {
            name: self.request.query_params[name] for name in _FILTERS if name in self.request.query_params
        }
        return Run.objects.filter(**given).prefetch_related("parents").order_by("-pk")

    @extend_schema(parameters=[OpenApiParameter(name, str) for name in _FILTERS])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them."""
        return super().get(request, *args, **kwargs)

    @extend_schema(request=NewRunSerializer, responses={201: RunSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Put a run in the queue; its options are those that the pages and commands launch it with."""
        asked = NewRunSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            run = run_launch(**asked.validated_data, requested_by=user_of(request))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(
                f"An option of the run is missing or wrong: {error}.", "Compare with a run of this kind."
            ) from error
        return Response(RunSerializer(run).data, status=HTTPStatus.CREATED)


class RunDetail(RetrieveAPIView):
    """Show one run."""

    permission_classes = [IsAdministrator]
    serializer_class = RunSerializer
    queryset = Run.objects.prefetch_related("parents")


class RunCancel(APIView):
    """Cancel a run."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=None, responses=ChangeSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Ask it to stop; asking twice is asking once."""
        return Response(ChangeSerializer(run_cancel(run=run_find(pk))).data)


class RunResume(APIView):
    """Let a failed or cancelled run go on."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=None, responses=ChangeSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Put it back in the queue with what it waits for; asking twice is asking once."""
        return Response(ChangeSerializer(run_resume(run=run_find(pk))).data)


class CorpusList(ListAPIView):
    """List corpora."""

    permission_classes = [IsAdministrator]
    serializer_class = CorpusSerializer
    queryset = Corpus.objects.prefetch_related("derived_from").order_by("name")


class CorpusDetail(RetrieveAPIView):
    """Show one corpus."""

    permission_classes = [IsAdministrator]
    serializer_class = CorpusSerializer
    queryset = Corpus.objects.prefetch_related("derived_from")
