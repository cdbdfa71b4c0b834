"""Read from an address which campaigns and metrics are to be put beside each other, and how."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.correlate_options import CorrelateOptions
from annotation.services.correlate_scoring import metrics_kept, outputs_judged
from evalplatform.errors import BadInput, NotFound
from mtcore.metrics import METRICS

SCORES = ("z", "raw")
LONGEST_KEY = 40


def metrics_asked(given: QueryDict, kept: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that are asked for: those chosen, else those kept, else the usual ones."""
    chosen = [name for name in given.getlist("metric") if name]
    return tuple(dict.fromkeys(chosen or [name for name in METRICS if name in kept] or ("bleu", "chrf")))


def correlation_asked(
    campaign: Campaign, visible: QuerySet[Campaign], given: QueryDict, *, cloud: int = 0
) -> tuple[list[Campaign], CorrelateOptions]:
    """Return the campaigns and options that an address asks for.

    Args:
        campaign: the first campaign.
        visible: campaigns that the person may see; those of `with` come from them, and from the same study.
        given: `metric`, `with`, `reference`, `scores`, `by`, `segments`.
        cloud: segment scores drawn for figures.

    Raises:
        BadInput: an option that does not exist.
        NotFound: a campaign of `with` that is not in the study, or not for this person.
    """
    keys = [key for key in given.getlist("with") if key != campaign.key]
    others = visible.filter(key__in=keys, study_id=campaign.study_id)
    missing = set(keys) - set(others.values_list("key", flat=True))
    if missing:
        raise NotFound(
            _("There is no campaign “%(key)s” in this study.") % {"key": min(missing)[:LONGEST_KEY]},
            _("Choose campaigns of the same study."),
        )
    scores = given.get("scores") or "z"
    if scores not in SCORES:
        raise BadInput(_("scores must be z or raw."), _("Choose one of the list."))
    reference = given.get("reference", "").strip()
    options = CorrelateOptions(
        metrics=metrics_asked(given, metrics_kept(outputs_judged([campaign]))),
        references=(reference,) if reference else (),
        by=given.get("by") or "system",
        raw=scores == "raw",
        segments=given.get("segments") or "common",
        cloud=cloud,
        compute=(),
    )
    return [campaign, *others.select_related("study").order_by("pk")], options
