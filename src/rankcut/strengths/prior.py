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
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
LEAST_SCALE, MOST_SCALE = 2.0**-13, 2.0**9

# Shares of the variance that the graph explains, and reaches q: across much of the graph, or
# hardly beyond neighbours. Chosen before any data were looked at;
# benchmarks/strengths/strengths_graph.py --grid tries others.
_SHARES, _REACHES = (0.5, 0.9, 0.99), (0.03, 0.3)

# Random signs that estimate the trace of an inverse (Hutchinson's method), to some 4 %.
_TRACE_DRAWS = 300


@dataclass(frozen=True)
class Hyperparameters:
    """t, s and q of the prior: how far strengths differ, the share and the reach of the graph."""

    scale: float
    share: float = 0.0
    reach: float = 1.0


# Where Newton's method starts, before the evidence chooses.
FIRST = Hyperparameters(1.0)


def log_evidence(target: Floats, system: Floats) -> float:
    """½·bᵀA⁻¹b − ½·log det A for a target b; the matrix A is overwritten."""
    root = linalg.cholesky(system, lower=True, overwrite_a=True, check_finite=False)
    part = linalg.solve_triangular(root, target, lower=True, check_finite=False)
    return float(part @ part / 2 - np.log(np.diag(root)).sum())


class SpectralPrior(ABC):
    """Priors whose covariances have eigenvectors in common, and so differ in variances alone."""

    @abstractmethod
    def variances(self, settings: Any) -> Floats:
        """The eigenvalues of the covariance."""

    @abstractmethod
    def search(self, evidence: Callable[[Any], float]) -> Any:
        """The hyperparameters with the largest evidence, whatever gives it."""

    @property
    @abstractmethod
    def basis(self) -> Floats | None:
        """The eigenvectors; None: the identity."""

    def log_determinant(self, settings: Any) -> float:
        """The log determinant of the inverse of the covariance."""
        return -float(np.log(self.variances(settings)).sum())

    def choose(self, target: Floats, curvature: Floats) -> Any:
        """The hyperparameters with the largest evidence, for ``target`` b."""
        if self.basis is not None:
            target, curvature = self.basis.T @ target, self.basis.T @ curvature @ self.basis

        def evidence(settings: Any) -> float:
            root = np.sqrt(self.variances(settings))
            matrix = curvature * np.outer(root, root)
            matrix[np.diag_indices(len(root))] += 1.0
            return log_evidence(root * target, matrix)

        return self.search(evidence)


@dataclass(frozen=True, eq=False)
class ItemPrior(SpectralPrior):
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

    #: Where Newton's method starts, before the evidence chooses
    first = FIRST

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

    def variances(self, settings: Hyperparameters) -> Floats:
        """The eigenvalues of K."""
        if settings.share == 0.0:
            return np.full(self.n_items, settings.scale)
        near = 1.0 / (self.spectrum[0] + settings.reach)
        near /= near.mean()
        share = settings.share
        return np.asarray(settings.scale * (1 - share + share * near))

    def precision(self, settings: Hyperparameters) -> Floats:
        """K⁻¹."""
        if settings.share == 0.0:
            return np.eye(self.n_items) / settings.scale
        vectors = self.spectrum[1]
        return np.asarray((vectors / self.variances(settings)) @ vectors.T)

    @property
    def basis(self) -> Floats | None:
        """The eigenvectors of K; None: the identity."""
        return None if self.graph is None else self.spectrum[1]

    def search(self, evidence: Callable[[Hyperparameters], float]) -> Hyperparameters:
        """The hyperparameters with the largest evidence, whatever gives it."""
        return largest(evidence, self.shapes)

    @property
    def shapes(self) -> list[tuple[float, float]]:
        """Values of s and q that are tried: 0 is the ridge."""
        return [(0.0, 1.0), *(product(_SHARES, _REACHES) if self.graph is not None else ())]

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

    def draws(self, settings: Hyperparameters, n_draws: int, rng: np.random.Generator) -> Floats:
        """Strengths that the prior draws, one in each column, for a sparse graph."""
        scale, share = settings.scale, settings.share
        independent = rng.standard_normal((self.n_items, n_draws))
        if share == 0.0:
            return np.asarray(np.sqrt(scale) * independent)
        _, factors, constant = self.near(settings.reach)
        steps = self._differences.T @ rng.standard_normal((self._differences.shape[0], n_draws))
        steps += np.sqrt(settings.reach) * rng.standard_normal((self.n_items, n_draws))
        shared = np.sqrt(share * constant) * factors.solve(steps)
        return np.asarray(np.sqrt(scale) * (np.sqrt(1 - share) * independent + shared))

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
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(self.n_items, _TRACE_DRAWS))
        trace = float((signs * factors.solve(signs)).sum()) / _TRACE_DRAWS
        return matrix, factors, self.n_items / trace


def largest(
    evidence: Callable[[Hyperparameters], float],
    shapes: Sequence[tuple[float, float]],
    *,
    avoids_zero: bool = True,
) -> Hyperparameters:
    """The best t for each s and q, found by doubling and halving; then the best of all."""
    best: tuple[float, Hyperparameters] | None = None
    scale = 1.0
    for share, reach in shapes:

        def at(scale: float, share: float = share, reach: float = reach) -> float:
            value = evidence(Hyperparameters(scale, share, reach))
            return value + math.log(scale) / 2 if avoids_zero else value

        value = at(scale)
        for factor in (2.0, 0.5):
            while LEAST_SCALE < factor * scale < MOST_SCALE:
                moved = at(factor * scale)
                if moved <= value:
                    break
                value, scale = moved, factor * scale
        if best is None or value > best[0]:
            best = value, Hyperparameters(scale, share, reach)
    assert best is not None
    return best[1]


@dataclass(frozen=True)
class ContextHyperparameters:
    """The prior of what contexts change: of items within a context, and of contexts."""

    items: Hyperparameters
    contexts: Hyperparameters


@dataclass(frozen=True, eq=False)
class ContextPrior(SpectralPrior):
    """Priors of items by context: the kernel of contexts times that of items (Kronecker).

    Contexts are exchangeable, or alike along a graph of contexts.
    """

    items: ItemPrior
    contexts: ItemPrior

    first = ContextHyperparameters(FIRST, FIRST)

    def precision(self, settings: ContextHyperparameters) -> Any:
        """The inverse of the covariance, context by context; sparse where it is a diagonal."""
        if not (settings.items.share or settings.contexts.share):
            n_columns = self.items.n_items * self.contexts.n_items
            scale = settings.items.scale * settings.contexts.scale
            return sparse.eye_array(n_columns, format="csr") / scale
        blocks = self.contexts.precision(settings.contexts), self.items.precision(settings.items)
        return np.asarray(np.kron(*blocks), dtype=np.float64)

    @cached_property
    def basis(self) -> Floats | None:
        """The eigenvectors of the covariance; None: the identity."""
        families = self.contexts, self.items
        if all(family.graph is None for family in families):
            return None
        bases = [np.eye(f.n_items) if f.basis is None else f.basis for f in families]
        return np.asarray(np.kron(*bases), dtype=np.float64)

    def variances(self, settings: ContextHyperparameters) -> Floats:
        """The eigenvalues of the covariance."""
        both = self.contexts.variances(settings.contexts), self.items.variances(settings.items)
        return np.asarray(np.kron(*both), dtype=np.float64)

    def search(self, evidence: Callable[[ContextHyperparameters], float]) -> ContextHyperparameters:
        """The hyperparameters with the largest evidence, whatever gives it."""
        # Contexts may well be all alike.
        items = largest(
            lambda trial: evidence(ContextHyperparameters(trial, FIRST)),
            self.items.shapes,
            avoids_zero=False,
        )
        if self.contexts.graph is None:
            return ContextHyperparameters(items, FIRST)

        def scaled(contexts: Hyperparameters) -> ContextHyperparameters:
            """With the variance of items, as only the product of both counts."""
            return ContextHyperparameters(
                replace(items, scale=contexts.scale), replace(contexts, scale=1.0)
            )

        return scaled(largest(lambda trial: evidence(scaled(trial)), self.contexts.shapes))


class SparseSolver:
    """Systems with K⁻¹ + D for a sparse graph and a diagonal matrix D.

    With M = L + q·I and N = (1 − s)·M + s·c·I, K is t·N·M⁻¹. So (K⁻¹ + D)⁻¹ = t·N·T⁻¹ with the
    sparse matrix T = M + t·D·N, and det(I + K·D) = det T / det M.
    """

    def __init__(self, prior: ItemPrior, settings: Hyperparameters, diagonal: Floats) -> None:
        self._scale = settings.scale
        identity = sparse.eye_array(prior.n_items, format="csc")
        if settings.share == 0.0:
            self._near = self._mixed = identity
            self._near_factors = _factorise(identity)
        else:
            self._near, self._near_factors, constant = prior.near(settings.reach)
            mixed = (1 - settings.share) * self._near + settings.share * constant * identity
            self._mixed = sparse.csc_array(mixed)
        total = self._near + settings.scale * sparse.diags_array(diagonal) @ self._mixed
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
    """The log of a positive determinant, from LU factors of the matrix."""
    return float(np.log(np.abs(factors.U.diagonal())).sum())
