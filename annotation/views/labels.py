"""What campaigns are called on pages: protocol, languages, state in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.screens import language_pair_label


@dataclass(frozen=True)
class About:
    """The words for a campaign."""

    protocol: str
    languages: str
    state: str
    state_class: str


def describe(campaign: Campaign) -> About:
    """Return the words for a campaign."""
    words = {
        Campaign.State.DRAFT: (_("draft"), "muted"),
        Campaign.State.OPEN: (_("open"), "good"),
        Campaign.State.PAUSED: (_("paused"), "warn"),
        Campaign.State.CLOSED: (_("closed"), "muted"),
    }
    state, state_class = words[Campaign.State(campaign.state)]
    if campaign.mode == Campaign.Mode.IMPORTED:
        state = _("imported")
    return About(_(PROTOCOLS[campaign.protocol].title), language_pair_label(campaign), state, state_class)
