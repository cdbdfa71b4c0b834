"""The audit trail in words: what was done, and what is told about it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

ACTIONS = {
    "account.created": gettext_noop("made an account"),
    "account.deactivated": gettext_noop("closed an account"),
    "account.link": gettext_noop("made a link to set a password"),
    "account.password": gettext_noop("set an own password"),
    "account.reactivated": gettext_noop("opened an account again"),
    "account.role": gettext_noop("changed the role of an account"),
    "account.unlocked": gettext_noop("ended a lock-out"),
    "answer.late": gettext_noop("answered too late"),
    "assignment.skipped": gettext_noop("passed an item over"),
    "campaign.changed": gettext_noop("changed a draft"),
    "campaign.closed": gettext_noop("closed the campaign"),
    "campaign.created": gettext_noop("made the campaign"),
    "campaign.deleted": gettext_noop("deleted a draft"),
    "campaign.looked": gettext_noop("tested while the campaign ran"),
    "campaign.moved": gettext_noop("moved the campaign to a study"),
    "campaign.opened": gettext_noop("opened the campaign"),
    "campaign.unsealed": gettext_noop("opened the seal on results early"),
    "command.run": gettext_noop("ran a command"),
    "corpus.imported": gettext_noop("imported a corpus"),
    "file.taken": gettext_noop("took a file or a list"),
    "hours.exported": gettext_noop("took hours of work"),
    "joining.set": gettext_noop("changed who may join"),
    "judgements.exported": gettext_noop("took judgements"),
    "judgements.imported": gettext_noop("imported judgements"),
    "links.renewed": gettext_noop("made new invitation links"),
    "links.taken": gettext_noop("took links"),
    "output.imported": gettext_noop("imported an output"),
    "page.changed": gettext_noop("changed something on a page"),
    "place.taken": gettext_noop("took over a free place"),
    "plan.exported": gettext_noop("took the plan"),
    "problem.reported": gettext_noop("reported a problem"),
    "rater.added": gettext_noop("added raters"),
    "rater.admitted": gettext_noop("let a rater in"),
    "rater.excluded": gettext_noop("excluded a rater"),
    "rater.forgotten": gettext_noop("removed what identified a rater"),
    "rater.included": gettext_noop("counted a rater again"),
    "rater.invited": gettext_noop("invited a rater"),
    "rater.joined": gettext_noop("joined"),
    "rater.refused": gettext_noop("was refused"),
    "rater.withdrawn": gettext_noop("passed on a rater’s work"),
    "report.exported": gettext_noop("took a report"),
    "round.assigned": gettext_noop("had items judged again"),
    "study.created": gettext_noop("made a study"),
    "study.described": gettext_noop("changed the description of a study"),
    "study.exported": gettext_noop("took a package of the study"),
    "study.extended": gettext_noop("added to a study"),
    "study.reduced": gettext_noop("took something out of a study"),
    "study.researchers": gettext_noop("changed who researches in a study"),
    "study.texts": gettext_noop("set the texts of a study"),
    "tables.exported": gettext_noop("took tables of the study"),
    "testset.imported": gettext_noop("imported a test set"),
    "token.issued": gettext_noop("issued an API token"),
    "token.revoked": gettext_noop("revoked an API token"),
    "token.taken": gettext_noop("fetched the own API token"),
}
DETAILS = {
    "account": gettext_noop("account"),
    "added": gettext_noop("added"),
    "an_hour": gettext_noop("at most in an hour"),
    "asked": gettext_noop("asked for"),
    "changed": gettext_noop("changed"),
    "checksum": gettext_noop("checksum"),
    "chosen": gettext_noop("only"),
    "corpus": gettext_noop("corpus"),
    "deleted_study": gettext_noop("with its study"),
    "file": gettext_noop("file"),
    "files": gettext_noop("files"),
    "format": gettext_noop("format"),
    "from_study": gettext_noop("from the study"),
    "given": gettext_noop("given to"),
    "identities": gettext_noop("with names"),
    "input": gettext_noop("made from"),
    "items": gettext_noop("items"),
    "joins": gettext_noop("anybody may join"),
    "judgements": gettext_noop("judgements"),
    "led_to": gettext_noop("led to"),
    "links": gettext_noop("links"),
    "moved": gettext_noop("went to"),
    "n_judgements": gettext_noop("judgements"),
    "n_planned": gettext_noop("of planned"),
    "name": gettext_noop("name"),
    "note": gettext_noop("note"),
    "old_name": gettext_noop("name before"),
    "options": gettext_noop("options"),
    "page": gettext_noop("page"),
    "place": gettext_noop("place"),
    "rater": gettext_noop("rater"),
    "raters": gettext_noop("raters"),
    "reason": gettext_noop("reason"),
    "released": gettext_noop("items taken back"),
    "removed": gettext_noop("removed"),
    "renewed": gettext_noop("older links ended"),
    "role": gettext_noop("role"),
    "run": gettext_noop("run"),
    "segment": gettext_noop("segment"),
    "separate_raters": gettext_noop("raters kept apart"),
    "short": gettext_noop("still short"),
    "state": gettext_noop("state"),
    "system": gettext_noop("system"),
    "systems": gettext_noop("systems"),
    "table": gettext_noop("table"),
    "tables": gettext_noop("tables"),
    "testset": gettext_noop("test set"),
    "testsets": gettext_noop("test sets"),
    "text": gettext_noop("text"),
    "texts": gettext_noop("with texts"),
    "to_study": gettext_noop("to the study"),
    "united": gettext_noop("raters of one name taken as one"),
    "why": gettext_noop("reason"),
}
#: What is said elsewhere on the line.
SHOWN = ("command", "key")
LONGEST = 160


def action_words(action: str) -> str:
    """Return what was done in words; an action without any keeps its name."""
    return _(ACTIONS[action]) if action in ACTIONS else action


def details_of(data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (name, value) of what an event tells, in a line each, long ones cut."""
    found = []
    for name, value in data.items():
        if name in SHOWN or value in (None, "", [], {}):
            continue
        text = _plain(value)
        cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        found.append((_(DETAILS[name]) if name in DETAILS else name.replace("_", " "), cut))
    return found


def _plain(value: Any) -> str:
    """Write plain data as a person would."""
    if isinstance(value, dict):
        return ", ".join(
            f"{key}: {_plain(one)}" for key, one in value.items() if one not in (None, "", [], {})
        )
    if isinstance(value, list):
        return " · ".join(_plain(one) for one in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value)
