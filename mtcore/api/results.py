"""The API: what automatic metrics say of outputs, recipes, and who works on which machine."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mtcore.api.permissions import IsAdministrator
from mtcore.api.serializers import MetricResultSerializer
from mtcore.engines.recipe_files import recipe_write
from mtcore.engines.recipes import RECIPES
from mtcore.models import MetricResult, TestSet
from mtcore.services.disk import disk_use
from mtcore.services.run_presence import workers_alive

_FILTERS = {"metric": "metric", "system": "output__system__name", "reference": "reference__name"}


class Metrics(ListAPIView):
    """The scores of automatic metrics on a test set, each with the signature that says how it was made."""

    permission_classes = [IsAuthenticated]
    serializer_class = MetricResultSerializer
    queryset = MetricResult.objects.none()

    def get_queryset(self) -> QuerySet[MetricResult]:
        """Return those that `metric`, `system` and `reference` in the query keep."""
        testset = get_object_or_404(TestSet, pk=self.kwargs["pk"])
        query = self.request.query_params
        given = {path: query[name] for name, path in _FILTERS.items() if query.get(name)}
        found = MetricResult.objects.filter(output__testset=testset, **given).defer("segment_stats")
        return found.select_related("output__system", "output__input_version", "reference").order_by(
            "metric", "output__system__name", "pk"
        )

    @extend_schema(
        operation_id="testset_metrics", parameters=[OpenApiParameter(name, str) for name in _FILTERS]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them."""
        return super().get(request, *args, **kwargs)


class RecipeList(APIView):
    """The recipes that come with the platform."""

    permission_classes = [IsAdministrator]

    @extend_schema(operation_id="recipes", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Give their names, kinds and descriptions."""
        rows = [
            {"name": one.name, "kind": one.kind, "description": str(one.description)}
            for one in RECIPES.values()
        ]
        return Response({"recipes": rows})


class RecipeDetail(APIView):
    """One recipe with every figure."""

    permission_classes = [IsAdministrator]

    @extend_schema(operation_id="recipe", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, name: str) -> Response:
        """Give its figures, and the same as TOML, which a launch takes back with changes."""
        if name not in RECIPES:
            raise Http404
        found = RECIPES[name]
        return Response({"figures": asdict(found), "toml": recipe_write(found)})


class Machine(APIView):
    """Who works, and what lies on the disk."""

    permission_classes = [IsAdministrator]

    @extend_schema(operation_id="machine", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Give workers with their queues and devices, and the folders of DATA_DIR."""
        return Response({"workers": [asdict(one) for one in workers_alive()], "disk": asdict(disk_use())})
