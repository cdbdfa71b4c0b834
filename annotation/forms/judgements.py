"""The form that imports judgements made elsewhere."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.formats import FORMATS
from annotation.protocols import PROTOCOLS
from annotation.services.judgement_upload import LONGEST_MAP
from mtcore.forms.fields import HouseForm, NameField

_FILE_SAYS = ("", gettext_lazy("as the file says"))


class ImportForm(HouseForm):
    """A file of judgements, and what it does not say itself."""

    campaign = NameField(
        "campaign",
        label=gettext_lazy("Campaign"),
        help_text=gettext_lazy("A new name, or a campaign that was imported before, to add to it."),
    )
    file = forms.FileField(label=gettext_lazy("File"), help_text=gettext_lazy("Plain or .gz, at most 20 MB."))
    format = forms.ChoiceField(
        choices=[(name, f"{name}: {one.title}") for name, one in FORMATS.items()],
        label=gettext_lazy("Format"),
    )
    protocol = forms.ChoiceField(
        choices=[_FILE_SAYS, *((name, one.title) for name, one in PROTOCOLS.items())],
        required=False,
        label=gettext_lazy("Protocol"),
    )
    languages = forms.CharField(
        max_length=80,
        required=False,
        label=gettext_lazy("Languages"),
        help_text=gettext_lazy("Source and target, as en-de."),
    )
    scale = forms.CharField(
        max_length=60,
        required=False,
        label=gettext_lazy("Scale"),
        help_text=gettext_lazy("Lowest and highest score, as 0-100."),
    )
    testset = NameField(
        "test set",
        required=False,
        label=gettext_lazy("Test set"),
        help_text=gettext_lazy(
            "With texts, that the segments belong to; empty: segments are known by their ids."
        ),
    )
    study = NameField(
        "study",
        required=False,
        label=gettext_lazy("Study"),
        help_text=gettext_lazy("A study of yours, or a new one; empty: a new study of the campaign's name."),
    )
    map = forms.CharField(
        max_length=LONGEST_MAP,
        required=False,
        label=gettext_lazy("Columns of a table of others"),
        help_text=gettext_lazy(
            "As rater=COL, system=COL, segment=COL, score=COL; also kind=COL, group=COL and time=COL where "
            "the file has them."
        ),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    unknown_kinds = forms.ChoiceField(
        choices=[
            ("refuse", gettext_lazy("refuse the file")),
            ("skip", gettext_lazy("leave these rows out")),
        ],
        label=gettext_lazy("Kinds of items that are not known"),
    )

    def said(self) -> dict[str, Any]:
        """Return what was said about the file."""
        return {name: value for name, value in self.cleaned_data.items() if name != "file"}
