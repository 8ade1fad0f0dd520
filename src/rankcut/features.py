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
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rankcut._loops.pooling import pool_rows
from rankcut.completions import (
    METHODS,
    Averager,
    CompletionOptions,
    CompletionReport,
    ExpectedSlopes,
    Method,
    Sampler,
    UnlistedWeight,
    UntiedLast,
    check_unlisted_weight,
    weighted_increments,
)
from rankcut.completions.averaging import unit_lengths
from rankcut.graphs import ItemGraph, as_item_graph, is_learned
from rankcut.graphs.derived import joining_like_items
from rankcut.lazy import is_lazy, map_rows, stand_in
from rankcut.partitions import Partitions, block_rows, read_partitions
from rankcut.rankings import RankMatrix, Unranked, read_rankings
from rankcut.setfunctions import Algorithm, GraphCut, SetFunction
from rankcut.smoothing import Smoother, check_steps
from rankcut.threads import over_rows

SparseOutput: TypeAlias = bool | Literal["auto"]

# Rows of a sparse matrix that make a step worth a thread's while.
_SPARSE_ROWS = 256

# An incomplete ranking costs at least as much as so many complete ones.
_COMPLETIONS = 16


def graph_cut_features(
    X: Any,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    unlisted_weight: UnlistedWeight = 1.0,
    tie_unlisted: bool = True,
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    completions: Method = "auto",
    sampler: Sampler = "controlled",
    n_draws: int | None = None,
    tolerance: float | None = None,
    random_state: int | np.random.RandomState | None = 0,
    smoothing: float = 0.0,
    smoothing_graph: Any = None,
    algorithm: Algorithm = "auto",
    dtype: DTypeLike | None = None,
    sparse_output: SparseOutput = "auto",
    n_jobs: int | None = None,
) -> Any:
    """Graph cut features of rankings, as a plain function.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        A Dask array or DataFrame of rankings gives one of vectors, block by block.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph, whose kernel is Spearman's.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    unlisted_weight : float or "balanced"
        Weight of comparisons with unranked items, beside 1 for those among ranked ones;
        "balanced" is k/n for a ranking of k of n items. See :mod:`rankcut.completions.unlisted`.
    tie_unlisted : bool
        With ``unranked="last"``: whether unranked items are tied. If not, their order is unknown,
        and each has the mean, over all orders of them, of its slope before pooling.
    normalize : bool
        Scale each vector to unit length. A vector of zeros stays as it is.
    items : sequence or None
        Labels of the columns, if X is not a frame; matched with those of the graph.
    completions : {"auto", "exact", "sampled", "closed_form"}
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found;
        see :mod:`rankcut.completions.averaging`.
    sampler : {"controlled", "stratified", "antithetic", "independent"}
        How completions are drawn; see :mod:`rankcut.completions.sampled`.
    n_draws, tolerance : int, float or None
        How many completions are drawn, or the relative standard error of a vector at which to
        stop; without either, the tolerance is 0.01.
    random_state : int, RandomState or None
        Seed of the draws. A ranking's vector depends on the ranking, the graph and the seed.
    smoothing : float
        Steps of a lazy random walk over the items by which vectors are smoothed; 0 is none. See
        :mod:`rankcut.smoothing`.
    smoothing_graph : graph or recipe
        The graph to walk on, in which like items are joined strongly; None is ``graph`` itself.
    algorithm : {"auto", "complete", "table", "dense", "sparse", "structured"}
        How cuts are computed; see :mod:`rankcut.setfunctions.graph_cuts`. All agree to rounding.
    dtype : float32, float64 or None
        Type of the result; None is that of X if it is float32, and float64 otherwise. The
        arithmetic is in float64.
    sparse_output : bool or "auto"
        In closed form, return a CSR array of what each item has above the constant that most
        items share; "auto" does so if X is sparse, unless the graph has a low-rank part, with
        which no items share any. For a row S of it, φ = S − (sum of S)/n; smoothed, it is S·p(L).
        Neither is better, but a model should see one of them only.
    n_jobs : int or None
        Number of threads, as in scikit-learn. The result is the same bits for any number.

    Returns
    -------
    ndarray or csr_array of shape (n_rankings, n_items)

    See Also
    --------
    GraphCutFeatures : The same as a transformer, which also reports draws and errors.

    Examples
    --------
    >>> graph_cut_features([[1, 2, 3, 4], [2, 2, 1, 4]])
    array([[ 3.,  1., -1., -3.],
           [ 0.,  0.,  3., -3.]])
    >>> chain = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_cut_features([[1, 2, 3, 4]], chain)
    array([[ 1.,  0.,  0., -1.]])
    """
    check_learnable(graph, X)
    check_learnable(smoothing_graph, X)
    rankings = read_rankings(stand_in(X), items)
    rankings.check(unranked)
    fitted = fit_graph(graph, rankings)
    walked = fit_smoothing_graph(smoothing, smoothing_graph, graph, fitted, rankings)
    feature_map = FeatureMap(
        GraphCut(fitted, algorithm),
        unranked,
        normalize,
        CompletionOptions(completions, sampler, n_draws, tolerance, seed_from(random_state)),
        dtype,
        sparse_output,
        n_jobs,
        unlisted_weight,
        tie_unlisted,
        None if walked is None else Smoother(walked, smoothing),
    )
    if is_lazy(X):
        return lazy_features(feature_map, X, items)
    return feature_map(rankings)[0]


def lazy_features(
    feature_map: "FeatureMap", X: Any, items: Sequence[Hashable] | None = None
) -> Any:
    """Features of a Dask array or DataFrame of rankings, block by block when computed."""
    known = read_rankings(stand_in(X), items)
    names = range(known.shape[1]) if known.items is None else known.items
    return map_rows(partial(_features_of, feature_map, items), X, names)


def _features_of(feature_map: "FeatureMap", items: Sequence[Hashable] | None, X: Any) -> Any:
    rankings = read_rankings(X, items)
    rankings.check(feature_map.unranked)
    return feature_map(rankings)[0]


def fit_graph(graph: Any, rankings: RankMatrix) -> ItemGraph:
    """The user's graph, matched with the columns of the rankings, or learned from them."""
    n_items = rankings.shape[1]
    if is_learned(graph):
        learned: ItemGraph = graph.build_from(rankings)
        return learned
    if graph is None:
        return ItemGraph.complete(n_items).aligned(n_items, rankings.items)
    return as_item_graph(graph).aligned(n_items, rankings.items)


def fit_smoothing_graph(
    steps: float, smoothing_graph: Any, graph: Any, fitted: ItemGraph, rankings: RankMatrix
) -> ItemGraph | None:
    """The graph to walk on, if there are steps to take; ``fitted`` is the user's ``graph``."""
    check_steps(steps)
    if not steps:
        return None
    walked = joining_like_items(graph if smoothing_graph is None else smoothing_graph)
    return fitted if walked is graph else fit_graph(walked, rankings)


def check_learnable(graph: Any, X: Any) -> None:
    """Refuse to learn a graph from rankings that are not there yet."""
    if is_lazy(X) and is_learned(graph):
        raise TypeError(
            f"{type(graph).__name__} is learned from rankings, and these are a Dask collection, "
            "which is not computed for that; learn it from some rankings in memory, with its "
            "build_from(), and pass the graph that it returns"
        )


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """A number to name streams with: the seed itself, or one drawn from the generator."""
    if isinstance(random_state, int | np.integer):
        if not 0 <= random_state < 2**32:
            raise ValueError(f"random_state must be from 0 to 2**32 - 1, not {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The feature map of one set function with all its options: rankings in, features out."""

    function: SetFunction
    unranked: Unranked
    normalize: bool
    completions: CompletionOptions
    dtype: DTypeLike | None
    sparse_output: SparseOutput
    n_jobs: int | None
    unlisted_weight: UnlistedWeight = 1.0
    tie_unlisted: bool = True
    smoother: Smoother | None = None

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("normalize", self.normalize, (True, False)),
            ("tie_unlisted", self.tie_unlisted, (True, False)),
            ("sparse_output", self.sparse_output, (True, False, "auto")),
        ):
            if value not in choices:
                listed = ", ".join(map(repr, choices))
                raise ValueError(f"{name} must be one of {listed}, and it is {value!r}")
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float32, np.float64):
            raise ValueError(f"features are float32 or float64, and dtype={self.dtype} is neither")
        check_unlisted_weight(self.unlisted_weight)
        if not self.tie_unlisted and self.unranked == "anywhere":
            raise ValueError(
                'tie_unlisted=False is for unranked="last"; items that may be anywhere are not tied'
            )
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
        untied = None
        if isinstance(self.function, GraphCut) and not self.tie_unlisted:
            untied = UntiedLast(self.function.graph, self.unlisted_weight)
        plain = self.unlisted_weight == 1 and untied is None

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
                    self.normalize and untied is None,
                    rows,
                )
                if untied is not None:
                    untied.tell_apart(block, rows)
                    if self.normalize:
                        rows /= unit_lengths(rows)

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
        on_complete_graph = (
            isinstance(self.function, GraphCut) and self.function.graph.weights is None
        )
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
