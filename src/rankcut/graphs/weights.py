"""The weights of an item graph, in two forms with the same methods.

:class:`MatrixWeights` are a matrix, dense or sparse; :class:`StructuredWeights` are a constant, a
sparse and a low-rank part. The complete graph is a constant of 1.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.linear_algebra import multiply_rows
from rankcut._loops.types import Floats
from rankcut.parameters import AT_ONCE, ROUNDING

Kind: TypeAlias = Literal["complete", "dense", "sparse", "structured"]

# Up to this many pairs, all are examined; beyond it, this many are drawn at random.
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class MatrixWeights:
    """A symmetric matrix with a diagonal of zeros: an array, or a CSR array with sorted indices."""

    matrix: Any

    @property
    def kind(self) -> Kind:
        """Whether the matrix is an array or sparse."""
        return "sparse" if sparse.issparse(self.matrix) else "dense"

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.matrix.shape[0])

    @property
    def rank(self) -> int:
        """Number of low-rank factors: none."""
        return 0

    @property
    def _entries(self) -> Floats:
        return np.asarray(self.matrix.data if self.kind == "sparse" else self.matrix)

    def n_edges(self) -> int:
        """Number of pairs with a positive weight."""
        return int(np.count_nonzero(self._entries)) // 2

    def degrees(self) -> Floats:
        """Sum of the weights at each item."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64)

    def to_dense(self) -> Floats:
        """A copy of the matrix as an array."""
        return np.array(self.matrix.toarray() if self.kind == "sparse" else self.matrix)

    def to_csr(self) -> sparse.csr_array:
        """The matrix itself, if it is sparse."""
        return self.matrix if self.kind == "sparse" else sparse.csr_array(self.matrix)

    def to_structured(self) -> "StructuredWeights":
        """A sparse part only."""
        return StructuredWeights.of_constant(0.0, self.to_csr())

    def largest(self) -> float:
        """The largest weight."""
        return float(self._entries.max(initial=0.0))

    def permuted(self, order: NDArray[Any]) -> "MatrixWeights":
        """The weights of the same items in another order."""
        matrix = self.matrix[order][:, order]
        if self.kind == "sparse":
            matrix = sparse.csr_array(matrix)
            matrix.sort_indices()
        return MatrixWeights(matrix)

    def scaled(self, scales: Floats) -> "MatrixWeights":
        """s_i·W_ij·s_j."""
        if self.kind == "sparse":
            return MatrixWeights(_scaled_entries(self.matrix, scales))
        return MatrixWeights(self.matrix * np.outer(scales, scales))

    def subtracted_from(self, ceiling: float) -> "Weights":
        """C − W_ij, and 0 where rounding leaves a weight a little above the ceiling.

        In a sparse matrix most pairs have no entry, and c is a constant for them.
        """
        if self.kind == "sparse":
            return StructuredWeights.of_constant(ceiling, -self.matrix)
        matrix = np.maximum(ceiling - self.matrix, 0.0)
        np.fill_diagonal(matrix, 0.0)
        return MatrixWeights(matrix)

    def multiply(self, rows: Floats) -> Floats:
        """``rows @ W``; if sparse, through the transpose, because W is symmetric."""
        if self.kind == "sparse":
            return np.asarray((self.matrix @ rows.T).T)
        return _product(rows, self.matrix)


@dataclass(frozen=True, eq=False)
class StructuredWeights:
    """W_ij = c + S_ij + Σ_q σ_q·z_iq·z_jq for i ≠ j: all pairs, without an n × n array.

    These weights are closed under what is done to graphs: c − W has the same parts with other
    signs, and in W_ij/√(d_i d_j) the constant becomes one more factor.

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
    def complete(cls, n_items: int) -> "StructuredWeights":
        """Every pair of items has weight 1.

        >>> StructuredWeights.complete(3).multiply(np.array([[1.0, 2.0, 4.0]]))
        array([[6., 5., 3.]])
        """
        return cls.of_constant(1.0, _no_entries(n_items))

    @classmethod
    def of_constant(cls, constant: float, matrix: Any) -> "StructuredWeights":
        """A constant and a sparse part."""
        return cls(constant, matrix, np.zeros((matrix.shape[0], 0)), np.zeros(0))

    @classmethod
    def of_factors(cls, factors: Floats, constant: float = 0.0) -> "StructuredWeights":
        """Inner products of rows, and a constant."""
        n, rank = factors.shape
        return cls(constant, _no_entries(n), factors, np.ones(rank))

    @property
    def kind(self) -> Kind:
        """Whether there is more than a constant of 1."""
        plain = self.constant == 1 and not (self.rank or self.sparse.nnz)
        return "complete" if plain else "structured"

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.factors)

    @property
    def rank(self) -> int:
        """Number of factors."""
        return len(self.signs)

    def n_edges(self) -> int:
        """Number of pairs with a positive weight; takes time n²·rank if there are factors."""
        n = self.n_items
        if self.rank == 0:
            stored = int(np.count_nonzero(self.constant + self.sparse.data > 0))
            others = n * (n - 1) - self.sparse.nnz if self.constant > 0 else 0
            return (stored + others) // 2
        least = self._rounding()
        step = max(1, AT_ONCE // n)
        blocks = (self._rows(start, min(start + step, n)) for start in range(0, n, step))
        return sum(int(np.count_nonzero(block > least)) for block in blocks) // 2

    def degrees(self) -> Floats:
        """Sum of the weights at each item."""
        degrees = np.full(self.n_items, self.constant * (self.n_items - 1))
        if self.sparse.nnz:
            degrees += self.sparse.sum(axis=1)
        if self.rank:
            signed = self.factors * self.signs
            degrees += signed @ self.factors.sum(axis=0) - (signed * self.factors).sum(axis=1)
            degrees[abs(degrees) <= self._rounding()] = 0.0
        return degrees

    def _rows(self, start: int, stop: int) -> Floats:
        """Some rows of the matrix, with zeros on its diagonal."""
        block = np.asarray(self.sparse[start:stop].toarray())
        block += self.constant
        if self.rank:
            block += (self.factors[start:stop] * self.signs) @ self.factors.T
        block[np.arange(stop - start), np.arange(start, stop)] = 0.0
        return block

    def pairs(self, first: NDArray[Any], second: NDArray[Any]) -> Floats:
        """The weights of some pairs of different items."""
        found = self.constant + np.asarray(self.sparse[first, second], dtype=np.float64).ravel()
        if self.rank:
            signed = self.factors * self.signs
            step = max(1, AT_ONCE // self.rank)
            for start in range(0, len(first), step):
                block = slice(start, start + step)
                found[block] += np.einsum(
                    "pq,pq->p", signed[first[block]], self.factors[second[block]]
                )
        return np.asarray(found)

    def to_dense(self) -> Floats:
        """The matrix, symmetric to the last bit."""
        upper = np.triu(self._rows(0, self.n_items))
        upper[abs(upper) <= self._rounding()] = 0.0
        return np.asarray(upper + upper.T)

    def to_csr(self) -> sparse.csr_array:
        """The matrix as a sparse array."""
        return sparse.csr_array(self.to_dense())

    def to_structured(self) -> "StructuredWeights":
        """These weights."""
        return self

    def largest(self) -> float:
        """The largest weight; with factors and very many pairs, the largest of a random sample."""
        n = self.n_items
        if self.rank:
            found = self.pairs(*sampled_pairs(n, 0))
        else:
            everywhere = self.sparse.nnz == n * (n - 1)
            found = self.constant + self.sparse.data
            found = found if everywhere else np.append(found, self.constant)
        return float(found.max()) if found.size else 0.0

    def permuted(self, order: NDArray[Any]) -> "StructuredWeights":
        """The weights of the same items in another order."""
        return replace(self, sparse=self.sparse[order][:, order], factors=self.factors[order])

    def scaled(self, scales: Floats) -> "StructuredWeights":
        """s_i·W_ij·s_j; where the scales differ, the constant becomes a factor."""
        factors, signs, constant = self.factors, self.signs, self.constant
        if constant and (scales != scales[0]).any():
            one_more = np.full((len(scales), 1), np.sqrt(abs(constant)))
            factors, signs = np.hstack([factors, one_more]), np.append(signs, np.sign(constant))
            constant = 0.0
        return StructuredWeights(
            constant * scales[0] ** 2,
            _scaled_entries(self.sparse, scales),
            factors * scales[:, None],
            signs,
        )

    def subtracted_from(self, ceiling: float) -> "StructuredWeights":
        """C − W_ij: the same parts with other signs."""
        return replace(
            self, constant=ceiling - self.constant, sparse=-self.sparse, signs=-self.signs
        )

    def multiply(self, rows: Floats) -> Floats:
        """``rows @ W``, part by part."""
        products = np.asarray((self.sparse @ rows.T).T)
        products += self.constant * (rows.sum(axis=1, keepdims=True) - rows)
        if self.rank:
            signed = self.factors * self.signs
            products += _product(_product(rows, self.factors), np.ascontiguousarray(signed.T))
            products -= rows * (signed * self.factors).sum(axis=1)
        return products

    def _rounding(self) -> float:
        """The most that parts leave behind where they cancel; nothing without factors."""
        if self.rank == 0:
            return 0.0
        largest = float((self.factors**2).sum(axis=1).max(initial=0.0))
        return ROUNDING * (abs(self.constant) + largest)


Weights: TypeAlias = MatrixWeights | StructuredWeights
"""Symmetric weights W_ij between n items; the bits of a row's product depend on no other row."""


@lru_cache(maxsize=8)
def _no_entries(n_items: int) -> sparse.csr_array:
    """An empty matrix; to make one takes longer than the vector of a short ranking."""
    return sparse.csr_array((n_items, n_items))


def sampled_pairs(n_items: int, seed: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """All pairs of different items; of very many, some at random."""
    if n_items * (n_items - 1) // 2 <= _MOST_PAIRS:
        return np.triu_indices(n_items, 1)
    rng = np.random.default_rng(seed)
    first = rng.integers(n_items, size=_MOST_PAIRS)
    second = rng.integers(n_items - 1, size=_MOST_PAIRS)
    return first, second + (second >= first)


def _scaled_entries(matrix: Any, scales: Floats) -> sparse.csr_array:
    """s_i·S_ij·s_j for a sparse matrix S."""
    entries = matrix.tocoo()
    first, second = entries.coords
    # The product of the scales first: it is the same for (i, j) and (j, i).
    data = entries.data * (scales[first] * scales[second])
    scaled = sparse.csr_array((data, (first, second)), shape=matrix.shape)
    scaled.sort_indices()
    return scaled


def _product(rows: Floats, matrix: Floats) -> Floats:
    out = np.empty((len(rows), matrix.shape[1]))
    multiply_rows(np.ascontiguousarray(rows), np.ascontiguousarray(matrix), out)
    return out
