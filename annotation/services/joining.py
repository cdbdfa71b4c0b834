"""Joining by one link for everybody: who comes from a panel, or just comes, becomes a rater of a campaign.

A person from a panel is known by the id the panel gave them: the same id is the same rater in all campaigns
of a study, under a pseudonym that tells nothing about the id. Who comes without an id gets an own link. In a
pool campaign everybody may join. In a planned one who joins takes over the work of a rater whose
invitation nobody has used, when they agree to take part; who is refused before that has used up no place.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, AuditEvent, Campaign, Participation, Rater, Study
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.turns import study_look, turn_take
from evalplatform.errors import BadInput, Conflict, NotFound

_SIGNER = signing.Signer(salt="annotation.joining", sep="~")
ID_LENGTH = 120
#: Names under which panels give ids in an address: the person's, the study's, the session's.
PERSON = ("PROLIFIC_PID", "participant", "workerId")
OTHERS = ("STUDY_ID", "SESSION_ID")
#: What panels fill in: {{%ID%}}, {ID}, ${ID}, [ID], %ID%.
_UNFILLED = re.compile(r".*(\{\{|\}\}|\{%|%\}|\$\{).*|\{.*\}|\[.*\]|%.*%")
#: How many raters without an id one browser can become.
ANONYMOUS_JOINS = 5


@dataclass(frozen=True)
class Panel:
    """Whom a panel sends: the id of the person, "" for nobody known, and what else the address says."""

    person: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> Panel:
        """Read the ids of an address or a form.

        Raises:
            BadInput: an id is too long, holds signs that are not printed, or was not filled in.
        """
        given = {name: str(parameters.get(name, "")).strip() for name in (*PERSON, *OTHERS)}
        for name, value in given.items():
            if len(value) > ID_LENGTH or not value.isprintable():
                raise BadInput(
                    _("The address you came with has a %(name)s that cannot be one.") % {"name": name},
                    _("Open the link again from the page that sent you here."),
                )
            if _UNFILLED.fullmatch(value):
                raise _unfilled(name)
        person = next((given[name] for name in PERSON if given[name]), "")
        empty = next((name for name in PERSON if name in parameters), "")
        if empty and not person:
            raise _unfilled(empty)
        return cls(person, tuple((name, given[name]) for name in OTHERS if given[name]))

    def as_fields(self) -> dict[str, str]:
        """Return what a form sends on."""
        return ({PERSON[0]: self.person} if self.person else {}) | dict(self.others)


def _unfilled(name: str) -> BadInput:
    return BadInput(
        _("The page that sent you here did not fill in who you are: its address has no %(name)s.")
        % {"name": name},
        _("Open the link again from that page. If it happens again, tell the people who run the study."),
    )


def joining_url(campaign: Campaign, *, base_url: str | None = None) -> str:
    """Return the link by which anybody joins a campaign.

    Raises:
        Conflict: nobody may join it.
    """
    made = CampaignSettings.of(campaign)
    if not made.joins:
        raise Conflict(
            f"Campaign “{campaign.name}” is not open to whoever comes.",
            f"Allow it with `manage.py joining_link {campaign.name!r} --on`.",
        )
    token = _SIGNER.sign(f"{campaign.key}~{made.join_version}")
    return (base_url or settings.BASE_URL) + reverse("join", args=[token])


def joining_read(token: str) -> Campaign:
    """Return the campaign a joining link stands for. Reading changes nothing.

    Raises:
        NotFound: the link was altered, or the campaign is gone.
        Conflict: the link was replaced or switched off, or the campaign is not open.
    """
    try:
        key, version = _SIGNER.unsign(token).rsplit("~", 1)
    except (signing.BadSignature, ValueError):
        raise NotFound(
            _("This link is incomplete or was changed on its way."),
            _("Copy the whole link, or open it again from the page that sent you here."),
        ) from None
    campaign = Campaign.objects.filter(key=key).first()
    if campaign is None:
        raise NotFound(_("This campaign no longer exists."), _("Nothing is asked of you any more."))
    made = CampaignSettings.of(campaign)
    if not made.joins or str(made.join_version) != version:
        raise Conflict(_("This link no longer works."), _("Ask the people who sent you here for a new one."))
    return campaign


def joining_set(
    *,
    campaign: Campaign,
    joins: bool,
    renew: bool = False,
    an_hour: int | None = None,
    actor: User | None = None,
) -> Campaign:
    """Let anybody with the link join, or nobody; `renew` makes older links invalid.

    `an_hour`: how many may join in an hour, 0 for any number; None leaves it as it is.

    Raises:
        Conflict: the campaign's judgements were imported.
    """
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(f"The judgements of “{campaign.name}” were imported.", "Nobody can join it.")
    with transaction.atomic():
        found = Campaign.objects.select_for_update().get(pk=campaign.pk)
        made = CampaignSettings.of(found)
        version = made.join_version + (1 if renew else 0)
        found.settings = found.settings | {"joins": joins, "join_version": version}
        if an_hour is not None:
            CampaignSettings.read({"joins_an_hour": an_hour})
            found.settings["joins_an_hour"] = an_hour
        found.save(update_fields=["settings"])
        limit = {} if an_hour is None else {"an_hour": an_hour}
        AuditEvent.note(
            "joining.set", actor=actor, campaign=found, study=found.study, joins=joins, renewed=renew, **limit
        )
    return found


def joined_lately(campaign: Campaign) -> int:
    """Count who has joined a campaign in the last hour."""
    since = timezone.now() - timedelta(hours=1)
    return AuditEvent.objects.filter(campaign=campaign, action="rater.joined", at__gt=since).count()


def participation_join(*, campaign: Campaign, panel: Panel) -> Participation:
    """Find the rater a panel sends, or make one; whoever comes without an id is new.

    Raises:
        Conflict: the campaign is not open to new raters, a planned one has no place left, or too many have
            joined in the last hour.
    """
    name = _name(campaign, panel.person) if panel.person else f"V-{secrets.token_hex(4).upper()}"
    found = _of_rater(campaign, name)
    if found is not None:
        return found
    _check_open(campaign)
    _check_place(campaign)
    _check_pace(campaign)
    with transaction.atomic():
        turn_take(campaign.pk)
        study_look(campaign)
        if panel.person:
            name = _name(campaign, panel.person)
        rater, _made = Rater.objects.get_or_create(study_id=campaign.study_id, name=name)
        until = timezone.now() + timedelta(days=settings.INVITATION_DAYS)
        kept = {"joined": True} | (
            {"panel": {"person": panel.person, **dict(panel.others)}} if panel.person else {}
        )
        participation, created = Participation.objects.get_or_create(
            rater=rater, campaign=campaign, defaults={"link_expires_at": until, "settings": kept}
        )
        if created:
            AuditEvent.note(
                "rater.joined",
                participation=participation,
                campaign=campaign,
                study=campaign.study,
                rater=rater.name,
            )
    return _of_rater(campaign, name) or participation


def needs_place(participation: Participation) -> bool:
    """Tell whether somebody who joined a planned campaign has still to take over a place."""
    joined = bool(participation.settings.get("joined")) and not participation.settings.get("placed")
    return joined and participation.campaign.mode == Campaign.Mode.PLANNED


def place_take(*, participation: Participation) -> None:
    """Take over the work of a rater whose invitation nobody has used; a second call changes nothing.

    Raises:
        Conflict: no place is left.
    """
    with transaction.atomic():
        turn_take(participation.campaign_id)
        own = Participation.objects.select_for_update(of=("self",)).select_related("campaign__study", "rater")
        found = own.get(pk=participation.pk)
        if needs_place(found):
            _take(found)
            found.settings = found.settings | {"placed": True}
            found.save(update_fields=["settings"])
    participation.settings = found.settings


def free_places(campaign: Campaign) -> QuerySet[Participation]:
    """Return the raters of a planned campaign whose invitation nobody has used, in order."""
    unused = campaign.participations.filter(
        state=Participation.State.INVITED, last_seen_at=None, consented_at=None, eligibility={}
    )
    return (
        unused.exclude(settings__has_key="joined").filter(assignments__isnull=False).distinct().order_by("pk")
    )


def _take(participation: Participation) -> None:
    """Move the assignments of a free place; the conditional update decides between two who come at once."""
    now = timezone.now()
    for place in free_places(participation.campaign):
        free = Participation.objects.filter(
            pk=place.pk, state=Participation.State.INVITED, last_seen_at=None, consented_at=None
        )
        if free.update(last_seen_at=now, state=Participation.State.LEFT) != 1:
            continue
        Assignment.objects.filter(participation=place).update(participation=participation)
        campaign = participation.campaign
        AuditEvent.note(
            "place.taken",
            participation=participation,
            campaign=campaign,
            study=campaign.study,
            place=place.rater.name,
            rater=participation.rater.name,
        )
        place.delete()
        Rater.objects.filter(pk=place.rater_id, participations__isnull=True).delete()
        return
    raise _full()


def _check_open(campaign: Campaign) -> None:
    if campaign.state != Campaign.State.OPEN:
        raise Conflict(
            _("This campaign is closed."),
            _("Nothing is asked of you any more.")
            if campaign.state == Campaign.State.CLOSED
            else _("Try again later."),
        )


def _check_pace(campaign: Campaign) -> None:
    """Make sure that no script fills the campaign with raters: so many an hour, however they come."""
    most = CampaignSettings.of(campaign).joins_an_hour
    if most and joined_lately(campaign) >= most:
        raise Conflict(
            _("Many people have joined this campaign in the last hour."),
            _("Thank you for coming. Open the link again in an hour."),
        )


def _check_place(campaign: Campaign) -> None:
    if campaign.mode == Campaign.Mode.PLANNED and not free_places(campaign).exists():
        raise _full()


def _full() -> Conflict:
    return Conflict(
        _("Thank you for coming. All places in this campaign are taken."), _("Nothing is asked of you.")
    )


def _of_rater(campaign: Campaign, name: str) -> Participation | None:
    found = Participation.objects.select_related("campaign", "rater")
    return found.filter(campaign=campaign, rater__name=name).first()


def _name(campaign: Campaign, person: str) -> str:
    """Return what a person of a panel is called: in this campaign, else in its study, else at first.

    A campaign that moved to this study brought its people under the pseudonyms of the study before.
    """
    first = _pseudonym(campaign, person)
    known = panel_people(campaign.study).filter(settings__panel__person=person).select_related("rater")
    here = sorted(known, key=lambda one: (one.campaign_id != campaign.pk, one.rater.name != first, one.pk))
    return here[0].rater.name if here else first


def panel_people(study: Study) -> QuerySet[Participation]:
    """Return who came to the campaigns of a study from a panel, by an id."""
    return Participation.objects.filter(campaign__study=study, settings__has_key="panel")


def _pseudonym(campaign: Campaign, person: str) -> str:
    """Return the name of a person of a panel in a study: always the same, and nothing can be read from it."""
    words = f"annotation.panel|{campaign.study_id}|{person}"
    digest = hmac.new(settings.SECRET_KEY.encode(), words.encode(), hashlib.sha256).digest()
    return "P-" + base64.b32encode(digest)[:10].decode()
