"""The API: runs of heavy work, for administrators."""

from __future__ import annotations

from http import HTTPStatus
from io import BufferedReader
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalplatform.api import AnyType, asked
from evalplatform.asks import NothingAsked
from evalplatform.errors import BadInput, NotFound
from evalplatform.files import disposition
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.asks import OptionalSerializer
from mtcore.api.permissions import IsAdministrator
from mtcore.api.serializers import ChangeSerializer, NewRunSerializer, RunSerializer
from mtcore.models import Run
from mtcore.services.run_context import run_directory
from mtcore.services.run_files import manifest_of, run_file_find
from mtcore.services.run_kinds import RUN_KINDS
from mtcore.services.run_once import run_again
from mtcore.services.runs import run_cancel, run_find, run_launch, run_resume

_FILTERS = {"kind": sorted(RUN_KINDS), "state": Run.State.values, "queue": ("default", "gpu")}


class RunList(ListAPIView):
    """List runs, newest first; launch one."""

    permission_classes = [IsAdministrator]
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[Run]:
        """Return those that `kind`, `state` and `queue` in the query keep."""
        query = self.request.query_params
        given = {name: query[name] for name in _FILTERS if query.get(name)}
        return Run.objects.filter(**given).prefetch_related("parents").order_by("-pk")

    @extend_schema(parameters=[OpenApiParameter(name, str, enum=known) for name, known in _FILTERS.items()])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them."""
        return super().get(request, *args, **kwargs)

    @extend_schema(request=NewRunSerializer, responses={201: RunSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Put a run in the queue; its options are those that the pages and commands launch it with."""
        given = asked(NewRunSerializer, request.data)
        run = run_launch(**given, requested_by=user_of(request))
        return Response(RunSerializer(run).data, status=HTTPStatus.CREATED)


class RunDetail(RetrieveAPIView):
    """Show one run."""

    permission_classes = [IsAdministrator]
    serializer_class = RunSerializer
    queryset = Run.objects.prefetch_related("parents")


class RunCancel(APIView):
    """Cancel a run."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=OptionalSerializer, responses=ChangeSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Ask it to stop; asking twice is asking once. What it has reached is kept."""
        given = asked(OptionalSerializer, request.data)
        return Response(ChangeSerializer(run_cancel(run=run_find(pk), children=given["children"])).data)


class RunResume(APIView):
    """Let a failed or cancelled run go on."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=None, responses=ChangeSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Put it back in the queue with what it waits for; asking twice is asking once."""
        asked(NothingAsked, request.data)
        return Response(ChangeSerializer(run_resume(run=run_find(pk))).data)


class RunAgain(APIView):
    """Begin a run anew that failed or was cancelled."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=None, responses={201: RunSerializer, 200: RunSerializer})
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Launch it from the start as a run of its own; what the first one has made stays."""
        asked(NothingAsked, request.data)
        found = run_find(pk)
        if not found.is_finished or found.state == Run.State.SUCCEEDED:
            raise BadInput("Only a run that failed or was cancelled is begun anew.", "Look at its state.")
        run, created = run_again(run=found, requested_by=user_of(request))
        return Response(RunSerializer(run).data, status=HTTPStatus.CREATED if created else HTTPStatus.OK)


class OfRun(APIView):
    """Something that a run left."""

    permission_classes = [IsAdministrator]
    content_negotiation_class = AnyType

    def run(self, pk: int) -> Run:
        """Return it, or 404."""
        return get_object_or_404(Run, pk=pk)


class RunHistory(OfRun):
    """What a run measured over time, as losses and BLEU of a training."""

    @extend_schema(operation_id="run_history", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """Give every point: when, which attempt, how far, and the figures."""
        return Response({"points": self.run(pk).history})


class RunLog(OfRun):
    """The log of a run."""

    @extend_schema(operation_id="run_log", responses={(200, "text/plain"): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Give all of it, also while the run writes it."""
        try:
            log = run_directory(self.run(pk).pk).log.open("rb")
        except FileNotFoundError:
            raise NotFound(f"Run {pk} has no log.", "It is written once a run begins.") from None
        return _sent(log, f"run-{pk}.log.txt", "text/plain; charset=utf-8")


class RunFiles(OfRun):
    """The files that a run made."""

    @extend_schema(operation_id="run_files", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """List them with their checksums."""
        sums = manifest_of(run_directory(self.run(pk).pk).result)
        return Response({"files": [{"name": name, "sha256": digest} for name, digest in sums.items()]})


class RunFile(OfRun):
    """One file that a run made."""

    @extend_schema(
        operation_id="run_file", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        """Give it; only what the list names can be had."""
        path = run_file_find(self.run(pk), name)
        return _sent(path.open("rb"), path.name, "application/octet-stream")


def _sent(file: BufferedReader, name: str, content_type: str) -> FileResponse:
    response = FileResponse(file, content_type=content_type)
    response.headers["Content-Disposition"] = disposition(name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
