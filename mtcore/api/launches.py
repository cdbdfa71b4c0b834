"""The API: launch heavy work as the pages and commands do, or only say what it would be."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from evalplatform.api import asked
from evalplatform.errors import BadInput
from evalplatform.idempotency import idempotent
from evalplatform.people import user_of
from mtcore.api.asks import (
    DiversitySerializer,
    LaunchedSerializer,
    PreflightSerializer,
    ScoreLmSerializer,
    ScoreSerializer,
    TrainLmSerializer,
    TrainSerializer,
    TranslateCorpusSerializer,
    TranslateTestsetSerializer,
)
from mtcore.api.permissions import IsAdministrator
from mtcore.api.serializers import RunSerializer
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Recipe
from mtcore.engines.recipe_files import recipe_find, recipe_read, recipe_set
from mtcore.models import Run
from mtcore.services.decoding import corpus_translate, testset_translate
from mtcore.services.diversity_launch import diversity_launch
from mtcore.services.lm_scoring import lm_score
from mtcore.services.metric_outputs import Selection
from mtcore.services.metric_scoring import MetricOptions, ScoringOptions
from mtcore.services.pipeline import Pipeline, pipeline_launch, pipeline_runs
from mtcore.services.preflight import preflight_launch
from mtcore.services.run_once import run_once, run_trial
from mtcore.services.run_scoring import scoring_options
from mtcore.services.runs import run_launch
from mtcore.services.training import lm_train, system_train

Given = dict[str, Any]


def recipe_given(given: Given) -> Recipe:
    """Take the recipe out of what was given, and return it with its changes.

    Raises:
        BadInput: there is no such recipe or figure, or a value is impossible.
    """
    name, toml, changes = given.pop("recipe"), given.pop("toml"), given.pop("changes")
    if not (name or toml):
        raise BadInput("No recipe is given.", "Name one in recipe, or write one in toml.")
    try:
        return recipe_set(recipe_read(toml) if toml else recipe_find(name), changes)
    except EngineError as error:
        raise BadInput(error.message, error.remedy) from error


class Launch(APIView):
    """A kind of launch: what it takes, and the runs it makes."""

    permission_classes = [IsAdministrator]
    asks: type[Serializer[Any]]

    def launch(self, given: Given, user: User | None, *, dry: bool) -> Response:
        """Launch it, or plan it."""
        raise NotImplementedError

    def answer(self, request: Request) -> Response:
        """Check what is asked for, then launch it."""
        given = asked(self.asks, request.data)
        dry = given.pop("dry_run")
        try:
            return self.launch(given, user_of(request), dry=dry)
        except EngineError as error:
            raise BadInput(error.message, error.remedy) from error


class LaunchPipeline(Launch):
    """Runs that wait for each other; the same again goes on where it stopped."""

    def plan(self, given: Given, user: User | None) -> Pipeline:
        """Plan and check."""
        raise NotImplementedError

    def launch(self, given: Given, user: User | None, *, dry: bool) -> Response:
        """Launch the pipeline."""
        planned = self.plan(given, user)
        known = bool(pipeline_runs(planned.system))
        made = planned if dry else pipeline_launch(planned, requested_by=user)
        steps = [stage.words or stage.kind for stage in planned.stages]
        return told(made.runs, created=not known, steps=steps, notices=planned.notices)


class LaunchRun(Launch):
    """One run; the same that waits or runs is found instead."""

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        raise NotImplementedError

    def launch(self, given: Given, user: User | None, *, dry: bool) -> Response:
        """Launch the run, or try whether it could be."""
        if dry:
            tried = run_trial(lambda: self.run(dict(given), user))
            return told([], created=False, steps=[f"{tried.kind} (queue {tried.queue})"])
        run, created = run_once(lambda: self.run(dict(given), user))
        return told([run], created=created, steps=[f"{run.kind} (queue {run.queue})"])


def told(
    runs: Sequence[Run], *, created: bool, steps: Sequence[str], notices: Sequence[str] = ()
) -> Response:
    """Answer with what was launched."""
    fresh = Run.objects.filter(pk__in=[run.pk for run in runs]).prefetch_related("parents").order_by("pk")
    body = {
        "runs": RunSerializer(fresh, many=True).data,
        "created": created and bool(runs),
        "steps": list(steps),
        "notices": list(notices),
    }
    return Response(body, status=HTTPStatus.CREATED if body["created"] else HTTPStatus.OK)


_ANSWERS = {201: LaunchedSerializer, 200: LaunchedSerializer}


class Train(LaunchPipeline):
    """Train a system, from corpora to registered outputs."""

    asks = TrainSerializer

    @extend_schema(request=TrainSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the runs; a recipe of the kind BT also trains the reverse system and translates back."""
        return self.answer(request)

    def plan(self, given: Given, user: User | None) -> Pipeline:
        """Plan and check."""
        recipe = recipe_given(given)
        return system_train(recipe=recipe, requested_by=user, dry_run=True, **given)


class TrainLm(LaunchRun):
    """Train a language model."""

    asks = TrainLmSerializer

    @extend_schema(request=TrainLmSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; the same again goes on where it stopped."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        recipe = recipe_given(given)
        return lm_train(recipe=recipe, requested_by=user, **given)


class Preflight(LaunchRun):
    """Measure a little of a training."""

    asks = PreflightSerializer

    @extend_schema(request=PreflightSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; its result says how long all of it would take."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        recipe = recipe_given(given)
        return preflight_launch(recipe=recipe, requested_by=user, **given)


class TranslateTestset(LaunchRun):
    """Translate a test set with a trained system."""

    asks = TranslateTestsetSerializer

    @extend_schema(request=TranslateTestsetSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; it registers the outputs."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        return testset_translate(requested_by=user, **given)


class TranslateCorpus(LaunchPipeline):
    """Translate a whole corpus with a trained system."""

    asks = TranslateCorpusSerializer

    @extend_schema(request=TranslateCorpusSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the runs: parts that any number of workers share, put together in order."""
        return self.answer(request)

    def plan(self, given: Given, user: User | None) -> Pipeline:
        """Plan and check."""
        return corpus_translate(requested_by=user, dry_run=True, **given)


class Score(LaunchRun):
    """Score outputs by automatic metrics."""

    asks = ScoreSerializer

    @extend_schema(request=ScoreSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; scores are kept, see those of the test set."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        selection = Selection(
            systems=tuple(given["systems"]),
            inputs=tuple(given["inputs"]),
            references=tuple(given["references"]),
            directions=tuple(given["directions"]),
        )
        pairs = tuple((first, second) for first, second in given["pairs"])
        scoring = ScoringOptions(resamples=given["resamples"], seed=given["seed"], pairs=pairs)
        options = MetricOptions(metrics=tuple(dict.fromkeys(given["metrics"])), scoring=scoring)
        testset = given["testset"]
        wanted = scoring_options(testset=testset, selection=selection, options=options)
        return run_launch(kind="score_outputs", name=testset, options=wanted, requested_by=user)


class ScoreLm(LaunchRun):
    """Score text with a language model."""

    asks = ScoreLmSerializer

    @extend_schema(request=ScoreLmSerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run: perplexities of an output, of a version of a test set, or of a corpus."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        return lm_score(requested_by=user, **given)


class Diversity(LaunchRun):
    """Measure lexical and morphological diversity."""

    asks = DiversitySerializer

    @extend_schema(request=DiversitySerializer, responses=_ANSWERS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Launch the run; its result has the values with intervals and tests."""
        return self.answer(request)

    def run(self, given: Given, user: User | None) -> Run:
        """Launch it."""
        return diversity_launch(requested_by=user, **given)
