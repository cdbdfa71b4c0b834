"""What the admin pages of both wings share: rows nobody edits by hand, and names that are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import DateTimeField, Model
from django.http import HttpRequest
from django.utils import formats, timezone

from mtcore.corpora.names import InvalidName, check_name


def with_zone(model: type[Model], name: Any) -> Any:
    """Return what shows a field in the admin: moments with their time zone, anything else as it is."""
    try:
        field = model._meta.get_field(name) if isinstance(name, str) else None
    except FieldDoesNotExist:
        field = None
    return _moment(field) if isinstance(field, DateTimeField) else name


@cache
def _moment(field: DateTimeField) -> Callable[[Model], str | None]:
    """Return the column of a moment, the same one each time: the admin compares them."""
    name = field.name

    def shown(row: Model) -> str | None:
        at = getattr(row, name)
        if at is None:
            return None
        local = timezone.localtime(at)
        return f"{formats.date_format(local, 'DATETIME_FORMAT')} {local.tzname()}"

    shown.__name__ = name
    return admin.display(ordering=name, description=field.verbose_name)(shown)


class Zoned(admin.ModelAdmin):
    """Rows whose moments are shown with their time zone, in lists and in what is only read."""

    def _zoned(self, names: Iterable[Any]) -> list[Any]:
        return [
            tuple(self._zoned(name)) if isinstance(name, list | tuple) else with_zone(self.model, name)
            for name in names
        ]

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns of the list."""
        return self._zoned(super().get_list_display(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        """Return what cannot be changed."""
        return tuple(self._zoned(super().get_readonly_fields(request, obj)))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return what is shown of a row; moments that can be changed keep their form field."""
        fixed = {getattr(one, "__name__", one) for one in self.get_readonly_fields(request, obj)}
        reads_all = obj is not None and not self.has_change_permission(request, obj)
        found = []
        for title, about in super().get_fieldsets(request, obj):
            fields = [
                with_zone(self.model, name) if reads_all or name in fixed else name
                for name in about["fields"]
            ]
            found.append((title, {**about, "fields": fields}))
        return found


class ReadOnly(Zoned):
    """Rows to look at: written by the platform, not by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse."""
        return False


class NameForm(forms.ModelForm):
    """A form that takes a name only as commands would: printable, without `|`, kept as it is."""

    def clean_name(self) -> str:
        """Check the name as it was typed."""
        name = self.data.get(self.add_prefix("name"), self.cleaned_data["name"])
        try:
            return check_name(name, str(self._meta.model._meta.verbose_name))
        except InvalidName as error:
            raise ValidationError(str(error)) from error


class Named(Zoned):
    """Something with a name: given once and checked, for plans, exports and packages hold on to it."""

    form = NameForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[Any, ...]:
        """Keep the name of what exists."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        return (*fixed, "name") if obj is not None and "name" not in fixed else fixed
