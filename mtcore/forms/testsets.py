"""Forms of test sets and of outputs on them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evalplatform.errors import UserError
from mtcore.forms.fields import HouseForm, NameField
from mtcore.models import System
from mtcore.services.given_texts import file_given
from mtcore.services.testset_named import named_sets
from mtcore.services.texts import NamedText

MOST_BYTES = 20 * 1024 * 1024
MOST_UNPACKED = 10 * MOST_BYTES
MOST_REFERENCES, MOST_DOUBLES = 3, 2
DIRECTIONS = [
    ("", gettext_lazy("not known")),
    ("direct", gettext_lazy("direct: the source was written first")),
    ("reverse", gettext_lazy("reverse: the target was written first")),
]
_SIDES = [("source", gettext_lazy("source (X**)")), ("target", gettext_lazy("target (Y**)"))]
_TEXT = gettext_lazy("UTF-8, a segment a line, plain or .gz.")


class TextFileField(forms.FileField):
    """A file with a text, a segment a line; read where it is cleaned."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"help_text": _TEXT, **kwargs})

    def clean(self, data: Any, initial: Any = None) -> NamedText | None:
        """Read it; None when there is none."""
        file = super().clean(data, initial)
        if not file:
            return None
        if file.size > MOST_BYTES:
            raise forms.ValidationError(
                _("%(name)s has more than 20 MB. Import it on the server: manage.py import_testset.")
                % {"name": file.name}
            )
        try:
            return file_given(file.read(), name="", file=file.name, max_bytes=MOST_UNPACKED)
        except UserError as error:
            raise forms.ValidationError(str(error)) from error


class TestSetForm(HouseForm):
    """A test set with its texts."""

    __test__ = False  # not a test class

    name = NameField("test set", label=gettext_lazy("Name"))
    languages = forms.CharField(
        max_length=80,
        label=gettext_lazy("Languages"),
        help_text=gettext_lazy("Source and target, as en-de."),
    )
    direction = forms.ChoiceField(choices=DIRECTIONS, required=False, label=gettext_lazy("Direction"))
    source = TextFileField(label=gettext_lazy("Source text"))
    documents = TextFileField(
        required=False,
        label=gettext_lazy("Documents"),
        help_text=gettext_lazy(
            "The id of its document for each line; raters then see neighbouring segments."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for n in range(1, MOST_REFERENCES + 1):
            self.fields[f"reference_name_{n}"] = NameField(
                "version", required=False, label=_("Name of reference %(n)s") % {"n": n}
            )
            self.fields[f"reference_{n}"] = TextFileField(required=False, label=_("Its text"))
        for n in range(1, MOST_DOUBLES + 1):
            self.fields[f"double_name_{n}"] = NameField(
                "version", required=False, label=_("Name of double translation %(n)s") % {"n": n}
            )
            self.fields[f"double_side_{n}"] = forms.ChoiceField(
                choices=_SIDES, required=False, label=_("Side")
            )
            self.fields[f"double_{n}"] = TextFileField(required=False, label=_("Its text"))

    def reference_rows(self) -> list[list[forms.BoundField]]:
        """Return the fields of each reference."""
        return [[self[f"reference_name_{n}"], self[f"reference_{n}"]] for n in range(1, MOST_REFERENCES + 1)]

    def double_rows(self) -> list[list[forms.BoundField]]:
        """Return the fields of each double translation."""
        return [
            [self[f"{part}_{n}"] for part in ("double_name", "double_side", "double")]
            for n in range(1, MOST_DOUBLES + 1)
        ]

    def clean(self) -> dict[str, Any]:
        """See that each text beyond the first has a name, and each name a text."""
        given = super().clean() or {}
        for part, most in (("reference", MOST_REFERENCES), ("double", MOST_DOUBLES)):
            for n in range(1, most + 1):
                name, text = given.get(f"{part}_name_{n}"), given.get(f"{part}_{n}")
                if name and not text and f"{part}_{n}" not in self.errors:
                    self.add_error(f"{part}_{n}", _("Choose its file."))
                if text and not name and (part == "double" or n > 1):
                    self.add_error(f"{part}_name_{n}", _("Give it a name."))
        return given

    def draft_options(self) -> dict[str, Any]:
        """Return what the service takes."""
        given = self.cleaned_data
        references = [
            NamedText(given.get(f"reference_name_{n}") or "", text.file, text.lines, text.notices)
            for n in range(1, MOST_REFERENCES + 1)
            if (text := given.get(f"reference_{n}"))
        ]
        doubles = [
            (
                given.get(f"double_side_{n}") or "source",
                NamedText(given[f"double_name_{n}"], text.file, text.lines, text.notices),
            )
            for n in range(1, MOST_DOUBLES + 1)
            if (text := given.get(f"double_{n}"))
        ]
        return {
            "name": given["name"],
            "languages": given["languages"],
            "sources": [given["source"]],
            "references": references,
            "double_translations": doubles,
            "direction": given.get("direction", ""),
            "documents": given.get("documents"),
        }


class NamedSetForm(HouseForm):
    """A named test set of sacrebleu."""

    named = forms.ChoiceField(label=gettext_lazy("Test set and languages"))
    name = NameField(
        "test set",
        required=False,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Left empty: wmt19-en-de, say."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["named"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                ("", _("choose one")),
                *(
                    (one.name, [(f"{one.name} {pair}", f"{one.name} · {pair}") for pair in one.pairs])
                    for one in named_sets()
                ),
            ]

    def draft_options(self) -> dict[str, Any]:
        """Return what the service takes."""
        named, _blank, languages = self.cleaned_data["named"].partition(" ")
        name = self.cleaned_data["name"] or f"{named}-{languages}"
        return {"name": name, "named": named, "languages": languages}


class OutputForm(HouseForm):
    """A system's output on a test set."""

    system = NameField("system", label=gettext_lazy("System"))
    kind = forms.ChoiceField(
        choices=[("", gettext_lazy("as known, or other")), *System.Kind.choices],
        required=False,
        label=gettext_lazy("Kind"),
    )
    input_version = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Made from"),
        help_text=gettext_lazy("The text of the source that the system was given."),
    )
    text = TextFileField(label=gettext_lazy("Its output"))

    def __init__(self, *args: Any, inputs: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["input_version"]
        if isinstance(field, forms.ChoiceField):
            field.choices = inputs
