"""Fit strengths of systems to pairwise preferences with ties.

Davidson (1970), On extending the Bradley–Terry model to accommodate ties in paired comparison experiments:
with strengths θ and a tie parameter η, the odds of "i better", "j better" and "equal" are
e^θ_i : e^θ_j : e^(η + (θ_i + θ_j)/2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from annotation.stats.records import BoolArray, FloatArray, IntArray

PRIOR = 0.5
"""Wins added to both systems of every pair where the strengths would else be infinite."""

STEPS = 60
PRECISE = 1e-10
LONGEST_STEP = 2.0


@dataclass(frozen=True, eq=False)
class Strengths:
    """Fitted strengths, one fit a row.

    Attributes:
        theta: log strengths, mean 0 in a row [B, N].
        regularised: rows whose maximum likelihood is at infinity, fitted with `PRIOR` wins added to both
            systems of every pair [B].
    """

    theta: FloatArray
    regularised: BoolArray


def fit_strengths(wins: FloatArray, ties: FloatArray, pairs: IntArray, systems: int) -> Strengths:
    """Fit the model by maximum likelihood, many data sets at once (Newton's method).

    Args:
        wins: how often the first and the second system of a pair was better [B, P, 2].
        ties: how often neither [B, P].
        pairs: systems (i, j) [P, 2].
        systems: N.
    """
    separated = np.array(
        [_separated(won, tied, pairs, systems) for won, tied in zip(wins, ties, strict=True)], dtype=bool
    )
    every = np.array([(i, j) for i in range(systems) for j in range(i + 1, systems)], dtype=np.int64)
    column = {(int(i), int(j)): place for place, (i, j) in enumerate(every)}
    won = np.zeros((len(wins), len(every), 2))
    tied = np.zeros((len(wins), len(every)))
    for place, (i, j) in enumerate(pairs.tolist()):
        if i < j:
            won[:, column[i, j]] += wins[:, place]
        else:
            won[:, column[j, i]] += wins[:, place, ::-1]
        tied[:, column[min(i, j), max(i, j)]] += ties[:, place]
    won[separated] += PRIOR
    return Strengths(_newton(won, tied, every.reshape(-1, 2), systems), separated)


def _separated(wins: FloatArray, ties: FloatArray, pairs: IntArray, systems: int) -> bool:
    """Tell whether the likelihood has no finite maximum.

    It has none where some systems never lost or tied to the others (Ford 1957), and where strengths and the
    tie parameter can grow together for ever: v exists with v_i − v_j ≥ 1 for every win and |v_i − v_j| ≤ 1
    for every tie.
    """
    first, second = pairs[:, 0], pairs[:, 1]
    beaten = np.zeros((systems, systems))
    beaten[first, second] = wins[:, 0]
    beaten[second, first] = wins[:, 1]
    tied = np.zeros((systems, systems), dtype=bool)
    tied[first, second] = tied[second, first] = ties > 0
    parts, _ = connected_components((beaten > 0) | tied, directed=True, connection="strong")
    if parts > 1:
        return True
    if not tied.any() or (wins.min(axis=1) > 0).any():
        return False
    bound = np.where(beaten > 0, -1.0, np.where(tied, 1.0, np.inf))
    np.fill_diagonal(bound, 0.0)
    for middle in range(systems):
        bound = np.minimum(bound, bound[:, middle, None] + bound[None, middle])
    return bool((np.diag(bound) >= 0).all())


def _newton(wins: FloatArray, ties: FloatArray, pairs: IntArray, systems: int) -> FloatArray:
    """Maximise the concave log-likelihood, rows at once; returns centred θ [B, N].

    Rows without a tie have η at minus infinity: the model is then Bradley and Terry's. Rows with ties alone
    have equal strengths.
    """
    rows, size = len(wins), systems
    design = np.zeros((3, len(pairs), size + 1))
    span = np.arange(len(pairs))
    for outcome, (i_part, j_part) in enumerate(((1.0, 0.0), (0.0, 1.0), (0.5, 0.5))):
        design[outcome, span, pairs[:, 0]] = i_part
        design[outcome, span, pairs[:, 1]] = j_part
    design[2, :, size] = 1.0
    counts = np.concatenate([wins.transpose(2, 0, 1), ties[None]])
    n = counts.sum(axis=0)
    tied, decided = ties.sum(axis=1) > 0, wins.sum(axis=(1, 2)) > 0
    values = np.zeros((rows, size + 1))
    values[~tied, size] = -np.inf
    moving = np.flatnonzero(decided)
    for _ in range(STEPS):
        if not len(moving):
            break
        step = _step(values[moving], counts[:, moving], n[moving], design, tied[moving])
        largest = np.abs(step).max(axis=1)
        values[moving] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(largest, LONGEST_STEP))[:, None]
        moving = moving[largest > PRECISE]
    theta = values[:, :size]
    return theta - theta.mean(axis=1, keepdims=True)


def _step(
    values: FloatArray, counts: FloatArray, n: FloatArray, design: FloatArray, tied: BoolArray
) -> FloatArray:
    """Return Newton's step of each row [B, N + 1]; 0 for η where there is no tie."""
    size = design.shape[2] - 1
    tie_free = values.copy()
    tie_free[~tied, size] = 0.0
    scores = np.einsum("opk,bk->obp", design, tie_free)
    scores[2, ~tied] = -np.inf
    scores -= scores.max(axis=0)
    odds = np.exp(scores)
    share = odds / odds.sum(axis=0)
    gradient = np.einsum("obp,opk->bk", counts - n * share, design)
    mean = np.einsum("obp,opk->bpk", share, design)
    second = np.einsum("obp,bp,opk,opl->bkl", share, n, design, design, optimize=True)
    second -= np.einsum("bp,bpk,bpl->bkl", n, mean, mean, optimize=True)
    # strengths are defined up to a constant; fix their mean, and η where there is no tie
    second[:, :size, :size] += 1.0
    second[~tied, size, :] = 0.0
    second[~tied, :, size] = 0.0
    second[~tied, size, size] = 1.0
    gradient[~tied, size] = 0.0
    second += 1e-12 * np.eye(size + 1)
    step: FloatArray = np.linalg.solve(second, gradient[:, :, None])[:, :, 0]
    return step
