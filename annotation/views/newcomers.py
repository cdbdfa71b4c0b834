"""Who sees the links of raters, and where those of new ones stand."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Campaign


def may_see_links(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell who sees invitation links: the owner of the study and administrators."""
    user = request.user
    return user.is_authenticated and (user.is_staff or campaign.study.owner_id == user.pk)


def shows_links(request: HttpRequest, campaign: Campaign) -> bool:
    """Tell whether the page shows invitation links: to who may see them, while raters can use them."""
    can_rate = campaign.mode != Campaign.Mode.IMPORTED and campaign.state == Campaign.State.OPEN
    return can_rate and may_see_links(request, campaign)


def link_told(request: HttpRequest, campaign: Campaign, names: Sequence[str]) -> SafeString:
    """Say where the links of new raters stand; it leads there for who sees them now."""
    place = format_html("“{}”", _("Invitation links"))
    n = len(names)
    if shows_links(request, campaign):
        place = format_html('<a href="#invitation-links">{}</a>', _("Invitation links"))
        words = ngettext("The link of %(names)s stands under", "The links of %(names)s stand under", n)
    elif may_see_links(request, campaign):
        words = ngettext(
            "Once the campaign is open, the link of %(names)s stands under",
            "Once the campaign is open, the links of %(names)s stand under",
            n,
        )
    else:
        words = ngettext(
            "The owner of the study finds the link of %(names)s under",
            "The owner of the study finds the links of %(names)s under",
            n,
        )
    return format_html("{} {}.", words % {"names": ", ".join(names)}, place)
