"""One ranking from many: the whole answer, from rankings that were read.

It does not need scikit-learn, which takes longer to import than most rankings take to combine.
"""

import warnings
from collections.abc import Hashable, Sequence
from copy import copy
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.consensus.agreement import agree
from rankcut.consensus.kemeny import BestOrders, best_orders
from rankcut.consensus.methods import (
    Outcome,
    Resampling,
    borda_vectors,
    by_majorities,
    by_strengths,
    by_vectors,
    graph_vectors,
    ratio_vectors,
)
from rankcut.consensus.pairs import (
    MOST_TABULATED,
    Comparisons,
    compare_pairs,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.consensus.result import ConsensusResult
from rankcut.errors import InputError, Setting, amount
from rankcut.parameters import (
    MOST_LISTED,
    check_bootstraps,
    check_choice,
    check_share,
    is_real,
    seed_from,
)
from rankcut.pictures.theme import check_length
from rankcut.rankings import Rankings, Unranked
from rankcut.results.words import name_some
from rankcut.sample import Sample
from rankcut.vocabulary import ConsensusMethod

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph
    from rankcut.strengths import Strengths, Ties

# Pairs of items are compared unevenly if some are compared more than this many times as often as
# others; by chance alone that is rare once each pair is compared 20 times.
_UNEVEN = 3.0


# Equally good orders are written out up to this many; of more, the items whose places differ.
_MOST_ORDERS = 4

# What is computed from pairs once it is asked for.
_FROM_PAIRS = ("comparisons_", "best_orders_", "_best_orders")


class CombinesRankings(ConsensusResult):
    """Parameters and results of :class:`rankcut.Consensus`, and the way from one to the other."""

    def __init__(
        self,
        method: ConsensusMethod = "auto",
        *,
        graph: Any = None,
        unranked: Unranked = "error",
        confidence: float = 0.95,
        n_bootstraps: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float = 60.0,
        prior: Literal["evidence", "none"] = "evidence",
        ties: "Ties" = "auto",
    ) -> None:
        self.method = method
        self.graph = graph
        self.unranked = unranked
        self.confidence = confidence
        self.n_bootstraps = n_bootstraps
        self.random_state = random_state
        self.time_limit = time_limit
        self.prior = prior
        self.ties = ties

    def _combine(self, rankings: Rankings) -> Self:
        """Set the attributes that end with an underscore."""
        resampling = self._check_parameters()
        sample, n_items = Sample.of(rankings), rankings.shape[1]
        self._sample, self._items, self.n_features_in_ = sample, rankings.items, n_items
        # What was compared in an earlier fit.
        for name in _FROM_PAIRS:
            self.__dict__.pop(name, None)
        self.method_: ConsensusMethod = self._choose_method(sample, rankings)
        if self.method_ in ("copeland", "kemeny") and n_items > MOST_TABULATED:
            raise InputError(
                f"looks at all pairs of items, too many for {n_items:,} items",
                parameter="method",
                remedy=["use ", Setting("method", "strengths"), " or leave rare items out"],
            )
        self.n_people_, self.n_effective_ = sample.n_people, sample.n_effective
        # Products of narrow matrices: further threads would mostly wait.
        with _libraries().limit(limits=1, user_api="blas"):
            outcome = self._find(sample, resampling)
            self.agreement_ = agree(sample, self.confidence)
        self.scores_ = outcome.scores
        self.ranking_ = outcome.ranking
        self.rank_intervals_ = outcome.intervals
        self.winner_shares_ = outcome.first
        self.optimal_ = outcome.kemeny is None or outcome.kemeny.optimal
        if outcome.kemeny is not None:
            self.objective_, self.bound_ = outcome.kemeny.value, outcome.kemeny.bound
        self.clear_ = outcome.sure
        self.tiers_ = None if outcome.sure is None else self._named(_tiers(outcome))
        self.errors_ = self.strengths_.standard_errors if self.method_ == "strengths" else None
        self._on_strengths = self._strength_notes() if self.method_ == "strengths" else []
        if (note := self._about_unlisted()) is not None:
            warnings.warn(note, UserWarning, stacklevel=3)
        return self

    def with_items(self, items: Sequence[Hashable]) -> Self:
        """The consensus with other names for its items."""
        check_length(items, self.n_features_in_, "items", "items")
        renamed = copy(self)
        renamed._items = tuple(items)
        return renamed

    def arranged(self, order: Longs) -> Self:
        """The consensus with its items in another order, and without ``strengths_``."""
        other = copy(self)
        for name in ("strengths_", *_FROM_PAIRS):
            other.__dict__.pop(name, None)
        for name in ("ranking_", "scores_", "rank_intervals_", "winner_shares_", "errors_"):
            values = getattr(self, name)
            setattr(other, name, None if values is None else values[order])
        other.clear_ = None if self.clear_ is None else self.clear_[np.ix_(order, order)]
        other._items = tuple(self._names()[i] for i in order.tolist())
        other._sample = self._sample.arranged(order)
        return other

    def _choose_method(self, sample: Sample, rankings: Rankings) -> ConsensusMethod:
        """The method that "auto" stands for.

        If unranked items may be anywhere, who meets whom matters, and strengths allow for it. With
        an item graph, strengths use it. Otherwise, if nearly all rankings are full, and if nobody
        compares two items, it is Borda's.
        """
        if self.method != "auto":
            return self.method
        partial = sample.unranked == "anywhere" and not rankings.nearly_full()
        wanted = partial or self.graph is not None
        return "strengths" if wanted and sample.compares else "borda"

    def _find(self, sample: Sample, resampling: Resampling) -> Outcome:
        if self.method_ == "strengths":
            self.strengths_: Strengths = self._fit_strengths(sample)
            return by_strengths(sample, self.strengths_, resampling)
        if self.method_ in ("borda", "graph"):
            return self._by_means(sample, resampling)
        assert self.comparisons_ is not None
        return by_majorities(sample, self.comparisons_, self.method_, resampling, self.time_limit)

    def _by_means(self, sample: Sample, resampling: Resampling) -> Outcome:
        """The order of mean vectors, which is the ranking most similar to all."""
        n_items = sample.n_items
        extremes = np.full(n_items, n_items - 1.0)
        graph = self._fit_graph(sample.rankings) if self.method_ == "graph" else None
        if graph is not None:
            extremes = graph.degrees
        if sample.unranked != "anywhere":
            vectors = borda_vectors if graph is None else graph_vectors(graph)
            return by_vectors(sample, vectors, resampling, extremes)
        pairs = self.comparisons_
        if pairs is None:
            return by_vectors(sample, ratio_vectors(sample), resampling, extremes)
        weights = None if graph is None else graph.to_dense()
        listings = pairs.listings() * (sample.n_people / pairs.mass)
        return by_vectors(sample, pairs.item_vectors(weights), resampling, extremes, listings)

    def _fit_graph(self, rankings: Rankings) -> "ItemGraph | None":
        if self.graph is None:
            return None
        # Imported here, because most answers need no graph, and start sooner without it.
        from rankcut.graphs.item_graph import fit_graph

        return fit_graph(self.graph, rankings)

    def _fit_strengths(self, sample: Sample) -> "Strengths":
        from rankcut.strengths import fit_strengths

        graph = self._fit_graph(sample.rankings)
        # Sorted rankings add up to the same bits in any order of the rows.
        return fit_strengths(sample.as_rankings(), graph=graph, prior=self.prior, ties=self.ties)

    @cached_property
    def comparisons_(self) -> Comparisons | None:
        """What people say about each pair of items, once it is asked for; None of too many."""
        return compare_pairs(self._sample) if self.n_features_in_ <= MOST_TABULATED else None

    @property
    def pairwise_(self) -> Floats:
        """The share that prefers i, of those who compare i and j."""
        return self._all_pairs("pairwise_").shares()

    @property
    def pairwise_counts_(self) -> Floats:
        """How many people compare i and j."""
        return self._all_pairs("pairwise_counts_").counts()

    @property
    def mean_ranks_(self) -> Floats | None:
        """The mean rank of each item: 1 plus how many others are expected before it.

        Shares of people are added up; for strengths, the probabilities of the model. None of more
        than 1,024 items.
        """
        if self.n_features_in_ > MOST_TABULATED:
            return None
        if self.method_ == "strengths":
            before = expit(self.scores_ - self.scores_[:, None])
        else:
            before = self._all_pairs("mean_ranks_").shares().T
        np.fill_diagonal(before, 0.0)
        # A pair that nobody compares may be in either order.
        return np.asarray(1 + np.where(np.isnan(before), 0.5, before).sum(axis=1))

    def _all_pairs(self, name: str) -> Comparisons:
        if not hasattr(self, "ranking_"):
            raise AttributeError(f"{name}: call fit first")
        if self.comparisons_ is None:
            raise AttributeError(
                f"{name} has an entry for each pair of items, and is not computed for more than "
                f"{MOST_TABULATED:,} items; there are {self.n_features_in_:,}"
            )
        return self.comparisons_

    @property
    def pairwise_winner_(self) -> Hashable | None:
        """The item that beats every other one by a majority, if there is one."""
        listed, margins, _ = self._majorities()
        winner = pairwise_winner(margins)
        return None if winner is None else self._names()[listed[winner]]

    @property
    def cycle_(self) -> list[Hashable]:
        """A shortest cycle of items each of which beats the next, or empty."""
        listed, margins, _ = self._majorities()
        names = self._names()
        return [names[listed[i]] for i in shortest_cycle(margins)]

    def _majorities(self) -> tuple[Longs, Floats, Flags]:
        """The items that are listed, the margins between them, and those beyond chance."""
        listed = np.flatnonzero(self._sample.listed)
        if self.comparisons_ is None:
            return listed[:0], np.empty((0, 0)), np.empty((0, 0), dtype=bool)
        both = np.ix_(listed, listed)
        return listed, self.comparisons_.margins()[both], self.comparisons_.clear()[both]

    @cached_property
    def best_orders_(self) -> list[list[Hashable]]:
        """The orders that agree most with all comparisons, up to 12; by Kemeny's method only."""
        names, listed = self._names(), self._majorities()[0]
        best = self._best_orders
        orders = [] if best is None else best.orders
        return [[names[listed[i]] for i in order] for order in orders]

    @cached_property
    def _best_orders(self) -> BestOrders | None:
        if self.method_ != "kemeny" or not self.optimal_:
            return None
        return best_orders(self._majorities()[1], MOST_LISTED)

    def _best_orders_in_words(self) -> list[str]:
        """That other orders agree as much with all comparisons, and which."""
        best = self._best_orders
        if best is None and self.method_ == "kemeny" and self.optimal_:
            return ["Other orders may be as good: too many items beat each other to look at all."]
        if best is None or len(best.orders) < 2:
            return []
        names, listed = self._names(), self._majorities()[0]
        free = name_some([str(names[listed[i]]) for i in best.free])
        number = f"{len(best.orders)}" if best.complete else f"More than {len(best.orders)}"
        sentence = f"{number} orders are equally good; this is one of them."
        if best.complete and len(best.orders) <= _MOST_ORDERS:
            orders = "; ".join(" > ".join(map(str, each)) for each in self.best_orders_)
            return [f"{sentence} They are: {orders}."]
        verb = "differ" if best.complete else "differ in those looked at"
        return [f"{sentence} The places of {free} {verb}."]

    @property
    def notes_(self) -> list[str]:
        """What a reader of the result should know, in sentences."""
        names, notes = self._names(), []
        if self.comparisons_ is not None:
            listed, margins, clear = self._majorities()
            notes.append(majority_sentence(margins, [names[i] for i in listed], clear))
            notes += self._exposure_notes(self.comparisons_, listed)
        if round(self.n_effective_) < self.n_people_:
            notes.append(
                "Some count more than others, by their weights or number of rankings: "
                f"{self.n_people_:,} say as much as {self.n_effective_:,.0f} who count alike "
                f"(design effect {self.n_people_ / self.n_effective_:.2f})."
            )
        if not self.optimal_:
            notes.append(
                f"The order is not proven best: it gains {self.objective_:.6g}, and no order gains "
                f"more than {self.bound_:.6g}."
            )
        notes += self._best_orders_in_words()
        if self.agreement_.kendall_w is None:
            notes.append("Each ranking ties all its items, so nothing orders them.")
        notes += self._on_strengths
        unlisted = self._about_unlisted()
        return notes if unlisted is None else [*notes, unlisted]

    def _about_unlisted(self) -> str | None:
        """Where items are that nobody ranks."""
        missing = np.flatnonzero(~self._sample.listed)
        if not missing.size:
            return None
        n_listed = self.n_features_in_ - len(missing)
        where = "placed last, though any place is possible"
        if self.method_ == "strengths" and self.ranking_[missing].max() <= n_listed:
            where = "placed by the item graph alone"
        return f"Nobody ranks {self._some(missing)}: {where}."

    def _check_parameters(self) -> Resampling:
        check_choice(self.method, get_args(ConsensusMethod), "method")
        check_choice(self.prior, ("evidence", "none"), "prior")
        check_choice(self.ties, ("auto", "davidson", "exact", "efron", "breslow", "half"), "ties")
        if self.graph is not None and self.method not in ("auto", "graph", "strengths"):
            raise InputError(
                f'is used by method="strengths" and "graph" only; got method={self.method!r}',
                parameter="graph",
            )
        check_share(self.confidence, "confidence")
        check_bootstraps(self.n_bootstraps, "n_bootstraps", self.confidence)
        if not (is_real(self.time_limit) or self.time_limit == np.inf):
            raise InputError(
                f"must be a number of seconds, 0 or more; got {f'{self.time_limit!r}':.40}",
                parameter="time_limit",
            )
        return Resampling(
            float(self.confidence), int(self.n_bootstraps), seed_from(self.random_state)
        )

    def _named(self, groups: list[NDArray[np.int64]]) -> list[list[Hashable]]:
        names = self._names()
        return [[names[i] for i in group.tolist()] for group in groups]

    def _exposure_notes(self, pairs: Comparisons, listed: NDArray[np.int64]) -> list[str]:
        """What uneven comparisons of items do to the method."""
        if not pairs.ratios or len(listed) < 2:
            return []
        names = self._names()
        counts = pairs.counts()[np.ix_(listed, listed)]
        one, other = np.triu_indices(len(listed), 1)
        each = counts[one, other]
        never = np.flatnonzero(each == 0)
        notes = []
        if len(never):
            pair = (names[listed[one[never[0]]]], names[listed[other[never[0]]]])
            more = f", nor {amount(len(never) - 1, 'other pair')}" if len(never) > 1 else ""
            notes.append(f"Nobody puts {pair[0]!r} and {pair[1]!r} in order{more}.")
        uneven = len(never) > 0 or each.max() > _UNEVEN * each.min()
        if uneven and self.method_ != "strengths":
            notes.append(
                "Some pairs of items are compared far more often than others, and whoever meets "
                'weak opponents looks strong; method "strengths" allows for it.'
            )
        return notes

    def _strength_notes(self) -> list[str]:
        """What strengths hang on."""
        fit, notes = self.strengths_, []
        apart = np.flatnonzero(~fit.connected & self._sample.listed)
        if apart.size:
            notes.append(
                f"Wins and losses do not connect {self._some(apart)} with the other items: how far "
                "apart they are is a guess of the prior."
            )
        if self.graph is not None and fit.prior is not None:
            share = fit.prior.share
            notes.append(
                f"The item graph explains {100 * share:.0f} % of how strengths differ, by the "
                "evidence."
                if share > 0
                else "By the evidence, the item graph says nothing about strengths; it is not used."
            )
        return notes

    def _some(self, items: Longs) -> str:
        names = self._names()
        first = ", ".join(repr(names[i]) for i in items[:3])
        return first + (f" and {items.size - 3:,} more" if items.size > 3 else "")

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names


def combine(rankings: Rankings, **parameters: Any) -> CombinesRankings:
    """The consensus of rankings, with the parameters and attributes of :class:`rankcut.Consensus`.

    >>> from rankcut.rankings import read_rankings
    >>> combine(read_rankings([[1, 2, 3], [2, 1, 3], [1, 3, 2]])).ranking_
    array([1, 2, 3])
    """
    return CombinesRankings(**parameters)._combine(rankings)


def _tiers(outcome: Outcome) -> list[NDArray[np.int64]]:
    """Items by how many others, each surely better than the next, are surely better than they."""
    assert outcome.sure is not None
    order = np.lexsort((-outcome.scores, outcome.ranking))
    tier = np.zeros(len(order), dtype=np.int64)
    for item in order:
        better = outcome.sure[:, item]
        tier[item] = 1 + tier[better].max() if better.any() else 0
    return [order[tier[order] == number] for number in range(int(tier.max()) + 1)]


@cache
def _libraries() -> ThreadpoolController:
    """The libraries whose threads are limited; finding them takes as long as a small fit."""
    return ThreadpoolController()
