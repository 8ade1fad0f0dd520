"""Vectors of incomplete rankings, exact or sampled row by row, and a report of how they were found.

:mod:`rankcut.cuts.options` says which method is used when.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import scale_to_unit_length
from rankcut._loops.types import Floats
from rankcut.cuts.completions import CompletedBlock, Sampling, log_completions, unlisted_weights
from rankcut.cuts.cut_functions import ExpectedSlopes
from rankcut.cuts.options import MOST_COMPLETIONS, MapOptions
from rankcut.cuts.set_function import SetFunction
from rankcut.errors import InputError, Setting
from rankcut.rankings.value import Partitions

METHODS = ("complete", "exact", "sampled", "closed_form")

# "auto" enumerates up to this many completions, about as many as sampling would draw.
EXACT_COMPLETIONS = 1024


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
            completed = CompletedBlock(block, self._function, self._options.unlisted_weight)
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

    def _centres(self, block: Partitions) -> Floats | None:
        """Means of slopes before pooling, if they are known and useful."""
        if self._expected is None or not self._sampling.controlled:
            return None
        centres = np.empty((len(block), block.n_items))
        weights = unlisted_weights(self._options.unlisted_weight, block)
        self._expected.entries(block, weights).write(centres, normalize=False)
        return centres
