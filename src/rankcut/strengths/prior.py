"""The item graph as a prior: similar items have similar strengths, as far as the data say.

θ ~ N(0, K) with K = t·((1 − s)·I + s·c·(L + q·I)⁻¹), L the normalised Laplacian of the graph and c
such that the mean variance is t. t says how far strengths differ, s how much of that the graph
explains, q how far it reaches. s = 0 is the ridge; without a graph there is nothing else.

The evidence of (t, s, q) is that of the quadratic that touches the log-likelihood at θ. With its
gradient g, its curvature H and b = H·θ + g, it is ½·bᵀ(K⁻¹ + H)⁻¹b − ½·log det(I + K·H). With few
rankings it is often largest at t = 0, as if nothing differed and that were certain. So ½·log t is
added, the boundary-avoiding prior of Chung, Rabe-Hesketh, Dorie, Gelman and Liu (2013).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.graphs.item_graph import ItemGraph

# Variances of strengths: from items that hardly differ to odds of exp(32) to 1. They are doubled
# and halved; the optimum is flat, so that nothing finer is needed.
_LEAST_SCALE, _MOST_SCALE = 2.0**-13, 2.0**9

# Shares of the variance that the graph explains, and reaches q: across much of the graph, or
# hardly beyond neighbours. Chosen before any data were looked at;
# benchmarks/strengths_graph.py --grid tries others.
_SHARES, _REACHES = (0.5, 0.9, 0.99), (0.03, 0.3)

# Random draws that estimate the trace of an inverse (Hutchinson's method) and errors of many items,
# to some 4 %.
DRAWS = 300


@dataclass(frozen=True)
class Hyperparameters:
    """t, s and q of the prior: how far strengths differ, the share and the reach of the graph."""

    scale: float
    share: float = 0.0
    reach: float = 1.0


# Where Newton's method starts, before the evidence chooses.
FIRST = Hyperparameters(1.0)


@dataclass(frozen=True, eq=False)
class ItemPrior:
    """Priors of the strengths of items, which differ in t, s and q alone.

    Parameters
    ----------
    n_items : int
        Number of items.
    graph : ItemGraph or None
        The item graph; None: the ridge.
    """

    n_items: int
    graph: ItemGraph | None = None

    @cached_property
    def neighbours(self) -> Any:
        """D^{-1/2}·W·D^{-1/2}, sparse if the graph is; the Laplacian is I minus this."""
        assert self.graph is not None
        degrees = self.graph.degrees
        scales = np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)
        weights = self.graph.weights.scaled(scales)
        return weights.to_csr() if weights.kind == "sparse" else weights.to_dense()

    @cached_property
    def spectrum(self) -> tuple[Floats, Floats]:
        """Eigenvalues and eigenvectors of the Laplacian."""
        matrix = self.neighbours
        dense = matrix.toarray() if sparse.issparse(matrix) else matrix
        values, vectors = linalg.eigh(-dense)
        return np.maximum(1.0 + values, 0.0), vectors

    def variances(self, chosen: Hyperparameters) -> Floats:
        """The eigenvalues of K."""
        if chosen.share == 0.0:
            return np.full(self.n_items, chosen.scale)
        near = 1.0 / (self.spectrum[0] + chosen.reach)
        near /= near.mean()
        return np.asarray(chosen.scale * (1 - chosen.share + chosen.share * near))

    def precision(self, chosen: Hyperparameters) -> Floats:
        """K⁻¹."""
        if chosen.share == 0.0:
            return np.eye(self.n_items) / chosen.scale
        vectors = self.spectrum[1]
        return np.asarray((vectors / self.variances(chosen)) @ vectors.T)

    def choose(self, theta: Floats, gradient: Floats, curvature: Floats) -> Hyperparameters:
        """The hyperparameters with the largest evidence."""
        target = curvature @ theta + gradient
        if self.graph is not None:
            vectors = self.spectrum[1]
            target, curvature = vectors.T @ target, vectors.T @ curvature @ vectors

        def evidence(chosen: Hyperparameters) -> float:
            root = np.sqrt(self.variances(chosen))
            matrix = curvature * np.outer(root, root)
            matrix[np.diag_indices(self.n_items)] += 1.0
            factor = linalg.cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
            part = linalg.solve_triangular(factor, root * target, lower=True, check_finite=False)
            return float(part @ part / 2 - np.log(np.diag(factor)).sum())

        return self._largest(evidence)

    def choose_by_diagonal(self, target: Floats, diagonal: Floats) -> Hyperparameters:
        """The same for many items and ``target`` b, as if the curvature were its diagonal."""

        def evidence(chosen: Hyperparameters) -> float:
            solver = SparseSolver(self, chosen, diagonal)
            return float(target @ solver.solve(target) - solver.log_determinant()) / 2

        return self._largest(evidence)

    def _largest(self, evidence: Callable[[Hyperparameters], float]) -> Hyperparameters:
        """The best t for each s and q, found by doubling and halving; then the best of all."""
        shapes: list[tuple[float, float]] = [(0.0, 1.0)]
        if self.graph is not None:
            shapes += product(_SHARES, _REACHES)
        found: list[tuple[float, Hyperparameters]] = []
        scale = 1.0
        for share, reach in shapes:

            def own(scale: float, share: float = share, reach: float = reach) -> float:
                return evidence(Hyperparameters(scale, share, reach)) + math.log(scale) / 2

            value = own(scale)
            for factor in (2.0, 0.5):
                while _LEAST_SCALE < factor * scale < _MOST_SCALE:
                    moved = own(factor * scale)
                    if moved <= value:
                        break
                    value, scale = moved, factor * scale
            found.append((value, Hyperparameters(scale, share, reach)))
        return max(found, key=lambda pair: pair[0])[1]

    @cached_property
    def _differences(self) -> Any:
        """A matrix E with EᵀE = L: a row for each edge, and one for each item without any."""
        assert self.graph is not None
        degrees = self.graph.degrees
        edges = sparse.triu(self.graph.weights.to_csr(), k=1).tocoo()
        alone = np.flatnonzero(degrees == 0)
        number = np.arange(edges.nnz + len(alone))
        ends = [np.sqrt(edges.data / degrees[end]) for end in edges.coords]
        entries = np.concatenate([ends[0], np.ones(len(alone)), -ends[1]])
        columns = np.concatenate([edges.coords[0], alone, edges.coords[1]])
        rows = np.concatenate([number, number[: edges.nnz]])
        return sparse.csr_array((entries, (rows, columns)), (len(number), self.n_items))

    def draws(self, chosen: Hyperparameters, n_draws: int, rng: np.random.Generator) -> Floats:
        """Strengths that the prior draws, one in each column, for a sparse graph."""
        own = rng.standard_normal((self.n_items, n_draws))
        if chosen.share == 0.0:
            return np.asarray(np.sqrt(chosen.scale) * own)
        _, factors, constant = self.near(chosen.reach)
        steps = self._differences.T @ rng.standard_normal((self._differences.shape[0], n_draws))
        steps += np.sqrt(chosen.reach) * rng.standard_normal((self.n_items, n_draws))
        shared = np.sqrt(chosen.share * constant) * factors.solve(steps)
        return np.asarray(np.sqrt(chosen.scale) * (np.sqrt(1 - chosen.share) * own + shared))

    @lru_cache(maxsize=len(_REACHES))  # noqa: B019 - as many entries as there are reaches
    def near(self, reach: float) -> tuple[Any, Any, float]:
        """M = L + q·I as a sparse matrix, its factors, and n divided by the trace of M⁻¹."""
        identity = sparse.eye_array(self.n_items, format="csc")
        if not sparse.issparse(self.neighbours):
            raise InputError(
                f"an item graph of {self.n_items:,} items must be sparse to inform strengths",
                remedy="connect each item to its nearest ones: NeighborGraph",
            )
        matrix = sparse.csc_array((1.0 + reach) * identity - self.neighbours)
        factors = _factorise(matrix)
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(self.n_items, DRAWS))
        trace = float((signs * factors.solve(signs)).sum()) / DRAWS
        return matrix, factors, self.n_items / trace


class SparseSolver:
    """Systems with K⁻¹ + D for a sparse graph and a diagonal matrix D.

    With M = L + q·I and N = (1 − s)·M + s·c·I, K is t·N·M⁻¹. So (K⁻¹ + D)⁻¹ = t·N·T⁻¹ with the
    sparse matrix T = M + t·D·N, and det(I + K·D) = det T / det M.
    """

    def __init__(self, prior: ItemPrior, chosen: Hyperparameters, diagonal: Floats) -> None:
        self._scale = chosen.scale
        identity = sparse.eye_array(prior.n_items, format="csc")
        if chosen.share == 0.0:
            self._near = self._mixed = identity
            self._near_factors = _factorise(identity)
        else:
            self._near, self._near_factors, constant = prior.near(chosen.reach)
            mixed = (1 - chosen.share) * self._near + chosen.share * constant * identity
            self._mixed = sparse.csc_array(mixed)
        total = self._near + chosen.scale * sparse.diags_array(diagonal) @ self._mixed
        self._factors = _factorise(sparse.csc_array(total))

    def solve(self, vectors: Floats) -> Floats:
        """(K⁻¹ + D)⁻¹ times a vector, or each column."""
        return np.asarray(self._scale * (self._mixed @ self._factors.solve(vectors)))

    def log_determinant(self) -> float:
        """Log det(I + K·D)."""
        return _log_determinant(self._factors) - _log_determinant(self._near_factors)

    @cached_property
    def _mixed_factors(self) -> Any:
        return _factorise(self._mixed)

    def precision(self, vectors: Floats) -> Floats:
        """K⁻¹ times a vector, or each column."""
        return np.asarray(self._near @ self._mixed_factors.solve(vectors) / self._scale)


def _factorise(matrix: Any) -> Any:
    """LU factors of a matrix that is symmetric in its pattern and strong on its diagonal.

    An order for symmetric matrices leaves a quarter of the entries that SciPy's default does.
    """
    options = {"SymmetricMode": True}
    return splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def _log_determinant(factors: Any) -> float:
    """Of a matrix with a positive determinant, from its LU factors."""
    return float(np.log(np.abs(factors.U.diagonal())).sum())
