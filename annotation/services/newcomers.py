"""Raters who are added to a running campaign: they take what lacks judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.design.plan import PlanItem
from annotation.design.reassign import Reassignment
from annotation.models import AuditEvent, Campaign, Participation
from annotation.services.calling_back import rater_call_back
from annotation.services.replanning import Snapshot, change_write, plan_on, replan
from annotation.services.round_gaps import round_fill
from annotation.services.studies import alike_notes, raters_ready
from annotation.services.turns import campaign_gone, study_look, turn_take
from evalplatform.errors import BadInput, Conflict
from evalplatform.words import counted, quoted
from mtcore.corpora.names import check_name
from mtcore.services.texts import as_bad_input, whole_sentence


@dataclass(frozen=True)
class Arrival:
    """What raters who were added changed.

    Attributes:
        raters: who was added.
        given: new assignments by the name of the rater who got them (earlier raters may be among them).
        short: what is still short, in words.
        alike: whose names could be one, in words.
    """

    raters: tuple[str, ...]
    given: dict[str, int]
    short: tuple[str, ...]
    alike: tuple[str, ...] = ()


def raters_add(*, campaign: Campaign, names: Sequence[str], actor: User | None = None) -> Arrival:
    """Add raters to a campaign and give out what lacks judgements; nobody's work is taken away.

    Safe while others work, as `rater_withdraw` is.

    Raises:
        BadInput: no name, or names that are bad or not unique.
        Conflict: a name is in the campaign, which is closed or was imported.
    """
    _check(campaign, names)
    likely = alike_notes(names, campaign.study)
    return replace(_add(campaign, names, actor), alike=likely)


def _add(campaign: Campaign, names: Sequence[str], actor: User | None) -> Arrival:
    if campaign.mode == Campaign.Mode.POOL:
        with transaction.atomic():
            turn_take(campaign.pk)
            _enter(campaign, names)
            return _note(campaign, Arrival(tuple(names), {}, ()), actor)
    return replan(
        campaign,
        lambda items, now: _plan(campaign, items, now, names),
        lambda change, now: _write(campaign, names, change, now, actor),
    )


def newcomer_check(campaign: Campaign, name: str) -> None:
    """Refuse who is in a campaign already, or was there until they left.

    Raises:
        Conflict: the name is there.
    """
    if campaign.participations.filter(rater__name=name).exists():
        raise Conflict(
            _("“%(rater)s” is in this campaign already.") % {"rater": name}, _("Give another name.")
        )


def rater_invite(*, campaign: Campaign, name: str, actor: User | None = None) -> None:
    """Put somebody new into a campaign, without work yet; call it inside a turn.

    Raises:
        Conflict: the name is there.
    """
    newcomer_check(campaign, name)
    study_look(campaign)
    until = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
    (person,) = raters_ready(study=campaign.study, names=[name])
    participation = Participation.objects.create(rater=person, campaign=campaign, link_expires_at=until)
    AuditEvent.note(
        "rater.invited", actor=actor, study=campaign.study, campaign=campaign,
        participation=participation, rater=name,
    )  # fmt: skip


def _plan(
    campaign: Campaign, items: list[PlanItem], snapshot: Snapshot, names: Sequence[str]
) -> Reassignment:
    rng = np.random.default_rng([campaign.seed, campaign.participations.count(), len(names)])
    return plan_on(campaign, items, snapshot, None, (*snapshot.staying, *names), rng)


def _check(campaign: Campaign, names: Sequence[str]) -> None:
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(f"The judgements of “{campaign.name}” were imported.", "Nobody can be added to it.")
    if not names:
        raise BadInput("Nobody is named.", "Give the name of a rater.")
    with as_bad_input():
        for name in names:
            check_name(name, "rater")
    if twice := sorted(name for name, n in Counter(names).items() if n > 1):
        raise BadInput(
            _("The rater names are not unique: %(names)s.") % {"names": quoted(twice)},
            _("Nobody was added. Name each rater once."),
        )


def _enter(campaign: Campaign, names: Sequence[str]) -> None:
    """Make the raters' places; call it inside a turn."""
    state = Campaign.objects.filter(pk=campaign.pk).values_list("state", flat=True).first()
    if state is None:
        raise campaign_gone()
    if state == Campaign.State.CLOSED:
        raise Conflict(f"Campaign “{campaign.name}” is closed.", "Open it again, then add raters.")
    known = campaign.participations.filter(rater__name__in=names).values_list("rater__name", flat=True)
    if known:
        raise Conflict(
            f"In campaign “{campaign.name}” already, or there until they left: {quoted(known)}.",
            "Nothing was changed. Give other names.",
        )
    study_look(campaign)
    until = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
    Participation.objects.bulk_create(
        Participation(rater=rater, campaign=campaign, link_expires_at=until)
        for rater in raters_ready(study=campaign.study, names=names)
    )


def _write(
    campaign: Campaign,
    names: Sequence[str],
    change: Reassignment,
    snapshot: Snapshot,
    actor: User | None,
) -> Arrival:
    _enter(campaign, names)
    people = dict(campaign.participations.order_by("pk").values_list("rater__name", "pk"))
    change_write(change, snapshot, people)
    again, lacking = round_fill(campaign=campaign)
    given = Counter(str(new.rater) for new in change.added) + Counter(again)
    rater_call_back(Participation.objects.filter(pk__in=[people[name] for name in given]))
    short = [*change.short]
    if lacking:
        short.append(f"{counted(lacking, 'item')} to be judged again still lack judgements")
    ordered = {name: given[name] for name in people if name in given}
    done = Arrival(tuple(names), ordered, tuple(whole_sentence(text) for text in short))
    return _note(campaign, done, actor)


def _note(campaign: Campaign, done: Arrival, actor: User | None) -> Arrival:
    fresh = Campaign.objects.get(pk=campaign.pk)
    took = ", ".join(f"{name} {counted(n, 'item')}" for name, n in done.given.items())
    fresh.notes = [
        *fresh.notes,
        f"Added: {', '.join(done.raters)}. " + (f"New work: {took}." if took else ""),
    ]
    fresh.save(update_fields=["notes"])
    AuditEvent.note(
        "rater.added",
        actor=actor,
        campaign=campaign,
        study=campaign.study,
        raters=list(done.raters),
        given=done.given,
        short=list(done.short),
    )
    return done
