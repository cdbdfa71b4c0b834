"""The launches that score: outputs by automatic metrics, text by a language model."""

from __future__ import annotations

import shlex
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mtcore.forms.launch import ScoreForm, ScoreLmForm, listed
from mtcore.models import Run
from mtcore.services.decoding import lm_score
from mtcore.services.lm_scoring import SCORE_LM
from mtcore.services.run_once import run_once, run_trial
from mtcore.services.run_scoring import scoring_options
from mtcore.services.runs import run_launch
from mtcore.services.systems import TRAIN_LM
from mtcore.views.corpora import corpus_choices
from mtcore.views.launch import Launch, command, launched_once, system_choices, testset_choices
from mtcore.views.plan import Plan, Step


class ScoreOutputs(Launch):
    """Score outputs by automatic metrics."""

    title = gettext_lazy("Score outputs")
    lead = gettext_lazy(
        "By condition: what the output was made from, the reference, the direction. Scores are kept."
    )
    verb = gettext_lazy("Score them")

    def form(self, data: Any, files: Any) -> ScoreForm:
        """Return the form."""
        return ScoreForm(data, testsets=testset_choices(), systems=system_choices(with_outputs=True))

    def plan(self, form: ScoreForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._score(form))
        step = Step(
            _("Score %(systems)s on “%(testset)s” by %(metrics)s")
            % {
                "systems": ", ".join(given["systems"]) or _("all outputs"),
                "testset": given["testset"],
                "metrics": ", ".join(given["metrics"]),
            },
            run.queue,
        )
        words = command(
            "score_outputs",
            given["testset"],
            systems=given["systems"],
            metrics=",".join(given["metrics"]),
            reference=listed(given["references"]),
            direction=given["directions"],
            resamples=str(given["resamples"]),
            seed=str(given["seed"]),
        )
        words += "".join(f" --compare {shlex.join(pair)}" for pair in given["pairs"])
        return Plan([step], command=words)

    def launch(self, form: ScoreForm) -> tuple[Run, bool]:
        """Launch it."""
        return run_once(lambda: self._score(form))

    def _score(self, form: ScoreForm) -> Run:
        testset = form.cleaned_data["testset"]
        options = scoring_options(testset=testset, selection=form.selection(), options=form.metric_options())
        return run_launch(kind="score_outputs", name=testset, options=options, requested_by=self.user)


class ScoreWithLm(Launch):
    """Score text with a language model."""

    title = gettext_lazy("Score with a language model")
    lead = gettext_lazy("Perplexities of a system's output, of a version of a test set, or of a corpus.")
    verb = gettext_lazy("Score it")

    def __init__(self, request: HttpRequest, pk: int) -> None:
        super().__init__(request, pk=pk)
        self.lm = get_object_or_404(Run, pk=pk, kind=TRAIN_LM)

    def form(self, data: Any, files: Any) -> ScoreLmForm:
        """Return the form."""
        return ScoreLmForm(
            data,
            testsets=testset_choices(),
            systems=system_choices(with_outputs=True),
            corpora=corpus_choices(),
        )

    def plan(self, form: ScoreLmForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._score(form))
        what = given["corpus"] or " · ".join(
            filter(None, (given["testset"], given["system"] or given["version"]))
        )
        step = Step(
            _("Score %(what)s with the language model “%(name)s”") % {"what": what, "name": self.lm.name},
            run.queue,
        )
        words = command(
            "score_lm",
            self.lm.name,
            testset=given["testset"],
            system=given["system"],
            input=listed(given["inputs"]),
            text_version=given["version"],
            corpus=given["corpus"],
        )
        return Plan([step], command=words)

    def launch(self, form: ScoreLmForm) -> tuple[Run, bool]:
        """Launch it."""
        return launched_once(lambda: self._score(form), kind=SCORE_LM, name="")

    def _score(self, form: ScoreLmForm) -> Run:
        given = form.cleaned_data
        return lm_score(
            lm=str(self.lm.pk),
            testset=given["testset"],
            system=given["system"],
            inputs=listed(given["inputs"]),
            version=given["version"],
            corpus=given["corpus"],
            requested_by=self.user,
        )
