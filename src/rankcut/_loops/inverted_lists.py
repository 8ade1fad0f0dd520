"""Loops of searches by inverted lists: the list of a column has the rows with an entry there."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs


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
def reach_rows(
    query: int,
    columns: Longs,
    entries: Floats,
    list_starts: Longs,
    list_rows: Longs,
    list_entries: Floats,
    products: Floats,
    reached_by: Longs,
    reached: Longs,
) -> int:
    """Inner products of a query with the rows in the lists of its columns; how many there are."""
    n_reached = 0
    for entry in range(len(columns)):
        column = columns[entry]
        for place in range(list_starts[column], list_starts[column + 1]):
            row = list_rows[place]
            if reached_by[row] != query:
                reached_by[row] = query
                reached[n_reached] = row
                n_reached += 1
                products[row] = 0.0
            products[row] += entries[entry] * list_entries[place]
    return n_reached


@compiled
def search_lists(
    query_starts: Longs,
    query_columns: Longs,
    query_entries: Floats,
    query_dense: Floats,
    own: Longs,
    list_starts: Longs,
    list_rows: Longs,
    list_entries: Floats,
    dense: Floats,
    lengths: Floats,
    by_length: Longs,
    slack: float,
    best: Floats,
    best_rows: Longs,
) -> None:
    """The rows of largest inner product with each query, the sparse part plus the dense one.

    Rows in none of the lists of a query's columns are tried from the longest dense part on, until
    no later one can be among the best.
    """
    n_rows, width = dense.shape
    products = np.zeros(n_rows)
    reached_by = np.full(n_rows, -1, dtype=np.int64)
    reached = np.empty(n_rows, dtype=np.int64)
    for query in range(len(query_starts) - 1):
        found, found_rows = best[query], best_rows[query]
        n_reached = reach_rows(
            query,
            query_columns[query_starts[query] : query_starts[query + 1]],
            query_entries[query_starts[query] : query_starts[query + 1]],
            list_starts,
            list_rows,
            list_entries,
            products,
            reached_by,
            reached,
        )
        square = 0.0
        for d in range(width):
            square += query_dense[query, d] * query_dense[query, d]
        length = np.sqrt(square)
        for place in range(n_reached):
            row = reached[place]
            if row != own[query]:
                value = products[row]
                for d in range(width):
                    value += query_dense[query, d] * dense[row, d]
                if value >= found[-1]:
                    insert_best(value, row, found, found_rows)
        for place in range(n_rows):
            row = by_length[place]
            if length * lengths[row] * slack < found[-1]:
                break
            if reached_by[row] != query and row != own[query]:
                value = 0.0
                for d in range(width):
                    value += query_dense[query, d] * dense[row, d]
                insert_best(value, row, found, found_rows)


@compiled
def search_own_lists(
    start: int,
    stop: int,
    starts: Longs,
    columns: Longs,
    entries: Floats,
    list_starts: Longs,
    list_rows: Longs,
    list_entries: Floats,
    scale: Floats,
    best: Floats,
    best_rows: Longs,
) -> None:
    """The other rows of largest product s_i·⟨x_i, x_j⟩·s_j with each of some rows x_i.

    ``best`` begins with the values that those found must exceed, and ``best_rows`` with −1.
    """
    n_rows = len(starts) - 1
    products = np.zeros(n_rows)
    reached_by = np.full(n_rows, -1, dtype=np.int64)
    reached = np.empty(n_rows, dtype=np.int64)
    for query in range(start, stop):
        own = slice(starts[query], starts[query + 1])
        found, found_rows = best[query], best_rows[query]
        n_reached = reach_rows(
            query,
            columns[own],
            entries[own],
            list_starts,
            list_rows,
            list_entries,
            products,
            reached_by,
            reached,
        )
        for place in range(n_reached):
            row = reached[place]
            if row != query:
                value = products[row] * scale[query] * scale[row]
                if value >= found[-1]:
                    insert_best(value, row, found, found_rows)
