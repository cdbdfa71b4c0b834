"""The API: launch what compares systems without raters: fluency, translation directions."""

from __future__ import annotations

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evalplatform.idempotency import idempotent
from mtcore.api.asks import METRIC_NAMES, SEED, DrySerializer, LaunchedSerializer, names, one_name
from mtcore.api.launches import Given, LaunchRun
from mtcore.diversity.tokens import TOKENS
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.models import Run
from mtcore.services.fluency import ALPHA
from mtcore.services.fluency_launch import directions_launch, fluency_launch
from mtcore.services.metric_outputs import DIRECTIONS
from mtcore.services.metric_scoring import MOST_RESAMPLES

_ANSWERS = {201: LaunchedSerializer, 200: LaunchedSerializer}


class FluencySerializer(DrySerializer):
    """Systems whose fluency is compared, as `fluency` takes them, with models that were trained here."""

    testsets = names("one with `lm`; one or several with `lm_per_system`", least=1)
    systems = names("two or more, with `lm`")
    lm = one_name("one model for all: name or run number", optional=True)
    lm_per_system = serializers.DictField(
        child=serializers.CharField(max_length=120), default=dict,
        help_text="system → the model trained on what it has translated",
    )  # fmt: skip
    direction = serializers.ChoiceField(DIRECTIONS, default="direct", help_text="with `lm`")
    version = one_name("the reference of BLEU, or the target text that is scored", optional=True)
    inputs = names("with `lm`; none: all there are")
    tokens = serializers.ChoiceField(TOKENS, default=TOKENS[0])
    refuse_overlap = serializers.BooleanField(default=False)
    alpha = serializers.FloatField(default=ALPHA, min_value=1e-9, max_value=1 - 1e-9)
    resamples = serializers.IntegerField(default=1000, min_value=0, max_value=MOST_RESAMPLES)
    seed = serializers.IntegerField(default=SACREBLEU_SEED, min_value=0, max_value=SEED)


class DirectionsSerializer(DrySerializer):
    """Test sets on whose direct and reverse text every system is scored, as `direction_table` takes them."""

    testsets = names("of one language pair; taken together", least=1)
    metric = serializers.ChoiceField(METRIC_NAMES, default="bleu")
    lm = one_name("for perplexity: name or run number", optional=True)


class Fluency(LaunchRun):
    """Compare the fluency of systems by language models."""

    asks = FluencySerializer

    @extend_schema(request=FluencySerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; its result has perplexities, comparisons and a verdict for every two systems."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        return fluency_launch(requested_by=user, **given)


class Directions(LaunchRun):
    """Compare every system's score on direct and on reverse text."""

    asks = DirectionsSerializer

    @extend_schema(request=DirectionsSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; its result is the table, sorted by the difference."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        return directions_launch(requested_by=user, **given)
