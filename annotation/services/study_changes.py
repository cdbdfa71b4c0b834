"""Change a study at once, all or nothing: its description, its people, what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, Study
from annotation.services.studies import study_researchers_change
from annotation.services.study_members import Added, study_add
from annotation.services.study_removal import Removed, study_remove
from evalplatform.errors import Conflict


@dataclass(frozen=True)
class StudyChange:
    """What is to be different.

    Attributes:
        description: what the study asks; None leaves it as it is.
        seen: the description that whoever changes it has read; None whatever is there.
        researchers: user names of people who come.
        leaving: user names of people who no longer research in it.
        campaigns: names; they move, with their raters.
        testsets: names.
        systems: names.
        same_raters: raters numbered alike (R1, R2 …) are the same people.
        separate_raters: raters whose names the study knows are other people.
        testsets_out: names of those that no longer belong to it.
        systems_out: likewise.
    """

    description: str | None = None
    seen: str | None = None
    researchers: Sequence[str] = ()
    leaving: Sequence[str] = ()
    campaigns: Sequence[str] = ()
    testsets: Sequence[str] = ()
    systems: Sequence[str] = ()
    same_raters: bool = False
    separate_raters: bool = False
    testsets_out: Sequence[str] = ()
    systems_out: Sequence[str] = ()


@dataclass(frozen=True)
class Changed:
    """What became different: the description, the people, what was added and taken out (None: nothing)."""

    described: bool
    people: bool
    added: Added | None
    removed: Removed | None = None


class DescribedMeanwhile(Conflict):
    """What a study asks is no longer what was read."""


def study_describe(
    *, study: Study, description: str, seen: str | None = None, actor: User | None = None
) -> bool:
    """Say what a study asks; return whether that is new.

    Raises:
        DescribedMeanwhile: somebody else has changed it from what was seen.
    """
    with transaction.atomic():
        found = Study.objects.select_for_update().get(pk=study.pk)
        if seen is not None and found.description not in (seen, description):
            raise DescribedMeanwhile(
                _("What the study asks was changed meanwhile: “%(words)s”.") % {"words": found.description},
                _("Take over from it what is right, and send the form again."),
            )
        if found.description == description:
            return False
        found.description = description
        found.save(update_fields=["description"])
        AuditEvent.note("study.described", actor=actor, study=found)
    study.description = description
    return True


def study_change(*, study: Study, change: StudyChange, actor: User | None = None) -> Changed:
    """Change a study, all or nothing.

    Raises:
        BadInput: somebody comes and goes at once, or a new name of a rater would be too long.
        NotFound: a name that nobody or nothing has.
        Conflict: what is taken out is judged in a campaign of the study.
        DescribedMeanwhile: somebody else has changed the description from what was seen.
        WhichPeople: it is not said whether raters of one name are the same people.
    """
    with transaction.atomic():
        described = change.description is not None and study_describe(
            study=study, description=change.description, seen=change.seen, actor=actor
        )
        people = bool(change.researchers or change.leaving)
        if people:
            study_researchers_change(study=study, add=change.researchers, remove=change.leaving, actor=actor)
        added = None
        if change.campaigns or change.testsets or change.systems:
            added = study_add(
                study=study,
                campaigns=change.campaigns,
                testsets=change.testsets,
                systems=change.systems,
                same_raters=change.same_raters,
                separate_raters=change.separate_raters,
                actor=actor,
            )
        removed = None
        if change.testsets_out or change.systems_out:
            removed = study_remove(
                study=study, testsets=change.testsets_out, systems=change.systems_out, actor=actor
            )
    return Changed(described, people, added, removed)
