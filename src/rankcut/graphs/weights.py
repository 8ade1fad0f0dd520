"""The weights of an item graph: a matrix, and a constant for all pairs; checked once."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import EQUAL_WITHIN, MOST_HELD
from rankcut.rankings.stored import check_csr
from rankcut.saved_arrays import Saved

Kind: TypeAlias = Literal["complete", "dense", "sparse", "structured"]


# Sums of 2**60 weights over items and completions must not overflow.
_LARGEST = float(np.finfo(np.float64).max) / 2**60


@dataclass(frozen=True, eq=False)
class Weights:
    """W_ij = c + M_ij for i ≠ j: all pairs of many items, without an n × n array if M is sparse.

    The bits of a row of :meth:`multiply` depend on no other row.

    Attributes
    ----------
    matrix : ndarray or csr_array of shape (n_items, n_items)
        M: symmetric, with zeros on the diagonal, of either sign if sparse.
    constant : float
        c; 0 for a dense matrix.

    Examples
    --------
    >>> Weights.complete(3).multiply(np.array([[1.0, 2.0, 4.0]]))
    array([[6., 5., 3.]])
    """

    matrix: Annotated[Any, Saved("items", "items")]
    constant: float = 0.0

    @classmethod
    def complete(cls, n_items: int) -> "Weights":
        """Every pair of items has weight 1; nothing is stored."""
        return cls(_no_entries(n_items), 1.0)

    @property
    def kind(self) -> Kind:
        """How the weights are stored; "structured" is a sparse matrix and a constant."""
        if isinstance(self.matrix, np.ndarray):
            return "dense"
        if self.constant == 0:
            return "sparse"
        return "complete" if self.constant == 1 and not self.matrix.nnz else "structured"

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.matrix.shape[0])

    def n_edges(self) -> int:
        """Number of pairs with a positive weight."""
        if self.kind == "dense":
            return int(np.count_nonzero(self.matrix)) // 2
        stored = int(np.count_nonzero(self.constant + self.matrix.data > 0))
        others = self.n_items * (self.n_items - 1) - self.matrix.nnz if self.constant > 0 else 0
        return (stored + others) // 2

    def degrees(self) -> Floats:
        """Sum of the weights at each item."""
        degrees = np.full(self.n_items, self.constant * (self.n_items - 1))
        if self.kind != "complete":
            degrees += self.matrix.sum(axis=1)
        return degrees

    def largest(self) -> float:
        """The largest weight."""
        n = self.n_items
        if self.kind == "dense":
            return float(self.matrix.max(initial=0.0))
        least = self.constant if self.matrix.nnz < n * (n - 1) else 0.0
        return float((self.constant + self.matrix.data).max(initial=least))

    def to_dense(self) -> Floats:
        """A copy as an array."""
        if self.kind == "dense":
            return np.array(self.matrix)
        if self.n_items**2 > MOST_HELD:
            raise InputError(
                f"an array of all weights of {self.n_items:,} items takes "
                f"{8e-9 * self.n_items**2:.0f} GB",
                remedy="use a graph that stays sparse, such as NeighborGraph",
            )
        dense = np.asarray(self.matrix.toarray())
        if self.constant:
            dense += self.constant
            np.fill_diagonal(dense, 0.0)
        return dense

    def to_csr(self) -> sparse.csr_array:
        """As a sparse array; the matrix itself, if that is all there is."""
        return self.matrix if self.kind == "sparse" else sparse.csr_array(self.to_dense())

    def permuted(self, order: NDArray[Any]) -> "Weights":
        """The weights of the same items in another order."""
        matrix = self.matrix[order][:, order]
        if self.kind != "dense":
            matrix = sparse.csr_array(matrix)
            matrix.sort_indices()
        return Weights(matrix, self.constant)

    def scaled(self, scales: Floats) -> "Weights":
        """s_i·W_ij·s_j; dense if a constant meets different scales."""
        if self.kind == "dense" or (self.constant and (scales != scales[0]).any()):
            return Weights(self.to_dense() * np.outer(scales, scales))
        entries = self.matrix.tocoo()
        first, second = entries.coords
        # The product of the scales first: it is the same for (i, j) and (j, i).
        data = entries.data * (scales[first] * scales[second])
        matrix = sparse.csr_array((data, (first, second)), shape=self.matrix.shape)
        matrix.sort_indices()
        return Weights(matrix, self.constant * float(scales[0]) ** 2)

    def subtracted_from(self, ceiling: float) -> "Weights":
        """C − W_ij, and 0 where rounding leaves a dense weight a little above the ceiling."""
        if self.kind != "dense":
            return Weights(-self.matrix, ceiling - self.constant)
        matrix = np.maximum(ceiling - self.matrix, 0.0)
        np.fill_diagonal(matrix, 0.0)
        return Weights(matrix)

    def multiply(self, rows: Floats) -> Floats:
        """``rows @ W``; if sparse, through the transpose, because W is symmetric."""
        if self.kind == "dense":
            out = np.empty(rows.shape)
            multiply_rows(np.ascontiguousarray(rows), np.ascontiguousarray(self.matrix), out)
            return out
        products = np.asarray((self.matrix @ rows.T).T)
        if self.constant:
            products += self.constant * (rows.sum(axis=1, keepdims=True) - rows)
        return products


@lru_cache(maxsize=8)
def _no_entries(n_items: int) -> sparse.csr_array:
    """An empty matrix; to make one takes longer than the vector of a short ranking."""
    return sparse.csr_array((n_items, n_items))


def check_weights(weights: Any, items: tuple[Hashable, ...] | None = None) -> Weights:
    """Check a matrix of weights; the error names the edge that is wrong."""
    if not isinstance(weights, Weights):
        return Weights(_check_matrix(weights, items))
    if not 0 <= weights.constant <= _LARGEST * sparse.issparse(weights.matrix):
        raise InputError(
            f"the constant of the weights is {weights.constant}; it is added to a sparse matrix, "
            "and neither negative nor so large that sums overflow"
        )
    return Weights(_check_matrix(weights.matrix, items, weights.constant), weights.constant)


def _check_matrix(weights: Any, items: tuple[Hashable, ...] | None, constant: float = 0.0) -> Any:
    """The matrix of weights minus a constant."""
    if sparse.issparse(weights) and weights.format in ("csr", "csc"):
        check_csr(weights)
    matrix: Any = sparse.csr_array(weights) if sparse.issparse(weights) else np.asarray(weights)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an item graph is a square matrix of weights; got shape {matrix.shape}")
    if matrix.dtype.kind == "c":
        raise InputError("the weights of the graph are complex; they must be real numbers")
    try:
        matrix = matrix.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"the weights of the graph are not all numbers: {problem}") from None

    def label(i: int) -> str:
        return repr(i if items is None else items[i])

    entries = matrix.data if sparse.issparse(matrix) else matrix
    for good, complaint in (
        (np.isfinite, "weights must be finite (0 where there is no edge)"),
        (lambda weight: weight + constant >= 0, "weights must not be negative"),
    ):
        if not np.all(good(entries)):
            i, j = next(
                (int(i), int(j))
                for i, j in zip(*matrix.nonzero(), strict=True)
                if not good(matrix[i, j])
            )
            raise InputError(
                f"the weight between items {label(i)} and {label(j)} is "
                f"{matrix[i, j] + constant}; {complaint}"
            )
    largest = float(abs(entries).max()) if entries.size else 0.0
    if largest > _LARGEST:
        raise InputError(
            f"the largest weight is {largest}, so large that sums of weights would overflow",
            remedy="divide all weights by it; features are divided by it too, and nothing else "
            "changes",
        )
    gap = abs(matrix - matrix.T)
    if float(gap.max() if gap.size else 0.0) > EQUAL_WITHIN * largest:
        i, j = (int(side[0]) for side in (gap > EQUAL_WITHIN * largest).nonzero())
        raise InputError(
            f"the graph is not symmetric: the weight from item {label(i)} to {label(j)} is "
            f"{matrix[i, j]}, but {matrix[j, i]} the other way",
            remedy="pass (W + W.T) / 2",
        )
    matrix = (matrix + matrix.T) / 2
    if sparse.issparse(matrix):
        matrix = sparse.csr_array(matrix)
        matrix.setdiag(0.0)
        matrix.eliminate_zeros()
        matrix.sort_indices()
    else:
        np.fill_diagonal(matrix, 0.0)
    return matrix
