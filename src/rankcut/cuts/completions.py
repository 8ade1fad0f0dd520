"""Means over the completions of incomplete rankings: enumerated, or drawn with a standard error.

:mod:`rankcut.cuts.options` says what a completion is, and which method is used when.

Draws come in stages, and a stage in replicates: independent estimates of the same mean, whose
spread gives the standard error. Three things reduce it, as
``docs/results/incomplete.md`` shows:

* *antithetic*: each draw of gaps g is used together with its mirror image l − g;
* *stratified*: draws are Latin hypercubes, so that each item visits each part of the ranking
  equally often;
* *controlled*: β·(φ° − E φ°) is subtracted, where φ° are the slopes before pooling, whose mean is
  known in closed form. The number β is a regression over all coordinates, on the *other*
  replicates, so that the estimate stays unbiased. Only graph cuts have the closed form.

Mirroring maps completions one to one onto completions, so it keeps the mean of any set function
unbiased; how much it helps is another matter. Under a symmetric function, slopes before pooling
nearly cancel between a draw and its mirror image; under a function that is not, they need not.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.closed_form import spread_rows
from rankcut._loops.completions import (
    LARGEST_EXPONENT,
    add_tasks,
    draw_completions,
    enumerate_completions,
    plan_tasks,
)
from rankcut._loops.partitions import group_rows, scale_to_unit_length, spread_slopes
from rankcut._loops.random_streams import name_streams
from rankcut._loops.types import Floats, Ints, Longs
from rankcut.cuts.cut_functions import ExpectedSlopes
from rankcut.cuts.options import Completions, MapOptions
from rankcut.cuts.set_function import SetFunction, power_of_two
from rankcut.errors import InputError, Setting
from rankcut.parameters import KEPT, MOST_DRAWN, ROUNDING
from rankcut.rankings import read_rankings
from rankcut.rankings.partitions import Partitions, block_rows

# Replicates of a stage: enough to estimate their spread, few enough to leave draws to stratify.
REPLICATES = 8

# With fewer replicates, the factor of the control variate is too noisy to help.
FEWEST_TO_REGRESS = REPLICATES // 2

# Fewer draws may agree by luck, so their spread is not believed.
FEWEST_DRAWS = 8 * REPLICATES

METHODS = ("complete", "exact", "sampled", "closed_form")

# "auto" enumerates up to this many completions, about as many as sampling would draw.
EXACT_COMPLETIONS = 16 * FEWEST_DRAWS

# Draws after which a tolerance that is not met is given up, with a warning.
MOST_DRAWS = 128 * EXACT_COMPLETIONS


@dataclass(frozen=True)
class Sampling:
    """How to draw: from which seed, and how much: a number of draws, or up to a tolerance."""

    seed: int
    n_draws: int | None
    tolerance: float

    @classmethod
    def of(cls, completions: Completions, seed: int) -> "Sampling":
        """As the user chose."""
        tolerance = completions.tolerance
        return cls(seed, completions.n_draws, 0.01 if tolerance is None else float(tolerance))

    @property
    def first_stage(self) -> int:
        """Pairs of the first stage: a draw and its mirror image."""
        return REPLICATES if self.n_draws is None else self.n_draws // 2

    @property
    def controlled(self) -> bool:
        """Whether means of slopes before pooling are used; this needs a few replicates."""
        return self.first_stage >= FEWEST_TO_REGRESS


@dataclass(frozen=True, eq=False)
class Means:
    """Estimated mean vectors of some rankings, and how good they are."""

    vectors: Floats
    standard_errors: Floats
    n_draws: Longs
    relative_errors: Floats


def all_completions(X: Any, items: Sequence[Hashable] | None = None) -> list[Floats]:
    """R(A) of each ranking A: a rank matrix with a row for each completion.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix; each unranked item may fall into any gap before, between and after the groups.
    items : sequence or None
        Labels of the columns, if the rankings are not a frame.

    Examples
    --------
    >>> all_completions([[1, 2, float("nan")]])
    [array([[2., 3., 1.],
           [1., 3., 2.],
           [1., 2., 3.]])]
    """
    rankings = read_rankings(X, items, unranked="anywhere")
    completions = []
    for first, block in rankings.blocks(0, rankings.shape[0], close=False):
        too_many = np.exp(log_completions(block)) * block.n_items > KEPT
        if too_many.any():
            raise InputError(
                "has too many completions to list", row=first + int(np.argmax(too_many))
            )
        counts = np.rint(np.exp(log_completions(block))).astype(np.int32)
        for row in range(len(block)):
            some = Partitions.empty(counts[row], block.n_items)
            task = np.array([row], dtype=np.int32), np.zeros(1, dtype=np.int64), counts[row, None]
            gaps = np.empty((1, block.n_items), dtype=np.uint32)
            enumerate_completions(block.chains, *task, gaps, some.chains)
            groups = np.empty((counts[row], block.n_items), dtype=np.uint32)
            group_rows(some.chains, groups)
            completions.append(groups + 1.0)
    return completions


def log_completions(partitions: Partitions) -> Floats:
    """Logarithm of (l + 1)^u for each partition of l groups with u items in no group."""
    unranked = partitions.n_items - partitions.n_ranked()
    return np.asarray(unranked * np.log1p(partitions.n_groups))


class CompletedBlock:
    """Mean vectors over the completions of partitions whose unranked items are in no group."""

    def __init__(self, partitions: Partitions, function: SetFunction) -> None:
        self._partitions = partitions
        self._function = function

    def exact_means(self, rows: NDArray[np.intp]) -> tuple[Floats, Longs]:
        """Mean vectors of some partitions, and the numbers of their completions."""
        partitions, n_items = self._partitions, self._partitions.n_items
        unranked = n_items - partitions.n_ranked()[rows]
        counts = (partitions.n_groups[rows].astype(np.int64) + 1) ** unranked
        room = block_rows(n_items)
        # A task is a stretch of one ranking's completions that fits into a block.
        pieces = -(-counts // room)
        targets = np.repeat(np.arange(len(rows)), pieces)
        firsts = room * (np.arange(len(targets)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
        sizes = np.minimum(counts[targets] - firsts, room)
        rankings = rows[targets].astype(np.int32)
        gaps = np.empty((1, n_items), dtype=np.uint32)
        totals = np.zeros((len(rows), n_items))

        def enumerate_some(some: slice, task_ends: Ints, part: Partitions) -> None:
            tasks = rankings[some], firsts[some], task_ends
            enumerate_completions(partitions.chains, *tasks, gaps, part.chains)

        self._add(enumerate_some, targets.astype(np.int32), sizes, totals)
        return totals / counts[:, None], counts

    def sampled_means(
        self, rows: NDArray[np.intp], centres: Floats | None, sampling: Sampling
    ) -> Means:
        """Mean vectors of the partitions ``rows``, by as many stages as each of them needs.

        ``centres`` are the means of all partitions' slopes before pooling, if they are known and
        useful. Squares are taken of what is scaled by a power of two, so that the scale of the set
        function changes no choice and no bit of the rest.
        """
        magnitude = self._function.magnitude
        scale = power_of_two(magnitude)
        names = np.empty(len(self._partitions), dtype=np.uint64)
        name_streams(self._partitions.chains, np.uint64(sampling.seed), names)
        vectors, variances = np.zeros((2, len(rows), self._partitions.n_items))
        n_draws = np.zeros(len(rows), dtype=np.int64)
        errors = np.full(len(rows), np.inf)
        active = np.arange(len(rows))
        sizes = np.full(len(rows), sampling.first_stage, dtype=np.int32)
        stage = 0
        while active.size:
            some = rows[active]
            centre = None if centres is None else centres[some] / scale
            fresh, spread = self._stage(some, names[some], sizes, stage, centre, scale)
            # Stages are weighted by their numbers of draws.
            before, now = n_draws[active, None], 2 * sizes[:, None].astype(np.int64)
            total = before + now
            vectors[active] = (before * vectors[active] + now * fresh) / total
            variances[active] = (before**2.0 * variances[active] + now**2.0 * spread) / total**2.0
            n_draws[active] = total[:, 0]
            error = np.sqrt(variances[active].sum(axis=1))
            norm = np.linalg.norm(vectors[active], axis=1)
            rounding = error <= ROUNDING * (magnitude / scale)
            with np.errstate(divide="ignore", invalid="ignore"):
                errors[active] = np.where(rounding, 0.0, error / norm)
            if sampling.n_draws is not None:
                break
            few = n_draws[active] < FEWEST_DRAWS
            short = few | ((errors[active] > sampling.tolerance) & (n_draws[active] < MOST_DRAWS))
            # What is still missing if the error falls a little faster than the root of the draws,
            # as larger hypercubes do, within bounds: an error from few replicates is unreliable.
            n_pairs = n_draws[active] // 2
            with np.errstate(over="ignore"):
                wanted = n_pairs * (0.9 * (errors[active] / sampling.tolerance) ** 2 - 1)
            allowed = np.minimum(7 * n_pairs, MOST_DRAWS // 2 - n_pairs)
            least = np.minimum(np.maximum(n_pairs // 4, FEWEST_DRAWS // 2 - n_pairs), allowed)
            sizes = np.clip(wanted, least, allowed)[short].astype(np.int32)
            sizes = -(-sizes // REPLICATES) * REPLICATES
            active = active[short]
            stage += 1
        return Means(scale * vectors, scale * np.sqrt(variances), n_draws, errors)

    def _stage(
        self,
        rows: NDArray[np.intp],
        names: NDArray[np.uint64],
        sizes: Ints,
        stage: int,
        centres: Floats | None,
        scale: float,
    ) -> tuple[Floats, Floats]:
        """Mean and variance of the mean of one stage of draws, of vectors divided by ``scale``."""
        chains, n_items = self._partitions.chains, self._partitions.n_items
        # All stages but the first have a multiple of them.
        n_replicates = min(int(sizes[0]), REPLICATES)
        tasks = plan_tasks(rows.astype(np.int32), names, sizes, n_replicates, stage)
        pooled = np.zeros((len(rows), n_replicates, n_items))
        plain = None if centres is None else np.zeros(pooled.shape)
        gaps = np.empty((1 << LARGEST_EXPONENT, n_items), dtype=np.uint32)

        def draw(some: slice, task_ends: Ints, part: Partitions) -> None:
            streams = tasks.rankings[some], tasks.streams[some], tasks.exponents[some]
            draw_completions(chains, *streams, gaps, part.chains)

        self._add(
            draw,
            tasks.targets,
            2 << tasks.exponents.astype(np.int64),
            pooled.reshape(-1, n_items),
            None if plain is None else plain.reshape(-1, n_items),
        )
        counts = sizes[:, None] // n_replicates
        counts = counts + (np.arange(n_replicates) < sizes[:, None] % n_replicates)
        estimates = pooled / (2 * scale * counts[:, :, None])
        if plain is not None and centres is not None:
            off = plain / (2 * scale * counts[:, :, None]) - centres[:, None]
            estimates -= slopes_on_others(estimates, off)[:, :, None] * off
        shares = (counts / sizes[:, None])[:, :, None]
        means = (shares * estimates).sum(axis=1)
        squares = ((shares * (estimates - means[:, None])) ** 2).sum(axis=1)
        if n_replicates == 1:
            return means, np.full(means.shape, np.inf)
        return means, squares * (n_replicates / (n_replicates - 1))

    def _add(
        self,
        complete: Callable[[slice, Ints, Partitions], None],
        targets: Ints,
        sizes: Longs,
        pooled: Floats,
        plain: Floats | None = None,
    ) -> None:
        """Make completions a block at a time, and add the vectors of each task to its target.

        Task k makes ``sizes[k]`` completions of a ranking; ``complete`` writes those of a slice of
        the tasks, up to their ends, to a block. Slopes before pooling are added to ``plain``, if it
        is given.
        """
        n_items = pooled.shape[1]
        ends = np.cumsum(sizes)
        room = min(max(block_rows(n_items), int(sizes.max())), int(ends[-1]))
        block = Partitions.empty(room, n_items)
        increments, vectors = np.empty((2, room, n_items))
        first = 0
        while first < len(targets):
            before = ends[first] - sizes[first]
            last = int(np.searchsorted(ends, before + room, side="right"))
            some = slice(first, last)
            part = block[: int(ends[last - 1] - before)]
            task_ends = (ends[some] - before).astype(np.int32)
            complete(some, task_ends, part)
            self._function.increments(part, increments)
            part.pool(increments, vectors)
            add_tasks(vectors, task_ends, targets[some], pooled)
            if plain is not None:
                spread_slopes(part.chains, increments, vectors)
                add_tasks(vectors, task_ends, targets[some], plain)
            first = last


def slopes_on_others(y: Floats, x: Floats) -> Floats:
    """Slopes of y on x over all coordinates, for each replicate of a ranking from its others.

    ``y[a, r]`` is the vector of replicate r of ranking a. Slopes are kept between 0 and 1, as
    pooling brings vectors closer together: where the others hardly differ, their slope says nothing
    about a replicate that does.
    """
    slopes = np.zeros(x.shape[:2])
    for r in range(x.shape[1]):
        others = np.delete(x, r, axis=1)
        others -= others.mean(axis=1, keepdims=True)
        xx = (others**2).reshape(len(x), -1).sum(axis=1)
        xy = (others * np.delete(y, r, axis=1)).reshape(len(x), -1).sum(axis=1)
        np.divide(xy, xx, out=slopes[:, r], where=xx > ROUNDING**2)
    return np.clip(slopes, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class CompletionReport:
    """How the features of each ranking were found, and how good they are.

    Attributes
    ----------
    methods : ndarray of int8, shape (n_rankings,)
        Index into ``METHODS``; :attr:`method` spells them out.
    n_draws : ndarray of int, shape (n_rankings,)
        Completions whose features were computed: all of them if exact (but none for a single
        group, whose mean is 0 by symmetry), none in closed form.
    relative_error : ndarray of float, shape (n_rankings,)
        Standard error of the whole vector, relative to its length: 0 unless sampled, infinite
        if there are too few draws to tell.
    standard_error : ndarray of float, shape (n_rankings, n_items)
        Standard error of each coordinate of the vector; None in closed form, which has none.
    """

    methods: NDArray[np.int8]
    n_draws: NDArray[np.int64]
    relative_error: Floats
    standard_error: Floats | None

    @classmethod
    def empty(cls, n_rankings: int, n_items: int, *, errors: bool) -> "CompletionReport":
        """A report of rankings that are all complete."""
        return cls(
            np.zeros(n_rankings, dtype=np.int8),
            np.zeros(n_rankings, dtype=np.int64),
            np.zeros(n_rankings),
            np.zeros((n_rankings, n_items)) if errors else None,
        )

    @property
    def method(self) -> NDArray[np.str_]:
        """``"complete"`` (all items ranked), ``"exact"``, ``"sampled"`` or ``"closed_form"``."""
        return np.array(METHODS)[self.methods]


class Averager:
    """Mean vectors of blocks of rankings under one set function, exact or sampled.

    ``expected`` is the closed form that the function has, if any: it helps to sample.
    """

    def __init__(
        self, function: SetFunction, expected: ExpectedSlopes | None, options: MapOptions, seed: int
    ) -> None:
        self._function = function
        self._expected = expected
        self._options = options
        self._sampling = Sampling.of(options.completions, seed)

    def fill(
        self, block: Partitions, first: int, features: Floats, report: CompletionReport
    ) -> None:
        """Write the features of a block of rankings, and of its rows in the report.

        ``first`` is the number of the block's first ranking, for messages.
        """
        incomplete = np.flatnonzero(block.n_ranked() < block.n_items)
        if incomplete.size < len(block):
            increments = np.empty(features.shape)
            self._function.increments(block, increments)
            block.pool(increments, features)
        if self._function.symmetric:
            # A single group has as many completions as mirror images of them: their mean is 0.
            unknown = incomplete[block.n_groups[incomplete] <= 1]
            features[unknown] = 0.0
            report.methods[first + unknown] = METHODS.index("exact")
            incomplete = incomplete[block.n_groups[incomplete] > 1]
        if incomplete.size:
            exact = self._enumerated(log_completions(block)[incomplete], first + incomplete)
            rows = incomplete[exact]
            completed = CompletedBlock(block, self._function)
            if rows.size:
                features[rows], report.n_draws[first + rows] = completed.exact_means(rows)
                report.methods[first + rows] = METHODS.index("exact")
            rows = incomplete[~exact]
            if rows.size:
                means = completed.sampled_means(rows, self._centres(block), self._sampling)
                features[rows] = means.vectors
                report.methods[first + rows] = METHODS.index("sampled")
                report.n_draws[first + rows] = means.n_draws
                report.relative_error[first + rows] = means.relative_errors
                if report.standard_error is not None:
                    report.standard_error[first + rows] = means.standard_errors
        if self._options.normalize:
            units = np.empty(features.shape)
            scale_to_unit_length(features, self._function.noise, units)
            if report.standard_error is not None:
                lengths = np.einsum("ri,ri->r", features, units)
                lengths[lengths == 0] = 1.0
                report.standard_error[first : first + len(block)] /= lengths[:, None]
            features[:] = units

    def _enumerated(self, log_counts: Floats, rankings: NDArray[Any]) -> NDArray[np.bool_]:
        """The rankings whose completions are enumerated."""
        method = self._options.completions.method
        if method == "exact" and log_counts.max() > np.log(MOST_DRAWN):
            worst = int(np.argmax(log_counts > np.log(MOST_DRAWN)))
            raise InputError(
                f"there are about 10^{log_counts[worst] / np.log(10):.0f} completions, too many "
                "to enumerate",
                row=int(rankings[worst]),
                remedy=[
                    Setting("completions", "sampled"),
                    " draws some and knows its error, ",
                    Setting("completions", "auto"),
                    " chooses row by row",
                ],
            )
        if method == "exact":
            return np.ones(len(log_counts), dtype=bool)
        # As many draws would cost no less, and may all miss a completion that matters.
        few = self._sampling.n_draws or (EXACT_COMPLETIONS if method == "auto" else FEWEST_DRAWS)
        # Half a completion of leeway for rounding.
        return np.asarray(log_counts <= np.log(few + 0.5))

    def _centres(self, block: Partitions) -> Floats | None:
        """Means of slopes before pooling, if they are known and useful."""
        if self._expected is None or not self._sampling.controlled:
            return None
        centres = np.empty((len(block), block.n_items))
        spread_rows(self._expected.entries(block, np.ones(len(block))), centres)
        return centres
