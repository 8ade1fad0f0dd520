"""Which pairs of rankings a loop compares: all of two lists, half of one with itself, or twins."""

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats

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
