"""Keep parts of a report with what made them, so that a page opens at once the second time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from math import isfinite
from typing import Any

from annotation.models import Campaign, ScoreRun
from annotation.services.scoring import scope_digest
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions

Row = dict[str, Any]
FORMAT = 6
"""Counts up when the shape of a stored part changes, so that older ones are not read."""


def part_find(campaign: Campaign, options: ScoreOptions, part: str) -> Row | None:
    """Return a stored part of a report that is still true of the judgements; None when there is none."""
    found = ScoreRun.objects.filter(
        campaign=campaign,
        options_sha256=_digest(options, part),
        judgements_sha256=scope_digest(campaign, options),
        result__isnull=False,
    ).first()
    return None if found is None else found.result


def part_newest(campaign: Campaign, options: ScoreOptions, part: str) -> ScoreRun | None:
    """Return what was stored last of a part, whatever has been judged since; None when there is nothing."""
    return (
        ScoreRun.objects.filter(
            campaign=campaign, options_sha256=_digest(options, part), result__isnull=False
        )
        .order_by("-created_at", "-pk")
        .first()
    )


def part_ready(campaign: Campaign, options: ScoreOptions, part: str, compute: Callable[[], Row]) -> Row:
    """Return a part of a report, computed once for the same options and judgements.

    A number that is not finite has no meaning to a reader: it becomes None, which is shown as undefined.
    What is computed while answers arrive is returned and not kept.
    """
    stored = part_find(campaign, options, part)
    if stored is not None:
        return stored
    before = scope_digest(campaign, options)
    result: Row = json.loads(json.dumps(_finite(compute()), allow_nan=False))
    if scope_digest(campaign, options) == before:
        ScoreRun.objects.create(
            campaign=campaign,
            options=asdict(options) | {"report": part},
            options_sha256=_digest(options, part),
            judgements_sha256=before,
            signature=f"report:{part}",
            result=result,
        )
    return result


def _finite(value: Any) -> Any:
    """Return plain values with None for every number that is not finite."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _digest(options: ScoreOptions, part: str) -> str:
    parts = ["report", FORMAT, part, asdict(options), versions_read()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
