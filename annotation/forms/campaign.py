"""The form that makes a campaign over imported test sets, section by section."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.protocols import PROTOCOLS
from annotation.services.campaign_request import CampaignRequest
from mtcore.forms.fields import Choices, HouseForm, NameField, Ticks

SECTIONS: list[tuple[str, Any, tuple[str, ...]]] = [
    ("protocol", gettext_lazy("1. Protocol"), ("name", "study", "protocol", "scale_low", "scale_high")),
    ("texts", gettext_lazy("2. Texts"), ("testsets", "systems", "inputs", "versions", "segments", "pairs")),
    ("raters", gettext_lazy("3. Raters and redundancy"), ("raters", "judgements", "pool", "seed")),
    (
        "quality",
        gettext_lazy("4. Quality control"),
        (
            "bad_references",
            "repeats",
            "reference_as_system",
            "practice",
            "calibration",
            "paper",
            "can_skip",
            "sealed",
        ),
    ),
    (
        "words",
        gettext_lazy("5. What raters read"),
        ("low_label", "high_label", "guidelines", "consent"),
    ),
    ("cost", gettext_lazy("6. Cost"), ("hourly_rate", "currency")),
]
PAPER = {"native": ("target",), "fluent": ("source",)}


class CampaignForm(HouseForm):
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
    raters = forms.CharField(
        required=False,
        label=gettext_lazy("Raters"),
        help_text=gettext_lazy("How many, or a pseudonym a line. A pool needs none."),
        widget=forms.Textarea({"rows": 4}),
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
        max_value=2**62,
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
        label=gettext_lazy("Raters must be native in the target language and fluent in the source"),
    )
    can_skip = forms.BooleanField(required=False, label=gettext_lazy("Raters may pass an item over"))
    sealed = forms.BooleanField(
        required=False,
        label=gettext_lazy("Seal the results until the campaign is closed"),
        help_text=gettext_lazy("Nobody sees scores before, you neither; progress and quality warnings stay."),
    )
    low_label = forms.CharField(
        required=False, max_length=80, label=gettext_lazy("What the lowest score means")
    )
    high_label = forms.CharField(
        required=False, max_length=80, label=gettext_lazy("What the highest score means")
    )
    guidelines = forms.CharField(
        required=False,
        label=gettext_lazy("Guidelines"),
        help_text=gettext_lazy("Markdown; empty: those of the protocol."),
        widget=forms.Textarea({"rows": 6}),
    )
    consent = forms.CharField(
        required=False,
        label=gettext_lazy("What raters agree to"),
        help_text=gettext_lazy("Empty: the usual text."),
        widget=forms.Textarea({"rows": 4}),
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
        """Return the sections with their fields."""
        return [
            {"id": name, "title": title, "fields": [self[field] for field in fields]}
            for name, title, fields in SECTIONS
        ]

    def clean_raters(self) -> int | list[str]:
        """Return a number, or names."""
        text = str(self.cleaned_data["raters"]).strip()
        if text.isascii() and text.isdigit() and len(text) < 7:
            return int(text)
        return [line.strip() for line in text.split("\n") if line.strip()]

    def asked(self, *, opened: bool) -> CampaignRequest:
        """Return the request, once the form is valid."""
        given = self.cleaned_data
        rated = PROTOCOLS[given["protocol"]].record == "rating"
        settings: dict[str, Any] = {
            name: given[name]
            for name in (
                "bad_references", "repeats", "reference_as_system", "can_skip", "sealed", "low_label",
                "high_label",
            )
        }  # fmt: skip
        if not rated:
            settings = {name: value for name, value in settings.items() if not name.endswith("label")}
        if given["paper"]:
            settings |= PAPER
        return CampaignRequest(
            name=given["name"],
            protocol=given["protocol"],
            testsets=given["testsets"],
            systems=given["systems"],
            inputs=_split(given["inputs"]),
            versions=_split(given["versions"]),
            raters=given["raters"] or (),
            judgements=given["judgements"],
            seed=given["seed"],
            scale=(given["scale_low"], given["scale_high"]) if rated else (1, 100),
            pairs=given["pairs"] or "all" if not rated else "all",
            segments=given["segments"],
            guidelines=_lines(given["guidelines"]),
            consent=_lines(given["consent"]),
            study=given["study"],
            opened=opened,
            pool=given["pool"],
            practice=given["practice"],
            calibration=given["calibration"],
            settings=settings,
        )


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _lines(text: str) -> str:
    """Browsers send CRLF at line ends."""
    return text.replace("\r\n", "\n")
