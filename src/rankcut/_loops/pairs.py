"""The pairs of rankings that a loop compares: all, half of a list with itself, or twins."""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats

# Which pairs: each row with each; a list of rows with itself; row i with row i.
ALL, UPPER, TWINS = 0, 1, 2


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
