"""A text that is typed, or comes from a chosen file.

A browser empties the choice of a file whenever a page is shown again. So what was in the file is written
into the field for typing, and survives a refused form and the step from checking to making.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from evalplatform.errors import BadInput, UserError
from mtcore.corpora.reader import decode_text
from mtcore.corpora.unpack import gunzip, is_gzip
from mtcore.services.texts import as_bad_input

MOST_BYTES = 1024 * 1024
FILE = "_file"
"""What the name of the field for the file ends with."""


class Unread(str):
    """What was typed beside a file that could not be read; `why` says what is wrong with the file."""

    why = ""


class TextOrFile(forms.Textarea):
    """A field for typing, and below it one for a file that takes its place."""

    needs_multipart_form = True
    label = ""

    def __init__(self, attrs: dict[str, Any] | None = None, *, accept: str = ".txt,.md") -> None:
        super().__init__(attrs)
        self.accept = accept
        self._read: tuple[UploadedFile, str | Unread] | None = None

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """Draw the field for typing, and below it the one for the file."""
        typed = super().render(name, value, attrs, renderer)
        shown = {"typed": typed, "name": f"{name}{FILE}", "accept": self.accept, "label": self.label}
        return render_to_string("mtcore/text_or_file.html", shown)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the text of the file where there is one, otherwise what was typed."""
        typed = super().value_from_datadict(data, files, name)
        file = files.get(f"{name}{FILE}") if files else None
        if not isinstance(file, UploadedFile):
            return typed
        if self._read is None or self._read[0] is not file:
            self._read = (file, _tried(file, typed or ""))
        return self._read[1]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """Tell whether neither was sent."""
        return name not in data and f"{name}{FILE}" not in files


class TextOrFileField(forms.CharField):
    """A text with LF at line ends, typed or from a file of at most 1 MB (plain or .gz)."""

    def __init__(self, *, rows: int = 4, accept: str = ".txt,.md", **kwargs: Any) -> None:
        widget = TextOrFile({"rows": rows}, accept=accept)
        super().__init__(required=False, strip=False, widget=widget, **kwargs)
        self.widget.label = self.label

    def clean(self, value: Any) -> str:
        """Return the text; refuse a file that cannot be read."""
        if isinstance(value, Unread):
            raise ValidationError(value.why)
        text = str(super().clean(value) or "").replace("\r\n", "\n").replace("\r", "\n")
        return text if text.strip() else ""


def _tried(file: UploadedFile, typed: str) -> str | Unread:
    """Return the text of a file; where it cannot be read, what was typed, with the reason."""
    try:
        return _text(file)
    except UserError as error:
        unread = Unread(typed)
        unread.why = f"{error.message} {error.remedy}".strip()
        return unread


def _text(file: UploadedFile) -> str:
    name = str(file.name)
    if (file.size or 0) > MOST_BYTES:
        raise BadInput(_("%(name)s is larger than 1 MB.") % {"name": name}, _("Choose a smaller file."))
    data = file.read()
    with as_bad_input():
        if is_gzip(data):
            data = gunzip(data, name, max_bytes=MOST_BYTES)
        return decode_text(data, name).text
