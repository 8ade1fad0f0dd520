"""Which pairs of rankings a loop compares: all of two lists, half of one with itself, or twins."""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Longs

ALL = 0
UPPER = 1
TWINS = 2


@compiled
def columns_of(row: int, n_columns: int, pairs: int) -> tuple[int, int]:
    """The columns to compare with a row: all, or those from itself on, or itself alone."""
    if pairs == TWINS:
        return row, row + 1
    return (row if pairs == UPPER else 0), n_columns


@compiled
def mirror(pairs: int, out: Floats) -> None:
    """Complete a matrix of which the upper half is there."""
    if pairs == UPPER:
        for r in range(out.shape[0]):
            for c in range(r):
                out[r, c] = out[c, r]


@compiled
def keep_best(values: Floats, numbers: Longs, best: Floats, best_numbers: Longs) -> None:
    """Let the values of each row into the best of that row, which fall from left to right.

    Among equal values those that came first stay in front.
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
