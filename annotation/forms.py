"""Forms of the human-evaluation wing."""

from django import forms
from django.utils.translation import gettext_lazy as _


class ConsentForm(forms.Form):
    """The box a rater ticks before the first item."""

    agree = forms.BooleanField(
        label=_("I have read this and agree to take part."),
        error_messages={"required": _("Tick this box to take part.")},
    )
