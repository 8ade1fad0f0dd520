"""Smoothing over the item graph: φ ↦ φ·p(L), which gives similar items similar values.

L = I − D^{−½} W D^{−½} is the normalised Laplacian, whose eigenvalues lie from 0 to 2, and

    p(L) = (I − L/2)^⌊t⌋ · (I − (t − ⌊t⌋)·L/2)

takes t steps of the random walk that stays where it is half of the time; if t is not a whole
number, the last step is a fraction of one. p falls from 1 to 0 on the spectrum, faster the larger t
is; t = 0 changes nothing. An item without edges keeps its value.

The walk converges to one number for each connected component of the graph. With λ the smallest
eigenvalue of L above 0, at most (1 − λ/2)^t of everything else is left after t steps. That is below
the rounding error ε after log ε / log(1 − λ/2) steps: 52 if λ = 1, and 1,000 if λ = 0.071.
"""

from math import floor
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.partitions import scale_to_unit_length
from rankcut._loops.types import Floats
from rankcut.cuts.cut_functions import ENTRIES_PER_EDGE
from rankcut.cuts.offset_rows import OffsetRows
from rankcut.graphs import ItemGraph
from rankcut.graphs.recipes import degree_scales
from rankcut.graphs.weights import Weights
from rankcut.rankings.partitions import block_rows
from rankcut.saved_arrays import Saved
from rankcut.threads import over_rows


class Smoother:
    """φ ↦ φ·p(L) on one graph.

    On a dense graph it is one product with p(L); on others, whose weights are never filled, it is
    one product with them for each step.
    """

    _alone: Annotated[Any, Saved("items", dtype=np.bool_)]

    def __init__(self, graph: ItemGraph, steps: float) -> None:
        self._n_items = graph.n_items
        n_whole = floor(steps)
        # Half of each step stays where it is.
        self._moves = [0.5] * n_whole + ([0.5 * (steps - n_whole)] if steps > n_whole else [])
        scales = degree_scales(graph)
        self._alone = scales == 0
        self._walk: Weights = graph.weights.scaled(scales)
        self._filter: Weights | None = None
        if self._walk.kind == "dense":
            walk = self._walk.to_dense()
            whole_step, part = (
                np.diag(self._staying(move)) + move * walk
                for move in (0.5, 0.5 * (steps - n_whole))
            )
            self._filter = Weights(np.linalg.matrix_power(whole_step, n_whole) @ part)

    def _staying(self, move: float) -> Floats:
        """The share of each item's value that stays; all of it for an item without edges."""
        return np.where(self._alone, 1.0, 1.0 - move)

    def smooth(
        self, rows: NDArray[Any], *, normalize: bool = False, n_jobs: int | None = None
    ) -> None:
        """Smooth vectors in place, and scale them to unit length if asked."""
        step = block_rows(self._n_items)

        def fill(start: int, stop: int) -> None:
            for first in range(start, stop, step):
                some = rows[first : min(first + step, stop)]
                smoothed = self._smoothed(np.ascontiguousarray(some, dtype=np.float64))
                some[:] = unit_rows(smoothed) if normalize else smoothed

        if self._moves or normalize:
            over_rows(fill, len(rows), step, n_jobs)

    def _smoothed(self, rows: Floats) -> Floats:
        if self._filter is not None:
            return self._filter.multiply(rows)
        settled = 0.0
        for move in self._moves:
            # What a step leaves as it is, more of the same leave too; a shorter one may round.
            if move != settled:
                stepped = self._staying(move) * rows + move * self._walk.multiply(rows)
                settled = move if np.array_equal(stepped, rows) else 0.0
                rows = stepped
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
        """One step of sparse vectors; those that reach most items become dense meanwhile.

        The choice depends only on the vector, and so do its bits.
        """
        walk, staying = self._walk.to_csr(), self._staying(move)
        reached = sparse.csr_array(
            (np.diff(walk.indptr)[rows.indices], rows.indices, rows.indptr), shape=rows.shape
        ).sum(axis=1)
        heavy = ENTRIES_PER_EDGE * reached > walk.nnz
        light = rows[np.flatnonzero(~heavy)]
        parts = [sparse.csr_array(light @ sparse.diags_array(staying) + move * (light @ walk))]
        filled = np.flatnonzero(heavy)
        step = block_rows(self._n_items)
        for start in range(0, len(filled), step):
            some = rows[filled[start : start + step]].toarray()
            parts.append(sparse.csr_array(staying * some + move * self._walk.multiply(some)))
        places = np.argsort(np.concatenate([np.flatnonzero(~heavy), filled]))
        stepped = sparse.csr_array(sparse.vstack(parts, format="csr")[places])
        stepped.sort_indices()
        return stepped

    def smooth_offset(self, rows: OffsetRows, *, normalize: bool) -> OffsetRows:
        """Smoothed vectors S + c·b, on a graph that keeps them sparse: S·p(L) + c·b·p(L)."""
        base = rows.base[np.newaxis].copy()
        self.smooth(base)
        smoothed = OffsetRows(self.smooth_sparse(rows.sparse), rows.offsets, base[0])
        return scaled_to_unit(smoothed) if normalize else smoothed


def scaled_to_unit(rows: OffsetRows, noise: float = 0.0) -> OffsetRows:
    """The same vectors, of unit length; those that are within ``noise`` of 0 become 0."""
    # Squares of tiny or huge numbers would vanish or overflow. Each row has a scale of its own, so
    # that the rows beside it change no bit.
    sizes = np.diff(rows.sparse.indptr)
    owners = np.repeat(np.arange(len(rows)), sizes)
    entries = rows.sparse.data + rows.offsets[owners] * rows.base[rows.sparse.indices]
    largest = np.where(sizes < rows.shape[1], abs(rows.offsets), 0.0)
    np.maximum.at(largest, owners, abs(entries))
    scales = np.where(largest > noise, largest, np.inf)
    stored, offsets = rows.sparse.copy(), rows.offsets / scales
    stored.data /= scales[owners]
    lengths = np.sqrt(OffsetRows(stored, offsets, rows.base).squares())
    lengths = np.where(lengths > 0, lengths, 1.0)
    stored.data /= lengths[owners]
    return OffsetRows(stored, offsets / lengths, rows.base)


def unit_rows(rows: Floats) -> Floats:
    """Each row scaled to unit length, whatever its scale; zeros stay zeros."""
    units = np.empty(rows.shape)
    scale_to_unit_length(np.ascontiguousarray(rows), 0.0, units)
    return units
