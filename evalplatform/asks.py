"""What writes of the API may say: the fields they name, and nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework.fields import BooleanField, empty
from rest_framework.serializers import Serializer, ValidationError

_LISTED = 20
_LONGEST = 60
_OF_FORMS = frozenset({"csrfmiddlewaretoken"})


class Asked(Serializer[Any]):
    """What is asked for; a key that is none of its fields is an error: it would change nothing in silence.

    With `loose` in its context other keys are passed over, as in the query of an address.
    """

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; a choice that a form leaves out is left out, as in JSON, and not a no."""
        found = super().get_fields()
        for one in found.values():
            if isinstance(one, BooleanField):
                one.default_empty_html = empty
        return found

    def to_internal_value(self, data: Any) -> Any:
        """Return what was given, checked.

        Raises:
            ValidationError: naming every field that is wrong or that there is not.
        """
        if isinstance(data, Mapping) and not self.context.get("loose"):
            known = list(self.fields)
            unknown = [str(one) for one in data if one not in known and one not in _OF_FORMS]
            if unknown:
                raise ValidationError({one[:_LONGEST]: [_told(one, known)] for one in unknown[:_LISTED]})
        return super().to_internal_value(data)


class NothingAsked(Asked):
    """A write that says all in its address."""


class _Closed(OpenApiSerializerExtension):
    """Say in the schema that there are no other fields."""

    target_class = Asked
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        """Return the schema of the fields, closed."""
        found = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**found, "additionalProperties": False}


def _told(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name[:_LONGEST], known, n=1, cutoff=0.6)
    if close:
        return _("There is no such field. Did you mean “%(name)s”?") % {"name": close[0]}
    if not known:
        return _("There is no such field: nothing is said here.")
    return _("There is no such field. There are: %(names)s.") % {"names": ", ".join(known)}
