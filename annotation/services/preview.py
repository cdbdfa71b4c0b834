"""Show a draft as its raters will see it, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from annotation.models import Campaign
from annotation.protocols.base import Protocol, Scale, Screen, ShownItem
from annotation.services.campaigns import CampaignDraft
from annotation.services.eligibility import asks_form, needs
from annotation.services.participation import consent_text, guidelines_html
from annotation.services.practice_items import PRACTICE, REASONS, PracticeDraft
from annotation.services.screens import languages_shown

_MARKDOWN = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True)
class Practised:
    """A practice or calibration item, what is expected of it, and why (HTML)."""

    screen: dict[str, Any]
    expected: str
    why_html: str


@dataclass(frozen=True)
class Before:
    """What a rater meets before the first item.

    `needs` are the languages that are required, in words; `guidelines` are pairs of a language ("" for
    everybody) and HTML.
    """

    asks_form: bool
    needs: tuple[str, ...]
    guidelines: tuple[tuple[str, str], ...]
    consent: str
    practice: tuple[Practised, ...]
    calibration: tuple[Practised, ...]


def draft_screens(*, draft: CampaignDraft, most: int = 3) -> list[Screen]:
    """Draw the first items of a draft in the language of the page, systems in the order of the draft."""
    shown = [item for item in draft.items if item.shown and item.kind == "system"][:most]
    texts = [(item.context_text, tuple(one.text for one in item.candidates)) for item in shown]
    return _screens(draft, texts)


def draft_before(*, draft: CampaignDraft, most: int = 3) -> Before:
    """Return what raters meet before the first item; of practice and calibration the first items."""
    campaign = _campaign(draft)
    stages: dict[bool, list[PracticeDraft]] = {True: [], False: []}
    for one in draft.options.practice:
        stages[one.stage == PRACTICE].append(one)
    return Before(
        asks_form=asks_form(campaign),
        needs=tuple(need.words() for need in needs(campaign)),
        guidelines=_guidelines(campaign),
        consent=consent_text(campaign),
        practice=_practised(draft, stages[True][:most]),
        calibration=_practised(draft, stages[False][:most]),
    )


def _campaign(draft: CampaignDraft) -> Campaign:
    """Return a campaign that is never written, for what is asked of campaigns."""
    options = draft.options
    return Campaign(
        name=options.name,
        protocol=options.protocol,
        source_language=draft.selection.source_language,
        target_language=draft.selection.target_language,
        scale_low=options.scale[0],
        scale_high=options.scale[1],
        guidelines=options.guidelines,
        consent=options.consent,
        settings=options.settings.as_json(),
    )


def _guidelines(campaign: Campaign) -> tuple[tuple[str, str], ...]:
    """Return those for everybody, then those of each language that has its own."""
    own = campaign.settings.pop("guidelines", {})
    found = [("", guidelines_html(campaign))]
    campaign.settings["guidelines"] = own
    for code, name in settings.LANGUAGES:
        if code in own:
            with translation.override(code):
                found.append((name, guidelines_html(campaign)))
    return tuple(found)


def _practised(draft: CampaignDraft, items: Sequence[PracticeDraft]) -> tuple[Practised, ...]:
    screens = _screens(draft, [(one.context, one.texts) for one in items])
    return tuple(
        Practised(screen.as_dict(), _expected(one, screen), _why(one))
        for one, screen in zip(items, screens, strict=True)
    )


def _expected(item: PracticeDraft, screen: Screen) -> str:
    if item.choice:
        options = {option.value: option.label for option in screen.question.options}
        return options.get(item.choice, item.choice)
    if item.low == item.high:
        return str(item.low)
    return _("%(low)s to %(high)s") % {"low": item.low, "high": item.high}


def _why(item: PracticeDraft) -> str:
    words = item.why or _(REASONS.get(item.reason, ""))
    return str(_MARKDOWN.render(words)) if words else ""


def _screens(draft: CampaignDraft, texts: Sequence[tuple[str, tuple[str, ...]]]) -> list[Screen]:
    languages = languages_shown(draft.selection.source_language, draft.selection.target_language)
    protocol = _protocol(draft)
    return [
        protocol.screen(
            f"preview-{number}",
            ShownItem(context=context, candidates=candidates, before=(), after=(), **languages),
            _,
            number=number,
            total=len(texts),
        )
        for number, (context, candidates) in enumerate(texts, start=1)
    ]


def _protocol(draft: CampaignDraft) -> Protocol:
    made, (low, high) = draft.options.settings, draft.options.scale
    return draft.protocol(scale=Scale(low, high, made.low_label, made.high_label))
