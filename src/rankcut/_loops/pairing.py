"""Which pairs of rankings a loop compares: all of two lists, half of one with itself, or twins."""

from rankcut._loops.compiling import compiled

ALL = 0
UPPER = 1
TWINS = 2


@compiled
def columns_of(row: int, n_columns: int, pairs: int) -> tuple[int, int]:
    """The columns to compare with a row. TWINS: itself alone, written to column 0."""
    if pairs == TWINS:
        return row, row + 1
    return (row if pairs == UPPER else 0), n_columns
