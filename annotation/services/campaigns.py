"""Create, estimate, open and close campaigns."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.design.plan import Plan
from annotation.models import AuditEvent, Campaign, CampaignOutput, Participation, Study
from annotation.protocols import PROTOCOLS, Protocol
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.guidelines import guidelines_notices, text_length_check
from annotation.services.items import ItemDraft, items_draft, segments_judged
from annotation.services.planning import assignments_write, items_write, plan_draft
from annotation.services.pool_setup import pool_check, pool_raters, pool_write
from annotation.services.practice_items import PracticeDraft
from annotation.services.practice_setup import practice_draft, practice_settings, practice_write
from annotation.services.quality_draft import (
    QualityDraft,
    hidden_draft,
    quality_check,
    quality_outputs_write,
)
from annotation.services.sealing import REOPENED, opening_is_late
from annotation.services.selection import PlainTexts, Selection
from annotation.services.studies import alike_notes, raters_ready, study_ready
from annotation.services.turns import campaign_gone
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import check_name, check_unique
from mtcore.models import SystemOutput
from mtcore.services.outputs import output_create
from mtcore.services.testsets import testset_create
from mtcore.services.texts import as_bad_input
from mtcore.services.versions import version_original

MAX_SEED = 2**63 - 1
_LONG = ("guidelines", "consent", "practice")


@dataclass(frozen=True)
class CampaignOptions:
    """How a campaign is to be run. `study` is empty for a new study of the campaign's name.

    Who knows the seed and the shape of a campaign can work out its plan: see `secret_seed`. A `pool` has no
    plan: whoever comes takes the next items, so it needs no raters beforehand.
    """

    name: str
    protocol: str
    raters: tuple[str, ...]
    seed: int
    judgements: int = 3
    scale: tuple[int, int] = (1, 100)
    pairs: str = "all"
    spread: bool = False
    segments: str = ""
    guidelines: str = ""
    consent: str = ""
    study: str = ""
    opened: bool = True
    settings: CampaignSettings = field(default_factory=CampaignSettings)
    practice: tuple[PracticeDraft, ...] = ()
    pool: bool = False


@dataclass(frozen=True)
class CampaignDraft:
    """A campaign that is planned and not yet written."""

    options: CampaignOptions
    selection: Selection
    texts: PlainTexts | None
    items: tuple[ItemDraft, ...]
    plan: Plan
    notices: tuple[str, ...]

    @property
    def n_identical(self) -> int:
        """Return the number of pairs of identical outputs: counted, never shown."""
        return sum(not item.shown for item in self.items)

    @property
    def protocol(self) -> type[Protocol]:
        """Return how people are asked."""
        return PROTOCOLS[self.options.protocol]


def secret_seed() -> int:
    """Draw the seed of a plan that nobody can guess; it is stored with the campaign."""
    return secrets.randbits(62)


def protocol_find(name: str) -> type[Protocol]:
    """Return the protocol of a name.

    Raises:
        BadInput: there is none.
    """
    if name not in PROTOCOLS:
        raise BadInput(f"There is no protocol “{name}”.", f"Choose one of: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


def campaign_draft(
    *, options: CampaignOptions, selection: Selection, texts: PlainTexts | None = None
) -> CampaignDraft:
    """Make the items and the plan; nothing is written.

    Args:
        options: How the campaign is run.
        selection: What it judges.
        texts: The test set and outputs that are to be written with it, when they are not imported yet.

    Raises:
        BadInput: an option is not right, or no plan is possible; the message says what is short.
        Conflict: a campaign of this name exists.
    """
    _check_options(options, selection)
    if Campaign.objects.filter(name=options.name).exists():
        raise _name_taken(options.name)
    protocol = protocol_find(options.protocol)
    quality_check(options.settings, protocol, selection)
    sampling, planning, _ = _streams(options.seed)
    items = items_draft(
        selection=selection,
        protocol=protocol,
        pairs=options.pairs,
        segments=options.segments,
        rng=sampling,
    )
    hidden, hidden_notices = hidden_draft(items.drafts, selection, protocol)
    quality = QualityDraft((*items.drafts, *hidden), selection, options.settings, options.seed)
    plan = plan_draft(
        items=quality.dealt,
        raters=pool_raters(options.judgements) if options.pool else options.raters,
        judgements=options.judgements,
        spread=options.spread,
        rng=planning,
        wish=quality.wish(),
    )
    plan, drafts = quality.added(plan)
    practice = practice_draft(
        settings=options.settings,
        read=options.practice,
        protocol=protocol_find(options.protocol),
        scale=options.scale,
        selection=selection,
        texts=texts,
        judged=segments_judged(items.drafts),
        seed=options.seed,
    )
    options = replace(options, practice=practice, settings=practice_settings(options.settings, practice))
    shown = (options.guidelines, *options.settings.guidelines.values())
    notices = (
        *items.notices,
        *hidden_notices,
        *quality.notices(plan),
        *(notice for text in shown for notice in guidelines_notices(text)),
        *alike_notes(options.raters, Study.objects.filter(name=options.study or options.name).first()),
    )
    return CampaignDraft(options, selection, texts, drafts, plan, notices)


def campaign_create(*, draft: CampaignDraft, owner: User | None = None) -> Campaign:
    """Write a draft: study, texts where they come with it, items, raters and assignments, all or nothing.

    Raises:
        Conflict: the name of the campaign, the study or the test set is taken, or an output is another one.
    """
    options = draft.options
    try:
        with transaction.atomic():
            study = study_ready(
                name=options.study or options.name, owner=owner, may_exist=bool(options.study)
            )
            if draft.texts is not None:
                _write_texts(draft.texts)
            campaign = _write_campaign(draft, study)
            _write_outputs(campaign, draft)
            _write_plan(campaign, draft)
            practice_write(campaign=campaign, drafts=options.practice)
            AuditEvent.note(
                "campaign.created", actor=owner, study=study, campaign=campaign, options=_plain(options)
            )
            return campaign
    except (IntegrityError, Conflict) as error:
        # Another command of the same name was faster: its campaign is the reason, whatever met first.
        if Campaign.objects.filter(name=options.name).exists():
            raise _name_taken(options.name) from error
        raise


def campaign_open(*, campaign: Campaign, actor: User | None = None) -> None:
    """Let raters in, for the first time or again; the trail tells when results could be seen before.

    Raises:
        Conflict: it is open already, or its judgements were imported.
    """
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(
            f"The judgements of “{campaign.name}” were imported.", "It cannot be opened to raters."
        )
    told = {"note": REOPENED} if opening_is_late(campaign) else {}
    _change_state(campaign, Campaign.State.OPEN, "campaign.opened", actor, told)


def campaign_close(*, campaign: Campaign, actor: User | None = None) -> None:
    """Let nobody rate any more. Judgements stay, and the campaign can be opened again.

    Raises:
        Conflict: it is closed already.
    """
    _change_state(campaign, Campaign.State.CLOSED, "campaign.closed", actor)


def _change_state(
    campaign: Campaign, state: str, action: str, actor: User | None, told: Mapping[str, str] | None = None
) -> None:
    now = timezone.now()
    changes: dict[str, object] = {"state": state}
    if state == Campaign.State.CLOSED:
        changes["closed_at"] = now
    else:
        changes |= {"opened_at": campaign.opened_at or now, "closed_at": None}
    with transaction.atomic():
        if Campaign.objects.filter(pk=campaign.pk).exclude(state=state).update(**changes) != 1:
            if not Campaign.objects.filter(pk=campaign.pk).exists():
                raise campaign_gone()
            raise Conflict(f"Campaign “{campaign.name}” is {state} already.", "Nothing was changed.")
        AuditEvent.note(action, actor=actor, study=campaign.study, campaign=campaign, **(told or {}))
    campaign.refresh_from_db()


def _check_options(options: CampaignOptions, selection: Selection) -> None:
    protocol = protocol_find(options.protocol)
    with as_bad_input():
        check_name(options.name, "campaign")
        check_name(options.study or options.name, "study")
        check_unique(options.raters, "rater")
    text_length_check(options.guidelines, "guidelines")
    text_length_check(options.consent, "consent text")
    if not 0 <= options.seed <= MAX_SEED:
        raise BadInput(f"The seed {options.seed} cannot be used.", f"Give one from 0 to {MAX_SEED:,}.")
    low, high = options.scale
    if not -1000 <= low < high <= 1000:
        raise BadInput(f"The scale {low}-{high} cannot be used.", "Give two whole numbers, as 1-100.")
    pool_check(
        pool=options.pool,
        spread=options.spread,
        judgements=options.judgements,
        n_raters=len(options.raters),
        joins=options.settings.joins,
        lease_or_most=bool({"lease_minutes", "most_items"} & options.settings.as_json().keys()),
    )
    if protocol.candidates_per_item == 2 and len(selection.systems) < 2:
        raise BadInput(
            "A comparison needs two systems, one is given.", "Give another output, or use source_da."
        )
    if protocol.candidates_per_item != 2 and options.pairs != "all":
        raise BadInput(
            f"Protocol {options.protocol} has no pairs.", "Leave --pairs out, or use pairwise_fluency."
        )


def draft_notes(draft: CampaignDraft) -> list[str]:
    """Return what is to be known of a campaign; a pool has no plan to say anything of."""
    return [*draft.notices, *([] if draft.options.pool else draft.plan.notes)]


def _streams(seed: int) -> list[np.random.Generator]:
    """Return independent generators: for samples, for the plan, for the order of database ids."""
    return np.random.default_rng(seed).spawn(3)


def _name_taken(name: str) -> Conflict:
    return Conflict(f"A campaign “{name}” exists already.", "Choose another name.")


def _write_texts(texts: PlainTexts) -> None:
    testset, _ = testset_create(texts.testset)
    source = version_original(testset, "source")
    for output in texts.outputs:
        output_create(output, testset=testset, input_version=source)


def _write_campaign(draft: CampaignDraft, study: Study) -> Campaign:
    options = draft.options
    return Campaign.objects.create(
        study=study,
        name=options.name,
        protocol=options.protocol,
        source_language=draft.selection.source_language,
        target_language=draft.selection.target_language,
        mode=Campaign.Mode.POOL if options.pool else Campaign.Mode.PLANNED,
        state=Campaign.State.OPEN if options.opened else Campaign.State.DRAFT,
        opened_at=timezone.now() if options.opened else None,
        judgements=options.judgements,
        scale_low=options.scale[0],
        scale_high=options.scale[1],
        seed=options.seed,
        spread=options.spread,
        pairs=options.pairs if draft.protocol.candidates_per_item == 2 else "",
        guidelines=options.guidelines,
        consent=options.consent,
        settings=replace(options.settings, segments=options.segments).as_json(),
        notes=draft_notes(draft),
    )


def _write_outputs(campaign: Campaign, draft: CampaignDraft) -> None:
    names = {one.name: one for one in draft.selection.sets}
    found = SystemOutput.objects.filter(
        testset__name__in=names, system__name__in=draft.selection.systems
    ).select_related("system", "testset", "input_version")
    wanted = {
        (one.testset.name, one.system.name, one.input_version.name): one
        for one in found
        if one.input_version.name in names[one.testset.name].inputs
    }
    rows = [
        wanted[one.name, system, name]
        for one in draft.selection.sets
        for name in one.inputs
        for system in draft.selection.systems
    ]
    CampaignOutput.objects.bulk_create(
        CampaignOutput(
            campaign=campaign,
            system=row.system,
            testset=row.testset,
            input_version=row.input_version,
            output=row,
        )
        for row in rows
    )
    quality_outputs_write(campaign=campaign, drafts=draft.items)
    campaign.study.testsets.add(*{row.testset_id for row in rows})
    campaign.study.systems.add(*{row.system_id for row in rows})


def _write_plan(campaign: Campaign, draft: CampaignDraft) -> None:
    side = "target" if draft.protocol.context == "reference" else "source"
    shuffle = _streams(draft.options.seed)[2]
    items = items_write(campaign=campaign, drafts=draft.items, context_side=side, rng=shuffle)
    raters = raters_ready(study=campaign.study, names=draft.options.raters)
    until = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
    participations = Participation.objects.bulk_create(
        [Participation(rater=rater, campaign=campaign, link_expires_at=until) for rater in raters]
    )
    by_name = {rater.name: row for rater, row in zip(raters, participations, strict=True)}
    if draft.options.pool:
        pool_write(campaign)
    else:
        assignments_write(plan=draft.plan, items=items, participations=by_name)


def _plain(options: CampaignOptions) -> dict[str, object]:
    """Return the options for the audit trail, without the long texts."""
    plain = {name: value for name, value in asdict(options).items() if name not in _LONG}
    plain["settings"] = {name: value for name, value in plain["settings"].items() if name != "guidelines"}
    return plain
