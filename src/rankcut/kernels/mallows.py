"""The Mallows kernel: an exponential of the number of discordant pairs.

For rankings A and A' without unranked items, the mean of exp(−λ·discordant pairs) over all ways to
break the ties of both has a closed form. Let q = exp(−λ), D the number of pairs that both order
strictly and oppositely, G the groups of A, G' those of A', and [m]_q! = Π_{j≤m} (1 − q^j)/(1 − q).
The mean is

    q^D · Π_G [|G|]_q!/|G|! · Π_{G'} [|G'|]_q!/|G'|! · Π_{G, G'} |G ∩ G'|!/[|G ∩ G'|]_q!

because an order of a group is a shuffle of its intersections with the groups of the other ranking
and, independently, an order of each intersection. So full rankings, top-k lists and ties need
neither enumeration nor sampling. Incomplete rankings do. In their draws, tied items that stay
neighbours remain tied, and so do unranked ones; that averages over their orders. The second draw
of a mirrored pair reverses the order of the tied items, of the unranked ones, and of the gaps they
fall into.

The draws depend only on the ranking and the seed. So the Gram matrix of sampled means is positive
semi-definite: it is that of mean feature vectors. The standard error of its entries falls with the
square root of ``n_draws`` or faster; compare a few values of ``random_state`` to see it. An entry
k(A, A), whose two sides are the same draws, is slightly too large on average.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter
from sklearn.utils import check_random_state

from rankcut._loops.pairs import ALL
from rankcut._loops.permutations import complete_rows, count_completions, mallows_values
from rankcut._loops.types import Floats, Indices, Ints, Words
from rankcut.errors import InputError, Setting
from rankcut.kernels.kendall import KendallKernel, count_pairs, signs_as_bits
from rankcut.kernels.ranking_kernel import Bounds, Encoder, RankingKernel
from rankcut.parameters import MOST_COMPARED, check_draws, check_positive, seed_from
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.partitions import block_rows
from rankcut.sample import weighted_median
from rankcut.threads import over_rows


class MallowsKernel(RankingKernel):
    """k(A, A') = mean of exp(−λ·discordant pairs) over the full rankings that agree with A and A'.

    Exact in closed form for full rankings, top-k lists and ties. For an incomplete ranking, the
    mean is over all its completions if there are at most ``n_draws``, otherwise over random draws
    in mirrored pairs.

    Parameters
    ----------
    lam : float or None
        λ > 0, a hyper-parameter with a gradient. None means 4/(n(n − 1)): unrelated full rankings
        disagree on half of the pairs, so they have k ≈ 1/e. :func:`median_lambda` gives a value
        that suits the data.
    lam_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for λ, if it is a number.
    unranked, normalize, items, n_jobs
        As in :class:`KendallKernel`. Full rankings always have k(A, A) = 1. If very many items are
        tied and λ is not small, values underflow unless they are normalised.
    n_draws : int
        Number of draws, even, for each incomplete ranking. The cost of an entry grows with its
        square.
    random_state : int, RandomState or None
        Seed of the draws. A ranking has the same draws in each call with the same int. With None,
        each call draws again, so predictions would use another kernel than the one that was fitted.

    References
    ----------
    Y. Jiao, J.-P. Vert. The Kendall and Mallows kernels for permutations. ICML 2015.

    M. Lomeli, M. Rowland, A. Gretton, Z. Ghahramani. Antithetic and Monte Carlo kernel estimators
    for partial rankings. Statistics and Computing, 2019.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessClassifier
    >>> from rankcut import MallowsKernel, make_food
    >>> from rankcut.kernels import median_lambda
    >>> food = make_food(80, noise=0.3, random_state=0)
    >>> kernel = MallowsKernel(median_lambda(food.ranks))
    >>> model = GaussianProcessClassifier(kernel).fit(food.ranks, food.target)
    >>> round(float(model.kernel_.lam), 2)
    0.08
    """

    def __init__(
        self,
        lam: float | None = None,
        lam_bounds: Bounds = (1e-5, 1e5),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_draws: int = 32,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.lam = lam
        self.lam_bounds = lam_bounds
        self.n_draws = n_draws
        self.random_state = random_state

    @property
    def hyperparameter_lam(self) -> Hyperparameter:
        """λ, as scikit-learn describes it."""
        return Hyperparameter("lam", "numeric", "fixed" if self.lam is None else self.lam_bounds)

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as completions with ties; see :class:`MallowsCompletions`."""
        lam = self.lam
        if lam is not None:
            check_positive(lam, "lam")
        seed = seed_from(self.random_state)

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> MallowsCompletions:
            groups = rankings.groups(n_jobs=self.n_jobs)
            completions = complete(groups, n_draws=self.n_draws, seed=seed, n_jobs=self.n_jobs)
            rate = 2.0 / max(count_pairs(rankings.shape[1]), 1) if lam is None else float(lam)
            return MallowsCompletions(
                completions, rate, normalize=self.normalize, derivative=derivative
            )

        return encode


def median_lambda(
    X: Any,
    *,
    unranked: Unranked = "error",
    items: Sequence[Hashable] | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> float:
    """λ = 1/(median over pairs of rankings of the expected number of discordant pairs of items).

    The median heuristic for :class:`MallowsKernel`: half of the pairs of rankings have
    λ·discordant ≥ 1. A pair of tied or unranked items counts as half discordant. At most 1,000
    rankings are used, chosen at random.

    Parameters
    ----------
    X, unranked, items, n_jobs
        As in :class:`KendallKernel` and its method ``gram``; a row that counts several times is as
        many rankings.
    random_state : int, RandomState or None
        Seed of the choice.

    Examples
    --------
    >>> median_lambda([[1, 2, 3, 4], [2, 1, 3, 4], [2, 1, 4, 3]])
    1.0
    """
    rankings = read_rankings(X, items, unranked=unranked)
    counts = rankings.counts if rankings.counted else np.ones(rankings.shape[0])
    if counts.sum() > MOST_COMPARED:
        total, chance = int(counts.sum()), check_random_state(random_state)
        numbers = chance.choice(total, MOST_COMPARED, replace=False)
        rows = np.searchsorted(np.cumsum(counts), numbers, side="right")
        rankings, counts = rankings.rows(np.sort(rows)), np.ones(MOST_COMPARED)
    tau = KendallKernel(n_jobs=n_jobs).gram(rankings)
    first, second = np.triu_indices_from(tau)
    # Of c rankings alike there are c(c − 1)/2 pairs.
    pairs = counts[first] * (counts[second] - (first == second)) / (1 + (first == second))
    discordant = count_pairs(rankings.shape[1]) * (1.0 - tau[first, second]) / 2.0
    median = weighted_median(discordant[pairs > 0], pairs[pairs > 0])
    if not median > 0.0:
        raise InputError(
            "the median heuristic needs rankings that differ, but at least half of the pairs are "
            "equal rankings",
            remedy=["pass a number as ", Setting("lam")],
        )
    return 1.0 / median


@dataclass(frozen=True, eq=False)
class CompletedGroups:
    """The full rankings that agree with each of many rankings, one after the other."""

    groups: Indices  #: of each item, a row for each completion; without ties, its position from 0
    starts: Ints  #: ranking r has the rows from ``starts[r]`` to ``starts[r + 1]``

    def __len__(self) -> int:
        return len(self.starts) - 1

    def some(self, rows: slice) -> "CompletedGroups":
        """The completions of some of the rankings."""
        starts = self.starts[rows.start : rows.stop + 1]
        return CompletedGroups(self.groups[starts[0] : starts[-1]], starts - starts[0])


def complete(groups: Indices, *, n_draws: int, seed: int, n_jobs: int | None) -> CompletedGroups:
    """All completions of rankings with at most ``n_draws``, mirrored draws for the others.

    Exchangeable neighbours stay tied, because the mean over their orders has a closed form.
    """
    check_draws(n_draws, "n_draws")
    n_rows, n_items = groups.shape
    counts = np.empty(n_rows, dtype=np.int32)
    count_completions(groups, int(n_draws), counts)
    starts = np.zeros(n_rows + 1, dtype=np.int32)
    np.cumsum(np.minimum(counts, n_draws), out=starts[1:])
    completions = np.empty((starts[-1], n_items), dtype=np.uint32)

    def fill(start: int, stop: int) -> None:
        complete_rows(
            groups[start:stop],
            counts[start:stop],
            starts[start : stop + 1],
            np.uint64(seed),
            completions,
        )

    over_rows(fill, n_rows, block_rows(n_items), n_jobs)
    return CompletedGroups(completions, starts)


class MallowsCompletions:
    """Completions with ties, and the terms of the closed form.

    With ``normalize``, all values of a ranking are multiplied by a factor of its own, which
    cancels in the normalised kernel. It keeps them from underflow and overflow, however many
    items are tied.
    """

    side = 64
    blas = False

    def __init__(
        self, completions: CompletedGroups, lam: float, *, normalize: bool, derivative: bool = False
    ) -> None:
        self._completions = completions
        self._lam = lam
        self._normalize = normalize
        self._derivative = derivative
        self._by_size = log_orders(completions.groups.shape[1], lam)

    def __len__(self) -> int:
        return len(self._completions)

    def compare(
        self, rows: slice, other: "MallowsCompletions", columns: slice, pairs: int, out: Any
    ) -> None:
        """Average the closed form, or its derivative in λ, over the completions."""
        ours = self._some(rows)
        mallows_values(
            ours,
            ours if pairs != ALL else other._some(columns),
            self._lam,
            self._by_size,
            self._derivative,
            pairs,
            out,
        )

    def _some(self, rows: slice) -> tuple[Indices, Words, Words, Floats, Ints]:
        some = self._completions.some(rows)
        n_rows, n_items = some.groups.shape
        numbers = some.groups + n_items * np.arange(n_rows)[:, np.newaxis]
        sizes = np.bincount(numbers.ravel(), minlength=n_rows * n_items)
        terms = self._by_size[:, sizes].reshape(2, n_rows, n_items).sum(axis=2)
        if self._normalize:
            # The term of a single completion a is log k(a, a). So no pair of completions has a
            # value above 1, and k(A, A) ≥ 1/(number of completions of A)².
            largest = np.maximum.reduceat(terms[0], some.starts[:-1])
            terms[0] -= np.repeat(largest / 2.0, np.diff(some.starts))
        better, strict = signs_as_bits(some.groups)
        return some.groups, better, strict, terms, some.starts


def log_orders(n_items: int, lam: float) -> Floats:
    """log([m]_q!/m!) for m = 0 … n, and its derivative in λ; q = exp(−λ)."""
    j = np.arange(1.0, n_items + 1)
    falls = -np.expm1(-lam * j)
    slopes = j * np.exp(-lam * j) / falls
    table = np.zeros((2, n_items + 1))
    table[0, 1:] = np.cumsum(np.log(falls / (falls[0] * j)))
    table[1, 1:] = np.cumsum(slopes - slopes[0])
    return table
