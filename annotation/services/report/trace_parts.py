"""Find what is behind a number of the parts that stand beside the scores in a campaign's report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from annotation.services.report import trace_agreement, trace_model, trace_spread
from annotation.services.report.behind import Behind
from annotation.services.report.compute import campaign_report
from annotation.services.report.parts import PartOf
from annotation.services.report.trace import Trace
from evalplatform.errors import BadInput

PARTS: dict[str, Callable[[PartOf], Trace]] = {
    "distributions": trace_spread.distribution_trace,
    "drift": trace_spread.drift_trace,
    "sides": trace_spread.sides_trace,
    "agreement": trace_agreement.agreement_trace,
    "mixed": trace_model.system_trace,
    "variances": trace_model.variance_trace,
}
"""Table of the report whose numbers are asked for → who finds what is behind them."""


def part_trace(behind: Behind, asked: Mapping[str, str]) -> Trace:
    """Return what is behind a number of a part.

    Args:
        behind: the scores of a campaign.
        asked: `part`, one of `PARTS`; `of`, the column; `system` or `row`, the row.

    Raises:
        BadInput: there is no such part.
        NotFound: the report has no such number.
    """
    found = PARTS.get(asked["part"])
    if found is None:
        raise BadInput(
            _("“%(part)s” is no part of a report.") % {"part": asked["part"]},
            _("Choose one of %(parts)s.") % {"parts": ", ".join(PARTS)},
        )
    (campaign,) = behind.campaigns
    report = campaign_report(campaign=campaign, options=behind.options)
    return found(PartOf(behind, report, asked.get("of", ""), asked.get("system") or asked.get("row", "")))
