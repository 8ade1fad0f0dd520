"""Mean features of incomplete rankings, by the method that suits each of them.

An incomplete ranking of l groups that leaves u items unranked has (l + 1)^u completions: each
unranked item may fall into any of the gaps before, between and after the groups. Its features are
the mean over them.

``"exact"``
    goes through all completions;
``"sampled"``
    draws some, and knows its standard error; see :mod:`rankcut.features.sampled`;
``"closed_form"``
    is exact and makes no completion, but it is the mean of the slopes *before* pooling: a kernel
    of its own, and the one for large catalogues. Asked for by name, it is that for every ranking
    of the matrix, complete ones included. Graph cuts have it, and of other set functions none is
    known;
``"auto"``
    is the closed form on the complete graph, where there is nothing to pool (unless comparisons
    with unlisted items have a weight of their own), and for catalogues of more than 2,000 items,
    where to sample a ranking costs hundreds of times its closed form; a ranking of all items has
    its pooled vector there too. Otherwise it goes through all completions of a ranking if they
    are at most 1,024, or no more than the draws asked for, and samples if they are more.
"""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.slopes import pool_rows
from rankcut._loops.types import Floats
from rankcut.features.closed_form import ExpectedSlopes
from rankcut.features.exact import MOST_COMPLETIONS, exact_means, log_completions
from rankcut.features.sampled import Sampler, Sampling, sampled_means
from rankcut.features.unlisted import UnlistedWeight, Weighing
from rankcut.partitions import Partitions
from rankcut.setfunctions import GraphCut, SetFunction

Method: TypeAlias = Literal["auto", "exact", "sampled", "closed_form"]

METHODS = ("complete", "exact", "sampled", "closed_form")

EXACT_COMPLETIONS = 1024
CLOSED_FORM_ITEMS = 2000
DEFAULT_TOLERANCE = 0.01

# More draws of one ranking than that help nobody.
MOST_DRAWS = 1 << 28


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


@dataclass(frozen=True)
class CompletionOptions:
    """What a user says about incomplete rankings; checked."""

    method: Method = "auto"
    sampler: Sampler = "controlled"
    n_draws: int | None = None
    tolerance: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("completions", self.method, get_args(Method)),
            ("sampler", self.sampler, get_args(Sampler)),
        ):
            if value not in choices:
                listed = ", ".join(f'"{choice}"' for choice in choices)
                raise ValueError(f"{name} must be one of {listed}, and it is {value!r}")
        if self.n_draws is not None and self.tolerance is not None:
            raise ValueError("give n_draws or tolerance, not both: one says how much to draw")
        if self.n_draws is not None:
            if not (isinstance(self.n_draws, Integral) and 1 <= self.n_draws <= MOST_DRAWS):
                raise ValueError(
                    f"n_draws must be a whole number from 1 to {MOST_DRAWS:,}, and it is "
                    f"{self.n_draws!r}"
                )
            if self.n_draws % 2 and self.sampler != "independent":
                raise ValueError(
                    f"n_draws={self.n_draws} is odd, but draws come with their mirror images; "
                    'make it even, or use sampler="independent"'
                )
        if self.tolerance is not None and not (
            isinstance(self.tolerance, Real) and 0 < self.tolerance < np.inf
        ):
            raise ValueError(f"tolerance is a relative error above 0, not {self.tolerance!r}")

    def method_for(self, function: SetFunction, unlisted_weight: UnlistedWeight = 1.0) -> Method:
        """The method asked for; "auto" is settled as far as the set function alone can."""
        if not isinstance(function, GraphCut):
            if self.method == "closed_form":
                raise ValueError(
                    'completions="closed_form" is for graph cuts, and the set function is '
                    f'{type(function).__name__}; "auto" goes through few completions and '
                    "samples many"
                )
            return self.method
        large = function.n_items > CLOSED_FORM_ITEMS
        nothing_to_pool = function.graph.is_complete and unlisted_weight == 1
        if self.method == "auto" and (nothing_to_pool or large):
            return "closed_form"
        return self.method

    @property
    def sampling(self) -> Sampling:
        """The part that is about random draws."""
        return Sampling(self.sampler, self.seed, self.n_draws, self.tolerance or DEFAULT_TOLERANCE)


class Averager:
    """Mean features of blocks of partitions under one set function, exact or sampled."""

    def __init__(
        self,
        function: SetFunction,
        options: CompletionOptions,
        unlisted_weight: UnlistedWeight = 1.0,
    ) -> None:
        self._function = function
        self._options = options
        self._unlisted_weight = unlisted_weight
        self._expected = (
            ExpectedSlopes(function.graph, unlisted_weight)
            if isinstance(function, GraphCut)
            else None
        )

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
            pool_rows(block.order, block.ends, block.n_groups, increments, normalize, features)
        if self._function.symmetric:
            # A single group has as many completions as mirror images of them: their mean is 0.
            unknown = incomplete[block.n_groups[incomplete] <= 1]
            features[unknown] = 0.0
            report.methods[first + unknown] = METHODS.index("exact")
            incomplete = incomplete[block.n_groups[incomplete] > 1]
        if incomplete.size:
            exact = self._go_through(log_completions(block)[incomplete], first + incomplete)
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
                lengths = _unit_lengths(features[incomplete])
                features[incomplete] /= lengths
                if report.standard_error is not None:
                    report.standard_error[first + incomplete] /= lengths

    def _go_through(self, log_counts: Floats, rankings: NDArray[Any]) -> NDArray[np.bool_]:
        """Which rankings to go through all completions of."""
        method = self._options.method
        if method == "exact" and log_counts.max() > np.log(MOST_COMPLETIONS):
            worst = int(np.argmax(log_counts > np.log(MOST_COMPLETIONS)))
            raise ValueError(
                f"row {rankings[worst]}: there are about 10^{log_counts[worst] / np.log(10):.0f} "
                'completions, too many to go through; completions="sampled" draws some and knows '
                'its error, "auto" chooses row by row'
            )
        few = self._options.n_draws or EXACT_COMPLETIONS
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
        means = sampled_means(
            block, rows, self._function, self._expected, self._options.sampling, weighing
        )
        features[rows] = means.vectors
        report.methods[first + rows] = METHODS.index("sampled")
        report.n_draws[first + rows] = means.n_draws
        report.relative_error[first + rows] = means.relative_errors
        if report.standard_error is not None:
            report.standard_error[first + rows] = np.sqrt(means.variances)


def _unit_lengths(rows: Floats) -> Floats:
    """What to divide each row by to scale it to unit length; 1 for a row of zeros."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    lengths = largest * np.linalg.norm(rows / largest, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    return np.asarray(lengths)
