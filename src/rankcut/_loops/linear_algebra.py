"""Products and inverses of small matrices, without calls into NumPy.

The bits of a row of a product do not depend on the other rows.
"""

import numpy as np

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


@compiled
def invert(matrix: Floats, size: int) -> float:
    """Invert the first rows and columns of a positive definite matrix; its log determinant.

    Gauss–Jordan elimination in place, whose sums run along rows, for vector instructions.
    """
    log_det = 0.0
    # From this size on, LAPACK is faster than plain loops.
    if size >= 40:
        copy = matrix[:size, :size].copy()
        factor = np.linalg.cholesky(copy)
        for a in range(size):
            log_det += 2.0 * np.log(factor[a, a])
        matrix[:size, :size] = np.linalg.inv(copy)
        return log_det
    for a in range(size):
        row = matrix[a, :size]
        log_det += np.log(row[a])
        scale = 1.0 / row[a]
        row[a] = 1.0
        for d in range(size):
            row[d] *= scale
        for b in range(size):
            if b != a:
                into = matrix[b, :size]
                weight = into[a]
                into[a] = 0.0
                for d in range(size):
                    into[d] -= weight * row[d]
    return log_det
