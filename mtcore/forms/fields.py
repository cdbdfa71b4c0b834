"""Fields that several forms share, and how a service's refusal is written into a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from evalplatform.errors import UserError
from evalplatform.words import options_worded
from mtcore.corpora.names import InvalidName, check_name
from mtcore.services.corpora import languages_of
from mtcore.services.metric_scoring import MOST_RESAMPLES, MOST_SEED

Choices = list[tuple[str, str]]


class HouseForm(forms.Form):
    """A form whose errors come from the services too; `whole` marks fields as wide as the form."""

    use_required_attribute = True

    @property
    def status(self) -> HTTPStatus:
        """Return the status of the page that shows the form: 400 when something in it was refused."""
        return HTTPStatus.BAD_REQUEST if self.is_bound and self.errors else HTTPStatus.OK

    def refuse(self, error: UserError, field: str | None = None) -> None:
        """Write what a service refused, and its remedy, into the form; fields go by their labels."""

        def label(name: str) -> str:
            return str(self.fields[name].label)

        parts = (options_worded(part, self.fields, label) for part in (error.message, error.remedy))
        self.add_error(field, " ".join(filter(None, parts)))


class NameField(forms.CharField):
    """A name as commands take it: printable, without `|`, kept as it is."""

    def __init__(self, what: str, **kwargs: Any) -> None:
        super().__init__(max_length=120, strip=False, **kwargs)
        self.what = what

    def clean(self, value: Any) -> str:
        """Check the name as it was typed."""
        name = str(super().clean(value) or "")
        if not name and not self.required:
            return ""
        try:
            return check_name(name, self.what)
        except InvalidName as error:
            raise ValidationError(str(error)) from error


class LanguagesField(forms.CharField):
    """A pair of languages, as en-de, or one language."""

    def clean(self, value: Any) -> tuple[str, ...]:
        """Return the tags."""
        text = str(super().clean(value) or "")
        try:
            return languages_of(text)
        except UserError as error:
            raise ValidationError(str(error)) from error


class ManyFiles(forms.ClearableFileInput):
    """A file input that takes several."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or several files."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=ManyFiles(), **kwargs)

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Return a list; empty when nothing was sent and nothing is required."""
        given = data if isinstance(data, list | tuple) else [data]
        found = [super(FilesField, self).clean(one, initial) for one in given if one] or (
            [super().clean(None, initial)] if self.required else []
        )
        return [one for one in found if one]


class Ticks(forms.MultipleChoiceField):
    """Several of a list, each with a box to tick."""

    widget = forms.CheckboxSelectMultiple


def whole(attrs: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return attributes of a field as wide as its form."""
    return {**(attrs or {}), "data-whole": "1"}


def tried(form: HouseForm, action: Callable[[], Any]) -> Any:
    """Call a service; write its refusal into the form and return None."""
    try:
        return action()
    except UserError as error:
        form.refuse(error)
        return None


def first_empty(label: str, choices: Sequence[tuple[str, str]]) -> Choices:
    """Return choices after one that means none."""
    return [("", label), *choices]


def number_refused(low: int) -> str:
    """Say which numbers a field takes."""
    return _("Give a whole number from %(low)s on.") % {"low": low}


def seed_field(**more: Any) -> forms.IntegerField:
    """Return the field of a seed."""
    return forms.IntegerField(min_value=0, max_value=MOST_SEED, label=_("Seed"), **more)


def drawing_fields(*, none: str, seed: int) -> dict[str, forms.IntegerField]:
    """Return the fields of what is drawn by chance: how often, and from which seed.

    Args:
        none: what none of them leaves out.
        seed: usually.
    """
    resamples = forms.IntegerField(
        min_value=0, max_value=MOST_RESAMPLES, initial=1000, label=_("Resamples"), help_text=none
    )
    return {"resamples": resamples, "seed": seed_field(initial=seed)}
