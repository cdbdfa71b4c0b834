"""Segments on which a metric and people disagree most."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from annotation.services.correlate_layout import Laid
from annotation.services.correlate_people import People
from annotation.stats.records import FloatArray, IntArray

Row = dict[str, Any]


def apart_rows(people: People, one: Laid, most: int) -> list[Row]:
    """Return the segments on which a metric and people are farthest apart, the farthest first.

    Of ratings, each score is put in place among all scores of the same kind, from 0 (worst) to 1 (best);
    `apart` is the people's place minus the metric's, so it does not depend on either scale. Of comparisons,
    only those count on which the metric prefers what people did not: `apart` is the people's net preference
    times the place of the metric's difference among all.

    Args:
        people: what people said.
        one: the metric.
        most: rows.
    """
    if one.facts.reason or not most:
        return []
    if people.preferences is not None:
        return _preferences(people, one, most)
    human, metric = people.cells, one.oriented_scores
    points, columns = np.nonzero(np.isfinite(human) & np.isfinite(metric))
    if len(points) < 2:
        return []
    places = [placed(own[points, columns]) for own in (human, metric)]
    difference = places[0] - places[1]
    order = _farthest(np.abs(difference), most)
    return [
        _head(people, one, int(points[at]), int(columns[at]))
        | {
            "human": float(human[points[at], columns[at]]),
            "raw": float(people.raw[points[at], columns[at]]),
            "value": float(one.scores[points[at], columns[at]]),
            "place_human": float(places[0][at]),
            "place_metric": float(places[1][at]),
            "apart": float(difference[at]),
        }
        for at in order
    ]


def cloud_draw(people: People, one: Laid, most: int, rng: np.random.Generator) -> Row:
    """Return segment scores of a metric and of people for a figure, some drawn where there are many.

    Args:
        people: what people said.
        one: the metric.
        most: points.
        rng: the source of chance.
    """
    points, columns = np.nonzero(np.isfinite(people.cells) & np.isfinite(one.scores))
    n = len(points)
    drawn = np.sort(rng.choice(n, most, replace=False)) if n > most else np.arange(n)
    rows = [
        _head(people, one, int(points[at]), int(columns[at]))
        | {
            "x": float(one.scores[points[at], columns[at]]),
            "y": float(people.cells[points[at], columns[at]]),
        }
        for at in drawn
    ]
    return {
        "campaign": people.campaign.name, "direction": people.direction, "metric": one.facts.name,
        "reference": one.facts.reference or None, "n": n, "points": rows,
    }  # fmt: skip


def _preferences(people: People, one: Laid, most: int) -> list[Row]:
    assert people.preferences is not None  # noqa: S101 (the caller has looked)
    pairs, columns, net = people.preferences.pairs, people.preferences.columns, people.preferences.net
    scores = one.oriented_scores
    difference = scores[pairs[:, 0], columns] - scores[pairs[:, 1], columns]
    known = np.isfinite(difference)
    if known.sum() < 2:
        return []
    place = np.zeros(len(net))
    place[known] = placed(np.abs(difference[known]))
    against = known & (np.sign(net) * np.sign(difference) < 0)
    strength = np.where(against, np.abs(net) * place, 0.0)
    rows = []
    for at in _farthest(strength, most):
        if not against[at]:
            break
        a, b = (int(code) for code in (pairs[at] if net[at] > 0 else pairs[at][::-1]))
        column = int(columns[at])
        rows.append(
            _head(people, one, a, column)
            | {
                "against": people.points[b].system,
                "human": float(abs(net[at])),
                "value": float(one.scores[a, column]),
                "value_against": float(one.scores[b, column]),
                "apart": float(strength[at]),
            }
        )
    return rows


def _head(people: People, one: Laid, point: int, column: int) -> Row:
    testset, segment = people.segments[column]
    return {
        "campaign": people.campaign.name,
        "direction": people.direction,
        "metric": one.facts.name,
        "reference": one.facts.reference or None,
        "system": people.points[point].system,
        "condition": people.labels[point] or None,
        "testset": testset,
        "segment": segment,
    }


def placed(values: FloatArray) -> FloatArray:
    """Return the place of each value among all: 0 the lowest, 1 the highest; ties share theirs [n]."""
    ranks = stats.rankdata(np.round(values, 10))
    found: FloatArray = (ranks - 1) / max(1, len(values) - 1)
    return found


def _farthest(apart: FloatArray, most: int) -> IntArray:
    """Return the rows of the greatest values, equal ones in their order."""
    order: IntArray = np.lexsort((np.arange(len(apart)), -np.round(apart, 10)))[:most]
    return order
