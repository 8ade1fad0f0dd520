"""The feature map of a set function: one vector for each ranking, one coordinate for each item.

For the ordered partition G_1 ≻ G_2 ≻ … ≻ G_l with prefixes B_t = G_1 ∪ … ∪ G_t, and a set
function F, such as the cut function of an item graph:

1. the slope of a group is (F(B_t) − F(B_{t−1})) / |G_t|;
2. slopes are made non-increasing by pooling neighbouring groups (antitonic regression, weighted
   by group size), which makes them the slopes of the least concave majorant of the points
   (|B_t|, F(B_t));
3. φ_i is the pooled slope of the group of item i. Larger means more preferred.

The vectors of a cut function add up to 0, a reversed ranking has the opposite vector, and on the
complete graph φ_i = n + 1 − 2·(average rank of i). What holds for other set functions is told in
:class:`~rankcut.SubmodularFeatures`.
"""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rankcut._loops.slopes import pool_rows
from rankcut.dask import map_rows, stand_in
from rankcut.features.closed_form import ExpectedSlopes
from rankcut.features.completions import METHODS, Averager, CompletionOptions, CompletionReport
from rankcut.features.smoothing import Smoother
from rankcut.features.unlisted import UnlistedWeight, check_unlisted_weight, weighted_increments
from rankcut.partitions import Partitions, block_rows, read_partitions
from rankcut.rankings import RankMatrix, Unranked, read_rankings
from rankcut.setfunctions import GraphCut, SetFunction
from rankcut.threads import over_rows

SparseOutput: TypeAlias = bool | Literal["auto"]

# Rows of a sparse matrix that make a step worth a thread's while.
_SPARSE_ROWS = 256

# An incomplete ranking costs at least as much as so many complete ones.
_COMPLETIONS = 16


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The feature map of one set function with all its options: rankings in, features out."""

    function: SetFunction
    completions: CompletionOptions
    _: KW_ONLY
    unranked: Unranked
    unlisted_weight: UnlistedWeight = 1.0
    normalize: bool
    smoother: Smoother | None = None
    dtype: DTypeLike | None
    sparse_output: SparseOutput
    n_jobs: int | None

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("normalize", self.normalize, (True, False)),
            ("sparse_output", self.sparse_output, (True, False, "auto")),
        ):
            if value not in choices:
                listed = ", ".join(map(repr, choices))
                raise ValueError(f"{name} must be one of {listed}, and it is {value!r}")
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float32, np.float64):
            raise ValueError(f"features are float32 or float64, and dtype={self.dtype} is neither")
        check_unlisted_weight(self.unlisted_weight)
        # Refuses at once a method that the function does not have.
        self._in_closed_form()

    def _in_closed_form(self) -> bool:
        return (
            self.unranked == "anywhere"
            and self.completions.method_for(self.function, self.unlisted_weight) == "closed_form"
        )

    def __call__(
        self, rankings: RankMatrix, *, errors: bool = False
    ) -> tuple[Any, CompletionReport]:
        """Features of checked rankings, and a report; with ``errors`` of each coordinate too."""
        features, report = self._unsmoothed(rankings, errors=errors)
        if self.smoother is None:
            return features, report
        if sparse.issparse(features):
            return self.smoother.smooth_offset(features, normalize=self.normalize), report
        self.smoother.smooth(features, normalize=self.normalize, n_jobs=self.n_jobs)
        return features, report

    def _unsmoothed(self, rankings: RankMatrix, *, errors: bool) -> tuple[Any, CompletionReport]:
        dtype = self._dtype(rankings)
        function = self.function
        in_closed_form = self._in_closed_form()
        if self.sparse_output is True and not in_closed_form:
            raise ValueError(
                "features are sparse only in closed form; sparse_output=True needs "
                'unranked="anywhere" and completions="closed_form"'
            )
        if self.sparse_output is True and not (self.smoother is None or self.smoother.keeps_sparse):
            raise ValueError(
                "smoothed features are sparse only on a sparse graph: give a sparse "
                "smoothing_graph, such as a NeighborGraph, or leave sparse_output at its default"
            )
        report = CompletionReport.empty(*rankings.shape, errors=errors and not in_closed_form)
        if in_closed_form and isinstance(function, GraphCut):
            report.methods[:] = METHODS.index("closed_form")
            expected = ExpectedSlopes(function.graph, self.unlisted_weight)
            sparse_in = rankings.sparse is not None
            if self.sparse_output is True or (
                self.sparse_output == "auto" and sparse_in and expected.sparse
            ):
                return self._sparse(rankings, expected, dtype, report), report
            return self._expected(rankings, expected, dtype, report), report
        # No ranking at first, so that threads find ready what the function prepares once.
        n_items = rankings.shape[1]
        function.increments(Partitions.empty(0, n_items), np.empty((0, n_items)))
        if self.unranked == "anywhere":
            return self._means(rankings, dtype, report), report
        return self._complete(rankings, dtype), report

    def _complete(self, rankings: RankMatrix, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Blocks of partitions, their increments, pooled slopes."""
        n_rows, n_items = rankings.shape
        features = np.empty((n_rows, n_items), dtype=dtype)
        plain = self.unlisted_weight == 1

        def fill(start: int, stop: int) -> None:
            increments = np.empty((min(block_rows(n_items), stop - start), n_items))
            for first, block in read_partitions(rankings, start, stop, close=plain):
                rows = features[first : first + len(block)]
                if plain:
                    closed = block
                    self.function.increments(block, increments)
                else:
                    closed = weighted_increments(
                        self.unlisted_weight, block, self.function, increments
                    )
                pool_rows(
                    closed.order,
                    closed.ends,
                    closed.n_groups,
                    increments,
                    self.normalize,
                    rows,
                )

        over_rows(fill, n_rows, block_rows(n_items), self.n_jobs)
        return features

    def _means(
        self, rankings: RankMatrix, dtype: np.dtype[Any], report: CompletionReport
    ) -> NDArray[Any]:
        """Means over completions, exact or sampled row by row."""
        n_rows, n_items = rankings.shape
        features = np.empty((n_rows, n_items), dtype=dtype)
        averager = Averager(self.function, self.completions, self.unlisted_weight)

        def fill(start: int, stop: int) -> None:
            room = np.empty((min(block_rows(n_items), stop - start), n_items))
            for first, block in read_partitions(rankings, start, stop, close=False):
                rows = room[: len(block)]
                averager.fill(block, first, rows, report, normalize=self.normalize)
                features[first : first + len(block)] = rows

        # A row here stands for many completions, so it pays to split sooner.
        over_rows(fill, n_rows, max(1, block_rows(n_items) // _COMPLETIONS), self.n_jobs)
        self._warn_of_large_errors(report)
        return features

    def _expected(
        self,
        rankings: RankMatrix,
        expected: ExpectedSlopes,
        dtype: np.dtype[Any],
        report: CompletionReport,
    ) -> NDArray[Any]:
        """Closed form, as dense rows."""
        n_rows, n_items = rankings.shape
        features = np.empty((n_rows, n_items), dtype=dtype)

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                rows = features[first : first + len(block)]
                expected.entries(block).write(rows, normalize=self.normalize)
                whole, vectors = self._pooled(block, first, report)
                rows[whole] = vectors

        over_rows(fill, n_rows, block_rows(n_items), self.n_jobs)
        return features

    def _sparse(
        self,
        rankings: RankMatrix,
        expected: ExpectedSlopes,
        dtype: np.dtype[Any],
        report: CompletionReport,
    ) -> sparse.csr_array:
        """Closed form, as sparse rows, each less its constant."""
        n_rows = rankings.shape[0]
        parts: dict[int, sparse.csr_array] = {}

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                part = expected.entries(block).to_csr(dtype, normalize=self.normalize)
                whole, vectors = self._pooled(block, first, report)
                for row, vector in zip(whole.tolist(), vectors, strict=True):
                    # All items are stored, and their common constant is 0.
                    part.data[part.indptr[row] : part.indptr[row + 1]] = vector
                parts[first] = part

        over_rows(fill, n_rows, _SPARSE_ROWS, self.n_jobs)
        return _stacked(parts, rankings.shape, dtype)

    def _pooled(
        self, block: Partitions, first: int, report: CompletionReport
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The complete rankings of a block whose features are pooled, and these.

        They are none if the closed form was asked for by name, or if there is nothing to pool.
        """
        whole = np.flatnonzero(block.n_ranked() == block.n_items)
        on_complete_graph = isinstance(self.function, GraphCut) and self.function.graph.is_complete
        if self.completions.method == "closed_form" or on_complete_graph:
            whole = whole[:0]
        vectors = np.empty((len(whole), block.n_items))
        if len(whole):
            part = block.rows(whole)
            increments = np.empty(vectors.shape)
            self.function.increments(part, increments)
            pool_rows(part.order, part.ends, part.n_groups, increments, self.normalize, vectors)
            report.methods[first + whole] = METHODS.index("complete")
        return whole, vectors

    def _dtype(self, rankings: RankMatrix) -> np.dtype[Any]:
        """The dtype asked for, or else that of the ranks."""
        asked = self.dtype or (np.float32 if rankings.single else np.float64)
        dtype = np.dtype(asked)
        if self.normalize:
            return dtype
        weight = 1.0 if self.unlisted_weight == "balanced" else max(1.0, self.unlisted_weight)
        largest = weight * self.function.magnitude
        if largest > float(np.finfo(dtype).max):
            raise ValueError(
                f"features may be as large as {largest}, too large for {dtype}; "
                "scale the weights down, or ask for dtype=float64"
            )
        return dtype

    def _warn_of_large_errors(self, report: CompletionReport) -> None:
        if self.completions.n_draws is not None:
            return
        tolerance = self.completions.sampling.tolerance
        short = np.flatnonzero(report.relative_error > tolerance)
        if short.size:
            row = int(short[0])
            or_else = (
                ', or use completions="closed_form"' if isinstance(self.function, GraphCut) else ""
            )
            warnings.warn(
                f"{short.size} of {len(report.methods)} rankings did not reach the tolerance "
                f"{tolerance}: the first, row {row}, has a relative error of "
                f"{report.relative_error[row]:.2g} after {report.n_draws[row]:,} draws. Its mean "
                f"vector is close to 0; raise the tolerance{or_else}",
                ConvergenceWarning,
                stacklevel=4,
            )


def _stacked(
    parts: dict[int, sparse.csr_array], shape: tuple[int, int], dtype: np.dtype[Any]
) -> sparse.csr_array:
    """CSR arrays by their first row as one; each is let go once it is copied."""
    n_entries = sum(part.nnz for part in parts.values())
    # 32-bit wherever possible: not all of scikit-learn takes 64-bit indices.
    small = n_entries <= np.iinfo(np.int32).max
    starts = np.zeros(shape[0] + 1, dtype=np.int32 if small else np.int64)
    indices = np.empty(n_entries, dtype=np.int32)
    data = np.empty(n_entries, dtype=dtype)
    for first in sorted(parts):
        part = parts.pop(first)
        before = starts[first]
        starts[first + 1 : first + 1 + part.shape[0]] = before + part.indptr[1:]
        indices[before : before + part.nnz] = part.indices
        data[before : before + part.nnz] = part.data
    return sparse.csr_array((data, indices, starts), shape=shape)


def lazy_features(feature_map: FeatureMap, X: Any, items: Sequence[Hashable] | None = None) -> Any:
    """Features of a Dask array or DataFrame of rankings, block by block when computed."""
    known = read_rankings(stand_in(X), items)
    names = range(known.shape[1]) if known.items is None else known.items
    return map_rows(partial(_features_of, feature_map, items), X, names)


def _features_of(feature_map: FeatureMap, items: Sequence[Hashable] | None, X: Any) -> Any:
    rankings = read_rankings(X, items)
    rankings.check(feature_map.unranked)
    return feature_map(rankings)[0]
