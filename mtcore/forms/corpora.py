"""Forms of corpora: import, filter, mix, split."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mtcore.corpora.filters import FilterOptions
from mtcore.engines.recipe import MOST_COPIES
from mtcore.forms.fields import (
    Choices,
    FilesField,
    HouseForm,
    LanguagesField,
    NameField,
    first_empty,
    whole,
)
from mtcore.services.corpora_import import TEST_SEGMENTS
from mtcore.services.metric_scoring import MOST_SEED

MOST_PARTS = 6
DEFAULTS = FilterOptions()
_TREATMENTS = {
    "refuse": gettext_lazy("refuse the corpus"),
    "drop": gettext_lazy("leave these lines out"),
    "keep": gettext_lazy("keep them"),
}


class ImportForm(HouseForm):
    """Text to register as a corpus."""

    name = NameField("corpus", label=gettext_lazy("Name"))
    languages = LanguagesField(
        max_length=60,
        label=gettext_lazy("Languages"),
        help_text=gettext_lazy("A pair, as en-de; or one language, as de, for text without translation."),
    )
    sources = FilesField(
        label=gettext_lazy("Text of the source, or of the only language"),
        help_text=gettext_lazy(
            "UTF-8, a sentence a line, plain or .gz. Several files are put one after the other."
        ),
    )
    targets = FilesField(
        required=False,
        label=gettext_lazy("Text of the target"),
        help_text=gettext_lazy("As many lines as the source. Leave it empty for text in one language."),
    )
    test_segments = forms.ChoiceField(
        choices=[(name, _TREATMENTS[name]) for name in TEST_SEGMENTS],
        label=gettext_lazy("Lines that are segments of a test set known here"),
    )

    def clean(self) -> dict[str, Any]:
        """Hold the number of languages against the files."""
        given = super().clean() or {}
        languages = given.get("languages")
        if languages and len(languages) == 2 and not given.get("targets") and "targets" not in self.errors:
            self.add_error("targets", _("A pair of languages needs the text of the target too."))
        if languages and len(languages) == 1 and given.get("targets"):
            self.add_error("targets", _("Text in one language has no target. Give a pair, as en-de."))
        return given


class FilterForm(HouseForm):
    """Which lines of a corpus stay."""

    name = NameField("corpus", label=gettext_lazy("Name of what is left"))
    min_words = forms.IntegerField(
        min_value=0, initial=DEFAULTS.min_words, label=gettext_lazy("Fewest words of a side")
    )
    max_words = forms.IntegerField(
        min_value=0,
        initial=DEFAULTS.max_words,
        label=gettext_lazy("Most words of a side"),
        help_text=gettext_lazy("0: no limit"),
    )
    max_ratio = forms.FloatField(
        min_value=0,
        initial=DEFAULTS.max_ratio,
        label=gettext_lazy("Longer side at most so many times the shorter"),
        help_text=gettext_lazy("0: no limit"),
    )
    min_letters = forms.IntegerField(
        min_value=0,
        initial=DEFAULTS.min_letters,
        label=gettext_lazy("Shorter lines are not held against the language"),
        help_text=gettext_lazy("in letters"),
    )
    language = forms.BooleanField(
        required=False, initial=DEFAULTS.language, label=gettext_lazy("Remove lines in another language")
    )
    duplicates = forms.BooleanField(
        required=False, initial=DEFAULTS.duplicates, label=gettext_lazy("Remove lines that come again")
    )
    drop_test_segments = forms.BooleanField(
        required=False, initial=True, label=gettext_lazy("Remove segments of all test sets known here")
    )

    def options(self) -> dict[str, Any]:
        """Return the figures of the filters."""
        return {one.name: self.cleaned_data[one.name] for one in fields(FilterOptions)}


class SplitForm(HouseForm):
    """How many lines are held out, and what both parts are called."""

    rest = NameField("corpus", label=gettext_lazy("Name of what is left"))
    held = NameField("corpus", label=gettext_lazy("Name of what is held out"))
    lines = forms.IntegerField(min_value=1, label=gettext_lazy("Lines to hold out"))
    seed = forms.IntegerField(
        min_value=0,
        max_value=MOST_SEED,
        initial=1,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("The same seed takes the same lines."),
    )


class MixForm(HouseForm):
    """Corpora to put together: each so often, with a tag before its source lines."""

    name = NameField("corpus", label=gettext_lazy("Name of the mix"), widget=forms.TextInput(whole()))

    def __init__(self, *args: Any, corpora: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for n in range(1, MOST_PARTS + 1):
            self.fields[f"corpus_{n}"] = forms.ChoiceField(
                choices=first_empty("–", corpora), required=n == 1, label=_("Corpus %(n)s") % {"n": n}
            )
            self.fields[f"copies_{n}"] = forms.IntegerField(
                min_value=1, max_value=MOST_COPIES, required=False, initial=1, label=_("Copies")
            )
            self.fields[f"tag_{n}"] = forms.CharField(
                required=False,
                max_length=40,
                label=_("Tag before its sources"),
                help_text=_("as <BT>; may be empty"),
            )

    def rows(self) -> list[list[forms.BoundField]]:
        """Return the fields of each part."""
        return [
            [self[f"{name}_{n}"] for name in ("corpus", "copies", "tag")] for n in range(1, MOST_PARTS + 1)
        ]

    def parts(self) -> list[dict[str, Any]]:
        """Return the parts that were chosen."""
        given = self.cleaned_data
        return [
            {
                "corpus": given[f"corpus_{n}"],
                "copies": given.get(f"copies_{n}") or 1,
                "tag": given.get(f"tag_{n}", ""),
            }
            for n in range(1, MOST_PARTS + 1)
            if given.get(f"corpus_{n}")
        ]
