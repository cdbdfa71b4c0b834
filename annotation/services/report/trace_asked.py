"""Find what is behind a number, from what an address asks."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from annotation.services.report import (
    trace,
    trace_counts,
    trace_pairs,
    trace_parts,
    trace_preferences,
    trace_strengths,
)
from annotation.services.report.behind import Behind, campaign_behind, group_behind
from annotation.services.scoring import options_read
from annotation.services.study_scores import study_options
from annotation.stats.score import CONDITION_KEYS
from evalplatform.errors import BadInput

ASKED = ("system", "of", "a", "b", "rater", "part", "row", *(f"in_{name}" for name in CONDITION_KEYS))
"""What an address asks beside the options of scoring."""


def trace_asked(
    campaign: Campaign, given: Mapping[str, str], asked: Mapping[str, str]
) -> tuple[trace.Trace, Behind]:
    """Return what is behind the number of a system, a pair or a rater.

    Args:
        campaign: whose number it is.
        given: the options of scoring.
        asked: `system` and `of` (the quantity), `a` and `b`, or `rater`; with `in_testset`, `in_input`,
            `in_reference` and `in_direction` for the number of one condition. `part`, `of`, and `row` or
            `system`, for a number that stands beside the scores.

    Raises:
        BadInput: it asks for nothing.
        NotFound: there is no such number.
    """
    behind = campaign_behind(campaign, options_read(campaign, {**given, **_by(asked)}))
    if "part" in asked:
        return trace_parts.part_trace(behind, asked), behind
    return _trace(behind, asked), behind


def study_trace_asked(
    study: Study, given: Mapping[str, str], asked: Mapping[str, str]
) -> tuple[trace.Trace, Behind]:
    """Return what is behind a number of campaigns of a study that are scored together.

    Args:
        study: whose number it is.
        given: the options of scoring.
        asked: as for `trace_asked`, and `group`, the key of any of the campaigns.

    Raises:
        BadInput: it asks for nothing.
        NotFound: there is no such number.
    """
    if not asked.get("group"):
        raise BadInput(_("The address names no campaigns."), _("Open a number in the report."))
    behind = group_behind(study, study_options(study, {**given, **_by(asked)}), asked["group"])
    return _trace(behind, asked), behind


def _by(asked: Mapping[str, str]) -> dict[str, str]:
    return {"by": "condition"} if "in_testset" in asked else {}


def _trace(behind: Behind, asked: Mapping[str, str]) -> trace.Trace:
    rated = behind.is_rated
    within = "in_testset" in asked
    condition = {name: asked.get(f"in_{name}", "") for name in CONDITION_KEYS} if within else {}
    if "rater" in asked:
        source = trace.rater_trace if rated else trace_preferences.rater_trace
        return source(behind, asked["rater"])
    if "a" in asked and "b" in asked:
        pair = trace_pairs.pair_trace if rated else trace_preferences.pair_trace
        return pair(behind, (asked["a"], asked["b"]), condition)
    if "system" not in asked:
        raise BadInput(_("The address names no system, pair or rater."), _("Open a number in the report."))
    quantity = asked.get("of", "z_mean")
    if not rated and quantity in trace_strengths.QUANTITIES:
        return trace_strengths.strength_trace(behind, asked["system"], condition, quantity)
    if not rated:
        return trace_preferences.system_trace(behind, asked["system"], condition, quantity)
    if quantity in trace_counts.COUNTS:
        return trace_counts.count_trace(behind, asked["system"], condition, quantity)
    return trace.system_trace(behind, asked["system"], condition, quantity)
