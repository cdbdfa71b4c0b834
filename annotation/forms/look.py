"""What a look at a running campaign is asked: its error and how that is spent."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from annotation.services.looks import LEAST_ALPHA, MOST_ALPHA
from annotation.stats.sequential import SPENDING
from mtcore.forms.fields import HouseForm

SPENDING_WORDS = {
    "obrien_fleming": gettext_lazy("O’Brien–Fleming: little early, nearly all at the end"),
    "pocock": gettext_lazy("Pocock: about the same at each look"),
}


class LookForm(HouseForm):
    """The options of a look; those of the first one stand for all that follow.

    It carries how many looks its page showed: sent again by a reload it takes no other one.
    """

    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    alpha = forms.FloatField(
        min_value=LEAST_ALPHA,
        max_value=MOST_ALPHA,
        initial=0.05,
        label=gettext_lazy("Error of all looks together"),
        widget=forms.NumberInput({"step": "any"}),
    )
    spending = forms.ChoiceField(
        choices=[(name, SPENDING_WORDS[name]) for name in SPENDING],
        label=gettext_lazy("How it is spent"),
    )
