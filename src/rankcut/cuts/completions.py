"""How the mean over the completions of an incomplete ranking is found.

An incomplete ranking of l groups that leaves u items unranked has (l + 1)^u completions: each
unranked item may fall into any of the gaps before, between and after the groups. Its vector is the
mean over them. :class:`Completions` says how that is found:

``"exact"``
    enumerates all completions;
``"sampled"``
    draws some, and knows its standard error; see :mod:`rankcut.cuts.sampled`;
``"closed_form"``
    is exact and needs no completions, but it is the mean of the slopes *before* pooling: a kernel
    of its own, and the one for large catalogues. If asked for by name, it is used for every ranking
    of the matrix, complete ones included. Only graph cuts have it;
``"auto"``
    is the closed form on the complete graph, where there is nothing to pool (unless comparisons
    with unlisted items have a weight of their own), and for catalogues of more than 2,000 items,
    where sampling a ranking costs hundreds of times its closed form; a ranking of all items has its
    pooled vector there too. Otherwise it enumerates the completions of a ranking if there are at
    most 1,024, or no more than ``n_draws``, and samples if there are more.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.gap_completions import add_tasks, enumerate_completions
from rankcut._loops.slopes import scale_to_unit_length
from rankcut._loops.types import Floats
from rankcut.cuts import SetFunction
from rankcut.cuts.expected_slopes import ExpectedSlopes
from rankcut.cuts.sampled import Sampler, Sampling, sampled_means
from rankcut.cuts.unlisted import UnlistedWeight, Weighing, unlisted_weights
from rankcut.errors import InputError, Setting
from rankcut.parameters import WithParameters, is_real, is_whole
from rankcut.rankings.partitions import Partitions, block_rows

# More completions than this are refused: they would take minutes for a single ranking.
MOST_COMPLETIONS = 1 << 26

Method: TypeAlias = Literal["auto", "exact", "sampled", "closed_form"]

METHODS = ("complete", "exact", "sampled", "closed_form")

EXACT_COMPLETIONS = 1024
CLOSED_FORM_ITEMS = 2000
DEFAULT_TOLERANCE = 0.01

# No ranking needs more draws than that.
MOST_DRAWS = 1 << 28


def log_completions(partitions: Partitions) -> Floats:
    """Logarithm of (l + 1)^u for each partition of l groups with u items in no group."""
    unranked = partitions.n_items - partitions.n_ranked()
    return np.asarray(unranked * np.log1p(partitions.n_groups))


def exact_means(
    partitions: Partitions,
    rows: NDArray[Any],
    function: SetFunction,
    weighing: Weighing | None = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """Mean feature vectors of some partitions, and the numbers of their completions.

    Completions are made a block at a time, across rankings.
    """
    n_items = partitions.n_items
    unranked = n_items - partitions.n_ranked()[rows]
    counts = (partitions.n_groups[rows].astype(np.int64) + 1) ** unranked
    room = block_rows(n_items)
    # A task is a stretch of one ranking's completions that fits into a block.
    pieces = -(-counts // room)
    targets = np.repeat(np.arange(len(rows)), pieces)
    firsts = room * (np.arange(len(targets)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    sizes = np.minimum(counts[targets] - firsts, room)
    ends = np.cumsum(sizes)
    room = min(room, int(ends[-1]))
    block = Partitions.empty(room, n_items)
    increments, vectors = np.empty((2, room, n_items))
    gaps = np.empty((1, n_items), dtype=np.uint32)
    totals = np.zeros((len(rows), n_items))
    task = 0
    while task < len(targets):
        done = ends[task] - sizes[task]
        last = int(np.searchsorted(ends, done + room, side="right"))
        some = slice(task, last)
        part = block[: int(ends[last - 1] - done)]
        task_ends = (ends[some] - done).astype(np.int32)
        rankings = rows[targets[some]].astype(np.int32)
        enumerate_completions(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            rankings,
            firsts[some],
            task_ends,
            gaps,
            part.order,
            part.ends,
            part.n_groups,
        )
        function.increments(part, increments)
        if weighing is not None:
            weighing.apply(part, rankings, task_ends, increments)
        part.pool(increments, vectors)
        add_tasks(vectors, task_ends, targets[some].astype(np.int32), totals)
        task = last
    return totals / counts[:, None], counts


class Completions(WithParameters):
    """How the mean over the completions of an incomplete ranking is found.

    Parameters
    ----------
    method : {"auto", "exact", "sampled", "closed_form"}, default="auto"
        See :mod:`rankcut.cuts.completions`.
    tolerance : float or None, default=None
        If sampled: draw until the standard error of a vector, relative to its length, is at most
        this; 0.01 if ``n_draws`` is None too.
    n_draws : int or None, default=None
        If sampled: how many completions are drawn. They come in pairs, so it is even.
    random_state : int, RandomState or None, default=0
        Seed of the draws. With the same seed the same ranking has the same vector in any
        batch; None draws a seed at each fit.

    Examples
    --------
    >>> from rankcut import Completions, graph_cut_features
    >>> path = [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    >>> sampled = Completions("sampled", n_draws=64)
    >>> graph_cut_features([[1, 2, float("nan")]], path, unranked="anywhere",
    ...                    completions=sampled).round(1)
    array([[ 1.2, -1.7,  0.5]])
    """

    def __init__(
        self,
        method: Method = "auto",
        *,
        tolerance: float | None = None,
        n_draws: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.method = method
        self.tolerance = tolerance
        self.n_draws = n_draws
        self.random_state = random_state

    def check(self) -> None:
        """Raise unless each parameter is one that it may be."""
        if not (isinstance(self.method, str) and self.method in get_args(Method)):
            listed = ", ".join(f'"{choice}"' for choice in get_args(Method))
            raise InputError(
                f"must be one of {listed}, or a Completions object; got {self.method!r}",
                parameter="completions",
            )
        if self.n_draws is not None and self.tolerance is not None:
            raise InputError(
                "and tolerance are both given; each of them says how much to draw",
                parameter="n_draws",
                remedy="leave one of them out",
            )
        if self.n_draws is not None:
            if not is_whole(self.n_draws, 1, MOST_DRAWS):
                raise InputError(
                    f"must be a whole number from 1 to {MOST_DRAWS:,}; got {self.n_draws!r}",
                    parameter="n_draws",
                )
            if self.n_draws % 2:
                raise InputError(
                    f"must be even, because draws come in mirrored pairs; got {self.n_draws}",
                    parameter="n_draws",
                )
        if self.tolerance is not None and not (is_real(self.tolerance) and self.tolerance > 0):
            raise InputError(
                f"must be a relative error above 0; got {self.tolerance!r}", parameter="tolerance"
            )

    def method_for(
        self,
        function: SetFunction,
        expected: ExpectedSlopes | None,
        unlisted_weight: UnlistedWeight = 1.0,
    ) -> Method:
        """The method asked for; "auto" is settled as far as the set function decides it.

        ``expected`` is the closed form that the function has, if any.
        """
        if self.method == "closed_form" and expected is None:
            raise InputError(
                'cannot be "closed_form", which is for graph cuts; the set function is a '
                f"{type(function).__name__}",
                parameter="completions",
                remedy='"auto" enumerates few completions and samples many',
            )
        if self.method != "auto" or expected is None:
            return self.method
        plain = function.nothing_to_pool and unlisted_weight == 1
        return "closed_form" if plain or function.n_items > CLOSED_FORM_ITEMS else "auto"

    def sampling(self, seed: int, sampler: Sampler = "controlled") -> Sampling:
        """How to draw."""
        tolerance = DEFAULT_TOLERANCE if self.tolerance is None else float(self.tolerance)
        return Sampling(sampler, seed, self.n_draws, tolerance)


def as_completions(completions: Any) -> Completions:
    """The object that a word stands for, or the object itself; checked."""
    chosen = completions if isinstance(completions, Completions) else Completions(completions)
    chosen.check()
    return chosen


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
    """Mean features of blocks of partitions under one set function, exact or sampled."""

    def __init__(
        self,
        function: SetFunction,
        expected: ExpectedSlopes | None,
        method: Method,
        sampling: Sampling,
        unlisted_weight: UnlistedWeight = 1.0,
    ) -> None:
        self._function = function
        self._expected = expected
        self._method = method
        self._sampling = sampling
        self._unlisted_weight = unlisted_weight

    def fill(
        self,
        block: Partitions,
        first: int,
        features: Floats,
        report: CompletionReport,
        *,
        normalize: bool,
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
            weighing = None
            if self._unlisted_weight != 1:
                weighing = Weighing(self._unlisted_weight, block, self._function)
            if rows.size:
                features[rows], report.n_draws[first + rows] = exact_means(
                    block, rows, self._function, weighing
                )
                report.methods[first + rows] = METHODS.index("exact")
            self._sample(block, incomplete[~exact], first, features, report, weighing)
        if normalize:
            units = np.empty(features.shape)
            scale_to_unit_length(features, self._function.noise, units)
            if report.standard_error is not None:
                lengths = np.einsum("ri,ri->r", features, units)
                lengths[lengths == 0] = 1.0
                report.standard_error[first : first + len(block)] /= lengths[:, None]
            features[:] = units

    def _enumerated(self, log_counts: Floats, rankings: NDArray[Any]) -> NDArray[np.bool_]:
        """The rankings whose completions are enumerated."""
        method = self._method
        if method == "exact" and log_counts.max() > np.log(MOST_COMPLETIONS):
            worst = int(np.argmax(log_counts > np.log(MOST_COMPLETIONS)))
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
        few = self._sampling.n_draws or EXACT_COMPLETIONS
        # Half a completion of leeway for rounding.
        limit = {"exact": np.inf, "auto": np.log(few + 0.5)}.get(method, -np.inf)
        return np.asarray(log_counts <= limit)

    def _sample(
        self,
        block: Partitions,
        rows: NDArray[Any],
        first: int,
        features: Floats,
        report: CompletionReport,
        weighing: Weighing | None,
    ) -> None:
        if not rows.size:
            return
        centres = None
        if self._expected is not None and self._sampling.controlled:
            centres = np.empty((len(block), block.n_items))
            self._expected.entries(block, unlisted_weights(self._unlisted_weight, block)).write(
                centres, normalize=False
            )
        means = sampled_means(block, rows, self._function, centres, self._sampling, weighing)
        features[rows] = means.vectors
        report.methods[first + rows] = METHODS.index("sampled")
        report.n_draws[first + rows] = means.n_draws
        report.relative_error[first + rows] = means.relative_errors
        if report.standard_error is not None:
            report.standard_error[first + rows] = means.standard_errors
