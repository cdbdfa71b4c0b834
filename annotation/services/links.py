"""The invitation links of a campaign's raters."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.db import transaction

from annotation.models import AuditEvent, Campaign, Participation
from annotation.services.invitations import invitation_renew, invitation_url
from evalplatform.errors import BadInput, Conflict, NotFound

Links = list[tuple[str, str]]


def base_url_check(url: str) -> str:
    """Return the address that links begin with, without a slash at its end.

    Raises:
        BadInput: it is no http or https address, or has a query or fragment.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise BadInput(f"“{url}” is not the address of a site.", "Give one as https://rate.example.org.")
    return url.rstrip("/")


def campaign_links(
    *, campaign: Campaign, base_url: str | None = None, rater: str = "", renew: bool = False
) -> Links:
    """Return (rater, link) for every rater who has not left, in the order they were named.

    Args:
        campaign: Whose raters.
        base_url: What links begin with; by default the site's own address.
        rater: This rater only.
        renew: Make new links; the older ones stop working.

    Raises:
        Conflict: the campaign's judgements were imported.
        NotFound: the rater is not in the campaign, or has left it.
    """
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(
            f"The judgements of “{campaign.name}” were imported: it has no invitation links.",
            "Make a campaign with create_campaign to invite raters.",
        )
    base = base_url_check(base_url) if base_url else None
    found = campaign.participations.exclude(state=Participation.State.LEFT).select_related("rater")
    if rater:
        found = found.filter(rater__name=rater)
        if not found.exists():
            raise NotFound(
                f"There is no rater “{rater}” in campaign “{campaign.name}”, or the rater has left.",
                "Leave --rater out to see all.",
            )
    with transaction.atomic():
        links = []
        for one in found.order_by("pk"):
            if renew:
                invitation_renew(participation=one)
            links.append((one.rater.name, invitation_url(one, base_url=base)))
        if renew:
            whose = {"rater": rater} if rater else {}
            AuditEvent.note("links.renewed", campaign=campaign, study=campaign.study, **whose)
    return links
