"""What a campaign asks of its raters and what it can find, before it is written."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import product

from annotation.design.estimate import Estimate, count_words, estimate_plan
from annotation.design.power import PowerError, Size, describe_power, detectable_difference
from annotation.design.preference_power import describe_preference_power
from annotation.services.campaigns import CampaignDraft

#: The difference, in z, whose chance of being found is told before a campaign.
EXAMPLE_DIFFERENCE = 0.1


def campaign_estimate(*, draft: CampaignDraft) -> Estimate:
    """Count what a draft asks of its raters: items shown, judgements, loads and minutes by rater."""
    words: dict[Hashable, float] = {
        key: sum(count_words(text) for text in item.texts)
        for key, item in enumerate(draft.items)
        if item.shown
    }
    found = estimate_plan(draft.plan, words, draft.protocol.seconds_per_decision)
    return replace(found, loads={}, minutes={}) if draft.options.pool else found


def campaign_power(*, draft: CampaignDraft) -> str:
    """Say what difference between two systems a campaign would find; "" where none is asked for.

    How scores vary, and how often raters prefer one side, is taken to be as in published campaigns
    (`annotation.design.power.TYPICAL`, `annotation.design.preference_power.DECIDED`).
    """
    options = draft.options
    if len(draft.selection.systems) < 2:
        return ""
    if draft.protocol.record != "rating":
        return _preference_power(draft)
    n_segments = len({(item.testset, item.segment) for item in draft.items})
    try:
        size = Size(n_segments, options.judgements, len(options.raters) or options.judgements)
        found = describe_power(EXAMPLE_DIFFERENCE, size)
        return f"{found} From {detectable_difference(size):.2f} z on it is 80 %."
    except PowerError as error:
        return f"not known: {error}"


def _preference_power(draft: CampaignDraft) -> str:
    """Say what preference is found for the pair of systems that is shown on the fewest segments."""
    shown: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for item in draft.items:
        if item.shown and item.kind == "system" and len(item.candidates) == 2:
            for pair in product(*(candidate.systems for candidate in item.candidates)):
                names = min(pair), max(pair)
                shown.setdefault(names, set()).add((item.testset, item.segment))
    if not shown:
        return "not known: no pair of systems is shown on any segment"
    try:
        return describe_preference_power(min(len(segments) for segments in shown.values()))
    except PowerError as error:
        return f"not known: {error}"
