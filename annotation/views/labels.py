"""What campaigns are called on pages: protocol, languages, state in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from mtcore.corpora.languages import language_name


@dataclass(frozen=True)
class About:
    """The words for a campaign."""

    protocol: str
    languages: str
    state: str
    state_class: str


def grouped(n: int) -> str:
    """Write a whole number with the separators of the reader's language."""
    return number_format(n, decimal_pos=0, force_grouping=True)


def describe(campaign: Campaign) -> About:
    """Return the words for a campaign."""
    reader = get_language() or "en"
    names = (language_name(tag, reader) for tag in (campaign.source_language, campaign.target_language))
    words = {
        Campaign.State.DRAFT: (_("draft"), "muted"),
        Campaign.State.OPEN: (_("open"), "good"),
        Campaign.State.PAUSED: (_("paused"), "warn"),
        Campaign.State.CLOSED: (_("closed"), "muted"),
    }
    state, state_class = words[Campaign.State(campaign.state)]
    if campaign.mode == Campaign.Mode.IMPORTED:
        state = _("imported")
    return About(_(PROTOCOLS[campaign.protocol].title), " → ".join(names), state, state_class)
