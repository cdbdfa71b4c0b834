"""The form that makes a campaign over imported test sets, section by section."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.campaign_settings import SettingsForm, split
from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.attention_file import attention_parse, attention_rows
from annotation.services.campaign_request import CampaignRequest
from annotation.services.campaigns import MAX_SEED
from annotation.services.people_settings import paper_required
from annotation.services.practice_file import practice_parse
from annotation.services.practice_items import STAGES
from evalplatform.errors import UserError
from mtcore.forms.fields import Choices, NameField, Ticks
from mtcore.forms.text_or_file import TextOrFileField

GUIDELINES_BY_LANGUAGE = ("guidelines by language",)
"""Stands for the fields of all languages."""

Fold = tuple[Any, Any, tuple[str, ...]]
SECTIONS: list[tuple[str, Any, tuple[str, ...], tuple[Fold, ...]]] = [
    (
        "protocol",
        gettext_lazy("1. Protocol"),
        ("name", "study", "protocol", "scale_low", "scale_high"),
        (),
    ),
    (
        "texts",
        gettext_lazy("2. Texts"),
        ("testsets", "systems", "inputs", "versions", "segments", "pairs"),
        (),
    ),
    (
        "raters",
        gettext_lazy("3. Raters and redundancy"),
        ("raters", "judgements", "pool", "paper"),
        (
            (
                gettext_lazy("Joining and panels"),
                gettext_lazy("For raters who are not invited by name."),
                ("joins", "joins_an_hour", "return_url"),
            ),
            (
                gettext_lazy("Which languages raters must know"),
                gettext_lazy("Raters state them in a form before they begin; who lacks one is not let in."),
                ("native", "fluent", "asks_profile"),
            ),
            (
                gettext_lazy("How work is dealt"),
                gettext_lazy(
                    "The usual keeps the systems of a segment together, so that raters compare alike."
                ),
                ("spread", "seed", "lease_minutes", "most_items"),
            ),
        ),
    ),
    (
        "quality",
        gettext_lazy("4. Quality control"),
        ("bad_references", "repeats", "practice", "calibration", "reference_as_system", "can_skip", "sealed"),
        (
            (
                gettext_lazy("Items of your own"),
                gettext_lazy("Practice and attention items that you wrote, as tables with a header."),
                ("practice_items", "calibration_items", "attention"),
            ),
            (
                gettext_lazy("When raters disagree"),
                gettext_lazy("The rule by which items are judged again; the round itself is begun later."),
                ("reading", "points", "treatment"),
            ),
        ),
    ),
    (
        "words",
        gettext_lazy("5. What raters read"),
        ("low_label", "high_label", "guidelines", "consent"),
        (
            (
                gettext_lazy("Guidelines in other languages"),
                gettext_lazy(
                    "Who uses the pages in such a language reads these; everybody else, those above."
                ),
                GUIDELINES_BY_LANGUAGE,
            ),
            (
                gettext_lazy("The rating page"),
                gettext_lazy("What stands around an item, and when a break is suggested."),
                ("context_segments", "break_after"),
            ),
        ),
    ),
    ("cost", gettext_lazy("6. Cost"), ("hourly_rate", "currency"), ()),
]
"""Section: name, title, its fields, and groups of fields that are rarely needed: title, what for, fields."""
TABLE = ".csv,.tsv,.txt,.jsonl"


class CampaignForm(SettingsForm):
    """All that a campaign over imported texts is asked for."""

    name = NameField("campaign", label=gettext_lazy("Name"))
    study = NameField(
        "study",
        required=False,
        label=gettext_lazy("Study"),
        help_text=gettext_lazy("A study of yours, or a new one; empty: a new study of the campaign's name."),
    )
    protocol = forms.ChoiceField(
        choices=[(name, one.title) for name, one in PROTOCOLS.items()], label=gettext_lazy("Protocol")
    )
    scale_low = forms.IntegerField(initial=1, label=gettext_lazy("Lowest score"))
    scale_high = forms.IntegerField(initial=100, label=gettext_lazy("Highest score"))
    testsets = Ticks(choices=[], label=gettext_lazy("Test sets"))
    systems = Ticks(choices=[], label=gettext_lazy("Systems"))
    inputs = forms.CharField(
        required=False,
        max_length=500,
        label=gettext_lazy("Texts of the source"),
        help_text=gettext_lazy("Names or notation with commas, as X, X**; empty: the original."),
    )
    versions = forms.CharField(
        required=False,
        max_length=500,
        label=gettext_lazy("References"),
        help_text=gettext_lazy("For reference-based ratings; empty: the original."),
    )
    segments = forms.CharField(
        required=False,
        max_length=100,
        label=gettext_lazy("Segments"),
        help_text=gettext_lazy("A number, a range as 1-200, or sample:100; empty: all."),
    )
    pairs = forms.CharField(
        required=False,
        max_length=120,
        initial="all",
        label=gettext_lazy("Pairs"),
        help_text=gettext_lazy("For comparisons: all, the name of a baseline, or sample:2."),
    )
    raters = TextOrFileField(
        accept=".txt",
        label=gettext_lazy("Raters"),
        help_text=gettext_lazy("How many, or a pseudonym a line. A pool needs none."),
    )
    judgements = forms.IntegerField(
        min_value=1, max_value=1000, initial=3, label=gettext_lazy("Judgements of each item")
    )
    pool = forms.BooleanField(
        required=False,
        label=gettext_lazy("A pool: raters come and go, whoever comes takes the next item"),
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        required=False,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy("Empty: drawn and kept; nobody can guess the plan."),
    )
    bad_references = forms.FloatField(
        min_value=0,
        max_value=1,
        initial=0.5,
        label=gettext_lazy("Bad references for each item"),
        help_text=gettext_lazy("0 to 1; 0.5 and 0.3 catch careless raters within 60 items."),
    )
    repeats = forms.FloatField(
        min_value=0, max_value=1, initial=0.3, label=gettext_lazy("Repeats for each item")
    )
    reference_as_system = forms.BooleanField(
        required=False, label=gettext_lazy("Show the reference as a hidden system")
    )
    practice = forms.IntegerField(
        min_value=0, max_value=50, initial=0, label=gettext_lazy("Practice items with feedback")
    )
    calibration = forms.IntegerField(
        min_value=0, max_value=50, initial=0, label=gettext_lazy("Calibration items")
    )
    paper = forms.BooleanField(
        required=False,
        label=gettext_lazy("Raters must be native in the target language and know the source fluently"),
        help_text=gettext_lazy("As Edunov et al. (2020) ask; for fluency the target alone."),
    )
    spread = forms.BooleanField(
        required=False, label=gettext_lazy("Deal every item on its own, not segment by segment")
    )
    practice_items = TextOrFileField(
        rows=3,
        accept=TABLE,
        label=gettext_lazy("Practice items"),
        help_text=gettext_lazy(
            "Columns: source (or reference), translation, low, high, why; for comparisons left, right, "
            "choice, why. JSON Lines too. Instead of a number above."
        ),
    )
    calibration_items = TextOrFileField(
        rows=3,
        accept=TABLE,
        label=gettext_lazy("Items for calibration"),
        help_text=gettext_lazy("The same; what is expected is shown at the end only."),
    )
    attention = TextOrFileField(
        rows=3,
        accept=TABLE,
        label=gettext_lazy("Attention items"),
        help_text=gettext_lazy(
            "Texts that tell which answer to give. Columns: translation, low, high; for comparisons left, "
            "right, choice."
        ),
    )
    hourly_rate = forms.DecimalField(
        required=False,
        min_value=0,
        max_value=10_000,
        decimal_places=2,
        label=gettext_lazy("Pay for an hour"),
        help_text=gettext_lazy("Only to say what the campaign would cost; it is not kept."),
    )
    currency = forms.CharField(required=False, max_length=10, initial="€", label=gettext_lazy("Currency"))

    def __init__(self, *args: Any, testsets: Choices, systems: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (("testsets", testsets), ("systems", systems)):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices
        self.fields["protocol"].choices = [  # type: ignore[attr-defined]
            (name, f"{_(one.title)}: {_(one.description)}") for name, one in PROTOCOLS.items()
        ]

    def sections(self) -> list[dict[str, Any]]:
        """Return the sections with their fields and folded groups; a group with an error stands open."""
        return [
            {
                "id": name,
                "title": title,
                "fields": [self[field] for field in fields],
                "folds": [self._fold(*fold) for fold in folds],
            }
            for name, title, fields, folds in SECTIONS
        ]

    def _fold(self, title: Any, why: Any, names: tuple[str, ...]) -> dict[str, Any]:
        names = self.guidelines_fields() if names is GUIDELINES_BY_LANGUAGE else names
        fields = [self[name] for name in names]
        is_wrong = self.is_bound and any(name in self.errors for name in names)
        return {"title": title, "why": why, "fields": fields, "open": is_wrong or self._is_changed(names)}

    def _is_changed(self, names: tuple[str, ...]) -> bool:
        """Tell whether something in a group is not as usual; a drawn seed is."""
        if not self.is_bound:
            begun = {name: self.initial[name] for name in names if name in self.initial}
            return any(
                (value or None) != (self.fields[name].initial or None) for name, value in begun.items()
            )
        return any(name in self.changed_data for name in names if name != "seed")

    def clean_name(self) -> str:
        """Refuse the name of another campaign."""
        name = str(self.cleaned_data["name"])
        if Campaign.objects.filter(name=name).exists():
            words = _("A campaign “%(name)s” exists already. Choose another name.")
            raise forms.ValidationError(words % {"name": name})
        return name

    def clean_raters(self) -> int | list[str]:
        """Return a number, or names."""
        text = str(self.cleaned_data["raters"]).strip()
        if text.isascii() and text.isdigit() and len(text) < 7:
            return int(text)
        return [line.strip() for line in text.split("\n") if line.strip()]

    def clean(self) -> dict[str, Any]:
        """Read the items that were given, so that what is wrong is said beside them."""
        given = super().clean()
        self._check_scale(given)
        if "protocol" in given and not self._errors_of("scale_low", "scale_high"):
            protocol, scale = PROTOCOLS[given["protocol"]], self._scale(given)
            for stage in STAGES:
                text, field = given.get(f"{stage}_items") or "", f"{stage}_items"
                if text.strip() and given.get(stage):
                    self.add_error(field, _("Give a number of items or the items themselves, not both."))
                elif text.strip():
                    read = partial(
                        practice_parse, text.encode(), name=str(self.fields[field].label),
                        protocol=protocol, scale=scale, stage=stage,
                    )  # fmt: skip
                    given[field] = self._read(field, read)
            if (given.get("attention") or "").strip():
                words = given["attention"].encode()
                name = str(self.fields["attention"].label)
                items = partial(attention_parse, words, name=name, protocol=protocol, scale=scale)
                given["attention"] = attention_rows(self._read("attention", items) or ())
        return given

    def refuse(self, error: UserError, field: str | None = None) -> None:
        """Write what a service refused beside the field that its message or remedy names first."""
        named = re.findall(r"--([a-z-]+)", f"{error.message} {error.remedy}")
        fields = (one.replace("-", "_") for one in named if "manage.py" not in error.remedy)
        field = field or next((one for one in fields if one in self.fields), None)
        super().refuse(error, field)

    def asked(self, *, opened: bool) -> CampaignRequest:
        """Return the request, once the form is valid."""
        given = self.cleaned_data
        rated = PROTOCOLS[given["protocol"]].record == "rating"
        settings = self.settings(rated=rated) | {
            name: given[name] for name in ("bad_references", "repeats", "reference_as_system")
        }
        if given["attention"]:
            settings["attention"] = given["attention"]
        if given["paper"]:
            required = paper_required(
                given["protocol"], settings.get("native", ()), settings.get("fluent", ())
            )
            settings |= dict(zip(("native", "fluent"), required, strict=True))
        return CampaignRequest(
            name=given["name"],
            protocol=given["protocol"],
            testsets=given["testsets"],
            systems=given["systems"],
            inputs=split(given["inputs"]),
            versions=split(given["versions"]),
            raters=given["raters"] or (),
            judgements=given["judgements"],
            seed=given["seed"],
            scale=self._scale(given),
            pairs=given["pairs"] or "all" if not rated else "all",
            spread=given["spread"],
            segments=given["segments"],
            guidelines=given["guidelines"],
            consent=given["consent"],
            study=given["study"],
            opened=opened,
            pool=given["pool"],
            practice=given["practice_items"] or given["practice"] or 0,
            calibration=given["calibration_items"] or given["calibration"] or 0,
            settings=settings,
        )

    def _read(self, field: str, read: Callable[[], Any]) -> Any:
        """Read what a field holds; write a refusal beside it."""
        try:
            return read()
        except UserError as error:
            self.refuse(error, field)
            return None

    def _scale(self, given: dict[str, Any]) -> tuple[int, int]:
        """Return the scale; comparisons have none."""
        rated = PROTOCOLS[given["protocol"]].record == "rating"
        return (given["scale_low"], given["scale_high"]) if rated else (1, 100)

    def _check_scale(self, given: dict[str, Any]) -> None:
        low, high = given.get("scale_low"), given.get("scale_high")
        if low is not None and high is not None and low >= high:
            self.add_error("scale_high", _("Give a number above the lowest score."))

    def _errors_of(self, *names: str) -> bool:
        return any(name in self.errors for name in names)
