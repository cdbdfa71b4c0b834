"""Fields of a campaign's settings that need no plan: also what a draft can still be changed in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Campaign
from annotation.services.campaign_settings import CampaignSettings
from annotation.stats.disagreement import POINTS
from evalplatform.errors import UserError
from mtcore.forms.fields import HouseForm
from mtcore.forms.text_or_file import TextOrFileField

USUAL = CampaignSettings()
MARKDOWN = ".md,.markdown,.txt"
READINGS = [
    ("range", gettext_lazy("highest and lowest score differ by more")),
    ("pairwise", gettext_lazy("both gaps of three scores are wider")),
]
TREATMENTS = [
    ("replace", gettext_lazy("the new judgements count alone")),
    ("pool", gettext_lazy("first and new ones count together")),
]
PLAIN = (
    "low_label", "high_label", "context_segments", "can_skip", "break_after", "asks_profile",
    "joins", "joins_an_hour", "return_url", "lease_minutes", "most_items", "reading", "points", "treatment",
    "sealed",
)  # fmt: skip
"""Settings that stand in the form under their own names."""
LANGUAGES = ("native", "fluent")
OF_RATINGS = ("low_label", "high_label", "reading", "points", "treatment")
"""Settings that comparisons have no use for."""
GUIDELINES = "guidelines_"


def _number(usual: int, low: int, high: int, label: Any, help_text: Any = "") -> forms.IntegerField:
    """Return a field for a whole number; empty means as usual."""
    return forms.IntegerField(
        required=False, min_value=low, max_value=high, initial=usual, label=label, help_text=help_text
    )


class SettingsForm(HouseForm):
    """The fields, and what they say by the names of `CampaignSettings`."""

    low_label = forms.CharField(
        required=False, max_length=80, label=gettext_lazy("What the lowest score means")
    )
    high_label = forms.CharField(
        required=False, max_length=80, label=gettext_lazy("What the highest score means")
    )
    guidelines = TextOrFileField(
        rows=6,
        accept=MARKDOWN,
        label=gettext_lazy("Guidelines"),
        help_text=gettext_lazy("Markdown; empty: those of the protocol."),
    )
    consent = TextOrFileField(
        label=gettext_lazy("What raters agree to"), help_text=gettext_lazy("Empty: the usual text.")
    )
    can_skip = forms.BooleanField(required=False, label=gettext_lazy("Raters may pass an item over"))
    sealed = forms.BooleanField(
        required=False,
        label=gettext_lazy("Seal the results until the campaign is closed"),
        help_text=gettext_lazy("Nobody sees scores before, you neither; progress and quality warnings stay."),
    )
    context_segments = _number(
        USUAL.context_segments, 0, 10, gettext_lazy("Neighbours shown"),
        gettext_lazy("Segments of the same document before and after; 0: none."),
    )  # fmt: skip
    break_after = _number(
        USUAL.break_after, 0, 480, gettext_lazy("Minutes until a break is suggested"),
        gettext_lazy("0: never."),
    )  # fmt: skip
    native = forms.CharField(
        required=False, max_length=200, label=gettext_lazy("Native languages required"),
        help_text=gettext_lazy(
            "With commas: tags as de or pt-BR, or the words source and target. All are needed."
        ),
    )  # fmt: skip
    fluent = forms.CharField(
        required=False, max_length=200, label=gettext_lazy("Languages to be known fluently"),
        help_text=gettext_lazy("The same; a native language is fluent too."),
    )  # fmt: skip
    asks_profile = forms.BooleanField(
        required=False,
        label=gettext_lazy("Ask for languages and experience, even where nothing is required"),
    )
    joins = forms.BooleanField(
        required=False,
        label=gettext_lazy("One link by which anybody may take part"),
        help_text=gettext_lazy(
            "For panels and open calls. Without a pool, who comes takes the place of a rater whose "
            "invitation nobody has used."
        ),
    )
    joins_an_hour = _number(
        USUAL.joins_an_hour, 0, 100_000, gettext_lazy("How many may join in an hour"),
        gettext_lazy("0: any number."),
    )  # fmt: skip
    return_url = forms.CharField(
        required=False, max_length=1000, label=gettext_lazy("Where a panel takes raters back to"),
        help_text=gettext_lazy(
            "As https://panel.example.org/complete?cc={code}; {code} is the completion code."
        ),
    )  # fmt: skip
    lease_minutes = _number(
        USUAL.lease_minutes, 1, 1440, gettext_lazy("Minutes that items wait for a rater who has stopped")
    )
    most_items = _number(
        USUAL.most_items, 0, 100_000, gettext_lazy("Items that a rater may take"),
        gettext_lazy("0: as many as there are."),
    )  # fmt: skip
    reading = forms.ChoiceField(
        required=False, choices=READINGS, initial="range", label=gettext_lazy("An item is judged again when")
    )
    points = forms.FloatField(
        required=False,
        min_value=0,
        max_value=2000,
        initial=int(POINTS),
        label=gettext_lazy("Than so many points"),
    )
    treatment = forms.ChoiceField(
        required=False, choices=TREATMENTS, initial="replace", label=gettext_lazy("Then")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for code, name in settings.LANGUAGES:
            label = _("Guidelines: %(language)s") % {"language": name}
            self.fields[f"{GUIDELINES}{code}"] = TextOrFileField(rows=3, accept=MARKDOWN, label=label)

    def guidelines_fields(self) -> tuple[str, ...]:
        """Return the names of the fields for guidelines by language."""
        return tuple(f"{GUIDELINES}{code}" for code, _name in settings.LANGUAGES)

    def clean(self) -> dict[str, Any]:
        """Check each setting, so that what is wrong is said beside its field."""
        given = super().clean() or {}
        for name, value in self._said(given).items():
            if name in LANGUAGES or name in PLAIN:
                self._try(name, {name: value})
        for field in self.guidelines_fields():
            if given.get(field):
                self._try(field, {"guidelines": {field.removeprefix(GUIDELINES): given[field]}})
        return given

    def settings(self, *, rated: bool) -> dict[str, Any]:
        """Return the settings by the names of `CampaignSettings`, once the form is valid."""
        said = self._said(self.cleaned_data)
        return said if rated else {name: one for name, one in said.items() if name not in OF_RATINGS}

    def _said(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return what was said; a number that was left empty is not."""
        plain = {name: given[name] for name in PLAIN if given.get(name) not in (None, "")}
        languages = {name: tuple(split(given[name])) for name in LANGUAGES if given.get(name)}
        texts = {
            field.removeprefix(GUIDELINES): given[field]
            for field in self.guidelines_fields()
            if str(given.get(field) or "").strip()
        }
        return plain | languages | ({"guidelines": texts} if texts else {})

    def _try(self, field: str, values: dict[str, Any]) -> None:
        try:
            CampaignSettings.read(values)
        except UserError as error:
            self.refuse(error, field)


def settings_initial(campaign: Campaign) -> dict[str, Any]:
    """Return what the fields hold of a campaign that is there."""
    made = CampaignSettings.of(campaign)
    found: dict[str, Any] = {name: getattr(made, name) for name in PLAIN}
    found |= {name: ", ".join(getattr(made, name)) for name in LANGUAGES}
    found["points"] = int(made.points) if float(made.points).is_integer() else made.points
    found |= {f"{GUIDELINES}{code}": text for code, text in made.guidelines.items()}
    return found | {"guidelines": campaign.guidelines, "consent": campaign.consent}


def split(text: str) -> list[str]:
    """Return what stands between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]
