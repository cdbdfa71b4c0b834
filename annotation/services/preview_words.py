"""Say what the settings of a draft mean, a sentence each; what is as usual is not said."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import CampaignDraft
from annotation.services.round_words import rule_words, treatment_words
from evalplatform.words import rounded


def draft_told(*, draft: CampaignDraft) -> list[str]:
    """Return the sentences, in the order of the form."""
    made, usual = draft.options.settings, CampaignSettings()
    told = [*_raters(draft), *_quality(draft), *_page(made, usual)]
    rule = ("reading", "points", "treatment")
    if draft.protocol.record == "rating" and any(getattr(made, n) != getattr(usual, n) for n in rule):
        words = _("In a round of disagreement an item is judged again when %(rule)s.")
        told += [words % {"rule": rule_words(made.reading, made.points)}, treatment_words(made.treatment)]
    return told


def _raters(draft: CampaignDraft) -> list[str]:
    options, made = draft.options, draft.options.settings
    told = []
    if options.pool:
        words = ngettext(
            "Whoever comes takes the next items, which wait %(n)d minute for a rater who has stopped.",
            "Whoever comes takes the next items, which wait %(n)d minutes for a rater who has stopped.",
            made.lease_minutes,
        )
        told.append(words % {"n": made.lease_minutes})
    if made.most_items:
        words = ngettext(
            "A rater takes %(n)s item at most.", "A rater takes %(n)s items at most.", made.most_items
        )
        told.append(words % {"n": rounded(made.most_items, 0)})
    if made.joins:
        told.append(
            _("Anybody with the joining link can take part; once it is open, the link stands on its page.")
        )
        if not options.pool:
            told.append(
                ngettext(
                    "There is %(n)d place: who comes takes over the work of a rater who has not come.",
                    "There are %(n)d places: who comes takes over the work of a rater who has not come.",
                    len(options.raters),
                )
                % {"n": len(options.raters)}
            )
        if made.joins_an_hour:
            words = _("%(n)s at most may join in an hour.")
            told.append(words % {"n": rounded(made.joins_an_hour, 0)})
        else:
            told.append(_("Any number may join in an hour."))
    if made.return_url:
        told.append(_("At the end raters are led to %(address)s") % {"address": made.return_url})
    if options.spread:
        told.append(
            _("Every item is dealt on its own: a rater may see one system of a segment and not another.")
        )
    return told


def _quality(draft: CampaignDraft) -> list[str]:
    made, n = draft.options.settings, len(draft.options.settings.attention)
    told = []
    if n:
        words = ngettext(
            "%(n)d attention item tells raters which answer to give; who gives another shows up among the "
            "warnings.",
            "%(n)d attention items tell raters which answer to give; who gives others shows up among the "
            "warnings.",
            n,
        )
        told.append(words % {"n": n})
    if made.sealed:
        told.append(_("The results stay sealed until the campaign is closed."))
    return told


def _page(made: CampaignSettings, usual: CampaignSettings) -> list[str]:
    told = []
    if made.can_skip:
        told.append(_("Raters may pass an item over, with a reason."))
    if made.context_segments != usual.context_segments:
        words = ngettext(
            "%(n)d segment of the same document stands before and after a text.",
            "%(n)d segments of the same document stand before and after a text.",
            made.context_segments,
        )
        none = _("A text stands alone, without its neighbours in the document.")
        told.append(words % {"n": made.context_segments} if made.context_segments else none)
    if made.break_after != usual.break_after:
        words = ngettext(
            "A break is suggested after %(n)d minute of work.",
            "A break is suggested after %(n)d minutes of work.",
            made.break_after,
        )
        never = _("No break is suggested.")
        told.append(words % {"n": made.break_after} if made.break_after else never)
    return told
