"""Vectors over the items times the weights of a graph, however they are kept."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.products import multiply_rows
from rankcut.graphs.structured import StructuredWeights


def times_weights(rows: NDArray[np.float64], weights: Any) -> NDArray[np.float64]:
    """``rows @ weights``, with the same bits for a row whichever rows come with it.

    >>> times_weights(np.array([[1.0, 2.0, 4.0]]), None)
    array([[6., 5., 3.]])
    """
    if weights is None:
        return np.asarray(rows.sum(axis=1, keepdims=True) - rows)
    if sparse.issparse(weights):
        # Weights are symmetric.
        return np.asarray((weights @ rows.T).T)
    if not isinstance(weights, StructuredWeights):
        return _product(rows, weights)
    products = np.asarray((weights.sparse @ rows.T).T)
    products += weights.constant * (rows.sum(axis=1, keepdims=True) - rows)
    if weights.rank:
        signed = weights.factors * weights.signs
        products += _product(_product(rows, weights.factors), np.ascontiguousarray(signed.T))
        products -= rows * (signed * weights.factors).sum(axis=1)
    return products


def _product(rows: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.empty((len(rows), matrix.shape[1]))
    multiply_rows(np.ascontiguousarray(rows), np.ascontiguousarray(matrix), out)
    return out
