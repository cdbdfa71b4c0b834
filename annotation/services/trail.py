"""The audit trail as people read it: by person, by what it is about, by day."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.formats.write import Stream, Value, write_csv
from annotation.models import AuditEvent, Campaign
from annotation.models.audit import DONE_TO_RATERS
from annotation.services.sealing import LATE, is_sealed, late_sealed, sealed_campaigns
from evalplatform.errors import BadInput
from mtcore.corpora.spreadsheets import FLAVOURS

FILTERS = ("who", "about", "what", "since", "until")
LONGEST = 200
COLUMNS = ("at", "who", "kind", "command", "action", "campaign", "study", "data")
"""What a file of the trail tells of an event; `data` is JSON."""
PERSON, RATER = "person", "rater"
"""What somebody is who did something: has an account, or came by an invitation."""
_CHUNK = 2000


@dataclass(frozen=True)
class Wish:
    """What is looked for; empty parts let everything through. `until` is the last day that is shown."""

    who: str = ""
    about: str = ""
    what: str = ""
    since: date | None = None
    until: date | None = None


def wish_read(given: Mapping[str, str]) -> Wish:
    """Read the form of the page.

    Raises:
        BadInput: a day that is none, or words that are too long.
    """
    for name in ("who", "about", "what"):
        if len(given[name]) > LONGEST:
            raise BadInput(
                _("%(n)d characters are too many to look for.") % {"n": len(given[name])}, _("Shorten it.")
            )
    return Wish(given["who"], given["about"], given["what"], _day(given["since"]), _day(given["until"]))


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(_("“%(text)s” is no day.") % {"text": text}, _("Write it as 2026-03-31.")) from None


def events_find(*, wish: Wish, campaign: Campaign | None = None) -> QuerySet[AuditEvent]:
    """Return the events that are looked for, the newest first; of one campaign, or of everything.

    `who` is part of the name of a person, a rater or a command; `about` part of the name of a study,
    campaign or rater, or of anything else the event names.
    """
    found = AuditEvent.objects.select_related("actor", "participation__rater", "campaign", "study")
    if campaign is not None:
        found = found.filter(campaign=campaign)
    if wish.who:
        found = found.filter(
            Q(actor__username__icontains=wish.who)
            | (Q(participation__rater__name__icontains=wish.who) & ~Q(action__in=DONE_TO_RATERS))
            | Q(data__command__icontains=wish.who)
        )
    if wish.about:
        sealed = Q(action=LATE, campaign__in=sealed_campaigns())
        found = found.annotate(told=Cast("data", TextField())).filter(
            Q(campaign__name__icontains=wish.about)
            | Q(study__name__icontains=wish.about)
            | Q(participation__rater__name__icontains=wish.about)
            | ~sealed & Q(told__icontains=wish.about)
            | ~sealed & Q(told__icontains=json.dumps(wish.about)[1:-1])  # as SQLite keeps what is not ASCII
        )
    if wish.what:
        found = found.filter(action=wish.what)
    if wish.since:
        found = found.filter(at__gte=_begin(wish.since))
    if wish.until and wish.until < date.max:
        found = found.filter(at__lt=_begin(wish.until + timedelta(days=1)))
    return found


def who_did(event: AuditEvent) -> tuple[str, str]:
    """Return the name of who did it and what that person is; both are empty where nobody is known."""
    if event.actor is not None:
        return event.actor.get_username(), PERSON
    if event.participation is not None and _is_own(event):
        return event.participation.rater.name, RATER
    return "", ""


def _is_own(event: AuditEvent) -> bool:
    """Tell whether the rater of an event did it; raters give no commands."""
    return event.action not in DONE_TO_RATERS and not event.data.get("command")


def data_of(event: AuditEvent) -> dict[str, Any]:
    """Return what an event tells, first of which rater where somebody else did it.

    Halves of characters, as of a file's odd name, give way to `?`. Answers that came too late are not told
    while their campaign is sealed.
    """
    data = event.data
    if event.participation is not None and who_did(event)[1] != RATER:
        data = {"rater": event.participation.rater.name} | data
    told: dict[str, Any] = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    is_hidden = event.action == LATE and event.campaign is not None and is_sealed(event.campaign)
    return late_sealed(told) if is_hidden else told


def event_told(event: AuditEvent) -> dict[str, Any]:
    """Return an event as plain data, by the names of `COLUMNS`."""
    who, kind = who_did(event)
    return {
        "at": event.at,
        "who": who,
        "kind": kind,
        "command": str(event.data.get("command", "")),
        "action": event.action,
        "campaign": event.campaign.name if event.campaign else "",
        "study": event.study.name if event.study else "",
        "data": {name: value for name, value in data_of(event).items() if name != "command"},
    }


def trail_csv(*, events: QuerySet[AuditEvent], stream: Stream, flavour: str = "exact") -> int:
    """Write events as CSV, a line each, and return their number.

    Args:
        events: as `events_find` gives them.
        stream: takes text, opened with `newline=""`.
        flavour: "exact", or "spreadsheet", in which no cell is a formula (see `write_csv`).

    Raises:
        BadInput: there is no such flavour.
    """
    if flavour not in FLAVOURS:
        raise BadInput(
            _("There is no flavour “%(name)s”.") % {"name": flavour[:LONGEST]},
            _("Give exact or spreadsheet."),
        )
    return write_csv(_lines(events), COLUMNS, stream, spreadsheet=flavour == "spreadsheet")


def _lines(events: QuerySet[AuditEvent]) -> Iterator[tuple[Value, ...]]:
    for event in events.iterator(chunk_size=_CHUNK):
        told = event_told(event)
        told["data"] = json.dumps(told["data"], ensure_ascii=False)
        yield tuple(told[name] for name in COLUMNS)


def actions_known(*, campaign: Campaign | None = None) -> list[str]:
    """Return what has been done so far, by the names of the actions."""
    found = AuditEvent.objects.all() if campaign is None else AuditEvent.objects.filter(campaign=campaign)
    return list(found.order_by("action").values_list("action", flat=True).distinct())


def _begin(day: date) -> datetime:
    """Return when a day begins here."""
    return timezone.make_aware(datetime.combine(day, time.min))
