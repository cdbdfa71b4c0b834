"""Show a draft as its raters will see it, before anything is written."""

from __future__ import annotations

from django.utils.translation import gettext as _

from annotation.protocols.base import Scale, Screen, ShownItem
from annotation.services.campaigns import CampaignDraft
from annotation.services.screens import languages_shown


def draft_screens(*, draft: CampaignDraft, most: int = 3) -> list[Screen]:
    """Draw the first items of a draft in the language of the page, systems in the order of the draft."""
    languages = languages_shown(draft.selection.source_language, draft.selection.target_language)
    settings, (low, high) = draft.options.settings, draft.options.scale
    protocol = draft.protocol(scale=Scale(low, high, settings.low_label, settings.high_label))
    shown = [item for item in draft.items if item.shown and item.kind == "system"][:most]
    return [
        protocol.screen(
            f"preview-{number}",
            ShownItem(
                context=item.context_text,
                candidates=tuple(candidate.text for candidate in item.candidates),
                before=(),
                after=(),
                **languages,
            ),
            _,
            number=number,
            total=len(shown),
        )
        for number, item in enumerate(shown, start=1)
    ]
