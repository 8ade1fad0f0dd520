"""A low-rank model of lists: a few numbers for each person and each item, by alternating least
squares.

    minimise Σ_listed w·(x − ⟨u, v⟩)² + w₀·Σ_unlisted ⟨u, v⟩² + λ·(Σ ‖u‖² + Σ ‖v‖²)

over a vector u for each list and v for each item, with x the value of a listed item. w₀ = 0 says
nothing about unlisted items; then the minimum is that of soft-impute, the best matrix of that rank
for the listed entries with a penalty on its singular values. With w₀ > 0, not listing an item also
says something. The unlisted entries are all there in Σ v vᵀ, so that time and memory grow with
the listed ones.
"""

import numpy as np
from scipy import sparse

from rankcut._loops.linear_algebra import add_normal_equations
from rankcut._loops.types import Floats
from rankcut.graphs.weights import AT_ONCE
from rankcut.parameters import ROWS_AT_ONCE

# A penalty of 0 would leave factors without a scale.
_LEAST_NOISE = 1e-9


class LatentFactors:
    """Item vectors v, learned from lists; lists, old or new, get their vectors u from these.

    Parameters
    ----------
    values : csr_array of shape (n_lists, n_items)
        x.
    weights : array of shape (n_entries,)
        w of each stored entry.
    unlisted_weight : float
        w₀.
    rank : int
        Length of u and v.
    penalty : float
        λ.
    counts : array of shape (n_lists,) or None
        How often each list counts.
    n_rounds : int
        How often to solve for all u and then for all v.
    seed : int
        Seed of the first v.

    Examples
    --------
    >>> values = sparse.csr_array(np.outer([1.0, -1.0, 2.0], [1.0, 2.0]))
    >>> model = LatentFactors(values, np.ones(6), 0.0, rank=1, penalty=1e-6)
    >>> people = model.people(values, np.ones(6))
    >>> (people @ model.items.T).round(3)
    array([[ 1.,  2.],
           [-1., -2.],
           [ 2.,  4.]])
    """

    def __init__(
        self,
        values: sparse.csr_array,
        weights: Floats,
        unlisted_weight: float,
        *,
        rank: int,
        penalty: float,
        counts: Floats | None = None,
        n_rounds: int = 10,
        seed: int = 0,
    ) -> None:
        n_items = values.shape[1]
        self._unlisted = float(unlisted_weight)
        self._penalty = float(penalty)
        rng = np.random.default_rng(seed)
        self.items: Floats = rng.standard_normal((n_items, rank)) / np.sqrt(rank)
        counted = np.ones(values.shape[0]) if counts is None else counts
        # Entries of the transpose, by their numbers.
        numbers = sparse.csr_array(
            (np.arange(values.nnz, dtype=np.float64), values.indices, values.indptr), values.shape
        ).T.tocsr()
        order = numbers.data.astype(np.intp)
        turned = sparse.csr_array(
            (values.data[order], numbers.indices, numbers.indptr), numbers.shape
        )
        of_lists = counted[numbers.indices]
        for _ in range(n_rounds):
            people = self.people(values, weights)
            self.items = self._solved(turned, weights[order], people, counted, of_lists)

    def as_distribution(
        self, values: sparse.csr_array, weights: Floats, counts: Floats | None, trust: float
    ) -> None:
        """From now on, give the expected u of a list, in units of its spread over these lists.

        The model is x = ⟨u, v⟩ + noise with u ~ N(0, S), where S and the noise are those of the
        lists, and the noise is divided by ``trust``. The fewer items a list has, the closer its
        vector is to 0, above all in directions in which lists differ little.
        """
        counted = np.ones(values.shape[0]) if counts is None else counts
        people = self.people(values, weights)
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        squares = 0.0
        step = max(1, AT_ONCE // people.shape[1])
        for start in range(0, values.nnz, step):
            some = slice(start, start + step)
            fitted = np.einsum("ef,ef->e", people[rows[some]], self.items[values.indices[some]])
            left = values.data[some] - fitted
            squares += float(np.sum(weights[some] * counted[rows[some]] * left**2))
        total = float(np.sum(weights * counted[rows]))
        spread = people.T @ (counted[:, None] * people) / counted.sum()
        self.items = self.items @ square_root(spread)
        self._penalty = max(squares / max(total, 1.0) / trust, _LEAST_NOISE)

    def people(self, values: sparse.csr_array, weights: Floats) -> Floats:
        """The vectors u of some lists."""
        once = np.ones(len(self.items))
        return self._solved(values, weights, self.items, once, np.ones(values.nnz))

    def _solved(
        self,
        values: sparse.csr_array,
        weights: Floats,
        factors: Floats,
        counts: Floats,
        entry_counts: Floats,
    ) -> Floats:
        """Least squares for each row; ``counts`` says how often each factor counts."""
        n_rows, rank = values.shape[0], factors.shape[1]
        everything = self._unlisted * (factors.T @ (counts[:, None] * factors))
        everything += self._penalty * np.eye(rank)
        found = np.empty((n_rows, rank))
        for start in range(0, n_rows, ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, n_rows)
            starts = values.indptr[start : stop + 1].astype(np.int64)
            entries = slice(starts[0], starts[-1])
            matrices = np.tile(everything, (stop - start, 1, 1))
            rights = np.zeros((stop - start, rank))
            add_normal_equations(
                starts - starts[0],
                values.indices[entries].astype(np.int64),
                entry_counts[entries] * weights[entries] * values.data[entries],
                entry_counts[entries] * (weights[entries] - self._unlisted),
                factors,
                matrices,
                rights,
            )
            found[start:stop] = np.linalg.solve(matrices, rights[:, :, None])[:, :, 0]
        return found


def square_root(matrix: Floats) -> Floats:
    """The lower triangular root of a matrix without negative eigenvalues.

    >>> square_root(np.array([[4.0, 2.0], [2.0, 2.0]])).round(6)
    array([[2., 0.],
           [1., 1.]])
    """
    # Rounding needs a multiple of the identity.
    tiny = 1e-12 * max(float(np.trace(matrix)), 1e-300)
    return np.asarray(np.linalg.cholesky(matrix + tiny * np.eye(len(matrix))))
