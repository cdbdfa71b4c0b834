"""Campaigns that were never opened: change what needs no plan, or delete them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, AuditEvent, Campaign, Item, Judgement, Participation, Rater, Study
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.guidelines import guidelines_notices, text_length_check
from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.corpora.names import check_name
from mtcore.models import TestSet
from mtcore.services.texts import as_bad_input

TEXTS = ("guidelines", "consent")
NEEDS_NO_PLAN = frozenset({
    "low_label", "high_label", "context_segments", "can_skip", "break_after", "native", "fluent",
    "asks_profile", "guidelines", "joins", "joins_an_hour", "return_url", "lease_minutes", "most_items",
    "reading", "points", "treatment", "sealed",
})  # fmt: skip
"""Settings that a draft can be changed in. The others decide which items there are, and who judges which."""


@dataclass(frozen=True)
class DraftTraces:
    """What goes with a draft: numbers, names of raters who are in no other campaign, perhaps its study."""

    items: int
    assignments: int
    links: int
    practice: int
    raters: tuple[str, ...]
    study: str


def is_draft(campaign: Campaign) -> bool:
    """Tell whether a campaign was never opened and nobody has answered in it."""
    if campaign.state != Campaign.State.DRAFT or campaign.opened_at is not None:
        return False
    return not Judgement.objects.filter(assignment__item__campaign=campaign).exists()


def draft_traces(*, campaign: Campaign) -> DraftTraces:
    """Count what would go with a draft."""
    items = Item.objects.filter(campaign=campaign)
    n_practice = items.filter(kind=Item.Kind.PRACTICE).count()
    return DraftTraces(
        items=items.count() - n_practice,
        assignments=Assignment.objects.filter(item__campaign=campaign).count(),
        links=campaign.participations.count(),
        practice=n_practice,
        raters=tuple(_own_raters(campaign).values_list("name", flat=True)),
        study=campaign.study.name if _is_own_study(campaign) else "",
    )


def draft_delete(*, campaign: Campaign, actor: User | None = None) -> DraftTraces:
    """Delete a draft with its plan, links and practice items; test sets, outputs and other campaigns stay.

    Raters who are in no other campaign go too, and the study that was made with the draft and holds nothing
    else. All of it happens or nothing.

    Raises:
        NotFound: it was deleted at this moment.
        Conflict: it was opened, or somebody has answered.
    """
    with transaction.atomic():
        found = _draft_locked(campaign)
        traces = draft_traces(campaign=found)
        study, name, key = found.study, found.name, found.key
        raters = list(_own_raters(found).values_list("pk", flat=True))
        practice = TestSet.objects.filter(
            segments__items__campaign=found, segments__items__kind=Item.Kind.PRACTICE
        )
        sets = list(practice.distinct().values_list("pk", flat=True))
        found.delete()
        TestSet.objects.filter(pk__in=sets).delete()
        Rater.objects.filter(pk__in=raters, participations__isnull=True).delete()
        told: dict[str, Any] = {"name": name, "key": key, "items": traces.items, "links": traces.links}
        if traces.study:
            study.delete()
            AuditEvent.note("campaign.deleted", actor=actor, **told, deleted_study=traces.study)
        else:
            AuditEvent.note("campaign.deleted", actor=actor, study=study, **told)
    return traces


def draft_change(
    *, campaign: Campaign, change: Mapping[str, Any], made: Mapping[str, Any], actor: User | None = None
) -> list[str]:
    """Change a draft in what needs no plan.

    Args:
        campaign: The draft.
        change: New values of `name`, `guidelines` and `consent`; what is not there stays.
        made: New values of settings (`NEEDS_NO_PLAN`); what is not there stays.
        actor: Who changes it.

    Returns:
        The names of what is different now.

    Raises:
        BadInput: a value cannot be used, or a setting needs a plan.
        NotFound: it was deleted at this moment.
        Conflict: it was opened, somebody has answered, or the name is taken.
    """
    settled = sorted(made.keys() - NEEDS_NO_PLAN)
    if settled:
        raise BadInput(
            f"“{settled[0]}” belongs to the plan, which is drawn already.",
            "Make a new campaign, and delete this draft.",
        )
    if "name" in change:
        with as_bad_input():
            check_name(change["name"], "campaign")
    for field, what in (("guidelines", "guidelines"), ("consent", "consent text")):
        text_length_check(change.get(field, ""), what)
    try:
        with transaction.atomic():
            return _draft_write(_draft_locked(campaign), change, made, actor)
    except IntegrityError as error:
        raise Conflict(f"A campaign “{change['name']}” exists already.", "Choose another name.") from error


def _draft_write(
    found: Campaign, change: Mapping[str, Any], made: Mapping[str, Any], actor: User | None
) -> list[str]:
    stored = dict(found.settings)
    known = {name: value for name, value in stored.items() if name in NEEDS_NO_PLAN}
    lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    settings = CampaignSettings.read(known | lists | dict(made))
    if found.mode != Campaign.Mode.POOL and {"lease_minutes", "most_items"} & settings.as_json().keys():
        raise BadInput("Leases are for campaigns without a plan.", "Leave them as they are.")
    kept = {name: value for name, value in stored.items() if name not in NEEDS_NO_PLAN}
    changed = [name for name in ("name", *TEXTS) if name in change and getattr(found, name) != change[name]]
    usual = CampaignSettings()
    changed += sorted(
        name for name in made if getattr(settings, name) != (known | lists).get(name, getattr(usual, name))
    )
    if not changed:
        return []
    told = {"changed": changed} | ({"old_name": found.name} if "name" in changed else {})
    before = _guidelines_told(found.guidelines, CampaignSettings.of(found))
    for name in ("name", *TEXTS):
        setattr(found, name, change.get(name, getattr(found, name)))
    found.settings = kept | settings.as_json()
    noted = [note for note in found.notes if note not in before]
    found.notes = [*noted, *_guidelines_told(found.guidelines, settings)]
    found.save(update_fields=["name", *TEXTS, "settings", "notes"])
    AuditEvent.note("campaign.changed", actor=actor, campaign=found, study=found.study, **told)
    return changed


def _guidelines_told(text: str, made: CampaignSettings) -> list[str]:
    """Return what is to be known of all guidelines of a campaign."""
    return [note for one in (text, *made.guidelines.values()) for note in guidelines_notices(one)]


def _draft_locked(campaign: Campaign) -> Campaign:
    """Return a draft that nobody else changes, opens or deletes until the transaction ends."""
    found = Campaign.objects.select_for_update().filter(pk=campaign.pk).first()
    if found is None:
        raise NotFound(
            _("The draft “%(name)s” is deleted already.") % {"name": campaign.name},
            _("Look at the list of campaigns."),
        )
    if not is_draft(found):
        raise Conflict(
            _("“%(name)s” is no draft any more: it was opened, or somebody has answered.")
            % {"name": found.name},
            _("Close it instead; what was answered is kept."),
        )
    return found


def _own_raters(campaign: Campaign) -> QuerySet[Rater]:
    """Return the raters who are in this campaign and no other."""
    others = Participation.objects.exclude(campaign=campaign).values("rater")
    return Rater.objects.filter(participations__campaign=campaign).exclude(pk__in=others).order_by("name")


def _is_own_study(campaign: Campaign) -> bool:
    """Tell whether the study was made with the campaign and holds nothing else."""
    study = Study.objects.get(pk=campaign.study_id)
    if study.name != campaign.name or study.description or study.settings:
        return False
    if study.campaigns.exclude(pk=campaign.pk).exists() or study.researchers.exists():
        return False
    raters = Rater.objects.filter(study=study).exclude(pk__in=_own_raters(campaign).values("pk"))
    return not (raters.exists() or study.scores.exists())
