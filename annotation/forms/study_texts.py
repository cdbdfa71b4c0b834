"""What the tables of a study are made from: corpora by their part, translations by system, rows by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services.study_tables.texts import ROLES, StudyTexts
from mtcore.forms.fields import HouseForm

BAR = " | "
ROLE_WORDS = {
    "train": gettext_lazy("Corpora to train with"),
    "dev": gettext_lazy("Corpora to develop with"),
    "test": gettext_lazy("Corpora to test with"),
}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


class StudyTextsForm(HouseForm):
    """All of it, a line each; what is left out is taken away. It carries the version it was filled from."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for role in ROLES:
            self.fields[role] = forms.CharField(
                required=False,
                label=ROLE_WORDS[role],
                help_text=_("Parallel text, a name a line."),
                widget=forms.Textarea({"rows": 2}),
            )
        self.fields["translations"] = forms.CharField(
            required=False,
            label=_("Translations of the training text"),
            help_text=_("A system and the corpus it has made, with a bar between: BT | train by BT."),
            widget=forms.Textarea({"rows": 4}),
        )
        self.fields["rows"] = forms.CharField(
            required=False,
            label=_("Rows of the tables"),
            help_text=_(
                "A label and its systems, one for each language pair, with bars between: "
                "TRANS | en-fr-trans | fr-en-trans."
            ),
            widget=forms.Textarea({"rows": 4}),
        )

    def take(self, seen: str) -> None:
        """Carry another version from now on, once its contents are shown beside what was typed."""
        self.data = {name: self.data.get(name) for name in self.data} | {"seen": seen}

    @staticmethod
    def initial_of(texts: StudyTexts, rows: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Return what the fields hold for what a study has now."""
        found = {role: "\n".join(texts.corpora.get(role, ())) for role in ROLES}
        found["translations"] = "\n".join(BAR.join(pair) for pair in texts.translations.items())
        found["rows"] = "\n".join(BAR.join((label, *names)) for label, names in rows.items())
        return found

    def _parted(self, field: str, example: str, *, most: int | None = None) -> dict[str, list[str]]:
        """Read lines of names with bars between: the first → the others."""
        found: dict[str, list[str]] = {}
        for line in _lines(self.cleaned_data[field]):
            first, *others = (part.strip() for part in line.split(BAR.strip()))
            if not (first and others and all(others)) or len(others) > (most or len(others)):
                raise ValidationError(_("“%(line)s” is not like %(like)s.") % {"line": line, "like": example})
            if first in found:
                raise ValidationError(_("“%(name)s” stands there twice.") % {"name": first})
            found[first] = others
        return found

    def clean_translations(self) -> dict[str, str]:
        """Return the corpus by system."""
        return {
            name: only for name, (only,) in self._parted("translations", "BT | train by BT", most=1).items()
        }

    def clean_rows(self) -> dict[str, list[str]]:
        """Return the systems by label, in the order of the lines."""
        return self._parted("rows", "TRANS | en-fr-trans")

    def changes(self, texts: StudyTexts, rows: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return what is to be set, where it differs from what a study has; what is gone is empty."""
        given = self.cleaned_data
        corpora = {role: list(dict.fromkeys(_lines(given[role]))) for role in ROLES}
        named = {role: names for role, names in corpora.items() if names != list(texts.corpora.get(role, ()))}
        found: dict[str, Any] = {"corpora": named} if named else {}
        translations: dict[str, str] = given["translations"]
        if translations != dict(texts.translations):
            found["translations"] = dict.fromkeys(texts.translations, "") | translations
        if list(given["rows"].items()) != [(label, list(names)) for label, names in rows.items()]:
            gone: dict[str, list[str]] = {label: [] for label in rows if label not in given["rows"]}
            found["rows"] = given["rows"] | gone
        return found
