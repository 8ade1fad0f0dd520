"""The weights of an item graph: a matrix, dense or sparse, and a constant for all pairs."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.parameters import MOST_HELD

Kind: TypeAlias = Literal["complete", "dense", "sparse", "structured"]


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

    matrix: Any
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
