"""Take test sets and systems out of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import AuditEvent, CampaignOutput, Study
from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted
from mtcore.models import System, TestSet


@dataclass(frozen=True)
class Removed:
    """Names of what was taken out of a study."""

    testsets: tuple[str, ...]
    systems: tuple[str, ...]


def testsets_free(study: Study) -> QuerySet[TestSet]:
    """Return the test sets of a study that none of its campaigns judges."""
    return study.testsets.exclude(campaign_outputs__campaign__study=study).order_by("name")


def systems_free(study: Study) -> QuerySet[System]:
    """Return the systems of a study that none of its campaigns judges."""
    return study.systems.exclude(campaign_outputs__campaign__study=study).order_by("name")


def study_remove(
    *,
    study: Study,
    testsets: Sequence[str] = (),
    systems: Sequence[str] = (),
    actor: User | None = None,
) -> Removed:
    """Take test sets and systems out of a study by name, all or nothing; they stay where they are otherwise.

    What a campaign of the study judges belongs to the study as long as the campaign does: its tables and its
    package would go on showing it.

    Args:
        study: where from.
        testsets: names.
        systems: names.
        actor: who does it.

    Raises:
        BadInput: nothing is named.
        NotFound: the study has nothing of that name.
        Conflict: a campaign of the study judges it.
    """
    if not (testsets or systems):
        raise BadInput("Nothing to take out was named.", "Give --testset or --system.")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        sets = [
            _of_study(locked.testsets.all(), name, _("test set"), locked) for name in dict.fromkeys(testsets)
        ]
        made = [_of_study(locked.systems.all(), name, _("system"), locked) for name in dict.fromkeys(systems)]
        for one in sets:
            _check_unused(one.name, CampaignOutput.objects.filter(testset=one), locked)
        for system in made:
            _check_unused(system.name, CampaignOutput.objects.filter(system=system), locked)
        locked.testsets.remove(*sets)
        locked.systems.remove(*made)
        removed = Removed(tuple(one.name for one in sets), tuple(one.name for one in made))
        AuditEvent.note(
            "study.reduced",
            actor=actor,
            study=locked,
            testsets=list(removed.testsets),
            systems=list(removed.systems),
        )
    return removed


def _of_study(members: QuerySet[Any], name: str, what: str, study: Study) -> Any:
    found = members.filter(name=name).first()
    if found is None:
        known = list(members.order_by("name").values_list("name", flat=True)[:20])
        raise NotFound(
            _("The study “%(study)s” has no %(what)s “%(name)s”.")
            % {"study": study.name, "what": what, "name": name[:120]},
            _("It has %(names)s.") % {"names": quoted(known)} if known else _("It has none."),
        )
    return found


def _check_unused(name: str, judged: QuerySet[CampaignOutput], study: Study) -> None:
    using = (
        judged.filter(campaign__study=study)
        .order_by("campaign__name")
        .values_list("campaign__name", flat=True)
    )
    names = list(using.distinct()[:5])
    if names:
        raise Conflict(
            _("“%(name)s” is judged in the study's campaigns: %(campaigns)s.")
            % {"name": name, "campaigns": quoted(names)},
            _("It belongs to the study as long as they do. Move the campaigns to another study first."),
        )
