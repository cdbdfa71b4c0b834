"""The launches that train and translate: a system, a language model, a test set, a corpus."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mtcore.forms.launch import (
    LmForm,
    TrainForm,
    TranslateCorpusForm,
    TranslateTestsetForm,
    listed,
)
from mtcore.models import Corpus, Run, System
from mtcore.services.decoding import corpus_translate, testset_translate
from mtcore.services.pipeline import Pipeline, pipeline_runs
from mtcore.services.preflight import preflight_launch
from mtcore.services.run_once import run_once, run_trial
from mtcore.services.systems import TRAIN_LM
from mtcore.services.training import lm_train, system_train
from mtcore.services.training_commands import train_commands
from mtcore.views.corpora import corpus_choices
from mtcore.views.launch import (
    Launch,
    command,
    known_already,
    launched_once,
    pipeline_started,
    recipe_words,
    system_choices,
    testset_choices,
    trained_choices,
)
from mtcore.views.plan import Plan, Step, plan_of


class TrainSystem(Launch):
    """Train a system, from corpora to registered outputs."""

    title = gettext_lazy("Train a system")
    lead = gettext_lazy(
        "From corpora to registered outputs: filter, cut into subwords, train, and translate the test sets. "
        "A recipe of the kind BT also trains the reverse system and translates monolingual text back. "
        "First you see what will happen."
    )
    verb = gettext_lazy("Train it")
    can_measure = True

    def form(self, data: Any, files: Any) -> TrainForm:
        """Return the form."""
        return TrainForm(
            data,
            files,
            initial={"recipe": self.request.GET.get("recipe", "tiny-op")},
            parallel=corpus_choices(languages=2),
            mono=corpus_choices(languages=1),
            testsets=testset_choices(),
            systems=trained_choices(),
        )

    def plan(self, form: TrainForm) -> Plan:
        """Plan the pipeline."""
        given, recipe = form.cleaned_data, form.made
        words = command(
            "train_system",
            given["name"],
            **recipe_words(form),
            corpus=given["corpora"],
            mono=given["monolingual"],
            valid=given["valid"],
            testset=given["testsets"],
            engine=given["engine"],
            reverse=given["reverse"],
            test_segments="" if given["test_segments"] == "refuse" else given["test_segments"],
        )
        planned = self._train(form)
        known = known_already(*pipeline_runs(planned.system))
        return plan_of(planned, command=words, recipe=recipe, notices=known)

    def launch(self, form: TrainForm) -> tuple[Run, bool]:
        """Launch the pipeline; the same one again goes on where it stopped."""
        return pipeline_started(self._train(form), self.user)

    def measure(self, form: TrainForm) -> tuple[Run, bool]:
        """Launch a preflight."""
        given = form.cleaned_data
        return run_once(
            lambda: preflight_launch(
                recipe=form.made,
                corpora=given["corpora"],
                monolingual=given["monolingual"],
                engine=given["engine"],
                requested_by=self.user,
            )
        )

    def _train(self, form: TrainForm) -> Pipeline:
        given = form.cleaned_data
        return system_train(
            name=given["name"],
            recipe=form.made,
            corpora=given["corpora"],
            monolingual=given["monolingual"],
            valid=given["valid"],
            testsets=given["testsets"],
            engine=given["engine"],
            seed=given["seed"],
            reverse=given["reverse"],
            test_segments=given["test_segments"],
            requested_by=self.user,
            dry_run=True,
        )


class TrainLm(Launch):
    """Train a language model."""

    title = gettext_lazy("Train a language model")
    lead = gettext_lazy("On corpora, or on what a system has translated: to measure how fluent outputs are.")
    verb = gettext_lazy("Train it")
    can_measure = True

    def form(self, data: Any, files: Any) -> LmForm:
        """Return the form."""
        return LmForm(
            data,
            files,
            initial={"recipe": self.request.GET.get("recipe", "tiny-lm")},
            corpora=corpus_choices(),
            systems=system_choices(),
        )

    def plan(self, form: LmForm) -> Plan:
        """Launch it on trial."""
        given, recipe = form.cleaned_data, form.made
        run = run_trial(lambda: self._train(form))
        language = run.options.get("language", "")
        what = given["system"] or ", ".join(given["corpora"])
        step = Step(
            _("Train the language model “%(name)s” on %(what)s (%(language)s)")
            % {"name": given["name"], "what": what, "language": language},
            run.queue,
            commands=train_commands(recipe, language, "", given["engine"]),
        )
        words = command(
            "train_lm",
            given["name"],
            **recipe_words(form),
            corpus=given["corpora"],
            system=given["system"],
            language=given["language"],
            valid=given["valid"],
            engine=given["engine"],
        )
        return Plan([step], known_already(run), words, recipe)

    def launch(self, form: LmForm) -> tuple[Run, bool]:
        """Launch it."""
        return launched_once(lambda: self._train(form), kind=TRAIN_LM, name=form.cleaned_data["name"])

    def measure(self, form: LmForm) -> tuple[Run, bool]:
        """Launch a preflight."""
        given = form.cleaned_data
        return run_once(
            lambda: preflight_launch(
                recipe=form.made,
                corpora=given["corpora"],
                languages=given["language"],
                engine=given["engine"],
                requested_by=self.user,
            )
        )

    def _train(self, form: LmForm) -> Run:
        given = form.cleaned_data
        return lm_train(
            name=given["name"],
            recipe=form.made,
            corpora=given["corpora"],
            system=given["system"],
            language=given["language"],
            valid=given["valid"],
            engine=given["engine"],
            seed=given["seed"],
            requested_by=self.user,
        )


class TranslateTestset(Launch):
    """Translate a test set with a trained system."""

    title = gettext_lazy("Translate a test set")
    lead = gettext_lazy(
        "Every version of its source that has no output of this system yet; outputs are registered."
    )
    verb = gettext_lazy("Translate it")

    def __init__(self, request: HttpRequest, pk: int) -> None:
        super().__init__(request, pk=pk)
        self.system = get_object_or_404(System, pk=pk)

    def form(self, data: Any, files: Any) -> TranslateTestsetForm:
        """Return the form."""
        return TranslateTestsetForm(data, testsets=testset_choices())

    def plan(self, form: TranslateTestsetForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._translate(form))
        step = Step(
            _(
                "Translate %(versions)s of the source of “%(testset)s” with “%(system)s” "
                "and register the outputs"
            )
            % {
                "versions": ", ".join(run.options["inputs"]),
                "testset": given["testset"],
                "system": self.system.name,
            },
            run.queue,
        )
        words = command(
            "translate_testset",
            self.system.name,
            given["testset"],
            input=listed(given["inputs"]),
            engine=given["engine"],
        )
        return Plan([step], command=words)

    def launch(self, form: TranslateTestsetForm) -> tuple[Run, bool]:
        """Launch it."""
        return run_once(lambda: self._translate(form))

    def _translate(self, form: TranslateTestsetForm) -> Run:
        given = form.cleaned_data
        return testset_translate(
            system=self.system.name,
            testset=given["testset"],
            inputs=listed(given["inputs"]),
            engine=given["engine"],
            requested_by=self.user,
        )


class TranslateCorpus(Launch):
    """Translate a whole corpus with a trained system."""

    title = gettext_lazy("Translate a corpus")
    lead = gettext_lazy(
        "In parts that any number of workers share, put together in order as a new corpus; "
        "each part is checked and resumed."
    )
    verb = gettext_lazy("Translate it")
    back = "corpora"

    def __init__(self, request: HttpRequest, pk: int) -> None:
        super().__init__(request, pk=pk)
        self.corpus = get_object_or_404(Corpus, pk=pk)

    def form(self, data: Any, files: Any) -> TranslateCorpusForm:
        """Return the form."""
        return TranslateCorpusForm(data, systems=trained_choices())

    def plan(self, form: TranslateCorpusForm) -> Plan:
        """Plan the pipeline."""
        given = form.cleaned_data
        words = command(
            "translate_corpus",
            given["system"],
            self.corpus.name,
            name=given["name"],
            shards=given["shards"],
            engine=given["engine"],
        )
        planned = self._translate(form)
        return plan_of(planned, command=words, notices=known_already(*pipeline_runs(planned.system)))

    def launch(self, form: TranslateCorpusForm) -> tuple[Run, bool]:
        """Launch the pipeline."""
        return pipeline_started(self._translate(form), self.user)

    def _translate(self, form: TranslateCorpusForm) -> Pipeline:
        given = form.cleaned_data
        return corpus_translate(
            system=given["system"],
            corpus=self.corpus.name,
            name=given["name"],
            shards=given["shards"] or 0,
            engine=given["engine"],
            requested_by=self.user,
            dry_run=True,
        )
