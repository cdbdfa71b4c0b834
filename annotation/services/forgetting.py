"""Forget a rater on request: nothing that says who it was stays, and every judgement does.

The name becomes a pseudonym that nothing can be traced back from, in all campaigns of the study. What the
person wrote freely is emptied, links, sessions and panel ids end. Scores, times and the plan stay, so that
every statistic stays what it was. Files that were exported before, and backups, are out of reach.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.models import AuditEvent, Campaign, Judgement, Participation, Rater, ScoreRun, Study
from annotation.models.keys import public_key
from annotation.services.handing_over import Handed, handed_of
from annotation.services.package_audit import UNPUBLISHED
from annotation.services.pseudonyms import Pseudonyms
from annotation.services.sessions import sessions_of_rater_end
from annotation.services.turns import turn_take
from annotation.services.withdrawal import rater_withdraw
from evalplatform.idempotency import answers_forget

FORGOTTEN = "forgotten"
"""In the profile of a rater who was forgotten: when that was."""
#: What is kept of the decision to let a rater take part; the languages a person named are not.
DECISION = ("state", "needs", "missing", "asked", "filled", "at")
LEFT_OUT = ("panel",)
#: Under these names the data of events has names of raters.
WHO = ("rater", "raters", "place", "given", "asked", "options", "short")
CHUNK = 200


@dataclass(frozen=True)
class Traces:
    """What there is of a rater: what goes and what stays."""

    campaigns: tuple[str, ...]
    open_campaigns: tuple[str, ...]
    judgements: int
    comments: int
    remarks: int
    has_profile: bool
    has_panel_id: bool


@dataclass(frozen=True)
class Forgotten:
    """A rater who was forgotten: the pseudonym, whether that had been done before, and who got open work."""

    pseudonym: str
    again: bool
    handed_over: tuple[Handed, ...] = ()


def rater_traces(*, rater: Rater) -> Traces:
    """Count what there is of a rater."""
    own = rater.participations.select_related("campaign").order_by("campaign__name")
    judged = Judgement.objects.filter(assignment__participation__rater=rater)
    return Traces(
        campaigns=tuple(one.campaign.name for one in own),
        open_campaigns=tuple(one.campaign.name for one in own if _is_working(one)),
        judgements=judged.current().count(),
        comments=judged.exclude(comment="").count(),
        remarks=AuditEvent.objects.filter(participation__rater=rater, action__in=UNPUBLISHED).count(),
        has_profile=bool(set(rater.profile) - {FORGOTTEN}),
        has_panel_id=any("panel" in one.settings for one in own),
    )


def is_forgotten(rater: Rater) -> bool:
    """Tell whether a rater was forgotten."""
    return FORGOTTEN in rater.profile


def rater_forget(*, rater: Rater, actor: User | None = None) -> Forgotten:
    """Remove everything that says who a rater was; a second call changes nothing.

    In campaigns that run, the rater leaves first: open work goes to others. All of it happens or nothing.
    Who has left meanwhile need not leave again.
    """
    with transaction.atomic():
        for pk in Campaign.objects.filter(study=rater.study_id).order_by("pk").values_list("pk", flat=True):
            turn_take(pk)
        known = Rater.objects.get(pk=rater.pk)
        if is_forgotten(known):
            return Forgotten(known.name, True)
        handed = []
        for one in known.participations.select_related("campaign__study").order_by("pk"):
            if _is_working(one):
                left = rater_withdraw(campaign=one.campaign, rater=known.name, actor=actor)
                handed.append(handed_of(one.campaign, left))
        own = list(known.participations.order_by("pk").select_for_update())
        found = Rater.objects.select_for_update().select_related("study").get(pk=rater.pk)
        if is_forgotten(found):
            return Forgotten(found.name, True)  # by somebody else at this moment
        old, new = found.name, _pseudonym(found.study)
        found.name, found.profile = new, {FORGOTTEN: timezone.now().isoformat()}
        found.save(update_fields=["name", "profile"])
        names = Pseudonyms({old: new})
        keys = {_participation_empty(one, names) for one in own}
        _study_rename(found.study, names)
        _events_rename(found, names)
        _results_drop(found.study)
        _admin_log_rename(found, new)
        sessions_of_rater_end(keys=keys)
        _comments_empty(found)
        AuditEvent.note("rater.forgotten", actor=actor, study=found.study, rater=new)
    _comments_empty(found)  # an answer may have been on its way
    answers_forget([json.dumps(old), *keys])
    rater.name, rater.profile = found.name, found.profile
    return Forgotten(new, False, tuple(one for one in handed if one.released))


def _is_working(participation: Participation) -> bool:
    """Tell whether work of a rater has to go to others first."""
    campaign = participation.campaign
    runs = campaign.mode != Campaign.Mode.IMPORTED and campaign.state != Campaign.State.CLOSED
    return runs and participation.state != Participation.State.LEFT


def _pseudonym(study: Study) -> str:
    """Return a name drawn at random that nobody in the study has."""
    while True:
        name = f"X-{secrets.token_hex(4).upper()}"
        if not study.raters.filter(name=name).exists():
            return name


def _participation_empty(participation: Participation, names: Pseudonyms) -> str:
    """Empty what a participation holds of the person, end its link; return the key it had."""
    old = participation.key
    participation.key = public_key()
    participation.link_version += 1
    participation.link_expires_at = timezone.now()
    participation.eligibility = {
        name: value for name, value in participation.eligibility.items() if name in DECISION
    }
    participation.settings = {
        name: value for name, value in participation.settings.items() if name not in LEFT_OUT
    }
    participation.excluded_by = names.text(participation.excluded_by)
    participation.save(
        update_fields=["key", "link_version", "link_expires_at", "eligibility", "settings", "excluded_by"]
    )
    return old


def _comments_empty(rater: Rater) -> None:
    """Empty the comments beside all answers, the corrected ones too."""
    own = Judgement.objects.filter(assignment__participation__rater=rater).exclude(comment="")
    own.update(comment="")


def _study_rename(study: Study, names: Pseudonyms) -> None:
    """Rename the rater in what others wrote: the study's text, notes, exclusions and comments."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    locked.description = names.text(locked.description)
    locked.save(update_fields=["description"])
    for campaign in Campaign.objects.select_for_update().filter(study=study):
        renamed = names.plain(campaign.notes)
        if renamed != campaign.notes:
            campaign.notes = renamed
            campaign.save(update_fields=["notes"])
    for other in Participation.objects.filter(campaign__study=study).exclude(excluded_by=""):
        if (renamed := names.text(other.excluded_by)) != other.excluded_by:
            Participation.objects.filter(pk=other.pk).update(excluded_by=renamed)
    (old,) = names.names
    naming = Judgement.objects.filter(assignment__item__campaign__study=study, comment__contains=old)
    for judgement in naming.only("comment"):
        if (renamed := names.text(judgement.comment)) != judgement.comment:
            Judgement.objects.filter(pk=judgement.pk).update(comment=renamed)


def _events_rename(rater: Rater, names: Pseudonyms) -> None:
    """Rename the rater in the audit trail, and empty what the rater wrote there."""
    of_study = Q(study=rater.study) | Q(campaign__study=rater.study) | Q(participation__rater=rater)
    own = set(
        AuditEvent.objects.filter(participation__rater=rater, action__in=UNPUBLISHED).values_list(
            "pk", flat=True
        )
    )
    changed = []
    for event in AuditEvent.objects.filter(of_study).iterator(CHUNK):
        data = _renamed(_without_texts(event) if event.pk in own else event.data, names)
        if data != event.data:
            event.data = data
            changed.append(event)
    AuditEvent.objects.bulk_update(changed, ["data"], batch_size=CHUNK)


def _renamed(data: dict[str, Any], names: Pseudonyms) -> dict[str, Any]:
    """Rename a rater in the data of an event; a number or a letter is a name only where names stand."""
    (old,) = names.names
    is_word = len(old) > 1 and not old.isdigit()
    return {name: names.plain(one) if is_word or name in WHO else one for name, one in data.items()}


def _without_texts(event: AuditEvent) -> dict[str, Any]:
    """Return the data of an event in which what a rater wrote is empty."""
    written = UNPUBLISHED[event.action]
    return {name: "" if name in written else value for name, value in event.data.items()}


def _results_drop(study: Study) -> None:
    """Empty stored results: they name raters, and are computed anew with the same numbers when asked for.

    The options stay, so that a package is written with all that were asked for.
    """
    of_study = Q(study=study) | Q(campaign__study=study)
    ScoreRun.objects.filter(of_study, result__isnull=False).update(result={}, judgements_sha256="0" * 64)


def _admin_log_rename(rater: Rater, new: str) -> None:
    """Rename the rater in the log of Django's own administration."""
    kind = ContentType.objects.get_for_model(Rater)
    LogEntry.objects.filter(content_type=kind, object_id=str(rater.pk)).update(object_repr=new)
