"""Put metrics beside what people said: coefficients, tests between metrics, pairs, segments far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.correlate_block import Block
from annotation.services.correlate_layout import metric_lay
from annotation.services.correlate_metrics import sides_read
from annotation.services.correlate_notes import notes_write
from annotation.services.correlate_options import CorrelateOptions, correlate_check
from annotation.services.correlate_people import people_read
from annotation.services.versions import versions_read
from annotation.stats.pair_intervals import pair_mean
from annotation.stats.records import FloatArray
from evalplatform.errors import BadInput, Conflict
from mtcore.services.texts import sentence

Row = dict[str, Any]


def campaigns_correlate(*, campaigns: Sequence[Campaign], options: CorrelateOptions) -> Row:
    """Compare metrics with the judgements of campaigns.

    Returns:
        Strict JSON: `results` (a row for each campaign, direction, reference, level and metric, with
        `estimates`), `williams` (tests between metrics), `pairs` (what metric and people say of two systems),
        `points`, `segments` (where metric and people are farthest apart), `notes`, `options`, `signature`.

    Raises:
        BadInput: an option, metric, model or file that cannot be used.
        Conflict: a campaign has no judgements, or none in the direction asked for, or no metric has scores.
    """
    correlate_check(options)
    if not campaigns:
        raise BadInput("No campaign is given.", "Name one.")
    if len({campaign.pk for campaign in campaigns}) < len(campaigns):
        raise BadInput("A campaign is named twice.", "Name each once.")
    found: Row = {name: [] for name in ("results", "williams", "pairs", "points", "segments")}
    found |= {"clouds": []} if options.cloud else {}
    orders: dict[tuple[str, str], list[FloatArray]] = {}
    for campaign in campaigns:
        people = people_read(campaign, options)
        for reference in options.references or ("",):
            texts, sides = sides_read(campaign, people, options, reference)
            for one in people:
                laid = [metric_lay(one, side, texts, whole=options.segments == "all") for side in sides]
                Block(one, laid, options, found, orders).write()
    _check_scored(found["results"])
    if len(campaigns) > 1 and "system" in options.levels:
        found["results"] += _together(orders, options, found["results"])
    versions = versions_read()
    result = {
        "campaigns": [campaign.name for campaign in campaigns],
        **found,
        "notes": notes_write(found, campaigns, options),
        "options": _stated(options),
        "signature": _signature(options, versions),
    }
    return _plain(result)


def _check_scored(results: Sequence[Row]) -> None:
    """Refuse to say nothing.

    Raises:
        Conflict: no metric has any score; the message has the reasons.
    """
    if any(not row["reason"] for row in results):
        return
    reasons = dict.fromkeys(f"{row['title']}: {sentence(row['reason'])}" for row in results)
    raise Conflict(_("No metric has scores of what people judged."), " ".join(reasons))


def _together(
    orders: dict[tuple[str, str], list[FloatArray]], options: CorrelateOptions, results: Sequence[Row]
) -> list[Row]:
    """Return pairwise accuracy over the pairs of systems of all campaigns (Kocmi et al. 2021)."""
    rows: list[Row] = []
    if len(options.references) > 1:
        return rows
    for (direction, metric), parts in orders.items():
        if len(parts) < 2:
            continue
        size, at = sum(len(part) for part in parts), 0
        table = np.full((size, size), np.nan)
        for part in parts:
            table[at : at + len(part), at : at + len(part)] = part
            at += len(part)
        own = next(row for row in results if row["metric"] == metric)
        rows.append(
            {
                "campaign": None, "protocol": None, "level": "system", "direction": direction, "human": None,
                "reference": None, "metric": metric, "title": own["title"],
                "higher_is_better": own["higher_is_better"], "reason": "", "signature": "", "n": size,
                "n_segments": None, "estimates": {"pairwise_accuracy": pair_mean(table).as_dict()},
                "left_out": [], "failures": {},
            }
        )  # fmt: skip
    return rows


def _stated(options: CorrelateOptions) -> Row:
    return {
        "metrics": [*options.metrics, *options.scores], "levels": list(options.levels),
        "directions": list(options.directions), "references": list(options.references), "by": options.by,
        "scores": "raw" if options.raw else "z", "segments": options.segments,
        "population": options.population, "resamples": options.resamples, "seed": options.seed,
    }  # fmt: skip


def _signature(options: CorrelateOptions, versions: dict[str, str]) -> str:
    stated = {
        "scores": "raw" if options.raw else "z", "by": options.by, "segments": options.segments,
        "population": options.population, "metrics": ",".join([*options.metrics, *options.scores]),
        "reference": "+".join(options.references) or "default",
        "threshold": "quarter" if options.threshold is None else f"{options.threshold:g}",
        "resamples": options.resamples, "seed": options.seed, **versions,
    }  # fmt: skip
    return "|".join(f"{name}:{value}" for name, value in stated.items())


def _plain(value: Any) -> Any:
    """Return plain JSON: numbers of numpy as numbers, what is not finite as None."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.floating | float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    return value
