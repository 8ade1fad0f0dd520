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

# Random vectors beyond those that are wanted: 5 or 10 by the paper.
_MORE = 10

# So often the matrix is multiplied; more often if few directions are wanted, which costs little.
_TIMES, _TIMES_OF_FEW, _FEW = 4, 7, 0.1


def leading_directions(matrix: Any, n_directions: int, seed: int) -> tuple[Floats, Floats]:
    """S and Vᵀ of the largest singular values; the largest entry of each direction is positive.

    >>> matrix = np.outer([1.0, 2.0, 2.0], [-0.6, 0.8])
    >>> sizes, directions = leading_directions(matrix, 1, seed=0)
    >>> sizes.round(9).tolist(), directions.round(9).tolist()
    ([3.0], [[-0.6, 0.8]])
    """
    few = n_directions < _FEW * min(matrix.shape)
    wide = matrix.shape[0] < matrix.shape[1]
    tall = matrix.T if wide else matrix
    random = np.random.RandomState(seed)
    basis = random.normal(size=(tall.shape[1], n_directions + _MORE))
    for _ in range(_TIMES_OF_FEW if few else _TIMES):
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
