"""How pages write times, durations and counts."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from evalplatform import words

register = template.Library()


@register.filter
def moment(at: datetime | None) -> str:
    """Write a time with its zone; an en dash when there is none."""
    return "–" if at is None else words.moment(at)


@register.filter
def seconds(value: float | None) -> str:
    """Write a duration in whole seconds, "<1 s" for less than one; an en dash when there is none."""
    if value is None:
        return "–"
    if value < 1:
        return _("<1 s")
    return _("%(n)s s") % {"n": grouped(round(value))}


@register.filter
def grouped(n: int) -> str:
    """Write a whole number with the separators of the reader's language."""
    return number_format(n, decimal_pos=0, force_grouping=True)
