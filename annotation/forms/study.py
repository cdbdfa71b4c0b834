"""Make a study, and manage it: what it asks, who researches in it, what belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Study
from annotation.services.study_changes import DescribedMeanwhile, StudyChange
from annotation.services.study_members import WhichPeople, system_find
from annotation.services.study_removal import systems_free, testsets_free
from annotation.services.study_rights import campaigns_own_check
from evalplatform.errors import Conflict, UserError
from mtcore.forms.fields import HouseForm, NameField, Ticks
from mtcore.services.versions import testset_find

LONGEST = 20_000
MOST = 1000
"""Names in one field, as by the API."""
LINES = {"rows": 3, "autocapitalize": "none", "spellcheck": "false"}


class NamesField(forms.CharField):
    """Names, one a line."""

    widget = forms.Textarea(LINES)

    def clean(self, value: Any) -> list[str]:
        """Return each name once, in the order of the lines."""
        text = super().clean(value)
        names = list(dict.fromkeys(line.strip() for line in text.split("\n") if line.strip()))
        if len(names) > MOST:
            raise ValidationError(_("Name at most %(n)s at once.") % {"n": MOST})
        return names


def _description() -> forms.CharField:
    return forms.CharField(
        required=False,
        max_length=LONGEST,
        label=gettext_lazy("What it asks"),
        help_text=gettext_lazy("The question that its campaigns answer together; the report begins with it."),
        widget=forms.Textarea({"rows": 3, "class": "words"}),
    )


class NewStudyForm(HouseForm):
    """A study without anything in it."""

    name = NameField(
        "study",
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("1 to 120 characters; it cannot be changed later."),
    )
    description = _description()

    def refuse(self, error: UserError, field: str | None = None) -> None:
        """Write a name that is taken beside its field."""
        taken = isinstance(error, Conflict)
        self.add_error("name", f"{error.message} {_('Choose another name.')}" if taken else str(error))


class StudyForm(HouseForm):
    """What is different when it is sent: people and members are named to be added.

    It carries the description that it was filled from: what nobody changed in it changes nothing.
    """

    description = _description()
    seen = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    researchers = NamesField(
        required=False,
        label=gettext_lazy("Share it with"),
        help_text=gettext_lazy(
            "User names, one a line. They see all of the study, its results too, and work in its campaigns."
        ),
    )
    leaving = Ticks(required=False, label=gettext_lazy("No longer share it with"))
    campaigns = NamesField(
        required=False,
        label=gettext_lazy("Campaigns to move here"),
        help_text=gettext_lazy(
            "Names, one a line, of campaigns of studies that you own. They move, with their raters: within a "
            "study a name is one person."
        ),
    )
    raters = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Raters whose names the study knows"),
        choices=[
            ("", gettext_lazy("are the same people; ask where names were given by number (R1, R2 …)")),
            ("same", gettext_lazy("are the same people, numbered ones too")),
            ("separate", gettext_lazy("are other people; rename those who come")),
        ],
        help_text=gettext_lazy("It counts only for campaigns that move."),
    )
    testsets = NamesField(
        required=False, label=gettext_lazy("Test sets to add"), help_text=gettext_lazy("Names, one a line.")
    )
    systems = NamesField(
        required=False, label=gettext_lazy("Systems to add"), help_text=gettext_lazy("Names, one a line.")
    )
    testsets_out = Ticks(required=False, label=gettext_lazy("Test sets to take out"))
    systems_out = Ticks(required=False, label=gettext_lazy("Systems to take out"))

    def __init__(self, data: Any = None, *, study: Study, user: User | None) -> None:
        super().__init__(data, initial={"description": study.description, "seen": study.description})
        self.study, self.user, self.is_stale = study, user, False
        names = study.researchers.order_by("username").values_list("username", flat=True)
        self.fields["leaving"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]

        for field, free in (("testsets_out", testsets_free(study)), ("systems_out", systems_free(study))):
            out = [(name, name) for name in free.values_list("name", flat=True)]
            self.fields[field].choices = out  # type: ignore[attr-defined]

    def clean_description(self) -> str:
        """Return it with plain line ends."""
        return str(self.cleaned_data["description"]).replace("\r\n", "\n")

    def clean_seen(self) -> str | None:
        """Return it with plain line ends; None where the form does not carry it."""
        return str(self.cleaned_data["seen"]).replace("\r\n", "\n") if "seen" in self.data else None

    @property
    def status(self) -> HTTPStatus:
        """Return the status of the page that shows the form."""
        return HTTPStatus.CONFLICT if self.is_stale else super().status

    def clean_researchers(self) -> list[str]:
        """Check that there are such people."""
        names: list[str] = self.cleaned_data["researchers"]
        known = set(User.objects.filter(username__in=names).values_list("username", flat=True))
        for name in names:
            if name not in known:
                raise ValidationError(
                    _("There is no user “%(name)s”. Administrators make accounts.") % {"name": name}
                )
            if self.study.owner is not None and name == self.study.owner.get_username():
                raise ValidationError(_("“%(name)s” owns the study already.") % {"name": name})
        return names

    def clean_campaigns(self) -> list[str]:
        """Check that these may be moved."""
        asks = self.user or AnonymousUser()
        return self._known("campaigns", lambda names: campaigns_own_check(names=names, user=asks))

    def clean_testsets(self) -> list[str]:
        """Check that they are there."""
        return self._known("testsets", lambda names: [testset_find(name) for name in names])

    def clean_systems(self) -> list[str]:
        """Check that they are there."""
        return self._known("systems", lambda names: [system_find(name) for name in names])

    def _known(self, field: str, check: Callable[[list[str]], object]) -> list[str]:
        names: list[str] = self.cleaned_data[field]
        try:
            check(names)
        except UserError as error:
            raise ValidationError(str(error)) from error
        return names

    def clean(self) -> dict[str, Any]:
        """Refuse who comes and goes at once."""
        given = dict(super().clean() or self.cleaned_data)
        both = sorted(set(given.get("researchers", ())) & set(given.get("leaving", ())))
        if both:
            self.add_error("leaving", _("“%(name)s” is added and removed at once.") % {"name": both[0]})
        return given

    def change(self) -> StudyChange:
        """Return what is to be different."""
        given = dict(self.cleaned_data)
        raters = given.pop("raters")
        if given["description"] == given["seen"]:
            given["description"] = None
        return StudyChange(**given, same_raters=raters == "same", separate_raters=raters == "separate")

    def refuse(self, error: UserError, field: str | None = None) -> None:
        """Write a question about people beside its field, and what was described meanwhile."""
        if isinstance(error, DescribedMeanwhile):
            self.is_stale = True
            self.add_error("description", str(error))
            self.study.refresh_from_db(fields=["description"])
            newer = QueryDict(mutable=True)
            newer.update(self.data)
            newer["seen"] = self.study.description
            self.data = newer
        elif isinstance(error, WhichPeople):
            self.add_error("raters", f"{error.message} {_('Choose whether they are the same people.')}")
        else:
            super().refuse(error, field)
