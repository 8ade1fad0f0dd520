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

from rankcut._loops.types import Floats
from rankcut.graphs import ItemGraph
from rankcut.graphs.derived import degree_scales
from rankcut.graphs.weights import DenseWeights, Weights
from rankcut.threads import over_rows

# An entry of a product of sparse matrices costs as much as so many of one with a dense matrix.
_SPARSE_COST = 8

# Vectors are smoothed so many entries at a time.
_FILLED = 1 << 16


class Smoother:
    """φ ↦ φ·p(L) on one graph.

    On a dense graph it is one product with p(L), and otherwise one with the graph, which is never
    filled, for each step.

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
        check_steps(steps)
        self._n_items = graph.n_items
        whole = floor(steps)
        # Half of each step stays where it is.
        self._moves = [0.5] * whole + ([0.5 * (steps - whole)] if steps > whole else [])
        scales = degree_scales(graph)
        self._alone = scales == 0
        self._walk: Weights = graph.weights.scaled(scales)
        self._filter: DenseWeights | None = None
        if self._walk.kind == "dense":
            walk = self._walk.to_dense()
            matrix = np.eye(graph.n_items)
            for move in self._moves:
                matrix = self._staying(move) * matrix + move * (matrix @ walk)
            self._filter = DenseWeights(matrix)

    def _staying(self, move: float) -> Floats:
        """What of each item's value stays; all of it where there is no edge to go by."""
        return np.where(self._alone, 1.0, 1.0 - move)

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
        step = max(1, _FILLED // self._n_items)

        def fill(start: int, stop: int) -> None:
            for first in range(start, stop, step):
                some = rows[first : min(first + step, stop)]
                smoothed = self._smoothed(np.ascontiguousarray(some, dtype=np.float64))
                some[:] = unit_rows(smoothed, copy=False) if normalize else smoothed

        if self._moves or normalize:
            over_rows(fill, len(rows), step, n_jobs)

    def _smoothed(self, rows: Floats) -> Floats:
        if self._filter is not None:
            return self._filter.multiply(rows)
        for move in self._moves:
            rows = self._staying(move) * rows + move * self._walk.multiply(rows)
        return rows

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse vectors stay sparse; on a graph that is not, one step reaches all."""
        return self._walk.kind == "sparse"

    def smooth_sparse(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Smoothed sparse vectors: each step reaches the neighbours of the items there are."""
        smoothed = sparse.csr_array(rows, dtype=np.float64)
        for move in self._moves:
            smoothed = self._sparse_step(smoothed, move)
        return smoothed.astype(rows.dtype)

    def _sparse_step(self, rows: sparse.csr_array, move: float) -> sparse.csr_array:
        """One step of sparse vectors, those that reach most items by way of dense ones.

        Which way a vector goes depends on itself alone, and so do its bits.
        """
        walk, staying = self._walk.to_csr(), self._staying(move)
        reached = sparse.csr_array(
            (np.diff(walk.indptr)[rows.indices], rows.indices, rows.indptr), shape=rows.shape
        ).sum(axis=1)
        heavy = _SPARSE_COST * reached > walk.nnz
        light = rows[np.flatnonzero(~heavy)]
        parts = [sparse.csr_array(light @ sparse.diags_array(staying) + move * (light @ walk))]
        filled = np.flatnonzero(heavy)
        step = max(1, _FILLED // self._n_items)
        for start in range(0, len(filled), step):
            some = rows[filled[start : start + step]].toarray()
            parts.append(sparse.csr_array(staying * some + move * self._walk.multiply(some)))
        places = np.argsort(np.concatenate([np.flatnonzero(~heavy), filled]))
        stepped = sparse.csr_array(sparse.vstack(parts, format="csr")[places])
        stepped.sort_indices()
        return stepped

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


def check_steps(steps: Any) -> None:
    """Raise unless it is a number of steps: not negative, whole or not."""
    number = isinstance(steps, Real) and not isinstance(steps, bool)
    if not (number and 0 <= steps < np.inf):
        raise ValueError(f"smoothing takes 0 or more steps, whole or not, and not {steps!r}")
