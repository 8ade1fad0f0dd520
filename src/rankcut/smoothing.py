"""Smoothing over the item graph: φ ↦ φ·p(L), which gives like items like values.

L = I − D^{−½} W D^{−½} is the normalised Laplacian, whose eigenvalues lie from 0 to 2, and

    p(L) = (I − L/2)^⌊t⌋ · (I − (t − ⌊t⌋)·L/2)

takes t steps of the random walk that stays where it is half of the time; the last step is a
part of one if t is no whole number. p falls from 1 to 0 on the spectrum, and the more so the
larger t is; t = 0 changes nothing. An item without edges keeps its value.
"""

from math import floor
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize as unit_rows

from rankcut._loops.smoothing import multiply_rows
from rankcut._loops.types import Floats
from rankcut.graphs import ItemGraph
from rankcut.partitions import block_rows
from rankcut.threads import over_rows

# An entry of a product of sparse matrices costs as much as so many of one with a dense matrix.
_SPARSE_COST = 8

# Sparse vectors are filled so many entries at a time.
_FILLED = 1 << 20


class Smoother:
    """φ ↦ φ·p(L) on one graph.

    The complete graph is a closed form, a dense graph one product with p(L), and a sparse one
    a product with the graph for each step.

    Parameters
    ----------
    graph : ItemGraph
        The item graph; like items are joined strongly.
    steps : float
        t.

    Examples
    --------
    >>> pair = ItemGraph([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 3)
    >>> rows = np.array([[1.0, 0.0, 2.0]])
    >>> Smoother(pair, 0.5).smooth(rows)
    >>> rows
    array([[0.75, 0.25, 2.  ]])
    """

    def __init__(self, graph: ItemGraph, steps: float) -> None:
        if not (_is_number(steps) and 0 <= steps < np.inf):
            raise ValueError(f"smoothing takes 0 or more steps, whole or not, and not {steps!r}")
        n = graph.n_items
        self._n_items = n
        whole = floor(steps)
        # Half of each step stays where it is.
        self._moves = [0.5] * whole + ([0.5 * (steps - whole)] if steps > whole else [])
        self._shrinking = 0.0
        self._walk: sparse.csr_array | None = None
        self._filter: Floats | None = None
        if graph.weights is None:
            # L is n/(n − 1) on all that is orthogonal to the constants, and 0 on them.
            gap = n / (n - 1) if n > 1 else 0.0
            self._shrinking = float(np.prod([1.0 - move * gap for move in self._moves]))
        elif sparse.issparse(graph.weights):
            self._walk = _walk(graph.weights, graph.degrees)
        else:
            walk = _walk(graph.to_dense(), graph.degrees)
            self._filter = np.eye(n)
            for move in self._moves:
                self._filter = (1.0 - move) * self._filter + move * (self._filter @ walk)

    def smooth(
        self, rows: NDArray[Any], *, normalize: bool = False, n_jobs: int | None = None
    ) -> None:
        """Smooth vectors in place, and scale them to unit length if asked.

        Parameters
        ----------
        rows : ndarray of float32 or float64, shape (n_vectors, n_items)
            One vector in each row.
        normalize : bool
            Scale each to unit length. A vector of zeros stays as it is.
        n_jobs : int or None
            Number of threads.
        """
        step = block_rows(self._n_items)

        def fill(start: int, stop: int) -> None:
            for first in range(start, stop, step):
                some = rows[first : min(first + step, stop)]
                smoothed = self._smoothed(np.ascontiguousarray(some, dtype=np.float64))
                some[:] = unit_rows(smoothed, copy=False) if normalize else smoothed

        if self._moves:
            over_rows(fill, len(rows), step, n_jobs)

    def _smoothed(self, rows: Floats) -> Floats:
        if self._walk is not None:
            columns = np.ascontiguousarray(rows.T)
            for move in self._moves:
                columns = (1.0 - move) * columns + move * (self._walk @ columns)
            return columns.T
        if self._filter is not None:
            smoothed = np.empty_like(rows)
            multiply_rows(rows, self._filter, smoothed)
            return smoothed
        means = rows.mean(axis=1, keepdims=True)
        return np.asarray(means + self._shrinking * (rows - means))

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse vectors stay sparse; on a graph that is not, one step reaches all."""
        return self._walk is not None

    def smooth_sparse(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Smoothed sparse vectors: each step reaches the neighbours of the items there are."""
        walk = sparse.csr_array(self._walk)
        smoothed = sparse.csr_array(rows, dtype=np.float64)
        for move in self._moves:
            smoothed = _sparse_step(smoothed, walk, move)
        return smoothed.astype(rows.dtype)

    def smooth_offset(self, rows: sparse.csr_array, *, normalize: bool) -> Any:
        """Smooth features φ = S − (sum of S)/n that are given as sparse rows S.

        The result is S·p(L) if it stays sparse, so that what is left out of it is
        −(sum of S)/n·1p(L), and φ·p(L) if not. Unit length is that of φ·p(L) in either case.
        """
        offsets = rows.sum(axis=1) / self._n_items
        if not self.keeps_sparse:
            filled = rows.toarray() - offsets[:, None].astype(rows.dtype)
            self.smooth(filled, normalize=normalize)
            return filled
        smoothed = self.smooth_sparse(rows)
        if normalize:
            ones = np.ones((1, self._n_items))
            self.smooth(ones)
            squares = (
                smoothed.multiply(smoothed).sum(axis=1)
                - 2.0 * offsets * (smoothed @ ones[0])
                + offsets**2 * (ones[0] @ ones[0])
            )
            lengths = np.sqrt(np.maximum(squares, 0.0))
            lengths[lengths == 0] = 1.0
            smoothed.data /= np.repeat(lengths, np.diff(smoothed.indptr)).astype(smoothed.dtype)
        return smoothed


def _sparse_step(rows: sparse.csr_array, walk: sparse.csr_array, move: float) -> sparse.csr_array:
    """One step of sparse vectors, those that reach most items by way of dense ones.

    Which way a vector goes depends on itself alone, and so do its bits.
    """
    reached = sparse.csr_array(
        (np.diff(walk.indptr)[rows.indices], rows.indices, rows.indptr), shape=rows.shape
    ).sum(axis=1)
    heavy = _SPARSE_COST * reached > walk.nnz
    light = rows[np.flatnonzero(~heavy)]
    parts = [sparse.csr_array((1.0 - move) * light + move * (light @ walk))]
    filled = np.flatnonzero(heavy)
    step = max(1, _FILLED // rows.shape[1])
    for start in range(0, len(filled), step):
        columns = rows[filled[start : start + step]].toarray().T
        columns = (1.0 - move) * columns + move * (walk @ columns)
        parts.append(sparse.csr_array(columns.T))
    places = np.argsort(np.concatenate([np.flatnonzero(~heavy), filled]))
    stepped = sparse.csr_array(sparse.vstack(parts, format="csr")[places])
    stepped.sort_indices()
    return stepped


def _is_number(steps: Any) -> bool:
    return isinstance(steps, Real) and not isinstance(steps, bool)


def _walk(weights: Any, degrees: Floats) -> Any:
    """D^{−½} W D^{−½}, with a loop at each item that has no edge."""
    alone = degrees == 0
    scale = 1.0 / np.sqrt(np.where(alone, 1.0, degrees))
    if sparse.issparse(weights):
        scaling = sparse.diags_array(scale)
        return sparse.csr_array(
            scaling @ weights @ scaling + sparse.diags_array(alone.astype(np.float64))
        )
    walk = scale[:, None] * weights * scale
    walk[alone, alone] = 1.0
    return walk
