"""The pairs of rankings that a loop compares: all, half of a list with itself, or twins."""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs

# Which pairs: each row with each; a list of rows with itself; row i with row i.
ALL = 0
UPPER = 1
TWINS = 2


@compiled
def columns_of(row: int, n_columns: int, pairs: int) -> tuple[int, int]:
    """The columns to compare with a row: all, those from itself on, or only itself."""
    if pairs == TWINS:
        return row, row + 1
    return (row if pairs == UPPER else 0), n_columns


@compiled
def mirror(pairs: int, out: Floats) -> None:
    """Copy the upper half of a matrix to the lower half."""
    if pairs == UPPER:
        for r in range(out.shape[0]):
            for c in range(r):
                out[r, c] = out[c, r]


@compiled
def keep_best(values: Floats, numbers: Longs, best: Floats, best_numbers: Longs) -> None:
    """Merge the values of each row into the best of that row, in decreasing order.

    Among equal values, earlier ones stay in front.
    """
    k = best.shape[1]
    for r in range(values.shape[0]):
        for c in range(values.shape[1]):
            value = values[r, c]
            if not value > best[r, k - 1]:
                continue
            place = k - 1
            while place > 0 and value > best[r, place - 1]:
                best[r, place] = best[r, place - 1]
                best_numbers[r, place] = best_numbers[r, place - 1]
                place -= 1
            best[r, place] = value
            best_numbers[r, place] = numbers[r, c]
