"""Check what a file of judgements, the person who imports it and the campaign say: they must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any, Literal

from django.utils import timezone

from annotation.formats import FORMATS, ParsedJudgements, RatingRow
from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.answers import Answers
from annotation.services.import_items import content_of, place_of, sides_of
from annotation.services.import_places import Places, Row
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.languages import parse_pair, same_pair
from mtcore.corpora.names import check_name, visible
from mtcore.services.texts import as_bad_input, sentence

DEFAULT_SCALE = (0.0, 100.0)
NARROWEST_SCALE = 1e-3
FARTHEST_SCALE = 1e9


@dataclass(frozen=True)
class ImportRequest:
    """What a person says about a file of judgements.

    Attributes:
        campaign: name of the campaign to make, or of one made by an import before.
        file_name: what messages call the file.
        format: a name in FORMATS.
        protocol: empty takes what the file says.
        languages: "cs-en"; empty takes what the file says.
        testset: name of a test set with texts; empty: segments are known by their ids.
        column_map: "rater=COL,system=COL,…" for the tables of others.
        scale: lowest and highest score; None takes what the file says, else 0 to 100.
        unknown_kinds: refuse a file with unknown item kinds, or skip those rows.
        study: name of the study, known or new; empty: named like the campaign.
    """

    campaign: str
    file_name: str
    format: str
    protocol: str = ""
    languages: str = ""
    testset: str = ""
    column_map: str = ""
    scale: tuple[float, float] | None = None
    unknown_kinds: Literal["refuse", "skip"] = "refuse"
    study: str = ""


def check_request(request: ImportRequest) -> None:
    """Refuse names, a scale or a format that no import can have, before the file is looked at.

    Raises:
        BadInput: one of them is wrong, or a column map is given to a format that takes none.
    """
    with as_bad_input():
        check_name(request.campaign, "campaign")
        if request.study:
            check_name(request.study, "study")
    scale = request.scale
    if scale is not None and not (isfinite(scale[0]) and isfinite(scale[1]) and scale[0] < scale[1]):
        raise BadInput(
            f"The scale {scale[0]:g}-{scale[1]:g} is empty.", "Give it as low-high, such as 0-100."
        )
    if request.format not in FORMATS:
        raise BadInput(f"There is no format “{request.format}”.", f"The formats are {', '.join(FORMATS)}.")
    if request.column_map and not FORMATS[request.format].takes_map:
        mapped = ", ".join(name for name, one in FORMATS.items() if one.takes_map)
        raise BadInput(
            f"The format {request.format} knows its columns and takes no column map.",
            f"Leave --map out; the formats with a map are {mapped}.",
        )


class Fail:
    """Make the error for a row of the file: it names file and line."""

    def __init__(self, file_name: str) -> None:
        self.file_name = file_name

    def __call__(self, row: Row, message: str, remedy: str) -> BadInput:
        return BadInput(sentence(visible(f"{self.file_name}, line {row.line:,}: {message}")), remedy)


def campaign_draft(request: ImportRequest, parsed: ParsedJudgements, campaign: Campaign | None) -> Campaign:
    """Return the campaign, or an unsaved one; what file, person and campaign say must agree."""
    protocol = request.protocol or (campaign.protocol if campaign else "") or parsed.protocol_hint or ""
    _check_protocol(protocol, parsed, request)
    languages = request.languages or parsed.languages_hint or (_pair(campaign) if campaign else "")
    if not languages:
        raise BadInput(
            f"{request.file_name} does not say which languages it is about.", "Give --languages, as cs-en."
        )
    with as_bad_input():
        source, target = parse_pair(languages)
    scale = request.scale or parsed.scale_hint or DEFAULT_SCALE
    if campaign is not None:
        _check_same(campaign, protocol, languages, request, parsed)
        return campaign
    _check_size(scale)
    now = timezone.now()
    return Campaign(
        name=request.campaign,
        protocol=protocol,
        source_language=source,
        target_language=target,
        state=Campaign.State.CLOSED,
        mode=Campaign.Mode.IMPORTED,
        judgements=0,
        scale_low=scale[0],
        scale_high=scale[1],
        closed_at=now,
    )


def _check_size(scale: tuple[float, float]) -> None:
    """Refuse a scale on which scores could not be told apart, or whose squares no computer holds."""
    low, high = scale
    if high - low < NARROWEST_SCALE or max(abs(low), abs(high)) > FARTHEST_SCALE:
        raise BadInput(
            f"The scale {low:g}–{high:g} cannot be used.",
            f"Multiply the scores so that they lie between −{FARTHEST_SCALE:,.0f} and {FARTHEST_SCALE:,.0f}, "
            f"over {NARROWEST_SCALE:g} or more.",
        )


def _check_protocol(protocol: str, parsed: ParsedJudgements, request: ImportRequest) -> None:
    if not protocol:
        raise BadInput(
            f"{request.file_name} does not say how raters were asked.",
            f"Give --protocol with one of {', '.join(PROTOCOLS)}.",
        )
    if protocol not in PROTOCOLS:
        raise BadInput(f"There is no protocol “{protocol}”.", f"The protocols are {', '.join(PROTOCOLS)}.")
    holds = "comparison" if parsed.comparisons else "rating"
    if PROTOCOLS[protocol].record != holds:
        fitting = ", ".join(name for name, one in PROTOCOLS.items() if one.record == holds)
        raise BadInput(
            f"{request.file_name} holds {holds}s, which are not answers of {protocol}.",
            f"Protocols with {holds}s are: {fitting}.",
        )


def _pair(campaign: Campaign) -> str:
    return f"{campaign.source_language}:{campaign.target_language}"


def _check_same(
    campaign: Campaign, protocol: str, languages: str, request: ImportRequest, parsed: ParsedJudgements
) -> None:
    """Make sure that more judgements fit the campaign they are added to."""
    scale = request.scale or parsed.scale_hint
    own = (campaign.scale_low, campaign.scale_high)
    if protocol != campaign.protocol or not same_pair(languages, _pair(campaign)):
        raise Conflict(
            f"“{campaign.name}” is {campaign.protocol}, {_pair(campaign).replace(':', ' → ')}; "
            f"the file is {protocol}, {languages}.",
            "Import it under another name.",
        )
    if parsed.ratings and scale is not None and tuple(scale) != own:
        raise Conflict(
            f"“{campaign.name}” has the scale {own[0]:g}–{own[1]:g}, the file {scale[0]:g}–{scale[1]:g}.",
            "Import it under another name.",
        )


def check_scale(rows: Sequence[Row], campaign: Campaign, fail: Fail) -> None:
    low, high = campaign.scale_low, campaign.scale_high
    for row in rows:
        if isinstance(row, RatingRow) and not low <= row.score <= high:
            raise fail(
                row,
                f"the score {row.score:g} is outside the scale {low:g}–{high:g}",
                "Correct it, or give the scale with --scale.",
            )


def check_new(
    campaign: Campaign, rows: Sequence[Row], places: Places, fail: Fail
) -> dict[tuple[Any, ...], int]:
    """Refuse judgements that the campaign has already.

    Returns:
        (rater, content) → how often the campaign has it, for counting further occurrences.
    """
    known: Counter[tuple[Any, ...]] = Counter()
    answers: set[tuple[Any, ...]] = set()
    for answer in Answers.of_campaign(campaign).read():
        content = content_of(answer.item.kind, answer.item.place, answer.item.sides)
        known[answer.rater, content] += 1
        at = datetime.fromisoformat(answer.submitted_at) if answer.submitted_at else None
        answers.add((answer.rater, content, answer.item.group, answer.round, answer.value, at))
    doubled = []
    for row in rows:
        if isinstance(row, RatingRow) or not row.identical:
            content = content_of(row.kind, place_of(row, places, fail), sides_of(row))
            if (row.rater, content, row.group, row.round, value_of(row), row.time_end) in answers:
                doubled.append(row)
    if doubled:
        raise Conflict(
            f"{fail.file_name}: {len(doubled):,} of {len(rows):,} judgements are in “{campaign.name}” "
            f"already (the first on line {doubled[0].line:,}); nothing was imported.",
            "Remove these rows, or import under another name.",
        )
    return dict(known)


def value_of(row: Row) -> Any:
    """Return what was answered: the score, or the systems preferred ("equal" when none)."""
    if isinstance(row, RatingRow):
        return row.score
    preferred = {"left": row.left, "right": row.right}.get(row.winner, ("equal",))
    return tuple(sorted(preferred))
