"""The algebra of a crossed mixed model that never builds an n × n matrix.

The model is y = X β + Σ_k Z_k u_k + e with u_k ~ N(0, θ_k σ² I) and e ~ N(0, σ² I), so the covariance of y
is σ² V with V = I + Σ_k θ_k Z_k Z_k'. The random terms fall into two families, each an outer grouping
(segment, rater) with an inner one nested in it (segment × system, rater × system). One family is eliminated:
its two blocks of the mixed-model equations are diagonal, so Woodbury's formula applies to them one number a
group. The other family, of q groups in all, costs one dense Cholesky factor [q, q] (Henderson 1953; Bates et
al. 2015, Journal of Statistical Software 67).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from annotation.stats.records import FloatArray, IntArray

Sparse = Any  # a scipy.sparse array, or a small dense one
DENSE_CELLS = 200_000
"""Cross products of at most this many cells are kept as dense matrices, which is faster."""


@dataclass(frozen=True, eq=False)
class Family:
    """A grouping and a finer one nested in it; a grouping that is not in the model has the name None.

    Attributes:
        outer_name: of the term.
        inner_name: of the term.
        outer: group of each observation [n], codes without gaps.
        inner: finer group of each observation [n], codes without gaps.
    """

    outer_name: str | None
    inner_name: str | None
    outer: IntArray
    inner: IntArray

    @property
    def terms(self) -> list[tuple[str, IntArray]]:
        """Return the terms that are in the model, with their codes."""
        both = ((self.outer_name, self.outer), (self.inner_name, self.inner))
        return [(name, codes) for name, codes in both if name is not None]

    @property
    def size(self) -> int:
        """Return the number of random effects."""
        return sum(int(codes.max()) + 1 for _, codes in self.terms)


def indicator(codes: IntArray) -> Sparse:
    """Return the 0/1 matrix of group membership [n, groups]."""
    n = len(codes)
    return sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, int(codes.max()) + 1))


class CrossedModel:
    """Crossed random effects with everything that does not depend on the variances computed once.

    Attributes:
        names: the random terms, those of the eliminated family last.
        n: observations.
        p: fixed effects.
    """

    def __init__(self, x: FloatArray, y: FloatArray, kept: Family, eliminated: Family) -> None:
        """Prepare the cross products.

        Args:
            x: fixed effects [n, p], of full column rank.
            y: observations [n].
            kept: the family that is solved densely; small.
            eliminated: the family that is eliminated; may be large.
        """
        self.n, self.p = x.shape
        self.kept, self.eliminated = kept, eliminated
        self.names = [name for name, _ in kept.terms + eliminated.terms]
        self.inner = eliminated.inner
        self.nested = np.zeros(int(self.inner.max()) + 1, dtype=np.int64)
        self.nested[self.inner] = eliminated.outer
        self.z_inner = indicator(self.inner)
        self.to_outer = indicator(self.nested).T.tocsr()
        self.n_inner = np.bincount(self.inner).astype(np.float64)
        blocks = [indicator(codes) for _, codes in kept.terms]
        empty = sparse.csr_array((self.n, 0))
        self.w = sparse.hstack(blocks, format="csr") if blocks else empty
        self.block_sizes = [block.shape[1] for block in blocks]
        xy = np.column_stack([x, y])
        self.x, self.y = x, y
        self.ww, self.w_xy, self.xy_xy = (self.w.T @ self.w).tocsr(), self.w.T @ xy, xy.T @ xy
        self.inner_w, self.inner_xy = (self.z_inner.T @ self.w).tocsr(), self.z_inner.T @ xy
        if self.inner_w.shape[0] * self.inner_w.shape[1] <= DENSE_CELLS:
            self.ww, self.inner_w = self.ww.toarray(), self.inner_w.toarray()

    def indicators(self) -> list[Sparse]:
        """Return the 0/1 matrix of each random term, in the order of `names`."""
        return [indicator(codes) for _, codes in self.kept.terms + self.eliminated.terms]

    def factor(self, ratios: FloatArray) -> Factor:
        """Factorise V for given variance ratios θ [terms], in the order of `names`, each ≥ 0."""
        return Factor(self, ratios)


class Factor:
    """V at given variance ratios: its determinant, its inverse, and what follows for β and σ².

    Attributes:
        log_det: log |V|.
        xvx: X' V⁻¹ X [p, p].
        beta: generalised least squares estimates [p].
        residual: y' P y, the weighted residual sum of squares.
    """

    def __init__(self, model: CrossedModel, ratios: FloatArray) -> None:
        """Factorise; see `CrossedModel.factor`."""
        self.model = model
        n_kept = len(model.block_sizes)
        outer_ratio, inner_ratio = _family_ratios(model.eliminated, ratios[n_kept:])
        self.lam = np.sqrt(np.repeat(ratios[:n_kept], model.block_sizes))
        self.shrink = 1 / (1 + inner_ratio * model.n_inner)
        self.d_inner = inner_ratio * self.shrink
        weight = model.to_outer @ (model.n_inner * self.shrink)
        self.d_outer = outer_ratio / (1 + outer_ratio * weight)
        log_family = np.log1p(inner_ratio * model.n_inner).sum() + np.log1p(outer_ratio * weight).sum()
        outer_w = model.to_outer @ _scale_rows(model.inner_w, self.shrink)
        self._cholesky(outer_w)
        self.log_det = float(log_family + 2 * np.log(np.diagonal(self.chol)).sum())
        self._estimate(outer_w)

    def _cholesky(self, outer_w: Sparse) -> None:
        """Factorise K = I + Λ W' V_f⁻¹ W Λ, where V_f holds the eliminated family alone."""
        model = self.model
        cross = model.ww - _gram(model.inner_w, self.d_inner) - _gram(outer_w, self.d_outer)
        k = self.lam[:, None] * (cross if isinstance(cross, np.ndarray) else cross.toarray()) * self.lam
        k.flat[:: len(k) + 1] += 1
        self.chol = linalg.cholesky(k, lower=True, overwrite_a=True, check_finite=False)

    def _estimate(self, outer_w: Sparse) -> None:
        model = self.model
        outer_xy = model.to_outer @ (self.shrink[:, None] * model.inner_xy)
        inner_xy = self.d_inner[:, None] * model.inner_xy
        weighted = self.d_outer[:, None] * outer_xy
        xy = model.xy_xy - model.inner_xy.T @ inner_xy - outer_xy.T @ weighted
        w_xy = model.w_xy - model.inner_w.T @ inner_xy - outer_w.T @ weighted
        w_xy = self.lam[:, None] * w_xy
        xy = xy - w_xy.T @ linalg.cho_solve((self.chol, True), w_xy, check_finite=False)
        p = model.p
        self.xvx = xy[:p, :p]
        self.beta = linalg.solve(self.xvx, xy[:p, p], assume_a="pos")
        self.residual = max(0.0, float(xy[p, p] - xy[:p, p] @ self.beta))

    def solve(self, columns: FloatArray) -> FloatArray:
        """Return V⁻¹ times the columns [n, c]."""
        inner = self._family_solve(columns)
        rhs = self.lam[:, None] * (self.model.w.T @ inner)
        effects = self.lam[:, None] * linalg.cho_solve((self.chol, True), rhs, check_finite=False)
        return inner - self._family_solve(self.model.w @ effects)

    def _family_solve(self, columns: FloatArray) -> FloatArray:
        model = self.model
        by_inner = model.z_inner.T @ columns
        by_outer = model.to_outer @ (self.shrink[:, None] * by_inner)
        correction = self.d_inner[:, None] * by_inner
        correction += self.shrink[:, None] * (self.d_outer[:, None] * by_outer)[model.nested]
        return columns - correction[model.inner]


def _family_ratios(family: Family, ratios: FloatArray) -> tuple[float, float]:
    """Return the outer and the inner ratio, 0 for a term that is not in the model."""
    values = dict(zip([name for name, _ in family.terms], ratios.tolist(), strict=True))
    outer = values.get(family.outer_name, 0.0) if family.outer_name else 0.0
    inner = values.get(family.inner_name, 0.0) if family.inner_name else 0.0
    return outer, inner


def _gram(matrix: Sparse, weights: FloatArray) -> Sparse:
    """Return M' diag(w) M."""
    return matrix.T @ _scale_rows(matrix, weights)


def _scale_rows(matrix: Sparse, weights: FloatArray) -> Sparse:
    """Return diag(w) M."""
    if isinstance(matrix, np.ndarray):
        return weights[:, None] * matrix
    return matrix.multiply(weights[:, None]).tocsr()
