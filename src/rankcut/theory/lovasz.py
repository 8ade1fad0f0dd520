"""The Lovász extension of a set function from the corners of the cube to all vectors.

With the items j_1, …, j_n in decreasing order of w,

    f(w) = Σ_k (w_{j_k} − w_{j_{k+1}})·F({j_1, …, j_k}) + w_{j_n}·F(V)

for k = 1, …, n − 1. It agrees with F on indicator vectors. It is convex if and only if F is
submodular; then it is the support function of the base polytope.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats
from rankcut.cuts import SetFunction
from rankcut.errors import InputError
from rankcut.parameters import within_floats


def lovasz_extension(function: SetFunction, w: ArrayLike) -> Any:
    """f(w), for one vector or for each row of a matrix.

    It is ⟨w, s⟩, where s is the subgradient; for cuts, Σ_{i<j} W_ij·|w_i − w_j|.

    Parameters
    ----------
    function : SetFunction
        F.
    w : array of shape (n_items,) or (n_vectors, n_items)
        One number for each item.

    Returns
    -------
    float or ndarray of shape (n_vectors,)

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> path = GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    >>> lovasz_extension(path, [0.5, 0.0, 1.0])
    2.5
    >>> lovasz_extension(path, [[1, 0, 0], [1, 1, 0]])
    array([1., 2.])
    """
    rows = _vectors(function, w)
    values = (rows * _greedy(function, rows)).sum(axis=1)
    return values if np.ndim(w) == 2 else float(values[0])


def lovasz_subgradient(function: SetFunction, w: ArrayLike) -> Floats:
    """A vector s with f(w) = ⟨w, s⟩ and, if F is submodular, f(u) ≥ ⟨u, s⟩ for all u.

    s_i is what item i adds to F when items are added in decreasing order of w. It is the vertex of
    the base polytope farthest in the direction w. If w has ties there are several; this is one.

    Parameters
    ----------
    function : SetFunction
        F.
    w : array of shape (n_items,) or (n_vectors, n_items)
        One number for each item.

    Returns
    -------
    ndarray of the shape of w

    Examples
    --------
    >>> from rankcut.cuts import GraphCut
    >>> lovasz_subgradient(GraphCut([[0, 1, 0], [1, 0, 2], [0, 2, 0]]), [0.5, 0.0, 1.0])
    array([ 1., -3.,  2.])
    """
    found = _greedy(function, _vectors(function, w))
    return found if np.ndim(w) == 2 else found[0]


def _vectors(function: SetFunction, w: ArrayLike) -> Floats:
    with within_floats("w"):
        rows = np.atleast_2d(np.asarray(w, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != function.n_items or not np.isfinite(rows).all():
        raise InputError(
            f"w must have one finite number for each of the {function.n_items} items, or be a "
            f"matrix of such rows; got shape {np.shape(w)}"
        )
    return rows


def _greedy(function: SetFunction, rows: Floats) -> Floats:
    return function.gains(np.argsort(-rows, axis=1, kind="stable"))
