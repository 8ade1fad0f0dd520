"""Loops over sparse lists: what two of them share, and searches by inverted lists.

The inverted list of a column has the rows with an entry there.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.pairs import TWINS, columns_of, mirror
from rankcut._loops.types import Floats, Longs


class SparseEntries(NamedTuple):
    """Rows of a sparse matrix: those of row r are at ``starts[r]:starts[r + 1]``."""

    starts: Longs
    columns: Longs
    values: Floats

    @classmethod
    def of(cls, matrix: Any) -> Self:
        """The entries of a CSR array."""
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)


@compiled
def overlap_values(
    left: SparseEntries, right: SparseEntries, n_items: int, pairs: int, out: Floats
) -> None:
    """Σ_i min(w_i, w'_i) over the items that two lists share, for each pair of lists.

    The items of a list are in ascending order, so that a pair has the same sum both ways round.
    """
    shared = np.zeros(n_items)
    for r in range(len(left.starts) - 1):
        for entry in range(left.starts[r], left.starts[r + 1]):
            shared[left.columns[entry]] = left.values[entry]
        first, last = columns_of(r, len(right.starts) - 1, pairs)
        for c in range(first, last):
            total = 0.0
            for entry in range(right.starts[c], right.starts[c + 1]):
                total += min(shared[right.columns[entry]], right.values[entry])
            out[r, c - first if pairs == TWINS else c] = total
        for entry in range(left.starts[r], left.starts[r + 1]):
            shared[left.columns[entry]] = 0.0
    mirror(pairs, out)


@compiled
def shared_signs(
    left: SparseEntries, right: SparseEntries, n_items: int, pairs: int, out: Floats
) -> None:
    """The mean of Σ_{i<j} e_ij·e'_ij over all pairs of items, with e the expected signs of a list.

    Values are the leans a: the expected sign of an item against an unlisted one, 0 if it is
    unlisted itself. With d_ij = s_ij − (a_i − a_j), where s_ij is the sign of two listed items,
    e_ij = a_i − a_j + d_ij, and Σ_j a_j = 0, Σ_j d_ij = a_i. So the sum is
    (n + 2)·Σ_i a_i·a'_i + Σ_{i<j} d_ij·d'_ij, over the items that both list.
    """
    leans = np.zeros(n_items)
    listed = np.zeros(n_items, dtype=np.bool_)
    one, other = np.empty(n_items), np.empty(n_items)
    for r in range(len(left.starts) - 1):
        for entry in range(left.starts[r], left.starts[r + 1]):
            leans[left.columns[entry]] = left.values[entry]
            listed[left.columns[entry]] = True
        first, last = columns_of(r, len(right.starts) - 1, pairs)
        for c in range(first, last):
            n_shared = 0
            total = 0.0
            for entry in range(right.starts[c], right.starts[c + 1]):
                item = right.columns[entry]
                if listed[item]:
                    one[n_shared], other[n_shared] = leans[item], right.values[entry]
                    total += one[n_shared] * other[n_shared]
                    n_shared += 1
            total *= n_items + 2
            for i in range(n_shared):
                for j in range(i):
                    x, y = one[i] - one[j], other[i] - other[j]
                    # Better items lean more, tied ones alike.
                    total += (np.sign(x) - x) * (np.sign(y) - y)
            total /= max(n_items * (n_items - 1) // 2, 1)
            out[r, c - first if pairs == TWINS else c] = total
        for entry in range(left.starts[r], left.starts[r + 1]):
            listed[left.columns[entry]] = False
    mirror(pairs, out)


@compiled
def insert_best(value: float, number: int, best: Floats, best_numbers: Longs) -> None:
    """Insert a value among the best, largest first; of equal values, the lower number first."""
    place = len(best) - 1
    if value < best[place] or (value == best[place] and number > best_numbers[place]):
        return
    while place > 0 and (
        value > best[place - 1] or (value == best[place - 1] and number < best_numbers[place - 1])
    ):
        best[place] = best[place - 1]
        best_numbers[place] = best_numbers[place - 1]
        place -= 1
    best[place] = value
    best_numbers[place] = number


@compiled
def keep_best(values: Floats, numbers: Longs, best: Floats, best_numbers: Longs) -> None:
    """Insert the values of each row among the best of that row."""
    for r in range(values.shape[0]):
        for c in range(values.shape[1]):
            if values[r, c] >= best[r, -1]:
                insert_best(values[r, c], numbers[r, c], best[r], best_numbers[r])


@compiled
def search_lists(
    queries: SparseEntries,
    query_dense: Floats,
    itself: Longs,
    lists: SparseEntries,
    dense: Floats,
    lengths: Floats,
    by_length: Longs,
    best: Floats,
    best_rows: Longs,
) -> None:
    """The rows of largest inner product with each query, the sparse part plus the dense one.

    The row ``own`` of a query is left out. Rows in none of the lists of a query's columns are tried
    from the longest dense part on, until no later one can be among the best.
    """
    n_rows, width = dense.shape
    products = np.zeros(n_rows)
    reached_by = np.full(n_rows, -1, dtype=np.int64)
    reached = np.empty(n_rows, dtype=np.int64)
    for query in range(len(itself)):
        values, found_rows = best[query], best_rows[query]
        n_reached = 0
        for entry in range(queries.starts[query], queries.starts[query + 1]):
            column = queries.columns[entry]
            for place in range(lists.starts[column], lists.starts[column + 1]):
                row = lists.columns[place]
                if reached_by[row] != query:
                    reached_by[row] = query
                    reached[n_reached] = row
                    n_reached += 1
                    products[row] = 0.0
                products[row] += queries.values[entry] * lists.values[place]
        for place in range(n_reached):
            row = reached[place]
            if row != itself[query]:
                value = products[row]
                for d in range(width):
                    value += query_dense[query, d] * dense[row, d]
                if value >= values[-1]:
                    insert_best(value, row, values, found_rows)
        square = 0.0
        for d in range(width):
            square += query_dense[query, d] * query_dense[query, d]
        length = np.sqrt(square)
        for row in by_length:
            if length * lengths[row] < values[-1]:
                break
            if reached_by[row] != query and row != itself[query]:
                value = 0.0
                for d in range(width):
                    value += query_dense[query, d] * dense[row, d]
                insert_best(value, row, values, found_rows)
