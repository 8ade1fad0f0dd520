"""The feature map of a set function: one vector for each ranking, one coordinate for each item.

For the ordered partition G_1 ≻ G_2 ≻ … ≻ G_l with prefixes B_t = G_1 ∪ … ∪ G_t, and a set
function F, such as the cut function of an item graph:

1. the slope of a group is (F(B_t) − F(B_{t−1})) / |G_t|;
2. slopes are made non-increasing by pooling neighbouring groups (antitonic regression, weighted
   by group size), which makes them the slopes of the least concave majorant of the points
   (|B_t|, F(B_t));
3. φ_i is the pooled slope of the group of item i. Larger means more preferred.

The vectors of a cut function add up to 0, a reversed ranking has the opposite vector, and on the
complete graph φ_i = n + 1 − 2·(average rank of i). :class:`~rankcut.SubmodularFeatures` says what
holds for other set functions.
"""

import warnings
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.partitions import scale_to_unit_length, spread_slopes
from rankcut._loops.types import Entries, Floats
from rankcut.cuts.completions import METHODS, REPLICATES, Averager, CompletionReport, Sampling
from rankcut.cuts.cut_functions import ExpectedSlopes, GraphCut, above_constants
from rankcut.cuts.offset_rows import OffsetRows, UncentredRows
from rankcut.cuts.options import MapOptions, UnlistedWeight
from rankcut.cuts.set_function import SetFunction
from rankcut.cuts.smoothing import Smoother, scaled_to_unit
from rankcut.errors import InputError, Setting
from rankcut.graphs import ItemGraph
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.recipes import joining_like_items
from rankcut.parameters import ROWS_AT_ONCE, SIDE, seed_from
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.partitions import Partitions, block_rows
from rankcut.threads import over_rows

# "auto" takes the closed form for more items: sampling costs hundreds of times as much there.
CLOSED_FORM_ITEMS = SIDE


class FeatureMap:
    """Rankings in, vectors out: the map of one set function, with all its options.

    What it needs, such as a table of cuts, is made at the first call and kept. It is not pickled,
    but made again.

    The items of the function and of the graph to smooth over are those of the rankings' columns;
    :class:`~rankcut.GraphCutFeatures` explains the options.
    """

    def __init__(
        self,
        function: SetFunction,
        options: MapOptions | None = None,
        *,
        smoothing_graph: ItemGraph | None = None,
    ) -> None:
        self.function = function
        self.options = MapOptions() if options is None else options
        self.smoothing_graph = smoothing_graph
        completions = self.options.completions
        self.seed = seed_from(completions.random_state)
        if completions.method == "closed_form" and self._expected is None:
            raise InputError(
                'cannot be "closed_form", which is for graph cuts; the set function is a '
                f"{type(function).__name__}",
                parameter="completions",
                remedy='"auto" enumerates few completions and samples many',
            )
        self._weighs_lists = self.options.unlisted_weight != 1
        self._in_closed_form(self.options.unranked)

    def _in_closed_form(self, unranked: Unranked) -> bool:
        """Whether means over completions are taken in closed form, if there are any."""
        if unranked != "anywhere":
            return False
        method, function = self.options.completions.method, self.function
        by_cost = method == "auto" and self._expected is not None
        large = function.n_items > CLOSED_FORM_ITEMS
        by_cost = by_cost and (large or self._weighs_lists or function.nothing_to_pool)
        if self._weighs_lists and not (by_cost or method == "closed_form"):
            raise InputError(
                "is for lists and closed forms, not for means over completions",
                parameter="unlisted_weight",
                remedy=["pass ", Setting("completions", "closed_form")],
            )
        return by_cost or method == "closed_form"

    @cached_property
    def _expected(self) -> ExpectedSlopes | None:
        return self.function.expected_slopes()

    @cached_property
    def _smoother(self) -> Smoother | None:
        if self.smoothing_graph is None:
            return None
        return Smoother(self.smoothing_graph, self.options.smoothing.steps)

    def __getstate__(self) -> dict[str, Any]:
        cached = ("_expected", "_smoother")
        return {name: value for name, value in vars(self).items() if name not in cached}

    def __call__(self, rankings: Rankings) -> NDArray[Any] | UncentredRows:
        """Vectors of checked rankings: an array, or sparse if short lists stay sparse."""
        if self.options.sparse_output and self._stays_sparse(rankings):
            return UncentredRows(self._offset_rows(rankings)[0].sparse)
        return self._dense(rankings, errors=False)[0]

    def with_report(
        self, rankings: Rankings
    ) -> tuple[NDArray[Any] | UncentredRows, CompletionReport]:
        """The same, and how the vector of each ranking was found."""
        if self.options.sparse_output and self._stays_sparse(rankings):
            rows, report = self._offset_rows(rankings)
            return UncentredRows(rows.sparse), report
        vectors, found = self._dense(rankings, errors=True)
        return vectors, found or CompletionReport.empty(*rankings.shape, errors=True)

    def compact(self, rankings: Rankings) -> NDArray[Any] | OffsetRows:
        """The same vectors in the smallest form: those of short lists stay sparse."""
        if self._stays_sparse(rankings):
            return self._offset_rows(rankings)[0]
        return self._dense(rankings, errors=False)[0]

    def _stays_sparse(self, rankings: Rankings) -> bool:
        """Whether most items of each vector share a constant, as those of short lists do."""
        if rankings.sparse is None:
            return False
        if rankings.unranked == "error" or self._expected is None:
            return False
        if rankings.unranked == "anywhere" and not self._in_closed_form("anywhere"):
            return False
        return self._expected.sparse and (self._smoother is None or self._smoother.keeps_sparse)

    def _dense(
        self, rankings: Rankings, *, errors: bool
    ) -> tuple[NDArray[Any], CompletionReport | None]:
        """Vectors as an array, and a report unless all rankings are complete."""
        vectors = np.empty(rankings.shape, dtype=self._dtype(rankings))
        report = None
        closed = self._in_closed_form(rankings.unranked)
        if closed or (self._weighs_lists and rankings.unranked == "last"):
            report = self._by_entries(rankings, vectors)
        else:
            # Now, so that threads find it ready.
            self.function.prepare()
            if rankings.unranked == "anywhere":
                report = self._means(rankings, vectors, errors)
            else:
                self._complete(rankings, vectors)
        if self._smoother is not None:
            normalize, n_jobs = self.options.normalize, self.options.n_jobs
            self._smoother.smooth(vectors, normalize=normalize, n_jobs=n_jobs)
        return vectors, report

    def _complete(self, rankings: Rankings, vectors: NDArray[Any]) -> None:
        """Blocks of partitions, their increments, pooled slopes."""
        n_rows, n_items = rankings.shape
        step = block_rows(n_items)

        def fill(start: int, stop: int) -> None:
            increments = np.empty((min(step, stop - start), n_items))
            # Vectors that are still to be scaled may be beyond the numbers of float32.
            room = np.empty(increments.shape) if self.options.normalize else None
            for first, block in rankings.blocks(start, stop, close=True):
                rows = vectors[first : first + len(block)]
                pooled = rows if room is None else room[: len(block)]
                self.function.increments(block, increments)
                if self.function.nothing_to_pool:
                    spread_slopes(block.chains, increments, pooled)
                else:
                    block.pool(increments, pooled)
                if room is not None:
                    scale_to_unit_length(pooled, self.function.noise, rows)

        over_rows(fill, n_rows, step, self.options.n_jobs)

    def _means(self, rankings: Rankings, vectors: NDArray[Any], errors: bool) -> CompletionReport:
        """Means over completions, exact or sampled row by row."""
        n_rows, n_items = rankings.shape
        report = CompletionReport.empty(n_rows, n_items, errors=errors)
        averager = Averager(self.function, self._expected, self.options, self.seed)

        def fill(start: int, stop: int) -> None:
            room = np.empty((min(block_rows(n_items), stop - start), n_items))
            for first, block in rankings.blocks(start, stop, close=False):
                rows = room[: len(block)]
                averager.fill(block, first, rows, report)
                vectors[first : first + len(block)] = rows

        # A row here stands for two completions of each replicate, so it pays to split sooner.
        step = max(1, block_rows(n_items) // (2 * REPLICATES))
        over_rows(fill, n_rows, step, self.options.n_jobs)
        self._warn_of_large_errors(report)
        return report

    def _by_entries(self, rankings: Rankings, vectors: NDArray[Any]) -> CompletionReport:
        """Closed form, or weighted lists, as dense rows."""
        expected, report = self._slopes_and_report(rankings)

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                rows = vectors[first : first + len(block)]
                if self.options.normalize:
                    plain = np.empty(rows.shape)
                    spread_rows(self._entries(block, rankings.unranked), plain)
                    scale_to_unit_length(plain, self.function.noise, rows)
                else:
                    spread_rows(self._entries(block, rankings.unranked), rows)
                complete, pooled = self._pooled(block, first, report)
                rows[complete] = pooled

        over_rows(fill, len(vectors), block_rows(rankings.shape[1]), self.options.n_jobs)
        return report

    def _offset_rows(self, rankings: Rankings) -> tuple[OffsetRows, CompletionReport]:
        """Sparse rows, and the constant that the other items of each share."""
        expected, report = self._slopes_and_report(rankings)
        n_rows, n_items = rankings.shape
        parts: dict[int, sparse.csr_array] = {0: sparse.csr_array((0, n_items))}
        offsets = np.empty(n_rows)

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                part = above_constants(self._entries(block, rankings.unranked), n_items)
                if self.options.normalize:
                    part = scaled_to_unit(part, self.function.noise)
                if rankings.unranked == "anywhere":
                    complete, pooled = self._pooled(block, first, report)
                    for row, vector in zip(complete.tolist(), pooled, strict=True):
                        # All items are stored.
                        part.sparse.data[slice(*part.sparse.indptr[row : row + 2])] = vector
                        part.offsets[row] = 0.0
                parts[first] = part.sparse
                offsets[first : first + len(block)] = part.offsets

        over_rows(fill, n_rows, ROWS_AT_ONCE, self.options.n_jobs)
        stacked = sparse.vstack([parts[first] for first in sorted(parts)], format="csr")
        rows = OffsetRows(sparse.csr_array(stacked), offsets, np.ones(n_items))
        if self._smoother is not None:
            rows = self._smoother.smooth_offset(rows, normalize=self.options.normalize)
        return OffsetRows(
            rows.sparse.astype(self._dtype(rankings)), rows.offsets, rows.base
        ), report

    def _entries(self, block: Partitions, unranked: Unranked) -> Entries:
        """Slopes of a block of lists, in closed form or with unranked items tied last."""
        assert self._expected is not None
        expected, closed = self._expected, unranked == "anywhere"
        slopes = expected.entries if closed else expected.top_list_entries
        return slopes(block, unlisted_weights(self.options.unlisted_weight, block))

    def _slopes_and_report(self, rankings: Rankings) -> tuple[ExpectedSlopes, CompletionReport]:
        """The closed form, which there is, and a report that says so."""
        assert self._expected is not None
        report = CompletionReport.empty(*rankings.shape, errors=False)
        if rankings.unranked == "anywhere":
            report.methods[:] = METHODS.index("closed_form")
        return self._expected, report

    def _pooled(
        self, block: Partitions, first: int, report: CompletionReport
    ) -> tuple[NDArray[np.intp], Floats]:
        """The complete rankings of a block whose slopes are pooled, and their vectors.

        There are none if the closed form was asked for by name, or if there is nothing to pool.
        """
        complete = np.flatnonzero(block.n_ranked() == block.n_items)
        by_formula = self.options.completions.method == "closed_form"
        if by_formula or self.function.nothing_to_pool:
            complete = complete[:0]
        vectors = np.empty((len(complete), block.n_items))
        if len(complete):
            part = block[complete]
            increments = np.empty(vectors.shape)
            self.function.increments(part, increments)
            part.pool(increments, vectors)
            if self.options.normalize:
                scale_to_unit_length(vectors, self.function.noise, vectors)
            report.methods[first + complete] = METHODS.index("complete")
        return complete, vectors

    def _dtype(self, rankings: Rankings) -> np.dtype[Any]:
        """The dtype asked for, or else that of the ranks; refused if vectors do not fit."""
        dtype = np.dtype(self.options.dtype or (np.float32 if rankings.single else np.float64))
        limits = np.finfo(dtype)
        weight = self.options.unlisted_weight
        # No coordinate is larger.
        largest = (1.0 if weight == "balanced" else max(1.0, weight)) * self.function.magnitude
        fits = largest == 0 or float(limits.tiny) <= largest <= float(limits.max)
        if not (self.options.normalize or fits):
            size = "small" if largest < 1 else "large"
            raise InputError(
                f"cannot be {dtype}: coordinates up to {largest:.3g} are too {size}",
                parameter="dtype",
                remedy=["rescale the weights, or pass ", Setting("normalize", True)],
            )
        # Slopes are sums over up to n items, and are multiplied by as many to be compared.
        if not largest * self.function.n_items**2 <= float(np.finfo(np.float64).max):
            raise InputError(
                f"coordinates up to {largest:.3g} are so large that sums of them overflow",
                remedy=["rescale the weights, or lower ", Setting("unlisted_weight")],
            )
        return dtype

    def _warn_of_large_errors(self, report: CompletionReport) -> None:
        sampling = Sampling.of(self.options.completions, self.seed)
        if sampling.n_draws is not None:
            return
        tolerance = sampling.tolerance
        short = np.flatnonzero(report.relative_error > tolerance)
        if short.size:
            from sklearn.exceptions import ConvergenceWarning

            row = int(short[0])
            or_else = "" if self._expected is None else ', or use completions="closed_form"'
            warnings.warn(
                f"{short.size} of {len(report.methods)} rankings did not reach the tolerance "
                f"{tolerance}: the first, row {row}, has a relative error of "
                f"{report.relative_error[row]:.2g} after {report.n_draws[row]:,} draws. Its mean "
                f"vector is close to 0; raise the tolerance{or_else}",
                ConvergenceWarning,
                stacklevel=4,
            )


def unlisted_weights(weight: UnlistedWeight, partitions: Partitions) -> Floats:
    """γ of each partition, 1 if it lists all items; unlisted items are in no group."""
    n_ranked = partitions.n_ranked()
    if weight == "balanced":
        return np.asarray(n_ranked / partitions.n_items)
    return np.where(n_ranked < partitions.n_items, float(weight), 1.0)


def fit_map(graph: Any, rankings: Rankings, options: MapOptions) -> FeatureMap:
    """The feature map of the user's graph, for rankings of these items."""
    fitted, walked = fit_graph(graph, rankings), None
    smoothing = options.smoothing
    if smoothing.steps:
        smooth = joining_like_items(graph if smoothing.graph is None else smoothing.graph)
        walked = fitted if smooth is graph else fit_graph(smooth, rankings)
    return FeatureMap(GraphCut(fitted), options, smoothing_graph=walked)


def graph_cut_features(
    X: Any, graph: Any = None, *, items: Sequence[Hashable] | None = None, **options: Any
) -> Any:
    """Graph cut features of rankings, as a plain function.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    graph, items, **options
        As in :class:`~rankcut.GraphCutFeatures`, the transformer, which also reports draws and
        errors.

    Returns
    -------
    ndarray or UncentredRows of shape (n_rankings, n_items)
        Sparse for CSR rankings where the option ``sparse_output`` says so.

    Examples
    --------
    >>> graph_cut_features([[1, 2, 3, 4], [2, 2, 1, 4]])
    array([[ 3.,  1., -1., -3.],
           [ 0.,  0.,  3., -3.]])
    >>> chain = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_cut_features([[1, 2, 3, 4]], chain)
    array([[ 1.,  0.,  0., -1.]])
    """
    settings = MapOptions(**options)
    rankings = read_rankings(X, items, unranked=settings.unranked)
    return fit_map(graph, rankings, settings)(rankings)
