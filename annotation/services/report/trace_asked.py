"""Find what is behind a number, from what an address asks."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.protocols import PROTOCOLS
from annotation.services.report import trace, trace_counts, trace_pairs, trace_preferences
from annotation.services.scoring import options_read
from annotation.stats.options import ScoreOptions
from annotation.stats.score import CONDITION_KEYS
from evalplatform.errors import BadInput


def trace_asked(
    campaign: Campaign, given: Mapping[str, str], asked: Mapping[str, str]
) -> tuple[trace.Trace, ScoreOptions]:
    """Return what is behind the number of a system, a pair or a rater.

    Args:
        campaign: whose number it is.
        given: the options of scoring.
        asked: `system` and `of` (the quantity), `a` and `b`, or `rater`; with `in_testset`, `in_input`,
            `in_reference` and `in_direction` for the number of one condition.

    Raises:
        BadInput: it asks for nothing.
        NotFound: there is no such number.
    """
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    by_condition = "in_testset" in asked
    condition = {name: asked.get(f"in_{name}", "") for name in CONDITION_KEYS} if by_condition else {}
    options = options_read(campaign, {**given, **({"by": "condition"} if by_condition else {})})
    if "rater" in asked:
        source = trace.rater_trace if rated else trace_preferences.rater_trace
        return source(campaign, options, asked["rater"]), options
    if "a" in asked and "b" in asked:
        pair = trace_pairs.pair_trace if rated else trace_preferences.pair_trace
        return pair(campaign, options, (asked["a"], asked["b"]), condition), options
    if "system" not in asked:
        raise BadInput(_("The address names no system, pair or rater."), _("Open a number in the report."))
    if rated:
        quantity = asked.get("of", "z_mean")
        if quantity in trace_counts.COUNTS:
            return trace_counts.count_trace(campaign, options, asked["system"], condition, quantity), options
        return trace.system_trace(campaign, options, asked["system"], condition, quantity), options
    return trace_preferences.system_trace(campaign, options, asked["system"], condition), options
