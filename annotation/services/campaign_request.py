"""A campaign as a program or a form asks for it: texts in hand instead of files, everything else by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Study
from annotation.protocols import Protocol
from annotation.services.attention_file import attention_given
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import (
    CampaignDraft,
    CampaignOptions,
    campaign_draft,
    protocol_find,
    secret_seed,
)
from annotation.services.chosen import chosen_selection, plain_texts
from annotation.services.practice_file import MOST as MOST_PRACTICE
from annotation.services.practice_file import practice_given
from annotation.services.practice_items import STAGES, PracticeDraft
from annotation.services.selection import PlainTexts
from annotation.services.studies import rater_names
from evalplatform.errors import BadInput, NotAllowed
from mtcore.corpora.names import check_name, check_unique
from mtcore.services.given_texts import text_given
from mtcore.services.texts import as_bad_input

NOT_SETTINGS = ("join_version", "segments", "practice", "calibration", "expected")
"""Settings that are worked out, or named elsewhere in a request."""


@dataclass(frozen=True)
class CampaignRequest:
    """What is asked for; as `create_campaign` has it.

    Either texts (`languages`, `source`, `outputs` by system, perhaps `references` by name) or names of what
    is imported (`testsets`, `systems`, perhaps `inputs` and `versions` of references) are given. `practice`
    and `calibration` are how many items are made from the test set, or the items themselves.
    """

    name: str
    protocol: str
    languages: str = ""
    source: Sequence[str] = ()
    references: Mapping[str, Sequence[str]] = field(default_factory=dict)
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    direction: str = ""
    testsets: Sequence[str] = ()
    systems: Sequence[str] = ()
    inputs: Sequence[str] = ()
    versions: Sequence[str] = ()
    raters: int | Sequence[str] = ()
    judgements: int = 3
    seed: int | None = None
    scale: Sequence[int] = (1, 100)
    pairs: str = "all"
    spread: bool = False
    segments: str = ""
    guidelines: str = ""
    consent: str = ""
    study: str = ""
    opened: bool = True
    pool: bool = False
    practice: int | Sequence[Mapping[str, Any] | PracticeDraft] = 0
    calibration: int | Sequence[Mapping[str, Any] | PracticeDraft] = 0
    settings: Mapping[str, Any] = field(default_factory=dict)


def request_draft(*, request: CampaignRequest, user: User) -> CampaignDraft:
    """Check a request and plan it; nothing is written.

    Raises:
        BadInput: something in it cannot be used; the message names it.
        NotAllowed: the study is somebody else's.
        Conflict: the campaign's name is taken.
    """
    study_allowed(name=request.study or request.name, user=user)
    protocol = protocol_find(request.protocol)
    texts, scale = _texts(request), _scale(request.scale)
    options = CampaignOptions(
        name=request.name,
        protocol=protocol.name,
        raters=_raters(request.raters),
        pool=request.pool,
        judgements=request.judgements,
        seed=secret_seed() if request.seed is None else request.seed,
        scale=scale,
        pairs=request.pairs,
        spread=request.spread,
        segments=request.segments,
        guidelines=request.guidelines,
        consent=request.consent,
        study=request.study,
        opened=request.opened,
        settings=_settings(request, protocol, scale),
        practice=_practice(request, protocol, scale),
    )
    selection = chosen_selection(
        protocol=protocol,
        texts=texts,
        testsets=request.testsets,
        systems=request.systems,
        inputs=request.inputs,
        references=request.versions,
        languages=request.languages,
        hidden_reference=options.settings.reference_as_system,
    )
    return campaign_draft(options=options, selection=selection, texts=texts)


def request_owner(*, request: CampaignRequest, user: User) -> User | None:
    """Return who becomes the owner of the campaign's study; nobody new where it exists already."""
    exists = Study.objects.filter(name=request.study or request.name).exists()
    return None if exists else user


def study_allowed(*, name: str, user: User) -> None:
    """Make sure that a study is new or this person's.

    Raises:
        NotAllowed: it is somebody else's.
    """
    if (
        Study.objects.filter(name=name).exists()
        and not Study.objects.visible_to(user).filter(name=name).exists()
    ):
        raise NotAllowed(
            f"A study “{name}” exists and is not yours.", "Choose another name, or ask its owner to share it."
        )


def _texts(request: CampaignRequest) -> PlainTexts | None:
    plain = [name for name in ("source", "outputs", "references", "direction") if getattr(request, name)]
    imported = [name for name in ("testsets", "systems", "inputs", "versions") if getattr(request, name)]
    if request.testsets:
        if plain:
            raise BadInput(
                f"testsets and {plain[0]} exclude each other.", "Give names of what is imported, or texts."
            )
        return None
    if imported and imported != ["versions"]:
        raise BadInput(f"{imported[0]} is for imported test sets.", "Add testsets, or leave it out.")
    if not (request.source and request.outputs and request.languages):
        raise BadInput(
            "A campaign needs languages, source and outputs, or testsets and systems.", "Add what is missing."
        )
    return plain_texts(
        name=request.name,
        languages=request.languages,
        source=text_given(request.source, name="", file="source"),
        references=[
            text_given(lines, name=name, file=f"reference {name}".strip())
            for name, lines in request.references.items()
        ],
        outputs=[
            text_given(lines, name=name, file=f"output {name}") for name, lines in request.outputs.items()
        ],
        direction=request.direction,
    )


def _raters(wish: int | Sequence[str]) -> tuple[str, ...]:
    if isinstance(wish, int):
        return rater_names(str(wish)) if wish else ()
    with as_bad_input():
        for name in wish:
            check_name(name, "rater")
        check_unique(wish, "rater")
    return tuple(wish)


def _scale(wish: Sequence[int]) -> tuple[int, int]:
    if len(wish) != 2:
        raise BadInput(f"The scale has {len(wish)} ends.", "Give two whole numbers, as [1, 100].")
    return int(wish[0]), int(wish[1])


def _practice(
    request: CampaignRequest, protocol: type[Protocol], scale: tuple[int, int]
) -> tuple[PracticeDraft, ...]:
    """Read the items that come with a request; those made from the test set are not here."""
    drafts: list[PracticeDraft] = []
    for stage in STAGES:
        wish = getattr(request, stage)
        if isinstance(wish, int) or not wish:
            continue
        if len(wish) > MOST_PRACTICE:
            raise BadInput(f"There are {len(wish):,} items of {stage}.", f"Give at most {MOST_PRACTICE}.")
        read = [one for one in wish if isinstance(one, PracticeDraft)]
        drafts += read or practice_given(wish, protocol=protocol, scale=scale, stage=stage)
    return tuple(drafts)


def _settings(request: CampaignRequest, protocol: type[Protocol], scale: tuple[int, int]) -> CampaignSettings:
    """Read the settings by their names in `CampaignSettings`, each held to the type of its usual value."""
    given = dict(request.settings)
    attention = given.pop("attention", None)
    known = {one.name for one in fields(CampaignSettings)} - set(NOT_SETTINGS)
    values = settings_typed(given, known)
    if attention is not None:
        if not isinstance(attention, list | tuple):
            raise BadInput("The setting “attention” is no list.", "Give a list of attention items.")
        values["attention"] = attention_given(attention, protocol=protocol, scale=scale)
    counts = {name: wish for name in STAGES if isinstance(wish := getattr(request, name), int)}
    return CampaignSettings.read(values | counts)


def settings_typed(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return settings by name, each held to the type of its usual value.

    Raises:
        BadInput: one is not among the known ones, or has another type.
    """
    usual = CampaignSettings()
    for name in given:
        if name not in known:
            raise BadInput(f"There is no setting “{name}”.", f"The settings are {', '.join(sorted(known))}.")
    return {name: _typed(name, value, getattr(usual, name)) for name, value in given.items()}


_KINDS: dict[type, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts",
    dict: "an object of texts",
}  # fmt: skip


def _typed(name: str, value: Any, usual: Any) -> Any:
    """Return a value in the type of the usual one; lists and objects hold texts only."""
    given = value
    if isinstance(usual, tuple) and isinstance(value, list | tuple):
        value = tuple(value)
    elif isinstance(usual, float) and isinstance(value, int | float) and not isinstance(value, bool):
        value = float(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    if type(value) is not type(usual) or not all(isinstance(one, str) for one in inside):
        raise BadInput(f"The setting “{name}” is {str(given)[:80]}.", f"Give {_KINDS[type(usual)]}.")
    return value
