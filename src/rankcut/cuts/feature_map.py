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
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from rankcut._loops.slopes import scale_to_unit_length, spread_slopes
from rankcut.cuts import SetFunction
from rankcut.cuts.completions import (
    METHODS,
    Averager,
    CompletionReport,
    Completions,
    Method,
    as_completions,
)
from rankcut.cuts.expected_slopes import ExpectedSlopes
from rankcut.cuts.offset_rows import OffsetRows, UncentredRows
from rankcut.cuts.sampled import Sampler
from rankcut.cuts.smoothing import Smoother, Smoothing, as_smoothing
from rankcut.cuts.unlisted import (
    UnlistedWeight,
    check_unlisted_weight,
    unlisted_weights,
    weighted_increments,
)
from rankcut.errors import InputError, Setting
from rankcut.parameters import seed_from
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.partitions import Partitions, block_rows, read_partitions
from rankcut.threads import over_rows

# Rows of a sparse matrix that are worth a thread's while.
_SPARSE_ROWS = 256

# An incomplete ranking costs at least as much as this many complete ones.
_COMPLETIONS = 16


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """The options of the feature map, checked; :class:`~rankcut.GraphCutFeatures` explains them."""

    unranked: Unranked = "error"
    unlisted_weight: UnlistedWeight = 1.0
    normalize: bool = False
    completions: Method | Completions = "auto"
    smoothing: float | Smoothing = 0.0
    dtype: DTypeLike | None = None
    sparse_output: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for name in ("normalize", "sparse_output"):
            if getattr(self, name) not in (True, False):
                raise InputError(
                    f"must be True or False; got {getattr(self, name)!r}", parameter=name
                )
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float32, np.float64):
            raise InputError(
                f"must be float32 or float64, or None; got {self.dtype}", parameter="dtype"
            )
        check_unlisted_weight(self.unlisted_weight)
        as_completions(self.completions)
        as_smoothing(self.smoothing)


class FeatureMap:
    """Rankings in, vectors out: the map of one set function, with all its options.

    What it needs, such as a table of cuts, is made at the first call and kept. It is not pickled,
    but made again.

    Parameters
    ----------
    function : SetFunction
        The set function, its items in the order of the rankings' columns.
    options : MapOptions
        What :class:`~rankcut.GraphCutFeatures` lets a user choose.
    smoother : Smoother or None
        What smooths the vectors, if there are steps to take.
    sampler : {"controlled", "stratified", "antithetic", "independent"}
        How completions are drawn; see :mod:`rankcut.cuts.sampled`.
    seed : int or None
        Seed of the draws; None takes the seed of the options, which may be random.
    """

    def __init__(
        self,
        function: SetFunction,
        options: MapOptions | None = None,
        *,
        smoother: Smoother | None = None,
        sampler: Sampler = "controlled",
        seed: int | None = None,
    ) -> None:
        self.function = function
        self.options = MapOptions() if options is None else options
        self.smoother = smoother
        completions = as_completions(self.options.completions)
        self._asked: Method = completions.method
        self.seed = seed_from(completions.random_state) if seed is None else seed
        self._sampling = completions.sampling(self.seed, sampler)
        self._tolerance = None if completions.n_draws is not None else self._sampling.tolerance
        anywhere = self.options.unranked == "anywhere"
        self._method: Method = self._asked
        if anywhere or self._asked == "closed_form":
            self._method = completions.method_for(
                function, self._expected, self.options.unlisted_weight
            )
        self._in_closed_form = anywhere and self._method == "closed_form"
        self._top_lists = self.options.unranked == "last"

    @cached_property
    def _expected(self) -> ExpectedSlopes | None:
        return self.function.expected_slopes()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_expected"}

    def _stays_sparse(self, rankings: Rankings) -> bool:
        """Whether most items of each vector share a constant, as those of short lists do."""
        if rankings.sparse is None or not (self._in_closed_form or self._top_lists):
            return False
        if self._expected is None:
            return False
        return self._expected.sparse and (self.smoother is None or self.smoother.keeps_sparse)

    def __call__(self, rankings: Rankings, *, errors: bool = False) -> tuple[Any, CompletionReport]:
        """Vectors of checked rankings, and a report; with ``errors``, of each coordinate too.

        Vectors are an array, or :class:`UncentredRows` of sparse rankings that stay sparse.
        """
        if self.options.sparse_output and self._stays_sparse(rankings):
            rows, report = self._offset_rows(rankings)
            return UncentredRows(rows.sparse), report
        return self._dense(rankings, errors=errors)

    def _dense(self, rankings: Rankings, *, errors: bool) -> tuple[Any, CompletionReport]:
        vectors, report = self._vectors(rankings, errors=errors)
        if self.smoother is not None:
            self.smoother.smooth(
                vectors, normalize=self.options.normalize, n_jobs=self.options.n_jobs
            )
        return vectors, report

    def compact(self, rankings: Rankings) -> NDArray[Any] | OffsetRows:
        """The same vectors in the smallest form: those of short lists stay sparse."""
        if self._stays_sparse(rankings):
            return self._offset_rows(rankings)[0]
        vectors: NDArray[Any] = self._dense(rankings, errors=False)[0]
        return vectors

    def _vectors(self, rankings: Rankings, *, errors: bool) -> tuple[Any, CompletionReport]:
        dtype = self._dtype(rankings)
        report = CompletionReport.empty(*rankings.shape, errors=errors and not self._in_closed_form)
        if self._in_closed_form and self._expected is not None:
            return self._closed_form(rankings, self._expected, dtype, report), report
        # Now, so that threads find it ready.
        self.function.prepare()
        if self.options.unranked == "anywhere":
            return self._means(rankings, dtype, report), report
        return self._complete(rankings, dtype), report

    def _complete(self, rankings: Rankings, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Blocks of partitions, their increments, pooled slopes."""
        n_rows, n_items = rankings.shape
        vectors = np.empty((n_rows, n_items), dtype=dtype)
        normalize, unlisted_weight = self.options.normalize, self.options.unlisted_weight
        plain = unlisted_weight == 1
        step = block_rows(n_items)

        def fill(start: int, stop: int) -> None:
            increments = np.empty((min(step, stop - start), n_items))
            # Vectors that are still to be scaled may be beyond the numbers of float32.
            room = np.empty(increments.shape) if normalize else None
            for first, block in read_partitions(rankings, start, stop, close=plain):
                rows = vectors[first : first + len(block)]
                if plain:
                    closed = block
                    self.function.increments(block, increments)
                else:
                    closed = weighted_increments(unlisted_weight, block, self.function, increments)
                pooled = rows if room is None else room[: len(block)]
                if plain and self.function.nothing_to_pool:
                    spread_slopes(block.order, block.ends, block.n_groups, increments, pooled)
                else:
                    closed.pool(increments, pooled)
                if normalize:
                    scale_to_unit_length(pooled, self.function.noise, rows)

        over_rows(fill, n_rows, step, self.options.n_jobs)
        return vectors

    def _means(
        self, rankings: Rankings, dtype: np.dtype[Any], report: CompletionReport
    ) -> NDArray[Any]:
        """Means over completions, exact or sampled row by row."""
        n_rows, n_items = rankings.shape
        vectors = np.empty((n_rows, n_items), dtype=dtype)
        averager = Averager(
            self.function,
            self._expected,
            self._method,
            self._sampling,
            self.options.unlisted_weight,
        )

        def fill(start: int, stop: int) -> None:
            room = np.empty((min(block_rows(n_items), stop - start), n_items))
            for first, block in read_partitions(rankings, start, stop, close=False):
                rows = room[: len(block)]
                averager.fill(block, first, rows, report, normalize=self.options.normalize)
                vectors[first : first + len(block)] = rows

        # A row here stands for many completions, so it pays to split sooner.
        step = max(1, block_rows(n_items) // _COMPLETIONS)
        over_rows(fill, n_rows, step, self.options.n_jobs)
        self._warn_of_large_errors(report)
        return vectors

    def _closed_form(
        self,
        rankings: Rankings,
        expected: ExpectedSlopes,
        dtype: np.dtype[Any],
        report: CompletionReport,
    ) -> NDArray[Any]:
        """Closed form, as dense rows."""
        report.methods[:] = METHODS.index("closed_form")
        n_rows, n_items = rankings.shape
        vectors = np.empty((n_rows, n_items), dtype=dtype)

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                rows = vectors[first : first + len(block)]
                weights = unlisted_weights(self.options.unlisted_weight, block)
                expected.entries(block, weights).write(
                    rows, normalize=self.options.normalize, noise=self.function.noise
                )
                whole, pooled = self._pooled(block, first, report)
                rows[whole] = pooled

        over_rows(fill, n_rows, block_rows(n_items), self.options.n_jobs)
        return vectors

    def _offset_rows(self, rankings: Rankings) -> tuple[OffsetRows, CompletionReport]:
        """Sparse rows, and the constant that the other items of each share."""
        expected = self._expected
        assert expected is not None
        dtype = self._dtype(rankings)
        report = CompletionReport.empty(*rankings.shape, errors=False)
        if self._in_closed_form:
            report.methods[:] = METHODS.index("closed_form")
        n_rows, n_items = rankings.shape
        parts: dict[int, sparse.csr_array] = {}
        offsets = np.empty(n_rows)

        def fill(start: int, stop: int) -> None:
            for first, block in expected.read(rankings, start, stop):
                weights = unlisted_weights(self.options.unlisted_weight, block)
                slopes = expected.top_list_entries if self._top_lists else expected.entries
                part, constants = slopes(block, weights).above_constants(
                    dtype, normalize=self.options.normalize, noise=self.function.noise
                )
                if self._in_closed_form:
                    whole, pooled = self._pooled(block, first, report)
                    for row, vector in zip(whole.tolist(), pooled, strict=True):
                        # All items are stored.
                        part.data[part.indptr[row] : part.indptr[row + 1]] = vector
                        constants[row] = 0.0
                parts[first] = part
                offsets[first : first + len(block)] = constants

        over_rows(fill, n_rows, _SPARSE_ROWS, self.options.n_jobs)
        rows = OffsetRows(_stacked(parts, rankings.shape, dtype), offsets, np.ones(n_items))
        if self.smoother is not None:
            rows = self.smoother.smooth_offset(rows, normalize=self.options.normalize)
        return rows, report

    def _pooled(
        self, block: Partitions, first: int, report: CompletionReport
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The complete rankings of a block whose slopes are pooled, and their vectors.

        There are none if the closed form was asked for by name, or if there is nothing to pool.
        """
        whole = np.flatnonzero(block.n_ranked() == block.n_items)
        if self._asked == "closed_form" or self.function.nothing_to_pool:
            whole = whole[:0]
        vectors = np.empty((len(whole), block.n_items))
        if len(whole):
            part = block.rows(whole)
            increments = np.empty(vectors.shape)
            self.function.increments(part, increments)
            part.pool(increments, vectors)
            if self.options.normalize:
                scale_to_unit_length(vectors, self.function.noise, vectors)
            report.methods[first + whole] = METHODS.index("complete")
        return whole, vectors

    def _dtype(self, rankings: Rankings) -> np.dtype[Any]:
        """The dtype asked for, or else that of the ranks."""
        dtype = np.dtype(self.options.dtype or (np.float32 if rankings.single else np.float64))
        limits = np.finfo(dtype)
        fits = self._largest == 0 or float(limits.tiny) <= self._largest <= float(limits.max)
        if not (self.options.normalize or fits):
            size = "large" if self._largest > 1 else "small"
            raise InputError(
                f"cannot be {dtype}: coordinates up to {self._largest:.3g} are too {size}",
                parameter="dtype",
                remedy=["rescale the weights, or pass ", Setting("normalize", True)],
            )
        # Slopes are sums over up to n items, and are multiplied by as many to be compared.
        if not self._largest * self.function.n_items**2 <= float(np.finfo(np.float64).max):
            raise InputError(
                f"coordinates up to {self._largest:.3g} are so large that sums of them overflow",
                remedy=["rescale the weights, or lower ", Setting("unlisted_weight")],
            )
        return dtype

    @cached_property
    def _largest(self) -> float:
        """No coordinate is larger than that."""
        weight = self.options.unlisted_weight
        return (1.0 if weight == "balanced" else max(1.0, weight)) * self.function.magnitude

    def _warn_of_large_errors(self, report: CompletionReport) -> None:
        if self._tolerance is None:
            return
        short = np.flatnonzero(report.relative_error > self._tolerance)
        if short.size:
            from sklearn.exceptions import ConvergenceWarning

            row = int(short[0])
            or_else = "" if self._expected is None else ', or use completions="closed_form"'
            warnings.warn(
                f"{short.size} of {len(report.methods)} rankings did not reach the tolerance "
                f"{self._tolerance}: the first, row {row}, has a relative error of "
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
