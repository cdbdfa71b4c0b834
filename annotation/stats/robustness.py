"""Does it hold? The ranking with each rater, each document, each condition left out.

A ranking is fragile when it hangs on one rater or one text. Each of them is left out in turn and everything
is computed as if its ratings had never been given; what changes is counted and named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from annotation.stats.aggregate import REPEATS, row_means
from annotation.stats.leaving_out import Documents, Leaver, LeftOut
from annotation.stats.ranking import WIN_LEVEL
from annotation.stats.records import BoolArray, FloatArray, IntArray, RatingTable
from annotation.stats.significance import RANK_DECIMALS
from annotation.stats.standardise import POPULATIONS

MOST_GROUPS = 2000
"""Raters, documents or conditions that are still left out one by one."""
MOST_CELLS = 100_000_000
"""Cells (left out × systems² × segments) over which the rank-sum test is still repeated."""


class RobustnessError(ValueError):
    """Ratings without a ranking whose robustness could be asked for."""


@dataclass(frozen=True, eq=False)
class _Ranking:
    """A ranking: z means [E], the order of systems (without z last) [E], and who wins over whom [E, E]."""

    z_mean: FloatArray
    order: IntArray
    beats: BoolArray | None

    @property
    def ranked(self) -> list[int]:
        """Return the systems that have a z, the best first."""
        return [place for place in self.order.tolist() if not np.isnan(self.z_mean[place])]


def leave_one_out(
    table: RatingTable,
    documents: Documents | None = None,
    population: str = "all",
    repeats: str = "flat",
) -> dict[str, Any]:
    """Rank the systems again without each rater, document and condition.

    Args:
        table: the ratings; systems are ranked over all their conditions.
        documents: (test set, segment key) → name of the document, another one in each test set; segments
            that are not in it, or have the name "", are never left out.
        population: as for `standardise`.
        repeats: as for `aggregate`.

    Returns:
        `{"systems": […], "left_out": […], "summary": […], "caveats": […]}` of plain numbers and strings.

        systems: in ranked order, `z_mean`, `wins` (None when there are too many cells), and the least and
            greatest z mean over everything left out with its kind and name.

        left_out: `kind`, `name`, `n_judgements` left out, `z_means` and `ranks` in the order of `systems`
            (None without a z), `order` (names), `kendall_tau` (τ-b with the full ranking over the systems
            that still have a z; None for fewer than two), `flips` (pairs [a, b]: a was above b and is below
            now), `wins_lost` and `wins_gained` (pairs [a, b]: a won over b).

        summary: per kind the number left out, how many kept the order, the first place and the wins, the
            lowest τ with its name, and one sentence.

    Raises:
        RobustnessError: no rating has a z.
        ValueError: an unknown population or way of handling repeats.
    """
    _check(population, repeats)
    leaver = Leaver(table, population, repeats)
    if np.isnan(leaver.z).all():
        raise RobustnessError("no rating has a z, so there is no ranking to check")
    sizes = leaver.group_sizes(documents or {})
    with_wins = sum(sizes.values()) * leaver.z.size * len(leaver.systems) <= MOST_CELLS
    full = _rank(leaver.z, with_wins)
    caveats = [] if with_wins else ["too many systems and segments to repeat the tests: no wins are given"]
    rows, summary = [], []
    for kind, found in (
        ("rater", leaver.raters()),
        ("document", leaver.documents(documents or {})),
        ("condition", leaver.conditions()),
    ):
        if sizes[kind] > MOST_GROUPS:
            caveats.append(
                f"{sizes[kind]:,} {kind}s are too many to leave each out (at most {MOST_GROUPS:,})"
            )
            continue
        own = [_row(kind, left, leaver.systems, full) for left in found if not np.isnan(left.z).all()]
        rows += own
        if own:
            summary.append(_summary(kind, own, leaver.systems, full))
        else:
            caveats.append(f"there are no two {kind}s, so none can be left out")
    return {
        "systems": _system_rows(leaver.systems, full, rows),
        "left_out": rows,
        "summary": summary,
        "caveats": caveats,
    }


def _check(population: str, repeats: str) -> None:
    for name, value, known in (("population", population, POPULATIONS), ("repeats", repeats, REPEATS)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}; found {value!r}")


def rank_sum_p_values(z: FloatArray) -> FloatArray:
    """Return the one-sided rank-sum p that system a tends to be above b, for all pairs at once [E, E].

    The same as `rank_sum_p` pair by pair; nan where one of the two has fewer than two segments.

    Args:
        z: mean z per system and segment [E, S], nan where there is none.
    """
    size = len(z)
    system, _ = present = np.nonzero(~np.isnan(z))
    values = np.round(z[present], RANK_DECIMALS) + 0.0
    groups, place = np.unique(values, return_inverse=True)
    count = np.bincount(place * size + system, minlength=len(groups) * size).reshape(-1, size).astype(float)
    n = count.sum(axis=0)
    below = np.cumsum(count, axis=0) - count / 2
    u = count.T @ below
    cubes, mixed = (count**3).sum(axis=0), (count**2).T @ count
    ties = cubes[:, None] + cubes + 3 * (mixed + mixed.T) - (n[:, None] + n)
    n1, n2 = n[:, None], n
    total = n1 + n2
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = n1 * n2 / 12 * ((total + 1) - ties / (total * (total - 1)))
        statistic = (u - n1 * n2 / 2 - 0.5) / np.sqrt(variance)
    p_values = np.where(variance > 1e-9, np.minimum(1.0, stats.norm.sf(statistic)), 1.0)
    return np.where((n1 >= 2) & (n2 >= 2), p_values, np.nan)


def _rank(z: FloatArray, with_wins: bool) -> _Ranking:
    """Rank the systems: z from high to low, without z last, then name."""
    z_mean = np.round(row_means(z), RANK_DECIMALS)
    order = np.lexsort((np.arange(len(z_mean)), -np.nan_to_num(z_mean), np.isnan(z_mean)))
    if not with_wins:
        return _Ranking(z_mean, order, None)
    higher = z_mean[:, None] > z_mean
    return _Ranking(z_mean, order, higher & (rank_sum_p_values(z) < WIN_LEVEL))


def _row(kind: str, left: LeftOut, systems: list[str], full: _Ranking) -> dict[str, Any]:
    now = _rank(left.z, full.beats is not None)
    rank = {place: number for number, place in enumerate(now.ranked, start=1)}
    before = full.z_mean[:, None] > full.z_mean
    below = now.z_mean[:, None] < now.z_mean
    lost = gained = None
    if full.beats is not None and now.beats is not None:
        lost = _named(full.beats & ~now.beats, systems)
        gained = _named(now.beats & ~full.beats, systems)
    return {
        "kind": kind,
        "name": left.name,
        "n_judgements": left.n_judgements,
        "z_means": [_number(now.z_mean[place]) for place in full.order],
        "ranks": [rank.get(place) for place in full.order.tolist()],
        "order": [systems[place] for place in now.ranked],
        "kendall_tau": _tau(full.z_mean, now.z_mean),
        "flips": _named(before & below, systems),
        "wins_lost": lost,
        "wins_gained": gained,
    }


def _named(pairs: BoolArray, systems: list[str]) -> list[list[str]]:
    return [[systems[a], systems[b]] for a, b in np.argwhere(pairs)]


def _tau(first: FloatArray, second: FloatArray) -> float | None:
    """Return Kendall's τ-b over the systems with a z in both, None when one ties them all."""
    both = ~np.isnan(first) & ~np.isnan(second)
    a = np.sign(first[both][:, None] - first[both])
    b = np.sign(second[both][:, None] - second[both])
    scale = np.sqrt(np.abs(a).sum() * np.abs(b).sum())
    return float((a * b).sum() / scale) if scale > 0 else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _system_rows(systems: list[str], full: _Ranking, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each system with the least and the greatest z mean over everything left out."""
    result = []
    for number, place in enumerate(full.order.tolist()):
        seen = [
            {"z_mean": row["z_means"][number], "kind": row["kind"], "name": row["name"]}
            for row in rows
            if row["z_means"][number] is not None
        ]
        result.append(
            {
                "system": systems[place],
                "z_mean": _number(full.z_mean[place]),
                "wins": None if full.beats is None else int(full.beats[place].sum()),
                "least": min(seen, key=lambda one: one["z_mean"], default=None),
                "greatest": max(seen, key=lambda one: one["z_mean"], default=None),
            }
        )
    return result


def _summary(kind: str, rows: list[dict[str, Any]], systems: list[str], full: _Ranking) -> dict[str, Any]:
    first = systems[full.ranked[0]]
    n = len(rows)
    same_order = sum(not row["flips"] and None not in row["ranks"] for row in rows)
    same_first = sum(row["order"][0] == first for row in rows)
    same_wins = None
    if full.beats is not None:
        same_wins = sum(not row["wins_lost"] and not row["wins_gained"] for row in rows)
    known = [row for row in rows if row["kendall_tau"] is not None]
    lowest = min(known, key=lambda row: row["kendall_tau"], default=None)
    words = f"{n} {kind}s left out in turn: the order holds {same_order} times, the first place {same_first}"
    return {
        "kind": kind,
        "n": n,
        "n_same_order": same_order,
        "n_same_first": same_first,
        "n_same_wins": same_wins,
        "lowest_tau": lowest and {"name": lowest["name"], "kendall_tau": lowest["kendall_tau"]},
        "words": words + ("." if same_wins is None else f", every win {same_wins}."),
    }
