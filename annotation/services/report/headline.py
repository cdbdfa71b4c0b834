"""The few figures at the head of a report."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import npgettext

from annotation.services.report.compute import Report
from annotation.services.report.tables import plain


def headline(report: Report) -> list[tuple[str, str]]:
    """Return (figure, what it is) pairs."""
    n_systems, n_raters = len(report.scores["systems"]), len(report.scores["raters"])
    n = sum(row["n"] for row in report.parts["raters"])
    found = [
        (f"{n:,}", npgettext("count", "judgement", "judgements", n)),
        (f"{n_systems:,}", npgettext("count", "system", "systems", n_systems)),
        (f"{n_raters:,}", npgettext("count", "rater", "raters", n_raters)),
    ]
    agreement = report.parts["agreement"]
    if "refused" not in agreement:
        alpha = (agreement["z"]["alpha"] if report.rated else agreement["alpha_nominal"])["value"]
        if alpha is not None:
            words = _("agreement, α on z") if report.rated else _("agreement, α")
            found.append((plain(alpha, 2), words))
    if report.rated and report.parts["apart"].get("n_items"):
        apart = report.parts["apart"]
        words = _("items rated more than %(limit)s points apart") % {"limit": f"{apart['limit']:g}"}
        found.append((f"{apart['n_apart']:,}", words))
    return found
