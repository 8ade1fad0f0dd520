"""Products, normal equations and inverses of small matrices, without calls into NumPy.

The bits of a row of a product do not depend on the other rows.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints

# From this size on, LAPACK is faster than plain loops.
_LARGE = 40


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
def add_normal_equations(
    starts: Ints,
    columns: Ints,
    targets: Floats,
    weights: Floats,
    factors: Floats,
    matrices: Floats,
    rights: Floats,
) -> None:
    """Add Σ w·v vᵀ to the matrix and Σ x·v to the right side of each row, v a row of factors."""
    rank = factors.shape[1]
    for r in range(rights.shape[0]):
        for entry in range(starts[r], starts[r + 1]):
            factor = factors[columns[entry]]
            weight, target = weights[entry], targets[entry]
            for a in range(rank):
                rights[r, a] += target * factor[a]
                scaled = weight * factor[a]
                for b in range(rank):
                    matrices[r, a, b] += scaled * factor[b]


@compiled
def invert(matrix: Floats, size: int, out: Floats) -> float:
    """Write the inverse of a positive definite matrix to ``out``; return its log determinant.

    ``matrix`` is overwritten.
    """
    log_det = 0.0
    if size >= _LARGE:
        whole = matrix[:size, :size].copy()
        factor = np.linalg.cholesky(whole)
        for a in range(size):
            log_det += 2.0 * np.log(factor[a, a])
        found = np.linalg.inv(whole)
        for a in range(size):
            for b in range(a + 1):
                value = 0.5 * (found[a, b] + found[b, a])
                out[a, b] = value
                out[b, a] = value
        return log_det
    # Sums run along rows, for vector instructions, and never into a single entry. First
    # matrix = UᵀU, U in the upper half.
    for a in range(size):
        row = matrix[a]
        log_det += np.log(row[a])
        scale = 1.0 / np.sqrt(row[a])
        for d in range(a, size):
            row[d] *= scale
        for b in range(a + 1, size):
            into = matrix[b]
            weight = row[b]
            for d in range(b, size):
                into[d] -= weight * row[d]
    # Row a of `out` is that of U⁻¹, from the last one up.
    for back in range(size):
        a = size - 1 - back
        row = out[a]
        for d in range(size):
            row[d] = 0.0
        row[a] = 1.0
        for b in range(a + 1, size):
            weight = matrix[a, b]
            other = out[b]
            for d in range(b, size):
                row[d] -= weight * other[d]
        scale = 1.0 / matrix[a, a]
        for d in range(a, size):
            row[d] *= scale
    # The inverse is the sum of the outer products of the columns of U⁻¹.
    for a in range(size):
        for b in range(size):
            matrix[b, a] = out[a, b]
    for a in range(size):
        for b in range(size):
            out[a, b] = 0.0
    for d in range(size):
        column = matrix[d]
        for a in range(d + 1):
            into = out[a]
            weight = column[a]
            for b in range(d + 1):
                into[b] += weight * column[b]
    return log_det
