"""Vectors times a matrix, where the bits of a result do not depend on the other vectors."""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats


@compiled
def multiply_rows(rows: Floats, matrix: Floats, out: Floats) -> None:
    """``out = rows @ matrix``, with each row summed in the same order for any number of rows.

    It takes four rows of the matrix at a time, so that running sums are loaded and stored once
    per four rows, and all vectors of the block share the loaded part of the matrix.
    """
    n, width = matrix.shape
    out[:] = 0.0
    i = 0
    while i + 4 <= n:
        row_a, row_b, row_c, row_d = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        for r in range(rows.shape[0]):
            a, b, c, d = rows[r, i], rows[r, i + 1], rows[r, i + 2], rows[r, i + 3]
            total = out[r]
            for j in range(width):
                total[j] += (a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])
        i += 4
    while i < n:
        row_a = matrix[i]
        for r in range(rows.shape[0]):
            a = rows[r, i]
            total = out[r]
            for j in range(width):
                total[j] += a * row_a[j]
        i += 1
