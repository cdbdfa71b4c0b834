"""The part of a form that gives a recipe: by name or as TOML, with single figures changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from mtcore.engines.errors import EngineError
from mtcore.engines.recipe import Recipe
from mtcore.engines.recipe_files import recipe_find, recipe_read, recipe_set
from mtcore.engines.recipes import RECIPES
from mtcore.forms.fields import HouseForm

MOST_TOML_BYTES = 64 * 1024


class RecipeForm(HouseForm):
    """A recipe by name or as TOML, with single figures changed."""

    kinds: tuple[str, ...] = ()

    def add_recipe_fields(self) -> None:
        """Declare the fields, after those of the form itself."""
        own = [(one.name, f"{one.name} ({one.kind})") for one in RECIPES.values() if one.kind in self.kinds]
        self.fields["recipe"] = forms.ChoiceField(choices=own, label=_("Recipe"))
        self.fields["changes"] = forms.CharField(
            required=False,
            label=_("Figures to change"),
            widget=forms.Textarea(
                attrs={"rows": 4, "spellcheck": "false", "placeholder": "training.max_updates = 60000"}
            ),
            help_text=_("One a line, as training.seed = 3; the names are those of the figures below."),
        )
        self.fields["toml"] = forms.FileField(
            required=False,
            label=_("Recipe of your own"),
            help_text=_("A TOML file, in the place of the recipe chosen."),
        )
        self.fields["toml_text"] = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_toml(self) -> Any:
        """Read the file into the hidden field, so that the preview keeps it."""
        file = self.cleaned_data["toml"]
        if file and file.size > MOST_TOML_BYTES:
            raise ValidationError(_("A recipe has no more than %(n)s KiB.") % {"n": MOST_TOML_BYTES // 1024})
        return file

    def clean(self) -> dict[str, Any]:
        """Make the recipe, and say of what it is made which figure is wrong."""
        given = super().clean() or {}
        file, text = given.get("toml"), given.get("toml_text", "")
        if file:
            try:
                text = file.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("toml", _("The file is not UTF-8."))
                return given
        given["toml_text"] = text
        if self.errors:
            return given
        try:
            base = recipe_read(text) if text else recipe_find(given["recipe"])
        except EngineError as error:
            self.add_error("toml" if text else "recipe", str(error))
            return given
        if base.kind not in self.kinds:
            self.add_error(
                "toml" if text else "recipe",
                _("“%(name)s” is of the kind %(kind)s; this page takes %(kinds)s.")
                % {"name": base.name, "kind": base.kind, "kinds": ", ".join(self.kinds)},
            )
            return given
        try:
            settings = dict(_settings(given.get("changes", "")))
            given["settings"] = [f"{name}={value}" for name, value in settings.items()]
            given["made"] = recipe_set(base, settings)
        except EngineError as error:
            self.add_error("changes", str(error))
        except ValidationError as error:
            self.add_error("changes", error)
        return given

    @property
    def made(self) -> Recipe:
        """Return the recipe with its changes."""
        return self.cleaned_data["made"]


def _settings(text: str) -> Iterable[tuple[str, str]]:
    """Read lines of the form name = value; blank ones and those that begin with # say nothing."""
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        name, sign, value = (part.strip() for part in plain.partition("="))
        if not sign or not name or not value:
            raise ValidationError(
                _("Line %(n)s, “%(line)s”, is not a name, an equals sign and a value.")
                % {"n": number, "line": plain}
            )
        yield name, value
