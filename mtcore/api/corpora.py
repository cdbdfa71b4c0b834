"""The API: corpora – list, import, look at, filter, split, mix, check. For administrators."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.core.files.base import ContentFile
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalplatform.api import asked
from evalplatform.asks import NothingAsked
from evalplatform.errors import BadInput
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.asks import (
    FilterSerializer,
    MixSerializer,
    NewCorpusSerializer,
    SplitSerializer,
    TakenSerializer,
)
from mtcore.api.permissions import IsAdministrator
from mtcore.api.serializers import CorpusSerializer, RunSerializer
from mtcore.models import Corpus
from mtcore.services.corpora import corpus_name_free, corpus_verify, languages_of
from mtcore.services.corpora_look import corpus_lines, corpus_overlap
from mtcore.services.corpora_taken import corpus_take
from mtcore.services.run_once import run_launch_once

MOST_LINES = 1000
FARTHEST_LINE = 2_000_000
"""Lines further on are not sought: the file would have to be read up to them."""


class CorpusList(ListAPIView):
    """List corpora; import one."""

    permission_classes = [IsAdministrator]
    serializer_class = CorpusSerializer
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        """Return those that `q` (part of the name) and `kind` in the query keep."""
        found, query = (
            Corpus.objects.prefetch_related("derived_from").order_by("name"),
            self.request.query_params,
        )
        if query.get("q"):
            found = found.filter(name__icontains=query["q"])
        return found.filter(kind=query["kind"]) if query.get("kind") else found

    @extend_schema(
        parameters=[OpenApiParameter("q", str), OpenApiParameter("kind", str, enum=Corpus.Kind.values)]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List them by name."""
        return super().get(request, *args, **kwargs)

    @extend_schema(request=NewCorpusSerializer, responses={201: TakenSerializer, 200: TakenSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Import text; the same again is found, not doubled (200); a larger one becomes a run."""
        given = asked(NewCorpusSerializer, request.data)
        files = request.FILES
        sides = {
            side: files.getlist(f"{side}s") or _file(side, given.get(side)) for side in ("source", "target")
        }
        languages = languages_of(given["languages"])
        if not sides["source"] or len(languages) != 1 + bool(sides["target"]):
            raise BadInput(
                "The texts do not fit the languages.", "A pair has source and target, one language a source."
            )
        taken = corpus_take(
            name=given["name"],
            languages=languages,
            sources=sides["source"],
            targets=sides["target"],
            test_segments=given["test_segments"],
            user=user_of(request),
        )
        body = {
            "corpus": CorpusSerializer(taken.corpus).data if taken.corpus else None,
            "run": RunSerializer(taken.run).data if taken.run else None,
        }
        return Response(body, status=HTTPStatus.CREATED if taken.created else HTTPStatus.OK)


def _file(side: str, text: str | list[str] | None) -> list[ContentFile[bytes]]:
    """Return a text of the request as a file."""
    if text is None:
        return []
    whole = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
    return [ContentFile(whole.encode("utf-8", "surrogatepass"), name=f"{side}.txt")]


class CorpusDetail(RetrieveAPIView):
    """Show one corpus."""

    permission_classes = [IsAdministrator]
    serializer_class = CorpusSerializer
    queryset = Corpus.objects.prefetch_related("derived_from")


class OfCorpus(APIView):
    """Something of one corpus."""

    permission_classes = [IsAdministrator]

    def corpus(self, pk: int) -> Corpus:
        """Return it, or 404."""
        return get_object_or_404(Corpus, pk=pk)


class Lines(OfCorpus):
    """Some lines of a corpus."""

    @extend_schema(
        operation_id="corpus_lines",
        parameters=[
            OpenApiParameter("first", {"type": "integer", "minimum": 1, "maximum": FARTHEST_LINE}),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST_LINES}),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, pk: int) -> Response:
        """Give them with their numbers; what is very long is cut."""
        first = _whole(request, "first", 1, FARTHEST_LINE)
        limit = _whole(request, "limit", 10, MOST_LINES)
        found = corpus_lines(self.corpus(pk), first=first, n=limit)
        return Response({"lines": [{"line": number, "texts": list(texts)} for number, texts in found]})


class Overlap(OfCorpus):
    """Segments of test sets in a corpus."""

    @extend_schema(operation_id="corpus_overlap", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        """Count them by test set, with the first lines that hold one."""
        return Response(asdict(corpus_overlap(self.corpus(pk))))


class Check(OfCorpus):
    """The files of a corpus against their checksums."""

    @extend_schema(request=None, responses=CorpusSerializer)
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Check; files that were changed are refused, with which (400)."""
        asked(NothingAsked, request.data)
        found = self.corpus(pk)
        corpus_verify(found)
        return Response(CorpusSerializer(found).data)


class Filter(OfCorpus):
    """Leave out the lines that a filter objects to."""

    @extend_schema(request=FilterSerializer, responses={201: RunSerializer, 200: RunSerializer})
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Launch the run; its corpus counts what was removed by filter."""
        wanted = FilterSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        given = wanted.validated_data
        options = {
            "corpus": self.corpus(pk).name,
            "filters": wanted.options(),
            "name": given["name"],
            "drop_test_segments": given["drop_test_segments"],
        }
        return _launched(request, "filter_corpus", given["name"], options)


class Split(OfCorpus):
    """Hold a random part out."""

    @extend_schema(request=SplitSerializer, responses={201: RunSerializer, 200: RunSerializer})
    @idempotent
    def post(self, request: Request, pk: int) -> Response:
        """Launch the run; both parts keep their order."""
        found, given = self.corpus(pk), asked(SplitSerializer, request.data)
        if given["lines"] >= found.n_lines:
            raise BadInput(f"The corpus has {found.n_lines:,} lines.", "Hold fewer out.")
        if given["rest"] == given["held"]:
            raise BadInput("Both parts have the same name.", "Give two names.")
        options = {
            "corpus": found.name,
            "names": [given["rest"], given["held"]],
            "held_out": given["lines"],
            "seed": given["seed"],
        }
        return _launched(request, "split_corpus", given["rest"], options)


class Mix(APIView):
    """Put corpora together."""

    permission_classes = [IsAdministrator]

    @extend_schema(request=MixSerializer, responses={201: RunSerializer, 200: RunSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run: each corpus so often, with a tag before its sources where wanted."""
        given = asked(MixSerializer, request.data)
        parts = [dict(part) for part in given["parts"]]
        return _launched(request, "mix_corpora", given["name"], {"name": given["name"], "parts": parts})


def _launched(request: Request, kind: str, name: str, options: dict[str, Any]) -> Response:
    corpus_name_free(name)
    run, created = run_launch_once(kind=kind, name=name, options=options, requested_by=user_of(request))
    return Response(RunSerializer(run).data, status=HTTPStatus.CREATED if created else HTTPStatus.OK)


def _whole(request: Request, name: str, usual: int, most: int) -> int:
    text = request.query_params.get(name, str(usual))
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= most:
        raise BadInput(f"{name} is “{text}”.", f"Give a whole number from 1 to {most:,}.")
    return number
