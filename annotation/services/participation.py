"""A rater in a campaign: finding, starting, consenting, progress, finishing, reporting a problem."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from annotation.models import Assignment, AuditEvent, Campaign, Participation
from annotation.protocols import PROTOCOLS, Protocol
from annotation.protocols.base import Scale
from annotation.services.eligibility import eligibility_check
from annotation.services.prepared import Prepared
from evalplatform.errors import BadInput, Conflict, NotFound

TEXT_LENGTH = 5000
_SEEN_EVERY = timedelta(minutes=1)
_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


PROGRESS = {
    "done": Count("pk", filter=Q(state=Assignment.State.DONE)),
    "total": Count("pk", filter=~Q(state=Assignment.State.RELEASED)),
}
"""What is counted over a rater's assignments."""

_FIND: Prepared[Participation] = Prepared(
    lambda key, campaign_key: (
        Participation.objects.select_related("campaign", "rater")
        .filter(key=key, campaign__key=campaign_key)
        .order_by()
    )
)
_COUNTS: Prepared[tuple[int, int]] = Prepared(
    lambda participation: (
        Assignment.objects.live()
        .filter(participation=participation)
        .order_by()
        .values("participation")
        .annotate(**PROGRESS)
        .values_list(*PROGRESS)
    )
)


@dataclass(frozen=True)
class Progress:
    """Distinct live assignments of a rater in a campaign: those answered, and all.

    `endless`: there may be more as long as there is work, so the total says little.
    """

    done: int
    total: int
    endless: bool = False

    @property
    def left(self) -> int:
        """How many wait for an answer."""
        return self.total - self.done

    def as_dict(self) -> dict[str, int]:
        """Return what the rater's page shows."""
        shown = {"done": self.done, "left": self.left, "total": self.total}
        return shown | ({"endless": True} if self.endless else {})


def participation_find(*, key: str, campaign_key: str) -> Participation | None:
    """Return the participation of that key in that campaign, with both its sides read along."""
    return _FIND.first(key, campaign_key)


def participation_progress(participation: Participation) -> Progress:
    """Count the live assignments."""
    return Progress(*(_COUNTS.first(participation.pk) or (0, 0)), is_endless(participation))


def is_endless(participation: Participation) -> bool:
    """Tell whether a rater takes items as long as there are any."""
    return participation.campaign.mode == Campaign.Mode.POOL


def participation_start(*, participation: Participation) -> None:
    """Note that the rater has opened the invitation. Doing so again changes nothing but the time.

    Raises:
        Conflict: whoever joins took the place at this very moment.
    """
    participation.last_seen_at = timezone.now()
    own = Participation.objects.filter(pk=participation.pk)
    if not own.update(last_seen_at=participation.last_seen_at):
        raise Conflict(
            _("This invitation went to somebody else at this moment."),
            _("Ask the person who invited you for a new one."),
        )


def participation_consent(*, participation: Participation) -> None:
    """Keep the time of the first consent and let the rater work."""
    Participation.objects.filter(pk=participation.pk, consented_at=None).update(consented_at=timezone.now())
    Participation.objects.filter(pk=participation.pk, state=Participation.State.INVITED).update(
        state=Participation.State.ACTIVE
    )


def participation_seen(*, participation: Participation) -> None:
    """Keep when the rater was last here, to the minute."""
    now = timezone.now()
    if participation.last_seen_at is None or participation.last_seen_at < now - _SEEN_EVERY:
        Participation.objects.filter(pk=participation.pk).update(last_seen_at=now)


@dataclass(frozen=True)
class ReturnLink:
    """Where a panel takes its raters back to, and the host to be shown with it."""

    url: str
    host: str


def return_link(campaign: Campaign, code: str) -> ReturnLink | None:
    """Return the way back to a panel with the completion code in it; None without a code or a panel."""
    address = str(campaign.settings.get("return_url") or "")
    if not address or not code:
        return None
    url = address.replace("{code}", quote(code, safe=""))
    return ReturnLink(url, urlsplit(url).netloc)


def problem_report(*, participation: Participation, assignment_key: str, text: str) -> AuditEvent:
    """Keep what a rater says is wrong with an item or its page.

    Raises:
        BadInput: nothing was written, or more than 5,000 characters.
        NotFound: the assignment is not this rater's.
    """
    text_check(text, name=_("The report"))
    if not text.strip():
        raise BadInput(_("The report is empty."), _("Write what is wrong."))
    if (
        not is_key(assignment_key)
        or not Assignment.objects.filter(participation=participation, key=assignment_key).exists()
    ):
        raise NotFound(_("There is no such item among yours."), _("Reload the rating page."))
    return AuditEvent.note(
        "problem.reported",
        participation=participation,
        campaign=participation.campaign,
        study=participation.campaign.study,
        assignment=assignment_key,
        text=text.strip(),
    )


def is_key(key: Any) -> bool:
    """Tell whether something from outside has the form of a public key."""
    return isinstance(key, str) and _KEY.fullmatch(key) is not None


def text_check(text: Any, *, name: str) -> None:
    """Make sure that what a rater wrote can be stored on every database.

    Raises:
        BadInput: no text, NUL or half a character in it, or more than 5,000 characters.
    """
    if not isinstance(text, str) or "\x00" in text or any("\ud800" <= mark <= "\udfff" for mark in text):
        raise BadInput(_("%(name)s is not a text.") % {"name": name}, _("Write it again."))
    if len(text) > TEXT_LENGTH:
        raise BadInput(
            _("%(name)s has %(count)d characters; 5,000 are possible.") % {"name": name, "count": len(text)},
            _("Shorten it."),
        )


def participation_remember(participation: Participation, **kept: Any) -> None:
    """Keep something with a rater's participation, beside what is kept there already."""
    with transaction.atomic():
        found = Participation.objects.select_for_update().get(pk=participation.pk)
        found.settings = found.settings | kept
        found.save(update_fields=["settings"])
    participation.settings = found.settings


def has_practice(campaign: Campaign) -> bool:
    """Tell whether raters of a campaign practise before they begin."""
    return bool(campaign.settings.get("practice") or campaign.settings.get("calibration"))


def practice_pending(participation: Participation) -> bool:
    """Tell whether a rater has still to practise."""
    return has_practice(participation.campaign) and not participation.settings.get("practised")


def begin_check(participation: Participation) -> None:
    """Make sure that a rater has done everything that comes before the first item.

    Raises:
        NotAllowed: the rater lacks a language that is required.
        Conflict: the form, the consent or the practice is missing.
    """
    consent_check(participation)
    if practice_pending(participation):
        raise Conflict(
            _("You have not finished the practice yet."), _("Reload the page: it leads you there.")
        )


def consent_check(participation: Participation) -> None:
    """Make sure that the rater may take part and has agreed to.

    Raises:
        NotAllowed: the rater lacks a language that is required.
        Conflict: the form is not filled in, or the rater has not agreed yet.
    """
    eligibility_check(participation)
    if participation.consented_at is None:
        raise Conflict(
            _("You have not agreed to take part yet."),
            _("Open your invitation link again and read what it says."),
        )


def campaign_protocol(campaign: Campaign) -> Protocol:
    """Return the protocol of a campaign on the campaign's own scale.

    Raises:
        NotFound: the protocol is not known here.
    """
    protocol = PROTOCOLS.get(campaign.protocol)
    if protocol is None:
        raise NotFound(
            _("This campaign asks in a way that is not known here (%(name)s).") % {"name": campaign.protocol}
        )
    labels = {name: str(campaign.settings.get(name, "")) for name in ("low_label", "high_label")}
    return protocol(scale=Scale(low=int(campaign.scale_low), high=int(campaign.scale_high), **labels))


def guidelines_html(campaign: Campaign) -> str:
    """Return the guidelines as HTML in which nothing but Markdown can make elements.

    Those in the language of the page come first, then the campaign's for everybody, then ours.
    """
    spoken = (campaign.settings.get("guidelines") or {}).get((get_language() or "en").split("-")[0])
    return str(_MARKDOWN.render(spoken or campaign.guidelines or _(campaign_protocol(campaign).guidelines)))


def consent_text(campaign: Campaign) -> str:
    """Return what a rater agrees to: the campaign's own words, or ours."""
    return campaign.consent or _(
        "Taking part is voluntary and you can stop at any time.\n\n"
        "We keep your answers, the comments you write, and the time each answer took, under a pseudonym. "
        "They are analysed together with those of the other raters and may be published without your name."
        "\n\n"
        "Problems you report and reasons you give for skipping an item are kept too. They are read by the "
        "researchers and are not published."
    )
