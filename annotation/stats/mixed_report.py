"""A fitted mixed model as plain rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.mixed_reml import Estimate
from annotation.stats.records import Entry, FloatArray, IntArray

CONDITION_KEYS = ("testset", "input", "reference", "direction")
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Observations:
    """What is modelled: one observation a credit, so a rating of merged outputs enters once for each system.

    Attributes:
        y: scores in their own units [n].
        entry: what each is a score of, a code into `entries` [n].
        codes: per term of the model the group of each observation, codes without gaps [n].
        entries: [p].
        n_ratings: ratings behind the observations.
        centre: mean of `y`.
        spread: sd of `y`; the model is fitted to (y − centre) / spread.
    """

    y: FloatArray
    entry: IntArray
    codes: dict[str, IntArray]
    entries: list[Entry]
    n_ratings: int
    centre: float
    spread: float

    def n_groups(self, term: str) -> int:
        """Return the number of groups of a term."""
        return int(self.codes[term].max()) + 1


class Wald(NamedTuple):
    """A contrast: value, standard error, degrees of freedom (None: infinite), 95 % interval, two-sided p."""

    value: float
    se: float
    df: float | None
    ci: list[float]
    p_value: float


def ranked_groups(data: Observations, fitted: Estimate) -> list[list[int]]:
    """Return the entries of each condition, the best first."""
    groups: dict[Any, list[int]] = {}
    for code, entry in enumerate(data.entries):
        groups.setdefault(entry.condition, []).append(code)
    for group in groups.values():
        group.sort(key=lambda code: (-round(float(fitted.beta[code]), 10), code))
    return list(groups.values())


def system_rows(data: Observations, fitted: Estimate, group: list[int]) -> list[dict[str, Any]]:
    """Return the rows of the systems of one condition."""
    contrasts = np.zeros((len(group), len(fitted.beta)))
    contrasts[:, group] = -1 / len(group)
    contrasts[np.arange(len(group)), group] += 1
    n = np.bincount(data.entry, minlength=len(data.entries))
    alone = len(group) == 1
    rows = []
    for code, wald in zip(group, _wald(fitted, contrasts, data.spread), strict=True):
        entry = data.entries[code]
        rows.append(
            {
                "system": entry.system,
                **dict(zip(CONDITION_KEYS, entry.condition, strict=True)),
                "estimate": float(fitted.beta[code]) * data.spread + data.centre,
                "effect": 0.0 if alone else wald.value,
                "se": None if alone else wald.se,
                "df": None if alone else wald.df,
                "ci": None if alone else wald.ci,
                "n_judgements": int(n[code]),
            }
        )
    return rows


def pair_rows(data: Observations, fitted: Estimate, group: list[int]) -> list[dict[str, Any]]:
    """Return the rows of the pairs of one condition."""
    pairs = list(combinations(group, 2))
    contrasts = np.zeros((len(pairs), len(fitted.beta)))
    for place, (a, b) in enumerate(pairs):
        contrasts[place, a], contrasts[place, b] = 1, -1
    return [
        {
            "system_a": data.entries[a].system,
            "system_b": data.entries[b].system,
            **dict(zip(CONDITION_KEYS, data.entries[a].condition, strict=True)),
            "difference": wald.value,
            "se": wald.se,
            "df": wald.df,
            "ci": wald.ci,
            "p_value": wald.p_value,
        }
        for (a, b), wald in zip(pairs, _wald(fitted, contrasts, data.spread), strict=True)
    ]


def _wald(fitted: Estimate, contrasts: FloatArray, spread: float) -> list[Wald]:
    """Return what is known of each contrast [c, p], in the scores' own units."""
    values = contrasts @ fitted.beta * spread
    variances = np.einsum("cp,pq,cq->c", contrasts, fitted.covariance, contrasts)
    errors = np.sqrt(np.maximum(variances, 0.0)) * spread
    rows = []
    for value, error, df in zip(values, errors, fitted.degrees_of_freedom(contrasts), strict=True):
        half = float(stats.t.ppf((1 + LEVEL) / 2, df)) * error
        p_value = float(2 * stats.t.sf(abs(value) / error, df)) if error > 0 else 1.0
        finite = float(df) if np.isfinite(df) else None
        rows.append(
            Wald(float(value), float(error), finite, [float(value - half), float(value + half)], p_value)
        )
    return rows


def variance_rows(variances: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return variance, sd and share of the sum of each component."""
    total = sum(variances.values())
    return {
        name: {"variance": value, "sd": float(np.sqrt(value)), "share": value / total}
        for name, value in variances.items()
    }


def caveats(data: Observations, dropped: dict[str, str], fitted: Estimate) -> list[str]:
    """Return what a reader of the result must know, in plain words."""
    lines = [f"{name} is left out: {reason}" for name, reason in dropped.items()]
    if len(data.entries) == 1:
        lines.append("there is one system only, so nothing is compared")
    for term in ("rater", "segment"):
        if data.n_groups(term) == 1:
            lines.append(f"one {term}: the errors say nothing about other {term}s")
    if len(data.y) > data.n_ratings:
        lines.append(
            f"{len(data.y) - data.n_ratings} further observations come from ratings of identical outputs, "
            "which enter once for each system"
        )
    if not fitted.converged:
        lines.append(f"the fit did not converge: {fitted.message}")
    return lines
