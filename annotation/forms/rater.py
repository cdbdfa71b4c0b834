"""Forms that raters fill in: consent, languages and experience."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from annotation.services.eligibility import Profile
from mtcore.corpora.language_choice import LONGEST, UnknownLanguage, find_language
from mtcore.corpora.languages import language_name

LEVELS = [("basic", _("a little")), ("good", _("well")), ("advanced", _("very well"))]
PROFESSIONS = [
    ("", _("I would rather not say")),
    ("translator", _("translator or interpreter by profession")),
    ("language_work", _("other work with language: editing, teaching, writing …")),
    ("student", _("student of translation or of a language")),
    ("other", _("something else")),
]
N_NATIVE, N_FLUENT, N_OTHER = 2, 3, 3


class ConsentForm(forms.Form):
    """The box a rater ticks before the first item."""

    agree = forms.BooleanField(
        label=_("I have read this and agree to take part."),
        error_messages={"required": _("Tick this box to take part.")},
    )


class LanguageField(forms.CharField):
    """A language named in the language of the page, in English, in itself, or by its tag."""

    def __init__(self, **options: Any) -> None:
        attributes = {"list": "languages", "autocomplete": "off", "dir": "auto", "spellcheck": "false"}
        options.setdefault("widget", forms.TextInput(attrs=attributes))
        super().__init__(max_length=LONGEST, **options)

    def clean(self, value: Any) -> str:
        """Return the tag; "" for nothing."""
        text = super().clean(value)
        if not text:
            return ""
        try:
            return find_language(text, get_language() or "en")
        except UnknownLanguage as error:
            message = now("We do not know a language called “%(name)s”.") % {"name": error.name}
            if error.suggestion:
                message += " " + now("Did you mean “%(name)s”?") % {"name": error.suggestion}
            raise forms.ValidationError(message) from error


class ProfileForm(forms.Form):
    """What raters state about themselves; prefilled with what they said in another campaign of the study."""

    years = forms.IntegerField(
        label=_("Years of experience as a translator"), min_value=0, max_value=80, required=False
    )
    profession = forms.ChoiceField(label=_("What you do"), choices=PROFESSIONS, required=False)

    def __init__(self, data: Any = None, *, known: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=_initial(known or {}), label_suffix="")
        for number in range(1, N_NATIVE + 1):
            label = _("Native language") if number == 1 else _("Another native language")
            needed = {"required": _("Name your native language.")}
            self.fields[f"native_{number}"] = LanguageField(
                label=label, required=number == 1, error_messages=needed
            )
        for number in range(1, N_FLUENT + 1):
            self.fields[f"fluent_{number}"] = LanguageField(label=_("Fluent language"), required=False)
        for number in range(1, N_OTHER + 1):
            self.fields[f"other_{number}"] = LanguageField(label=_("Other language"), required=False)
            self.fields[f"level_{number}"] = forms.ChoiceField(
                label=_("How well you know it"), choices=LEVELS, required=False
            )

    @property
    def native(self) -> list[forms.BoundField]:
        """The fields of native languages."""
        return [self[f"native_{number}"] for number in range(1, N_NATIVE + 1)]

    @property
    def fluent(self) -> list[forms.BoundField]:
        """The fields of fluent languages."""
        return [self[f"fluent_{number}"] for number in range(1, N_FLUENT + 1)]

    @property
    def other(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """The fields of other languages, each with its level."""
        return [(self[f"other_{number}"], self[f"level_{number}"]) for number in range(1, N_OTHER + 1)]

    def profile(self) -> Profile:
        """Return what was stated, each language once, under the best that was said of it."""
        said = self.cleaned_data
        native = _distinct(said[f"native_{number}"] for number in range(1, N_NATIVE + 1))
        fluent = _distinct(said[f"fluent_{number}"] for number in range(1, N_FLUENT + 1))
        other = {
            said[f"other_{number}"]: said[f"level_{number}"] or LEVELS[0][0]
            for number in range(1, N_OTHER + 1)
        }
        return Profile(
            native=native,
            fluent=tuple(tag for tag in fluent if tag not in native),
            other=tuple((tag, how) for tag, how in other.items() if tag and tag not in (*native, *fluent)),
            years=said["years"],
            profession=said["profession"],
        )


def _distinct(tags: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _initial(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored profile as the form shows it: languages by name."""
    page = get_language() or "en"
    initial: dict[str, Any] = {"years": known.get("years"), "profession": known.get("profession", "")}
    for kind in ("native", "fluent"):
        for number, tag in enumerate(known.get(kind, ()), start=1):
            initial[f"{kind}_{number}"] = language_name(tag, page)
    for number, (tag, level) in enumerate(known.get("other", ()), start=1):
        initial |= {f"other_{number}": language_name(tag, page), f"level_{number}": level}
    return initial
