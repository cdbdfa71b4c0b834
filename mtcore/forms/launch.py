"""Forms that launch heavy work: training, translating, scoring."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mtcore.engines.recipe import LM
from mtcore.engines.registry import ENGINES
from mtcore.forms.fields import (
    Choices,
    HouseForm,
    NameField,
    Ticks,
    drawing_fields,
    first_empty,
    seed_field,
)
from mtcore.forms.recipe import RecipeForm
from mtcore.metrics import METRICS
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.services.corpora_import import TEST_SEGMENTS
from mtcore.services.metric_outputs import DIRECTIONS, Selection
from mtcore.services.metric_scoring import DEFAULT, MetricOptions, ScoringOptions


def engine_choices(task: str) -> Choices:
    """Return the engines that can do a task, after the automatic choice."""
    able = [name for name, engine in ENGINES.items() if getattr(engine, task)]
    return first_empty(_("the fastest that can"), [(name, name) for name in able])


class TrainForm(RecipeForm):
    """A system to train."""

    kinds = ("OP", "BT")
    name = NameField("system", label=gettext_lazy("Name of the system"))
    field_order = (
        "name",
        "recipe",
        "toml",
        "changes",
        "corpora",
        "monolingual",
        "valid",
        "testsets",
        "test_segments",
        "reverse",
        "engine",
        "seed",
    )

    def __init__(
        self, *args: Any, parallel: Choices, mono: Choices, testsets: Choices, systems: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.add_recipe_fields()
        self.fields["corpora"] = Ticks(choices=parallel, label=_("Parallel corpora to learn from"))
        self.fields["monolingual"] = Ticks(
            choices=mono,
            required=False,
            label=_("Text in the target language to translate back"),
            help_text=_("Only with a recipe of the kind BT."),
        )
        self.fields["valid"] = forms.ChoiceField(
            choices=first_empty(_("hold a part of the text out"), parallel),
            required=False,
            label=_("Validate on"),
        )
        self.fields["testsets"] = Ticks(
            choices=testsets,
            required=False,
            label=_("Test sets to translate at the end"),
            help_text=_("Every version of their source."),
        )
        words = {
            "refuse": _("refuse to train"),
            "drop": _("leave these lines out"),
            "keep": _("train on them all the same"),
        }
        self.fields["test_segments"] = forms.ChoiceField(
            choices=[(name, words[name]) for name in TEST_SEGMENTS],
            label=_("Corpora with segments of a test set"),
        )
        self.fields["reverse"] = forms.ChoiceField(
            choices=first_empty(_("train one"), systems),
            required=False,
            label=_("System that translates back"),
        )
        self.fields["engine"] = forms.ChoiceField(
            choices=engine_choices("trains"), required=False, label=_("Engine")
        )
        self.fields["seed"] = seed_field(required=False, help_text=_("Empty takes the recipe's."))
        self.order_fields(self.field_order)


class LmForm(RecipeForm):
    """A language model to train."""

    kinds = (LM,)
    name = NameField("language model", label=gettext_lazy("Name of the language model"))
    field_order = (
        "name",
        "recipe",
        "toml",
        "changes",
        "corpora",
        "system",
        "language",
        "valid",
        "engine",
        "seed",
    )

    def __init__(self, *args: Any, corpora: Choices, systems: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_recipe_fields()
        self.fields["corpora"] = Ticks(choices=corpora, required=False, label=_("Corpora to learn from"))
        self.fields["system"] = forms.ChoiceField(
            choices=first_empty("–", systems), required=False, label=_("Or what this system has translated")
        )
        self.fields["language"] = forms.CharField(
            required=False,
            max_length=35,
            label=_("Language"),
            help_text=_("Which side of parallel corpora, as de."),
        )
        self.fields["valid"] = forms.ChoiceField(
            choices=first_empty(_("hold a part of the text out"), corpora),
            required=False,
            label=_("Validate on"),
        )
        self.fields["engine"] = forms.ChoiceField(
            choices=engine_choices("trains"), required=False, label=_("Engine")
        )
        self.fields["seed"] = seed_field(required=False, help_text=_("Empty takes the recipe's."))
        self.order_fields(self.field_order)


class TranslateTestsetForm(HouseForm):
    """A test set for a system to translate."""

    def __init__(self, *args: Any, testsets: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["testset"] = forms.ChoiceField(choices=testsets, label=_("Test set"))
        self.fields["inputs"] = forms.CharField(
            required=False,
            label=_("Versions of the source"),
            help_text=_(
                "By name or notation (X**), with commas between; empty takes all without an output yet."
            ),
        )
        self.fields["engine"] = forms.ChoiceField(
            choices=engine_choices("decodes"), required=False, label=_("Engine")
        )


class TranslateCorpusForm(HouseForm):
    """A corpus for a system to translate."""

    def __init__(self, *args: Any, systems: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["system"] = forms.ChoiceField(choices=systems, label=_("System"))
        self.fields["name"] = NameField(
            "corpus",
            required=False,
            label=_("Name of the new corpus"),
            help_text=_("Empty: “corpus by system”."),
        )
        self.fields["shards"] = forms.IntegerField(
            required=False,
            min_value=1,
            max_value=10_000,
            label=_("Parts"),
            help_text=_("Workers share them; empty follows the recipe."),
        )
        self.fields["engine"] = forms.ChoiceField(
            choices=engine_choices("decodes"), required=False, label=_("Engine")
        )


class ScoreForm(HouseForm):
    """Outputs to score by automatic metrics."""

    def __init__(self, *args: Any, testsets: Choices, systems: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["testset"] = forms.ChoiceField(choices=testsets, label=_("Test set"))
        self.fields["systems"] = Ticks(
            choices=systems,
            required=False,
            label=_("Systems"),
            help_text=_("None ticked: all with an output."),
        )
        self.fields["metrics"] = Ticks(
            choices=[(name, name) for name in METRICS], initial=DEFAULT, label=_("Metrics")
        )
        words = {"direct": _("with a natural source"), "reverse": _("with a natural target"), "all": _("all")}
        self.fields["directions"] = Ticks(
            choices=[(name, words[name]) for name in DIRECTIONS], initial=["all"], label=_("Segments")
        )
        self.fields["references"] = forms.CharField(
            required=False,
            label=_("References"),
            help_text=_("By name or notation (Y**), with commas between; empty takes the original."),
        )
        self.fields["pairs"] = forms.CharField(
            required=False,
            label=_("Pairs to compare"),
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=_("One a line, with a bar between the systems: OP | BT."),
        )
        none = _("0: no intervals, no tests")
        self.fields |= drawing_fields(none=none, seed=SACREBLEU_SEED)

    def clean_pairs(self) -> tuple[tuple[str, str], ...]:
        """Read the pairs, one a line."""
        refusal = _("“%(line)s” is not two systems with a bar between.")
        return pairs_read(self.cleaned_data["pairs"], refusal)

    def selection(self) -> Selection:
        """Return which outputs are meant."""
        given = self.cleaned_data
        return Selection(
            systems=tuple(given["systems"]),
            references=tuple(listed(given["references"])),
            directions=tuple(given["directions"]),
        )

    def metric_options(self) -> MetricOptions:
        """Return what is computed of them."""
        given = self.cleaned_data
        scoring = ScoringOptions(resamples=given["resamples"], seed=given["seed"], pairs=given["pairs"])
        return MetricOptions(metrics=tuple(given["metrics"]), scoring=scoring)


class ScoreLmForm(HouseForm):
    """Text to score with a language model."""

    def __init__(
        self, *args: Any, testsets: Choices, systems: Choices, corpora: Choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["testset"] = forms.ChoiceField(
            choices=first_empty("–", testsets), required=False, label=_("Test set")
        )
        self.fields["system"] = forms.ChoiceField(
            choices=first_empty("–", systems), required=False, label=_("… the output of a system for it")
        )
        self.fields["inputs"] = forms.CharField(
            required=False,
            label=_("… made from this version of the source"),
            help_text=_("as X**; needed when there are several"),
        )
        self.fields["version"] = forms.CharField(
            required=False, label=_("… or a version of its target side"), help_text=_("as Y* or ref")
        )
        self.fields["corpus"] = forms.ChoiceField(
            choices=first_empty("–", corpora), required=False, label=_("Or a corpus")
        )


def listed(text: str) -> list[str]:
    """Split names at commas."""
    return [name for name in (one.strip() for one in text.split(",")) if name]


def pairs_read(text: str, refusal: str = "") -> tuple[tuple[str, str], ...]:
    """Read pairs of names, one a line, with a bar between; `refusal` says what a `line` is not.

    Raises:
        ValidationError: a line is not two names.
    """
    found = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        sides = [side.strip() for side in line.split("|")]
        if len(sides) != 2 or not all(sides):
            said = refusal or _("“%(line)s” is not two names with a bar between.")
            raise ValidationError(said % {"line": line})
        found.append((sides[0], sides[1]))
    return tuple(found)
