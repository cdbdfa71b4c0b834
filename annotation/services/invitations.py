"""Invitation links: signed, expiring, revocable, never stored."""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Campaign, Participation
from evalplatform.errors import Conflict, NotFound

#: The code of an error that says that a campaign has closed.
CLOSED = "closed"
_SIGNER = signing.Signer(salt="annotation.invitation", sep="~")


def invitation_url(participation: Participation, *, base_url: str | None = None) -> str:
    """Return the full link of a rater to a campaign."""
    token = _SIGNER.sign(f"{participation.key}~{participation.link_version}")
    return (base_url or settings.BASE_URL) + reverse("invite", args=[token])


def invitation_read(token: str) -> Participation:
    """Return the participation a link stands for. Reading changes nothing.

    Raises:
        NotFound: the link was altered, or its participation is gone.
        Conflict: the link was replaced or has expired, the rater has left, or the campaign is not open. A
            link into a closed campaign still leads who took part to the last page.
    """
    try:
        key, version = _SIGNER.unsign(token).rsplit("~", 1)
    except (signing.BadSignature, ValueError):
        raise NotFound(
            _("This link is incomplete or was changed on its way."),
            _("Copy the whole link from the invitation, or ask for a new one."),
        ) from None
    found = Participation.objects.select_related("campaign", "rater").filter(key=key).first()
    if found is None:
        raise NotFound(_("This invitation no longer exists."), _("Ask for a new link."))
    if str(found.link_version) != version:
        raise Conflict(_("This link was replaced by a newer one."), _("Use the newest link you were sent."))
    if found.link_expires_at is not None and found.link_expires_at <= timezone.now():
        raise Conflict(
            _("This link has expired."), _("Ask the person who invited you to send you a new one.")
        )
    if not is_over(found):
        participation_check(found)
    return found


def is_over(participation: Participation) -> bool:
    """Tell whether a campaign in which this rater took part has closed: code and hours can still be seen."""
    closed = participation.campaign.state == Campaign.State.CLOSED
    has_left = participation.state == Participation.State.LEFT
    return closed and not has_left and participation.consented_at is not None


class CampaignClosed(Conflict):
    """The campaign has closed: nothing is taken any more."""

    code = CLOSED


def participation_check(participation: Participation) -> None:
    """Make sure that this rater may work in this campaign now.

    Raises:
        Conflict: the campaign is not open, or the rater has left it.
    """
    if participation.state == Participation.State.LEFT:
        raise Conflict(
            _("You have left this campaign."), _("Write to the person who invited you to come back.")
        )
    state = participation.campaign.state
    if state == Campaign.State.CLOSED:
        raise CampaignClosed(_("This campaign is closed."), _closed_remedy(participation))
    if state != Campaign.State.OPEN:
        raise Conflict(_("This campaign is not open at the moment."), _("Try again later."))


def _closed_remedy(participation: Participation) -> str:
    """Say that nothing is asked any more, and that answers are saved where there are any."""
    done = participation.assignments.live().done().count()
    if not done:
        return _("Nothing is asked of you any more.")
    saved = ngettext("Your answer is saved.", "Your %(n)s answers are saved.", done) % {"n": done}
    return saved + " " + _("Nothing is left to do.")


def invitation_renew(*, participation: Participation) -> str:
    """Make older links invalid and return a new one."""
    participation.link_version += 1
    participation.link_expires_at = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
    participation.save(update_fields=["link_version", "link_expires_at"])
    return invitation_url(participation)
