"""Forms of what is measured without raters: diversity, fluency, translation directions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from mtcore.diversity import DEFAULT, DEFINITIONS, MEASURES
from mtcore.diversity.tokens import TOKENS
from mtcore.forms.fields import Choices, HouseForm, Ticks, drawing_fields, first_empty
from mtcore.forms.launch import listed, pairs_read
from mtcore.metrics import METRICS
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.services.fluency import ALPHA
from mtcore.services.metric_outputs import DIRECTIONS

POSSIBLE = tuple(name for name, one in MEASURES.items() if "dictionary" not in one.needs)
"""What can be measured without a file of the server."""


class DiversityForm(HouseForm):
    """Texts whose diversity is measured, and how."""

    def __init__(
        self, *args: Any, testsets: Choices, systems: Choices, corpora: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._add_texts(testsets, systems, corpora)
        self._add_measures(corpora)
        self._add_tests()

    def _add_texts(self, testsets: Choices, systems: Choices, corpora: Choices) -> None:
        self.fields["testsets"] = Ticks(
            choices=testsets,
            required=False,
            label=_("Test sets"),
            help_text=_("Their target texts and outputs; several are put one after the other."),
        )
        self.fields["systems"] = Ticks(
            choices=systems,
            required=False,
            label=_("Systems"),
            help_text=_("None ticked: all with an output."),
        )
        self.fields["corpora"] = Ticks(choices=corpora, required=False, label=_("Corpora"))
        self.fields["language"] = forms.CharField(
            required=False,
            max_length=35,
            label=_("Language"),
            help_text=_("Of the texts, as de; empty takes that of the test sets."),
        )

    def _add_measures(self, corpora: Choices) -> None:
        self.fields["measures"] = Ticks(
            choices=[(name, _titled(name, MEASURES[name].title)) for name in POSSIBLE],
            initial=[name for name in DEFAULT if name in POSSIBLE],
            label=_("Measures"),
            help_text=_(
                "B1 to B3 take a training text; those that take a dictionary are left to the command."
            ),
        )
        self.fields["window"] = forms.IntegerField(
            min_value=2, max_value=1_000_000, initial=100, label=_("Words in a window of MATTR and MSTTR")
        )
        self.fields["equal_length"] = forms.IntegerField(
            required=False,
            min_value=0,
            max_value=10**12,
            label=_("Cut texts to so many words"),
            help_text=_(
                "For measures that change with length alone. 0: as many as the shortest text has; "
                "empty: texts are measured whole."
            ),
        )
        self.fields["draws"] = forms.IntegerField(
            min_value=2, max_value=10_000, initial=20, label=_("How often these words are drawn")
        )
        self.fields["training"] = forms.ChoiceField(
            choices=first_empty("–", corpora),
            required=False,
            label=_("Training text"),
            help_text=_("For the bands of frequency of LFP."),
        )
        self.fields["lemma"] = forms.CharField(
            required=False, max_length=120, label=_("Count the forms of this lemma as well")
        )
        words = {"moses": _("cut with Moses’ rules"), "given": _("split at white space")}
        self.fields["tokens"] = forms.ChoiceField(
            choices=first_empty(_("as the definition has it"), [(name, words[name]) for name in TOKENS]),
            required=False,
            label=_("Words"),
        )
        definitions = {"paper": _("the paper"), "biasmt": _("the code of its authors")}
        self.fields["definition"] = forms.ChoiceField(
            choices=[(name, definitions[name]) for name in DEFINITIONS],
            label=_("Where Vanmassenhove et al. 2021 and their code differ, follow"),
        )

    def _add_tests(self) -> None:
        self.fields["pairs"] = forms.CharField(
            required=False,
            label=_("Pairs to compare"),
            widget=forms.Textarea({"rows": 3}),
            help_text=_("One a line, with a bar between the texts; empty: every two."),
        )
        self.fields |= drawing_fields(none=_("0: no tests"), seed=1)

    def clean_pairs(self) -> tuple[tuple[str, str], ...]:
        """Read the pairs, one a line."""
        return pairs_read(self.cleaned_data["pairs"])

    def clean(self) -> dict[str, Any]:
        """Refuse a form without texts."""
        given = super().clean() or self.cleaned_data
        if not (given.get("testsets") or given.get("corpora")):
            raise ValidationError(_("Tick a test set or a corpus to measure."))
        return given


class FluencyForm(HouseForm):
    """Systems whose fluency is compared, under one language model or under one for each."""

    def __init__(self, *args: Any, testsets: Choices, systems: Choices, lms: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["testsets"] = Ticks(
            choices=testsets,
            label=_("Test sets"),
            help_text=_("One for a model for all; several only with a model for each system."),
        )
        self._add_models(systems, lms)
        self._add_options()

    def _add_models(self, systems: Choices, lms: Choices) -> None:
        self.fields["lm"] = forms.ChoiceField(
            choices=first_empty("–", lms), required=False, label=_("One language model for all systems")
        )
        self.fields["systems"] = Ticks(
            choices=systems,
            required=False,
            label=_("… that scores the outputs of"),
            help_text=_("Two or more."),
        )
        self.fields["lm_per_system"] = forms.CharField(
            required=False,
            label=_("Or a language model for each system"),
            widget=forms.Textarea({"rows": 3}),
            help_text=_(
                "Trained on what the system has translated; one a line, with a bar between system and model "
                "(its name or run number): BT | bt-lm."
            ),
        )

    def _add_options(self) -> None:
        words = {"direct": _("with a natural source"), "reverse": _("with a natural target"), "all": _("all")}
        self.fields["direction"] = forms.ChoiceField(
            choices=[(name, words[name]) for name in DIRECTIONS], initial="direct", label=_("Segments")
        )
        self.fields["version"] = forms.CharField(
            required=False,
            max_length=120,
            label=_("Reference"),
            help_text=_("Of BLEU, or the text that is scored, as Y* or ref; empty takes the original."),
        )
        self.fields["inputs"] = forms.CharField(
            required=False,
            label=_("Versions of the source"),
            help_text=_("That outputs were made from, with commas between; empty: all there are."),
        )
        tokens = {"moses": _("cut with Moses’ rules"), "given": _("split at white space")}
        self.fields["tokens"] = forms.ChoiceField(
            choices=[(name, tokens[name]) for name in TOKENS], label=_("Words, for models of words")
        )
        self.fields["refuse_overlap"] = forms.BooleanField(
            required=False, label=_("Do not score where the model’s text was translated back")
        )
        self.fields["alpha"] = forms.FloatField(
            min_value=1e-9,
            max_value=1 - 1e-9,
            initial=ALPHA,
            label=_("A difference is shown up to p ="),
            widget=forms.NumberInput({"step": "any"}),
        )
        self.fields |= drawing_fields(none=_("0: no tests"), seed=SACREBLEU_SEED)

    def clean_lm_per_system(self) -> dict[str, str]:
        """Read the models, one a line."""
        pairs = pairs_read(self.cleaned_data["lm_per_system"])
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValidationError(_("A system has two models."))
        return found

    def clean_inputs(self) -> list[str]:
        """Read the versions."""
        return listed(self.cleaned_data["inputs"])


class DirectionsForm(HouseForm):
    """Test sets on whose direct and reverse text every system is scored."""

    def __init__(self, *args: Any, testsets: Choices, lms: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["testsets"] = Ticks(
            choices=testsets, label=_("Test sets"), help_text=_("Of one language pair; taken together.")
        )
        self.fields["metric"] = forms.ChoiceField(
            choices=[(name, one.title) for name, one in METRICS.items()], initial="bleu", label=_("Metric")
        )
        self.fields["lm"] = forms.ChoiceField(
            choices=first_empty("–", lms), required=False, label=_("Language model, for perplexity")
        )


def _titled(name: str, title: str) -> str:
    """Return what a measure is called in print, with its name where that says something else."""
    return title if name.replace("_", "") == title.lower() else f"{title} ({name})"
