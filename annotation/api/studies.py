"""The API: studies."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.requests import NewStudySerializer, StudySerializer
from annotation.models import Study
from annotation.services.studies import study_create
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of


def studies_of(request: Request) -> QuerySet[Study]:
    """Return the studies a person owns or researches in; an administrator sees all."""
    return (
        Study.objects.visible_to(request.user)
        .select_related("owner")
        .prefetch_related("researchers", "testsets", "systems", "campaigns")
        .order_by("name")
    )


class StudyList(ListAPIView):
    """List the studies a person may see; make one."""

    permission_classes = [IsAuthenticated]
    serializer_class = StudySerializer
    queryset = Study.objects.none()

    def get_queryset(self) -> QuerySet[Study]:
        """Return them."""
        return studies_of(self.request)

    def replay_check(self, told: Any) -> None:
        """Make sure that the study of an answer is still this person's to see."""
        if told:
            get_object_or_404(studies_of(self.request), pk=told["id"])

    @extend_schema(request=NewStudySerializer, responses={201: StudySerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Make an empty study, owned by who asks."""
        asked = NewStudySerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        made = study_create(**asked.validated_data, owner=user_of(request))
        return Response(StudySerializer(studies_of(request).get(pk=made.pk)).data, status=HTTPStatus.CREATED)


class StudyDetail(RetrieveAPIView):
    """Show one study."""

    permission_classes = [IsAuthenticated]
    serializer_class = StudySerializer
    queryset = Study.objects.none()

    def get_queryset(self) -> QuerySet[Study]:
        """Return those among which it may be."""
        return studies_of(self.request)
