"""Weights of all pairs of many items, kept in parts: a constant, a sparse and a low-rank part."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.types import Floats
from rankcut.graphs.approximation import sampled_pairs

# Rows that are multiplied out at once have about this many weights.
_AT_ONCE = 1 << 22

_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class StructuredWeights:
    """W_ij = c + S_ij + Σ_q σ_q·z_iq·z_jq for i ≠ j: never an n × n array.

    It is closed under what is done to graphs: 1 − W has the same parts with other signs, and
    W_ij/√(d_i d_j) makes of the constant one more factor.

    Attributes
    ----------
    constant : float
        c, the same for all pairs.
    sparse : csr_array of shape (n_items, n_items)
        S: symmetric, without a diagonal, of either sign.
    factors : ndarray of shape (n_items, rank)
        A row z_i for each item; the rank may be 0.
    signs : ndarray of shape (rank,)
        σ, +1 or −1 for each factor.
    """

    constant: float
    sparse: Any
    factors: Floats
    signs: Floats

    @classmethod
    def of_constant(cls, constant: float, matrix: Any) -> "StructuredWeights":
        """A constant and a sparse part."""
        return cls(constant, matrix, np.zeros((matrix.shape[0], 0)), np.zeros(0))

    @classmethod
    def of_complete(cls, n_items: int) -> "StructuredWeights":
        """All pairs have weight 1."""
        return cls.of_constant(1.0, sparse.csr_array((n_items, n_items)))

    @classmethod
    def of_factors(cls, factors: Floats, constant: float = 0.0) -> "StructuredWeights":
        """Inner products of rows, and a constant."""
        n, rank = factors.shape
        return cls(constant, sparse.csr_array((n, n)), factors, np.ones(rank))

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix which is not there."""
        return len(self.factors), len(self.factors)

    @property
    def rank(self) -> int:
        """Number of factors."""
        return len(self.signs)

    def degrees(self) -> Floats:
        """Sum of the weights at each item."""
        n = self.shape[0]
        signed = self.factors * self.signs
        low_rank = signed @ self.factors.sum(axis=0) - (signed * self.factors).sum(axis=1)
        return np.asarray(self.constant * (n - 1) + self.sparse.sum(axis=1) + low_rank)

    def rows(self, start: int, stop: int) -> Floats:
        """Some rows of the matrix, with zeros on its diagonal."""
        part = np.asarray(self.sparse[start:stop].toarray())
        part += self.constant
        if self.rank:
            part += (self.factors[start:stop] * self.signs) @ self.factors.T
        part[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return part

    def pairs(self, first: NDArray[Any], second: NDArray[Any]) -> Floats:
        """The weights of some pairs of different items."""
        found = self.constant + np.asarray(self.sparse[first, second], dtype=np.float64).ravel()
        if self.rank:
            signed = self.factors * self.signs
            step = max(1, _AT_ONCE // self.rank)
            for start in range(0, len(first), step):
                part = slice(start, start + step)
                found[part] += np.einsum(
                    "pq,pq->p", signed[first[part]], self.factors[second[part]]
                )
        return np.asarray(found)

    def to_dense(self) -> Floats:
        """The matrix, symmetric to the last bit."""
        upper = np.triu(self.rows(0, self.shape[0]))
        upper[abs(upper) <= self._rounding()] = 0.0
        return np.asarray(upper + upper.T)

    def permuted(self, order: NDArray[Any]) -> "StructuredWeights":
        """The weights of the same items in another order."""
        return replace(self, sparse=self.sparse[order][:, order], factors=self.factors[order])

    def subtracted_from(self, ceiling: float) -> "StructuredWeights":
        """The weights ceiling − W_ij."""
        return replace(
            self, constant=ceiling - self.constant, sparse=-self.sparse, signs=-self.signs
        )

    def scaled(self, scales: Floats) -> "StructuredWeights":
        """s_i·W_ij·s_j; where the scales differ, the constant becomes a factor."""
        factors, signs, constant = self.factors, self.signs, self.constant
        if constant and (scales != scales[0]).any():
            one_more = np.full((len(scales), 1), np.sqrt(abs(constant)))
            factors, signs = np.hstack([factors, one_more]), np.append(signs, np.sign(constant))
            constant = 0.0
        return StructuredWeights(
            constant * scales[0] ** 2,
            scaled_entries(self.sparse, scales),
            factors * scales[:, None],
            signs,
        )

    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest weight.

        If there are factors and very many pairs, they are those of pairs drawn at random.
        """
        n = self.shape[0]
        if self.rank:
            found = self.pairs(*sampled_pairs(n, 0)[:2])
        else:
            everywhere = self.sparse.nnz == n * (n - 1)
            found = self.constant + self.sparse.data
            found = found if everywhere else np.append(found, self.constant)
        return (float(found.min()), float(found.max())) if found.size else (0.0, 0.0)

    def n_edges(self) -> int:
        """Number of pairs with a positive weight; in time n²·rank if there are factors."""
        n = self.shape[0]
        if self.rank == 0:
            stored = int(np.count_nonzero(self.constant + self.sparse.data > 0))
            others = n * (n - 1) - self.sparse.nnz if self.constant > 0 else 0
            return (stored + others) // 2
        least = self._rounding()
        step = max(1, _AT_ONCE // n)
        blocks = (self.rows(start, min(start + step, n)) for start in range(0, n, step))
        return sum(int(np.count_nonzero(block > least)) for block in blocks) // 2

    def _rounding(self) -> float:
        """What parts that cancel leave behind at most; without factors, nothing."""
        if self.rank == 0:
            return 0.0
        largest = float((self.factors**2).sum(axis=1).max(initial=0.0))
        return _ROUNDING * (abs(self.constant) + largest)


def scaled_entries(matrix: Any, scales: Floats) -> Any:
    """s_i·S_ij·s_j for a sparse matrix S."""
    entries = matrix.tocoo()
    first, second = entries.coords
    # The product of the scales first: it is the same for (i, j) and (j, i).
    data = entries.data * (scales[first] * scales[second])
    scaled = sparse.csr_array((data, (first, second)), shape=matrix.shape)
    scaled.sort_indices()
    return scaled
