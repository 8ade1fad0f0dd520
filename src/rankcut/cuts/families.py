"""Families of set functions: coverage, entropy, and others.

The log-determinants of all prefixes of an order, which entropy needs, come from one Cholesky
factorisation of the covariance with its rows and columns in that order: the factor of a prefix is
the head of the factor of the whole.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.increments import (
    coverage_increments,
    log_determinant_increments,
    modular_increments,
)
from rankcut._loops.partitions import increments_by_size
from rankcut._loops.types import Floats
from rankcut.cuts.set_function import SetFunction, as_lists, finite_array, nonnegative_array
from rankcut.errors import InputError
from rankcut.parameters import EQUAL_WITHIN, within_floats
from rankcut.rankings.partitions import Partitions


class Coverage(SetFunction):
    """F(A) = Σ w_u over the elements u that some item of A covers.

    Features say what an item adds to the better ones: new topics, new customers.

    Parameters
    ----------
    covers : list of collections
        For each item, the elements that it covers: labels of any kind.
    weights : mapping from elements to numbers, or None
        Weight of each element, not negative; None is 1 for each.

    Examples
    --------
    >>> topics = Coverage([{"fish", "raw"}, {"fish"}, {"rice"}])
    >>> topics({0}), topics({0, 1}), topics({0, 1, 2})
    (2.0, 2.0, 3.0)
    >>> topics.gains([[1, 0, 2]])
    array([[1., 1., 1.]])
    """

    submodular = True

    def __init__(
        self, covers: Sequence[Iterable[Hashable]], weights: Mapping[Hashable, float] | None = None
    ) -> None:
        self.n_items = len(covers)
        number: dict[Hashable, int] = {}
        lists = [
            sorted({number.setdefault(element, len(number)) for element in covered})
            for covered in covers
        ]
        if weights is not None:
            missing = [element for element in number if element not in weights]
            if missing:
                raise InputError(
                    f"element {missing[0]!r} is covered but has no weight; give it one"
                )
        self.weights = nonnegative_array(
            [1.0 if weights is None else weights[element] for element in number],
            1,
            "the weights of elements",
        )
        self._starts, self._elements = as_lists(lists)
        self._total = float(self.weights.sum())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One walk over the elements of each item placed."""
        coverage_increments(
            partitions.chains, self._starts, self._elements, self.weights, self._total, out
        )


class ConcaveOfCardinality(SetFunction):
    """F(A) = g(|A|) for a concave g with g(0) = 0.

    Features depend only on places: the item at place k of a full ranking gets g(k) − g(k − 1).

    Parameters
    ----------
    g : callable or array of n_items + 1 numbers
        g(0), g(1), …, g(n), or a function that is called with each of them.
    n_items : int or None
        Number of items; needed if g is a function.

    Examples
    --------
    >>> ConcaveOfCardinality(lambda k: k * (3 - k), 3).gains([[2, 0, 1]])
    array([[ 0., -2.,  2.]])
    """

    submodular = True

    def __init__(self, g: Callable[[int], float] | ArrayLike, n_items: int | None = None) -> None:
        if callable(g):
            if n_items is None:
                raise InputError("a function g does not say how many items there are; pass n_items")
            g = [g(k) for k in range(n_items + 1)]
        values = finite_array(g, 1, "the values g(0), …, g(n)")
        if n_items is not None and len(values) != n_items + 1:
            raise InputError(f"g has {len(values)} values; {n_items} items need {n_items + 1}")
        if len(values) < 2:
            raise InputError("g needs at least two values: for 0 items and for 1")
        if values[0] != 0:
            raise InputError(f"g(0) is {values[0]:g}, but F(∅) must be 0; subtract it from g")
        bends = np.diff(values, 2)
        if bends.size and bends.max() > EQUAL_WITHIN * np.abs(values).max():
            k = int(np.argmax(bends)) + 1
            raise InputError(
                f"g is not concave: it rises by {values[k] - values[k - 1]:g} to g({k}) and by "
                f"{values[k + 1] - values[k]:g} after it"
            )
        self.values = values
        self.n_items = len(values) - 1
        self.symmetric = bool((values == values[::-1]).all())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """From group sizes only."""
        increments_by_size(partitions.chains, self.values, out)


class Modular(SetFunction):
    """F(A) = Σ_{i∈A} m_i.

    Its base polytope is the single point m. As a part of a sum it moves the base polytope of the
    other part by m.

    Parameters
    ----------
    weights : array of n_items numbers
        m, of any sign.

    Examples
    --------
    >>> Modular([1, -2, 4]).gains([[2, 0, 1]])
    array([[ 1., -2.,  4.]])
    """

    submodular = True

    def __init__(self, weights: ArrayLike) -> None:
        self.weights = finite_array(weights, 1, "the weights of the items")
        self.n_items = len(self.weights)
        self.symmetric = not np.any(self.weights)

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One weight for each item."""
        modular_increments(partitions.chains, self.weights, out)


class FromCallable(SetFunction):
    """F(A) = whatever your function returns for the frozenset A.

    It is called once for each group of each ranking. :func:`~rankcut.cuts.check_submodular`
    finds out whether it is submodular.

    Parameters
    ----------
    function : callable
        Takes a frozenset of items 0, …, n − 1 and returns a finite number; 0 for no items.
    n_items : int
        Number of items.
    symmetric : bool
        Whether you know that F(A) = F(V∖A).

    Examples
    --------
    >>> at_most_two = FromCallable(lambda items: min(len(items), 2), 4)
    >>> at_most_two.gains([[3, 1, 0, 2]])
    array([[0., 1., 0., 1.]])
    """

    def __init__(
        self, function: Callable[[frozenset[int]], float], n_items: int, *, symmetric: bool = False
    ) -> None:
        self.function = function
        self.n_items = n_items
        self.symmetric = symmetric
        nothing = self._value([])
        if nothing != 0:
            raise InputError(
                f"F(∅) is {nothing:g}, and it must be 0; subtract it from the values of F"
            )

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One call for each group."""
        for row in range(len(partitions)):
            order = partitions.order[row].tolist()
            before = 0.0
            for t, end in enumerate(partitions.ends[row, : partitions.n_groups[row]].tolist()):
                value = self._value(order[:end])
                out[row, t] = value - before
                before = value

    def _value(self, items: list[int]) -> float:
        with within_floats(f"the values of F, at {sorted(items)},"):
            value = float(self.function(frozenset(items)))
        if not np.isfinite(value):
            raise InputError(f"F({sorted(items)}) is {value}; a set function has finite values")
        return value


class Entropy(SetFunction):
    """F(A) = H(A) = −Σ p log p: entropy of the columns A of a table of discrete data, in nats.

    An item gets a large value if the better ones hardly determine its column.

    Parameters
    ----------
    table : array of shape (n_observations, n_items)
        Values of any kind; equal ones are the same outcome.

    Examples
    --------
    >>> coins = Entropy([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> coins.gains([[0, 1, 2]]).round(3)
    array([[0.693, 0.   , 0.693]])
    """

    submodular = True

    def __init__(self, table: ArrayLike) -> None:
        columns = np.asarray(table)
        if columns.ndim != 2 or 0 in columns.shape:
            raise InputError(
                f"a table has a row for each observation and a column for each item; got shape "
                f"{columns.shape}"
            )
        self.n_items = columns.shape[1]
        self._codes = [np.unique(column, return_inverse=True)[1] for column in columns.T]

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One pass over the table for each item placed."""
        for row in range(len(partitions)):
            start, before = 0, 0.0
            outcome = np.zeros(len(self._codes[0]), dtype=np.int64)
            for t in range(partitions.n_groups[row]):
                end = partitions.ends[row, t]
                for item in partitions.order[row, start:end].tolist():
                    # Numbered again, so that numbers stay below that of the observations.
                    both = outcome * len(outcome) + self._codes[item]
                    outcome = np.unique(both, return_inverse=True)[1]
                shares = np.bincount(outcome) / len(outcome)
                value = float(-(shares * np.log(shares)).sum())
                out[row, t] = value - before
                start, before = end, value


class GaussianEntropy(SetFunction):
    """F(A) = H(A) = ½ log det(2πe·Σ_AA): differential entropy, in nats.

    An item gets a large value if the better ones hardly predict it. Differential entropy is
    submodular, and it may fall: F({i}) < 0 if the variance of i is below 1/(2πe).

    Parameters
    ----------
    covariance : array of shape (n_items, n_items)
        Σ, symmetric and positive definite.

    Examples
    --------
    >>> alike = GaussianEntropy([[1.0, 0.9], [0.9, 1.0]])
    >>> alike.gains([[0, 1]]).round(2)
    array([[1.42, 0.59]])
    """

    submodular = True

    def __init__(self, covariance: ArrayLike) -> None:
        self.covariance = _check_covariance(covariance)
        self.n_items = len(self.covariance)
        self._scaled = 2 * np.pi * np.e * self.covariance
        self._total = float(np.log(np.diag(_factor(self._scaled))).sum())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One Cholesky factorisation for each chain."""
        log_determinant_increments(partitions.chains, self._scaled, self._total, out)


def _check_covariance(covariance: ArrayLike) -> Floats:
    matrix = finite_array(covariance, 2, "the covariance")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"a covariance is a square matrix; got shape {matrix.shape}")
    gap = np.abs(matrix - matrix.T)
    if gap.size and gap.max() > EQUAL_WITHIN * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), gap.shape))
        raise InputError(
            f"the covariance is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g} and entry "
            f"({j}, {i}) is {matrix[j, i]:g}"
        )
    return (matrix + matrix.T) / 2


def _factor(matrix: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError(
            "the covariance is not positive definite: some items are determined by others. Add "
            "a small variance to its diagonal, such as 1e-6 times the largest"
        ) from None
