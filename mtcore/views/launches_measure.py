"""The launches that measure without raters: diversity of texts, fluency, translation directions."""

from __future__ import annotations

import shlex
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mtcore.forms.measures import DirectionsForm, DiversityForm, FluencyForm
from mtcore.models import Run
from mtcore.services.diversity_launch import diversity_launch
from mtcore.services.fluency_launch import directions_launch, fluency_launch
from mtcore.services.metric_models import RUN
from mtcore.services.run_once import run_once, run_trial
from mtcore.services.systems import TRAIN_LM, lm_find
from mtcore.views.corpora import corpus_choices
from mtcore.views.launch import Launch, command, system_choices, testset_choices
from mtcore.views.plan import Plan, Step


class MeasureDiversity(Launch):
    """Measure how diverse texts are."""

    title = gettext_lazy("Measure diversity")
    lead = gettext_lazy(
        "How rich, frequent, inflected and synonymous the words of texts are (Vanmassenhove et al. 2021): "
        "references and outputs of test sets, and corpora, with intervals and tests."
    )
    verb = gettext_lazy("Measure it")

    def form(self, data: Any, files: Any) -> DiversityForm:
        """Return the form."""
        return DiversityForm(
            data,
            testsets=testset_choices(),
            systems=system_choices(with_outputs=True),
            corpora=corpus_choices(),
        )

    def plan(self, form: DiversityForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._measure(form))
        texts = ", ".join(one["name"] for one in run.options["texts"])
        step = Step(
            _("Measure the diversity of %(texts)s by %(measures)s")
            % {"texts": texts, "measures": ", ".join(given["measures"])},
            run.queue,
        )
        equal = given["equal_length"]
        words = command(
            "measure_diversity",
            text=[f"corpus:{name}" for name in given["corpora"]],
            testset=given["testsets"],
            systems=given["systems"],
            language=given["language"],
            tokens=given["tokens"],
            definition=given["definition"],
            measures=",".join(given["measures"]),
            window=given["window"],
            lemma=given["lemma"],
            equal_length="" if equal is None else str(equal),
            draws="" if equal is None else str(given["draws"]),
            training=f"corpus:{given['training']}" if given["training"] else "",
            resamples=str(given["resamples"]),
            seed=str(given["seed"]),
            background=True,
        )
        words += "".join(f" --compare {shlex.join(pair)}" for pair in given["pairs"])
        return Plan([step], command=words)

    def launch(self, form: DiversityForm) -> tuple[Run, bool]:
        """Launch it."""
        return run_once(lambda: self._measure(form))

    def _measure(self, form: DiversityForm) -> Run:
        return diversity_launch(requested_by=self.user, **form.cleaned_data)


class CompareFluency(Launch):
    """Compare the fluency of systems by language models."""

    title = gettext_lazy("Compare fluency")
    lead = gettext_lazy(
        "What a language model adds to BLEU for every two systems, or how close systems come to natural text "
        "(Edunov et al. 2020). Language models are those trained here."
    )
    verb = gettext_lazy("Compare them")

    def form(self, data: Any, files: Any) -> FluencyForm:
        """Return the form."""
        return FluencyForm(
            data,
            testsets=testset_choices(),
            systems=system_choices(with_outputs=True),
            lms=lm_choices(),
        )

    def plan(self, form: FluencyForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._compare(form))
        own = {name: f"{RUN}{lm_find(lm).pk}" for name, lm in given["lm_per_system"].items()}
        words = (
            _("Compare what %(systems)s made of “%(testset)s” by BLEU and a language model")
            if given["lm"]
            else _("Score the target text of “%(testset)s” by the language models of %(systems)s")
        )
        step = Step(
            words % {"systems": ", ".join(own or given["systems"]), "testset": ", ".join(given["testsets"])},
            run.queue,
        )
        options = {
            "alpha": str(given["alpha"]), "resamples": str(given["resamples"]), "seed": str(given["seed"]),
            "tokens": given["tokens"], "reference": given["version"],
        }  # fmt: skip
        if own:
            told = command(
                "fluency", *given["testsets"], lm_per_system=[f"{a}={b}" for a, b in own.items()], **options
            )
        else:
            told = command(
                "fluency", *given["testsets"], systems=given["systems"], lm=f"{RUN}{given['lm']}",
                direction=given["direction"], input=given["inputs"], refuse_overlap=given["refuse_overlap"],
                **options,
            )  # fmt: skip
        return Plan([step], command=told)

    def launch(self, form: FluencyForm) -> tuple[Run, bool]:
        """Launch it."""
        return run_once(lambda: self._compare(form))

    def _compare(self, form: FluencyForm) -> Run:
        return fluency_launch(requested_by=self.user, **form.cleaned_data)


class CompareDirections(Launch):
    """Compare every system's score on direct and on reverse text."""

    title = gettext_lazy("Compare directions")
    lead = gettext_lazy(
        "Every system's score where the source was written first and where the target was, and the "
        "difference (Edunov et al. 2020, Table 7)."
    )
    verb = gettext_lazy("Compare them")

    def form(self, data: Any, files: Any) -> DirectionsForm:
        """Return the form."""
        return DirectionsForm(data, testsets=testset_choices(), lms=lm_choices())

    def plan(self, form: DirectionsForm) -> Plan:
        """Launch it on trial."""
        given = form.cleaned_data
        run = run_trial(lambda: self._compare(form))
        step = Step(
            _("Score all systems on direct and on reverse text of %(testsets)s by %(metric)s")
            % {"testsets": ", ".join(given["testsets"]), "metric": given["metric"]},
            run.queue,
        )
        model = f"{given['metric']}={RUN}{given['lm']}" if given["lm"] else ""
        words = command("direction_table", *given["testsets"], metric=given["metric"], model=model)
        return Plan([step], command=words)

    def launch(self, form: DirectionsForm) -> tuple[Run, bool]:
        """Launch it."""
        return run_once(lambda: self._compare(form))

    def _compare(self, form: DirectionsForm) -> Run:
        return directions_launch(requested_by=self.user, **form.cleaned_data)


def lm_choices() -> list[tuple[str, str]]:
    """Return the language models that are trained, by the number of their runs."""
    found = Run.objects.filter(kind=TRAIN_LM, state=Run.State.SUCCEEDED).order_by("name", "pk")
    return [
        (
            str(run.pk),
            _("%(name)s (%(language)s, run %(n)s)")
            % {"name": run.name, "language": run.options.get("language", "–"), "n": run.pk},
        )
        for run in found.only("name", "options")
    ]
