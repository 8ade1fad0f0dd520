"""Which places are real: confidence sets of ranks, place probabilities, tiers, clear pairs.

All come from one estimate of each item's score and the covariance of these estimates. T_ij is the
difference of i and j over its standard error; draws from their joint normal distribution say how
large T gets by chance (Mogstad, Romano, Shaikh and Wilhelm 2024):

marginal
    the place of one item, for which its n − 1 differences are compared: each interval holds in 95 %
    of samples;
simultaneous
    the places of the whole table, for which all n(n − 1)/2 differences are compared: all intervals
    hold at once in 95 % of samples. What is called clearly different, the tiers and the test that
    all are equal come from these.

Item i is clearly better than j where T_ij is beyond what chance gives; its place is then between
1 + #{j clearly better} and n − #{j clearly worse}. Differences that are clear need not be compared
any more, so the others are compared again without them (Romano and Wolf 2005).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.consensus.intervals import places_by_pairs
from rankcut.parameters import ROUNDING

# With fewer degrees of freedom the tails of Student's t say nothing.
LEAST_FREEDOM = 0.1

# Draws of the estimates: quantiles of 95 % are then exact to about 0.3 points.
N_DRAWS = 4000

# With fewer degrees of freedom, correlations of errors are too uncertain to rely on.
_FEW_DEGREES = 50.0


@dataclass(frozen=True, eq=False)
class Places:
    """The places of items by their scores, and how sure they are.

    Parameters
    ----------
    scores : ndarray of shape (n_items,)
        What items are placed by; higher is better.
    covariance : ndarray of shape (n_items, n_items)
        Of the estimates; only that of differences matters.
    freedom : float or ndarray of shape (n_items, n_items)
        Degrees of freedom of each difference's standard error.
    confidence : float
        How often intervals are to hold.
    seed : int
        Of the draws.
    centre : ndarray of shape (n_items,) or None
        Estimates without shrinkage, around which intervals are; None: the scores.
    least_errors : ndarray of shape (n_items, n_items) or None
        Standard errors of differences where the covariance would have smaller ones.

    Examples
    --------
    >>> places = Places(np.array([0.0, 3.0, 0.2]), np.eye(3) / 4, 100.0)
    >>> places.ranks.tolist(), places.marginal.tolist(), places.simultaneous.tolist()
    ([3, 1, 2], [[2, 3], [1, 1], [2, 3]], [[2, 3], [1, 1], [2, 3]])
    >>> [tier.tolist() for tier in places.tiers], int(places.clear.sum())
    ([[1], [2, 0]], 2)
    """

    scores: Floats
    covariance: Floats
    freedom: Floats | float = np.inf
    confidence: float = 0.95
    seed: int = 0
    centre: Floats | None = None
    least_errors: Floats | None = None

    @property
    def estimates(self) -> Floats:
        """What is compared: estimates without shrinkage."""
        return self.scores if self.centre is None else self.centre

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.scores)

    @cached_property
    def ranks(self) -> Longs:
        """The place of each item; equal scores share the better one."""
        return np.asarray(1 + (self.scores[None, :] > self.scores[:, None]).sum(axis=1))

    @cached_property
    def order(self) -> Longs:
        """Items by their places."""
        return np.lexsort((np.arange(self.n_items), -self.scores))

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of differences, 0 where nothing varies."""
        variance = np.diag(self.covariance)
        squares = variance[:, None] + variance[None, :] - self.covariance - self.covariance.T
        largest = float(np.abs(squares).max(initial=0.0))
        errors = np.sqrt(np.where(squares > ROUNDING * largest, squares, 0.0))
        return errors if self.least_errors is None else np.maximum(errors, self.least_errors)

    @cached_property
    def normal_scores(self) -> Floats:
        """|T_ij| as the normal score with the tail that Student's t has there.

        A difference that hangs on one person, without any degree of freedom, is never clear.
        """
        gaps = np.abs(self.estimates[:, None] - self.estimates[None, :])
        surest = np.where(gaps > 0, np.inf, 0.0)
        size = np.divide(gaps, self.errors, out=surest, where=self.errors > 0)
        freedom = np.broadcast_to(self.freedom, size.shape)
        tails = np.full(size.shape, 0.5)
        limit, few = np.isinf(freedom), np.isfinite(freedom) & (freedom > LEAST_FREEDOM)
        tails[limit] = special.ndtr(-size[limit])
        tails[few] = special.stdtr(freedom[few], -size[few])
        return np.where(gaps > 0, -special.ndtri(tails), 0.0)

    @cached_property
    def _shifts(self) -> Floats:
        """Draws of the estimates' errors."""
        rng = np.random.default_rng(self.seed)
        # Items in an order of their own, so that the columns' does not matter.
        order = np.lexsort((np.diag(self.covariance), self.estimates))
        covariance = self.covariance[np.ix_(order, order)]
        values, vectors = linalg.eigh((covariance + covariance.T) / 2)
        # The symmetric root: the signs of the vectors, which rounding decides, do not matter.
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        half = np.empty((N_DRAWS // 2, self.n_items))
        half[:, order] = rng.standard_normal((N_DRAWS // 2, self.n_items)) @ root
        return np.concatenate([half, -half])

    def _largest(self, compared: Flags) -> Iterator[Floats]:
        """``[d, i]``: the largest studentised difference of item i in draw d, where compared.

        Errors by few people or data sets say little of how differences are correlated: then there
        are also draws of independent estimates with equal errors, as for Tukey's and Dunnett's
        tests.
        """
        inverse = np.divide(1.0, self.errors, out=np.zeros_like(self.errors), where=self.errors > 0)
        # Draws come in mirrored pairs, whose differences are of the same size.
        shifts = self._shifts[: N_DRAWS // 2]
        yield _largest_gaps(shifts, inverse * compared)
        if self.n_items > 1 and np.median(self._freedoms) < _FEW_DEGREES:
            even = np.random.default_rng([self.seed, 2]).standard_normal(shifts.shape)
            yield _largest_gaps(even, np.sqrt(0.5) * compared)

    @property
    def _freedoms(self) -> Floats:
        """Degrees of freedom of each pair."""
        pairs = np.triu_indices(self.n_items, 1)
        return np.asarray(np.broadcast_to(self.freedom, self.errors.shape)[pairs])

    @cached_property
    def _first(self) -> list[Floats]:
        """The largest differences while all are compared."""
        return list(self._largest(~np.eye(self.n_items, dtype=bool)))

    def _steps(self, *, alone: bool) -> Iterator[tuple[Flags, list[Floats], Floats]]:
        """What is compared in each step, its largest differences, and what they exceed by chance.

        Each item alone, or all pairs at once.
        """
        compared, each = ~np.eye(self.n_items, dtype=bool), self._first
        while True:
            if not alone:
                each = [largest.max(axis=1, keepdims=True) for largest in each]
            largest = [np.sort(one, axis=0) for one in each]
            n_draws = len(largest[0])
            place = min(n_draws, int(np.ceil(self.confidence * (n_draws + 1)))) - 1
            critical = np.max([one[place] for one in largest], axis=0)
            yield compared, largest, critical
            open_still = compared & (self.normal_scores <= critical[:, None])
            if (open_still == compared).all() or not open_still.any():
                return
            compared, each = open_still, list(self._largest(open_still))

    @cached_property
    def _all_at_once(self) -> tuple[Flags, Floats, float]:
        """Which pairs are clear, p-values of all, and what those that are not exceed by chance."""
        p_values, reached = np.ones_like(self.errors), 0.0
        for compared, largest, critical in self._steps(alone=False):
            p = np.zeros_like(self.errors)
            for each in largest:
                larger = len(each) - np.searchsorted(each[:, 0], self.normal_scores, side="left")
                p = np.maximum(p, (1 + larger) / (1 + len(each)))
            clear_now = compared & (self.normal_scores > critical)
            # A difference is no clearer than a larger one.
            p_values[compared] = np.maximum(p, reached)[compared]
            reached = float(p_values[clear_now].max(initial=reached))
            last = compared & ~clear_now
        np.fill_diagonal(p_values, 1.0)
        return self.better & ~last, p_values, float(critical[0])

    @property
    def critical_value(self) -> float:
        """What normal scores of pairs that are not clear exceed by chance, all at once."""
        return self._all_at_once[2]

    def times_until_clear(self, first: int, second: int) -> float:
        """How many times as many votes would make a pair clear: errors shrink with the root."""
        size = float(self.normal_scores[first, second])
        return (self.critical_value / size) ** 2 if size > 0 else np.inf

    @cached_property
    def better(self) -> Flags:
        """Whether item i has the higher estimate."""
        return np.asarray(self.estimates[:, None] > self.estimates[None, :])

    @property
    def clear(self) -> Flags:
        """Whether i is clearly better than j, all pairs at once."""
        return self._all_at_once[0]

    @cached_property
    def marginal(self) -> NDArray[np.int64]:
        """Best and worst place of each item, by itself."""
        for compared, _, critical in self._steps(alone=True):
            beyond = ~compared | (self.normal_scores > critical[:, None])
        ahead, behind = (beyond & self.better.T).sum(axis=1), (beyond & self.better).sum(axis=1)
        return self._with_ranks(np.stack([1 + ahead, self.n_items - behind], axis=1))

    @cached_property
    def simultaneous(self) -> NDArray[np.int64]:
        """Best and worst place of each item, all at once."""
        return self._with_ranks(places_by_pairs(self.clear))

    def _with_ranks(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Limits that hold the item's place, which shrinkage may have moved."""
        low, high = places.T
        return np.stack([np.minimum(low, self.ranks), np.maximum(high, self.ranks)], axis=1)

    @property
    def p_values(self) -> Floats:
        """For each pair, how often chance makes one as clear of those compared with it."""
        return self._all_at_once[1]

    @property
    def least_p(self) -> float:
        """The smallest p-value that draws can show."""
        return 1 / (1 + len(self._first[0]))

    @property
    def p_equal(self) -> float:
        """How often the clearest pair is as clear by chance, if all items are equal."""
        return float(self.p_values.min(initial=1.0))

    @cached_property
    def draws(self) -> Floats:
        """Scores as they might be: draws from Student's t, with the typical degrees of freedom."""
        freedom = self._freedoms
        typical = max(float(np.median(freedom)), 1.0) if len(freedom) else np.inf
        shifts = self._shifts
        if np.isfinite(typical):
            rng = np.random.default_rng([self.seed, 1])
            stretch = np.sqrt(typical / rng.chisquare(typical, len(shifts) // 2))
            shifts = shifts * np.tile(stretch, 2)[:, None]
        return np.asarray(self.estimates + shifts)

    @cached_property
    def chances(self) -> Floats:
        """``[i, r]``: the probability that item i has place r + 1."""
        order = np.argsort(-self.draws, axis=1)
        cells = order * self.n_items + np.arange(self.n_items)
        times = np.bincount(cells.ravel(), minlength=self.n_items**2)
        return times.reshape(self.n_items, self.n_items) / len(order)

    @property
    def first(self) -> Floats:
        """The probability that each item is first."""
        return np.asarray(self.chances[:, 0])

    def best(self, k: int) -> Floats:
        """The probability that each item is among the best k."""
        return np.asarray(self.chances[:, :k].sum(axis=1))

    @cached_property
    def tiers(self) -> list[Longs]:
        """Items by how many others, each clearly better than the next, are clearly better."""
        tier = np.zeros(self.n_items, dtype=np.int64)
        for item in self.order:
            ahead = self.clear[:, item]
            tier[item] = 1 + tier[ahead].max() if ahead.any() else 0
        numbers = range(int(tier.max(initial=-1)) + 1)
        return [self.order[tier[self.order] == number] for number in numbers]


def _largest_gaps(shifts: Floats, inverse: Floats) -> Floats:
    """``[d, i]``: the largest of the differences of item i in draw d, times ``inverse``."""
    by_item = np.ascontiguousarray(shifts.T)
    largest = np.zeros_like(by_item)
    for i, inverse_of in enumerate(inverse):
        others = np.flatnonzero(inverse_of)
        gaps = by_item[others]
        gaps -= by_item[i]
        np.abs(gaps, out=gaps)
        gaps *= inverse_of[others, None]
        gaps.max(axis=0, initial=0.0, out=largest[i])
    return largest.T
