"""What the admin pages of both wings share: rows nobody edits by hand, and names that are checked."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from mtcore.corpora.names import InvalidName, check_name


class ReadOnly(admin.ModelAdmin):
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


class Named(admin.ModelAdmin):
    """Something with a name: given once and checked, for plans, exports and packages hold on to it."""

    form = NameForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Keep the name of what exists."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        return (*fixed, "name") if obj is not None and "name" not in fixed else fixed
