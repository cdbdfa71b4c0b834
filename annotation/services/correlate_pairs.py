"""Pairs of systems: what people and what a metric say of them, and how sure each is."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.services.correlate_layout import Laid
from annotation.services.correlate_people import People, pair_codes
from annotation.stats.pair_accuracy import pairwise_p_values
from annotation.stats.records import FloatArray

Row = dict[str, Any]
LEVEL = 0.05
"""A pair is decided when its two-sided p is below this."""


def human_p_values(people: People, seed: int, resamples: int) -> FloatArray:
    """Return the p that people find point i better than j, by sign flips over segments [N, N]."""
    if people.preferences is None:
        return pairwise_p_values(people.cells, np.random.default_rng(seed), resamples)
    size = len(people.points)
    found = np.full((size, size), np.nan)
    np.fill_diagonal(found, 0.5)
    pairs, net = people.preferences.pairs, people.preferences.net
    for a, b in pair_codes(people):
        own = net[(pairs[:, 0] == a) & (pairs[:, 1] == b)]
        if len(own):
            table = np.stack([own, np.zeros(len(own))])
            p = pairwise_p_values(table, np.random.default_rng(seed), resamples)
            found[a, b], found[b, a] = p[0, 1], p[1, 0]
    return found


def metric_p_values(people: People, one: Laid, seed: int, resamples: int) -> FloatArray:
    """Return the p that a metric finds point i better than j, over the same segments [N, N]."""
    scores = np.where(np.isnan(people.cells), np.nan, one.oriented_scores)
    return pairwise_p_values(scores, np.random.default_rng(seed), resamples)


def pair_rows(
    people: People, one: Laid, p_human: FloatArray, p_metric: FloatArray, resamples: int
) -> list[Row]:
    """Return what people and a metric say of every pair of points of one condition.

    Differences are system_a − system_b, the metric's turned so that higher is better; p-values are two-sided
    and never below 1 / resamples.
    """
    rows = []
    for a, b in pair_codes(people):
        human, metric = (float(own[a] - own[b]) for own in (one.human, one.oriented))
        if not (np.isfinite(human) and np.isfinite(metric)):
            continue
        found = [_two_sided(p[a, b], resamples) for p in (p_human, p_metric)]
        rows.append(
            {
                "campaign": people.campaign.name,
                "direction": people.direction,
                "condition": people.labels[a] or None,
                "metric": one.facts.name,
                "reference": one.facts.reference or None,
                "system_a": people.points[a].system,
                "system_b": people.points[b].system,
                "human_difference": human,
                "p_human": found[0],
                "metric_difference": metric,
                "p_metric": found[1],
                "verdict": _verdict(human, metric, *found),
            }
        )
    return rows


def _two_sided(p: float, resamples: int) -> float | None:
    return None if np.isnan(p) else min(1.0, max(1 / resamples, 2 * min(float(p), 1 - float(p))))


def _verdict(human: float, metric: float, p_human: float | None, p_metric: float | None) -> str:
    """Say how two verdicts at LEVEL stand to each other."""
    by_people = p_human is not None and p_human < LEVEL
    by_metric = p_metric is not None and p_metric < LEVEL
    if by_people and by_metric:
        return "same" if (human > 0) == (metric > 0) else "opposite"
    if by_people:
        return "people_only"
    return "metric_only" if by_metric else "neither"
