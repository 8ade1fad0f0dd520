"""The leading directions of a matrix: a truncated singular value decomposition.

It is the randomised one of Halko, Martinsson and Tropp (SIAM Review 2011): the matrix is tried on
random vectors, a few more than directions are wanted, and multiplied with them a few times.
scikit-learn's ``randomized_svd`` does the same, and takes longer to import than most answers.
"""

from typing import Any

import numpy as np
from scipy.linalg import qr, svd

from rankcut._loops.types import Floats
from rankcut.parameters import EQUAL_WITHIN


def leading_directions(matrix: Any, n_directions: int, seed: int) -> tuple[Floats, Floats]:
    """S and Vᵀ of the largest singular values; the largest entry of each direction is positive.

    >>> matrix = np.outer([1.0, 2.0, 2.0], [-0.6, 0.8])
    >>> sizes, directions = leading_directions(matrix, 1, seed=0)
    >>> sizes.round(9).tolist(), directions.round(9).tolist()
    ([3.0], [[-0.6, 0.8]])
    """
    # The matrix is multiplied more often if few directions are wanted, which costs little.
    n_rounds = 7 if n_directions < 0.1 * min(matrix.shape) else 4
    wide = matrix.shape[0] < matrix.shape[1]
    tall = matrix.T if wide else matrix
    random = np.random.RandomState(seed)
    # Random vectors beyond those that are wanted: 5 or 10 by the paper.
    basis = random.normal(size=(tall.shape[1], n_directions + 10))
    for _ in range(n_rounds):
        basis, _ = qr(tall @ basis, mode="economic")
        basis, _ = qr(tall.T @ basis, mode="economic")
    basis, _ = qr(tall @ basis, mode="economic")
    rotation, sizes, directions = svd(basis.T @ tall, full_matrices=False)
    if wide:
        directions = (basis @ rotation).T
    directions = directions[:n_directions]
    lengths = np.abs(directions)
    # The first of equally large ones, whatever rounding says.
    largest = (lengths >= (1 - EQUAL_WITHIN) * lengths.max(axis=1, keepdims=True)).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return sizes[:n_directions], directions * signs[:, None]
