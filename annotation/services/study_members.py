"""What belongs to a study: add test sets and systems, move campaigns with their raters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import AuditEvent, Campaign, Participation, Rater, Study
from annotation.services.joining import panel_people
from annotation.services.lookup import campaign_named
from annotation.services.studies import alike_notes
from annotation.services.turns import study_look, turn_take
from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.corpora.names import MAX_LENGTH
from mtcore.models import System
from mtcore.services.versions import testset_find

NAMED = 10


class WhichPeople(Conflict):
    """Raters of one name here and there: it has to be said whether they are the same people."""


NUMBERED = re.compile(r"R\d+")
"""Names that the platform gives; they say nothing about who somebody is."""


@dataclass(frozen=True)
class Added:
    """What a study got.

    Attributes:
        moved: campaigns that came from another study, as (campaign, study).
        united: raters of these who were in the study already: same name, same person.
        known: names of what was in the study before.
        n_testsets: test sets added.
        n_systems: systems added.
        alike: which raters' names could be those of one person, in words.
    """

    moved: tuple[tuple[str, str], ...]
    united: tuple[str, ...]
    known: tuple[str, ...]
    n_testsets: int
    n_systems: int
    alike: tuple[str, ...] = ()


def study_add(
    *,
    study: Study,
    campaigns: Sequence[str] = (),
    testsets: Sequence[str] = (),
    systems: Sequence[str] = (),
    separate_raters: bool = False,
    same_raters: bool = False,
    actor: User | None = None,
) -> Added:
    """Add campaigns, test sets and systems to a study by name, all or nothing.

    A campaign belongs to one study, so it moves; its raters come along. Within a study a name is one person:
    a rater whose name the study knows becomes that rater.

    Args:
        study: where to.
        campaigns: names.
        testsets: names.
        systems: names.
        separate_raters: raters with a name that the study knows are other people; they are renamed
            "NAME (CAMPAIGN)".
        same_raters: raters numbered by the platform (R1, R2 …) are the same people as those of the study.
        actor: who does it.

    Raises:
        BadInput: nothing is named, or a new name of a rater would be too long.
        NotFound: a name that nothing has.
        Conflict: two raters of one name are different people by what is known of them, or are numbered in
            both places and nobody says whether they are the same.
    """
    if not (campaigns or testsets or systems):
        raise BadInput("Nothing to add was named.", "Give --campaign, --testset or --system.")
    with transaction.atomic():
        found = [campaign_named(name) for name in dict.fromkeys(campaigns)]
        for campaign in sorted(found, key=lambda one: one.pk):
            turn_take(campaign.pk)
            study_look(campaign)
        sets = [testset_find(name) for name in dict.fromkeys(testsets)]
        made = [system_find(name) for name in dict.fromkeys(systems)]
        known = [campaign.name for campaign in found if campaign.study_id == study.pk]
        coming = Rater.objects.filter(participations__campaign__in=found).exclude(study=study)
        likely = alike_notes(sorted(set(coming.values_list("name", flat=True))), study)
        moved, united = [], []
        for campaign in found:
            if campaign.study_id != study.pk:
                moved.append((campaign.name, campaign.study.name))
                if not (separate_raters or same_raters):
                    _check_numbered(campaign, study)
                united += _move(campaign, study, separate_raters, actor)
        own_sets = set(study.testsets.values_list("pk", flat=True))
        own_systems = set(study.systems.values_list("pk", flat=True))
        known += [one.name for one in sets if one.pk in own_sets]
        known += [one.name for one in made if one.pk in own_systems]
        new_sets = [one for one in sets if one.pk not in own_sets]
        new_systems = [one for one in made if one.pk not in own_systems]
        study.testsets.add(*new_sets)
        study.systems.add(*new_systems)
        if new_sets or new_systems:
            AuditEvent.note(
                "study.extended",
                actor=actor,
                study=study,
                testsets=[one.name for one in new_sets],
                systems=[one.name for one in new_systems],
            )
    once = tuple(dict.fromkeys(united))
    return Added(tuple(moved), once, tuple(known), len(new_sets), len(new_systems), likely)


def system_find(name: str) -> System:
    """Return the system of a name.

    Raises:
        NotFound: there is none; the message lists some that exist.
    """
    found = System.objects.filter(name=name).first()
    if found is None:
        names = list(System.objects.listed().order_by("name").values_list("name", flat=True)[: NAMED + 1])
        listed = f"The systems are: {', '.join(names[:NAMED])}{' …' if len(names) > NAMED else ''}."
        raise NotFound(f"There is no system “{name}”.", listed if names else "There is no system yet.")
    return found


def _move(campaign: Campaign, study: Study, separate: bool, actor: User | None) -> list[str]:
    """Move a campaign and its raters; return the names of raters whom the study knew."""
    old = campaign.study
    rows = list(
        Participation.objects.filter(campaign=campaign).select_related("rater").order_by("rater__name")
    )
    known = {rater.name: rater for rater in study.raters.filter(name__in=[row.rater.name for row in rows])}
    from_panels = {_panel_id(one): one.rater for one in panel_people(study).select_related("rater")}
    united: list[str] = []
    for row in rows:
        here = known.get(row.rater.name)
        if here is None and not separate:
            here = from_panels.pop(_panel_id(row), None)
        if here is None:
            _bring(row, study, row.rater.name)
        elif separate:
            _bring(row, study, _own_name(row.rater.name, campaign, study))
        else:
            _check_same_person(row.rater, here, campaign)
            _repoint(row, here)
            united.append(here.name)
    Campaign.objects.filter(pk=campaign.pk).update(study=study)
    campaign.study = study
    AuditEvent.note(
        "campaign.moved",
        actor=actor,
        study=study,
        campaign=campaign,
        from_study=old.name,
        to_study=study.name,
        united=united,
        separate_raters=separate,
    )
    return united


def _panel_id(row: Participation) -> str:
    """Return the id by which a panel knows somebody, "" where none does."""
    return str(row.settings.get("panel", {}).get("person", ""))


def _bring(row: Participation, study: Study, name: str) -> None:
    """Bring a rater into the study; one who also judges elsewhere in the old study stays there as well."""
    rater = row.rater
    if rater.participations.count() == 1:
        rater.study, rater.name = study, name
        rater.save(update_fields=["study", "name"])
    else:
        _repoint(row, Rater.objects.create(study=study, name=name, profile=rater.profile))


def _repoint(row: Participation, rater: Rater) -> None:
    left = row.rater
    row.rater = rater
    row.save(update_fields=["rater"])
    if not left.participations.exists():
        if left.profile and not rater.profile:
            rater.profile = left.profile
            rater.save(update_fields=["profile"])
        left.delete()


def _own_name(name: str, campaign: Campaign, study: Study) -> str:
    wanted = f"{name} ({campaign.name})"
    if len(wanted) > MAX_LENGTH or study.raters.filter(name=wanted).exists():
        raise BadInput(
            f"The rater “{name}” of “{campaign.name}” would be called “{wanted[:MAX_LENGTH]}”, "
            "which is too long or taken.",
            "Rename the rater in the admin first.",
        )
    return wanted


def _check_numbered(campaign: Campaign, study: Study) -> None:
    """Refuse to guess whether R1 of a campaign is R1 of the study."""
    own = Rater.objects.filter(participations__campaign=campaign).values_list("name", flat=True)
    known = set(study.raters.values_list("name", flat=True))
    both = sorted({name for name in own if NUMBERED.fullmatch(name) and name in known}, key=_number)
    if both:
        listed = f"{', '.join(both[:NAMED])}{' …' if len(both) > NAMED else ''}"
        raise WhichPeople(
            f"“{campaign.name}” and the study “{study.name}” both have raters {listed}: names that were "
            "given by number and do not say whether they are the same people.",
            "Give --same-raters when they are, --separate-raters when not.",
        )


def _number(name: str) -> int:
    return int(name[1:])


def _check_same_person(own: Rater, here: Rater, campaign: Campaign) -> None:
    differing = [
        key for key, value in own.profile.items() if key in here.profile and here.profile[key] != value
    ]
    if differing:
        raise WhichPeople(
            f"The rater “{own.name}” of “{campaign.name}” and the one of the study are different people: "
            f"their profiles differ in {', '.join(sorted(differing))}.",
            "Give --separate-raters to keep them apart.",
        )
