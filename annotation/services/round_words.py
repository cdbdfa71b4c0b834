"""Say in words what an extra round found and gave out."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Campaign
from annotation.services.rounds import RoundDraft

Words = list[str]


def rule_words(reading: str, points: float) -> str:
    """Say when an item is judged again."""
    if reading == "pairwise":
        return _("both gaps between three scores are more than %(points)s points") % {"points": f"{points:g}"}
    return _("highest and lowest score are more than %(points)s points apart") % {"points": f"{points:g}"}


def treatment_words(treatment: str) -> str:
    """Say what becomes of the first judgements."""
    if treatment == "pool":
        return _("First and new judgements count together.")
    return _(
        "The new judgements take the place of the first ones, which stay in their raters' mean and spread."
    )


def round_sentences(draft: RoundDraft) -> Words:
    """Say what was found, who gets it, and what cannot be done."""
    rule = rule_words(draft.reading, draft.points)
    n = len(draft.apart)
    found = [_found_words(n, draft.checked, rule)]
    counts = [
        (len(draft.dealt.renewed), _("%(n)s go to raters who have not had them.")),
        (
            len(draft.dealt.same),
            _("%(n)s go to the raters who judged them before: there are too few others."),
        ),
        (len(draft.pooled), _("%(n)s wait in the pool for raters who have not had them.")),
        (
            len(draft.dealt.short),
            _("%(n)s cannot be given out: too few raters are left. Invite more, then do this again."),
        ),
        (len(draft.dealt.close), _("For %(n)s raters items of one segment come closer than usual.")),
        (draft.waiting, _("%(n)s items still wait for their first judgements: do this again later.")),
        (draft.already, _("%(n)s items were judged again before, and are not a second time.")),
        (
            draft.unread,
            _("%(n)s items have not three judgements that count, which this reading needs."),
        ),
    ]
    found += [words % {"n": f"{number:,}"} for number, words in counts if number]
    return [*found, treatment_words(draft.treatment)] if n else found


def rounds_told(campaign: Campaign) -> list[dict[str, Any]]:
    """Return what the audit trail tells of each time items were given out again, the first time first."""
    events = campaign.events.filter(action="round.assigned").order_by("at", "pk")
    return [
        {
            "at": event.at,
            "items": sum(event.data.get(name, 0) for name in ("new_raters", "same_raters", "any_new_rater")),
            "new_raters": event.data.get("new_raters", 0) + event.data.get("any_new_rater", 0),
            "same_raters": event.data.get("same_raters", 0),
            "short": event.data.get("short", 0),
            "reading": event.data.get("reading", ""),
            "points": event.data.get("points", 0.0),
            "rule": rule_words(event.data.get("reading", ""), float(event.data.get("points", 0.0))),
        }
        for event in events
    ]


def _found_words(n: int, checked: int, rule: str) -> str:
    if not checked:
        return _("No item could be checked yet.")
    words = ngettext(
        "%(n)s of %(checked)s items is to be judged again: %(rule)s.",
        "%(n)s of %(checked)s items are to be judged again: %(rule)s.",
        n,
    )
    return words % {"n": f"{n:,}", "checked": f"{checked:,}", "rule": rule}
