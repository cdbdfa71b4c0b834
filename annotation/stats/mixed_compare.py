"""Say where the mixed model and the z-score disagree."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

from annotation.stats.mixed_report import CONDITION_KEYS

TIE = 1e-10
"""Differences up to this are none."""

Key = tuple[Any, ...]


def compare_with_z(
    mixed: Mapping[str, Any], scores: Mapping[str, Any], level: float = 0.05
) -> dict[str, Any]:
    """Compare the ranking and the decisions of `fit_mixed` with those of `score_ratings` on the same ratings.

    A decision about a pair is "which is better, or neither": by z the sign of the difference of the means
    when the two-sided bootstrap p is below `level`, by the model the sign of the difference when Wald's p is.

    Returns:
        `systems`: the rank by either, within the condition, 1 the best; `kendall_tau`: τ-b over pairs of one
        condition, None when one side ties them all; `n_pairs` compared and `n_agree`; `disagreements`: the
        pairs with another decision or another order, by kind: "opposite" (both decide, against each other),
        "z_only" and "mixed_only" (one decides), "order" (neither decides, the order differs); `words`: one
        sentence.

    Raises:
        ValueError: the two have no system in common.
    """
    z_means = {_key(row): row["z_mean"] for row in scores["systems"] if row["z_mean"] is not None}
    estimates = {_key(row): row["estimate"] for row in mixed["systems"] if _key(row) in z_means}
    if not estimates:
        raise ValueError("the mixed model and the scores have no system in common")
    z_means = {key: z_means[key] for key in estimates}
    z_pairs = {(_key(row, "system_a"), _key(row, "system_b")): row for row in scores["pairs"]}
    disagreements, signs = [], []
    for row in mixed["pairs"]:
        a, b = _key(row, "system_a"), _key(row, "system_b")
        if a not in z_means or b not in z_means:
            continue
        p_z = (z_pairs.get((a, b)) or z_pairs.get((b, a)) or {}).get("p_bootstrap_two_sided")
        difference_z = z_means[a] - z_means[b]
        signs.append((_sign(row["difference"]), _sign(difference_z)))
        kind = _kind(*signs[-1], p_mixed=row["p_value"], p_z=p_z, level=level)
        if kind:
            names = {name: row[name] for name in ("system_a", "system_b", *CONDITION_KEYS)}
            found = {"mixed_difference": row["difference"], "p_mixed": row["p_value"]}
            disagreements.append({**names, **found, "z_difference": difference_z, "p_z": p_z, "kind": kind})
    rank_z, rank_mixed = _ranks(z_means), _ranks(estimates)
    return {
        "level": level,
        "systems": [
            {"system": key[0], **dict(zip(CONDITION_KEYS, key[1:], strict=True))}
            | {"rank_z": rank_z[key], "rank_mixed": rank_mixed[key]}
            for key in sorted(estimates, key=lambda key: (_sortable(key[1:]), rank_z[key], key[0]))
        ],
        "kendall_tau": _tau(signs),
        "n_pairs": len(signs),
        "n_agree": len(signs) - len(disagreements),
        "disagreements": disagreements,
        "words": _words(len(signs), disagreements, level),
    }


def _key(row: Mapping[str, Any], name: str = "system") -> Key:
    return (row[name], *(row.get(key) for key in CONDITION_KEYS))


def _sortable(condition: Key) -> tuple[str, ...]:
    return tuple(part or "" for part in condition)


def _sign(value: float) -> int:
    return 0 if abs(value) <= TIE else 1 if value > 0 else -1


def _kind(mixed: int, z: int, *, p_mixed: float, p_z: float | None, level: float) -> str:
    """Return how the two disagree about a pair, "" when they do not."""
    by_mixed = mixed if p_mixed < level else 0
    by_z = z if p_z is not None and p_z < level else 0
    if by_mixed and by_z:
        return "opposite" if by_mixed != by_z else ""
    if by_z:
        return "z_only"
    if by_mixed:
        return "mixed_only"
    return "order" if mixed * z < 0 else ""


def _ranks(values: Mapping[Key, float]) -> dict[Key, int]:
    """Return the rank of each system in its condition, 1 the highest; equal ones share the better rank."""
    return {
        key: 1 + sum(other[1:] == key[1:] and values[other] - values[key] > TIE for other in values)
        for key in values
    }


def _tau(signs: list[tuple[int, int]]) -> float | None:
    """Return Kendall's τ-b of the signs of paired differences."""
    scale = sqrt(sum(abs(a) for a, _ in signs) * sum(abs(b) for _, b in signs))
    return sum(a * b for a, b in signs) / scale if scale else None


def _words(n_pairs: int, disagreements: list[dict[str, Any]], level: float) -> str:
    if not n_pairs:
        return "There is no pair of systems to compare."
    counts = dict.fromkeys(("opposite", "z_only", "mixed_only", "order"), 0)
    for row in disagreements:
        counts[row["kind"]] += 1
    pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
    if not disagreements:
        return f"The mixed model and the z-score agree at {level:g} ({pairs})."
    agree = n_pairs - len(disagreements)
    return (
        f"The mixed model and the z-score agree about {agree} of {pairs} at {level:g}. "
        f"Different by the z-score only: {counts['z_only']}; by the mixed model only: "
        f"{counts['mixed_only']}; opposite: {counts['opposite']}; undecided by both, in another order: "
        f"{counts['order']}."
    )
