"""Import judgements from a file: parse and check everything, then write it in one transaction."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.formats import FORMATS, FormatError, ParsedJudgements, ParseOptions, parse_map
from annotation.models import AuditEvent, Campaign, Study
from annotation.protocols import PROTOCOLS
from annotation.services.import_checks import (
    Fail,
    ImportRequest,
    campaign_draft,
    check_new,
    check_request,
    check_scale,
)
from annotation.services.import_items import (
    items_draft,
    raters_of,
    repeats_notice,
    systems_of,
)
from annotation.services.import_places import Places, Row
from annotation.services.import_write import drafts_write
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import visible
from mtcore.models import System, TestSet
from mtcore.services.texts import sentence
from mtcore.services.versions import testset_find

CONTEXT_SIDES = {"source": "source", "reference": "target", "none": ""}


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    campaign: Campaign
    n_judgements: int
    n_identical: int
    n_raters: int
    n_systems: int
    kinds: dict[str, int]
    notices: list[str] = field(default_factory=list)


def judgements_import(*, request: ImportRequest, data: bytes, user: User | None = None) -> Imported:
    """Import a file of judgements into a closed campaign, which is made when none exists.

    Raises:
        BadInput: the file, or what is said about it, is not usable; the message names file and line.
        Conflict: the campaign is not one of imported judgements, has these judgements already, or is none
            that `user` may see.
    """
    check_request(request)
    campaign = Campaign.objects.select_related("study").filter(name=request.campaign).first()
    _check_right(campaign, user)
    if campaign is not None and campaign.mode != Campaign.Mode.IMPORTED:
        raise Conflict(
            f"“{campaign.name}” is a campaign of this platform, with its own raters.",
            f"Import under a name of its own, such as “{campaign.name[:100]} imported”; --study "
            f"“{campaign.study.name}” keeps the two together.",
        )
    testset = testset_find(request.testset) if request.testset else None
    parsed = _parse(request, data, testset, campaign)
    fail = Fail(request.file_name)
    draft = campaign_draft(request, parsed, campaign)
    rows: Sequence[Row] = parsed.rows
    check_scale(rows, draft, fail)
    places = Places(
        languages=(draft.source_language, draft.target_language),
        default=request.campaign,
        testset=testset,
        context_side=CONTEXT_SIDES[PROTOCOLS[draft.protocol].context],
    )
    places.add(rows, fail)
    seen = check_new(campaign, rows, places, fail) if campaign else {}
    drafts = items_draft(rows, places, fail, seen)
    notices = [*_notices(parsed, places, testset), *repeats_notice(drafts, request.file_name)]
    try:
        with transaction.atomic():
            if campaign is None:
                draft.study = _study(request, user)
                draft.save(force_insert=True)
            draft.notes = [*draft.notes, *notices]
            draft.save(update_fields=["notes"])
            drafts_write(draft, drafts, rows, places)
            _audit(request, draft, data, len(drafts.answers), user)
    except IntegrityError as error:
        raise Conflict(
            f"“{request.campaign}” changed while the file was imported; nothing was written.",
            "Look at what is there now and try again.",
        ) from error
    return Imported(
        campaign=draft,
        n_judgements=len(drafts.answers),
        n_identical=sum(1 for item in drafts.items if item.identical),
        n_raters=len(raters_of(rows)),
        n_systems=len(systems_of(rows)),
        kinds=dict(Counter(answer.row.kind for answer in drafts.answers)),
        notices=notices,
    )


def _check_right(campaign: Campaign | None, user: User | None) -> None:
    """Keep people out of campaigns of others; commands come without a user."""
    if campaign is None or user is None or Campaign.objects.visible_to(user).filter(pk=campaign.pk).exists():
        return
    raise Conflict(f"The campaign name “{campaign.name}” is taken.", "Choose another one.")


def _parse(
    request: ImportRequest, data: bytes, testset: TestSet | None, campaign: Campaign | None
) -> ParsedJudgements:
    try:
        options = ParseOptions(
            column_map=parse_map(request.column_map) if request.column_map else None,
            known_systems=_known_systems(testset, campaign),
            unknown_kinds=request.unknown_kinds,
            scale=request.scale,
        )
        return FORMATS[request.format].parse(data, request.file_name, options)
    except FormatError as error:
        raise BadInput(sentence(visible(str(error))), error.remedy) from error


def _known_systems(testset: TestSet | None, campaign: Campaign | None) -> frozenset[str] | None:
    """Return the systems that decide where `+` joins names; None when nothing is known."""
    found = System.objects.none()
    if testset is not None:
        found = found | System.objects.filter(outputs__testset=testset)
    names = set(found.values_list("name", flat=True))
    if campaign is not None:
        names |= set(campaign.outputs.values_list("system__name", flat=True))
    return frozenset(names) or None


def _notices(parsed: ParsedJudgements, places: Places, testset: TestSet | None) -> list[str]:
    notices = list(parsed.notices)
    for place in places.places.values():
        if testset is None and place.testset is not None and place.testset.texts_known:
            notices.append(f"the segments are those of the test set “{place.name}”, which is already here")
    return notices


def _study(request: ImportRequest, user: User | None) -> Study:
    study, created = Study.objects.get_or_create(
        name=request.study or request.campaign, defaults={"owner": user}
    )
    if not created and user is not None and not Study.objects.visible_to(user).filter(pk=study.pk).exists():
        raise Conflict(f"The study name “{study.name}” is taken.", "Choose another one.")
    return study


def _audit(request: ImportRequest, campaign: Campaign, data: bytes, n: int, user: User | None) -> None:
    AuditEvent.note(
        "judgements.imported",
        actor=user,
        study=campaign.study,
        campaign=campaign,
        file=request.file_name,
        format=request.format,
        judgements=n,
        sha256=hashlib.sha256(data).hexdigest(),
    )
