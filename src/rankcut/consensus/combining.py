"""One ranking from many: the whole answer, from rankings that were read.

It does not need scikit-learn, which takes longer to import than most rankings take to combine.
"""

import warnings
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from rankcut._loops.types import Floats
from rankcut.consensus.agreement import agree
from rankcut.consensus.means import Units, borda_vectors, graph_vectors, ratio_vectors
from rankcut.consensus.methods import (
    Method,
    Outcome,
    Resampling,
    by_majorities,
    by_strengths,
    by_vectors,
)
from rankcut.consensus.pairs import (
    MOST_PAIRED,
    Comparisons,
    compare_pairs,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.errors import InputError, Setting, amount
from rankcut.parameters import check_choice, check_count, check_share, is_real, seed_from
from rankcut.rankings import Rankings, Unranked

if TYPE_CHECKING:
    from rankcut.graphs.item_graph import ItemGraph
    from rankcut.strengths import Strengths

# Pairs of items are compared unevenly if some are compared more than this many times as often as
# others; by chance alone that is rare once each pair is compared 20 times.
_UNEVEN = 3.0


class CombinesRankings:
    """Parameters and results of :class:`rankcut.Consensus`, and the way from one to the other."""

    n_features_in_: int

    def __init__(
        self,
        method: Method = "auto",
        *,
        graph: Any = None,
        unranked: Unranked = "error",
        confidence: float = 0.95,
        n_bootstraps: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float = 60.0,
        prior: Literal["evidence", "none"] = "evidence",
        ties: Literal["auto", "davidson", "exact", "efron", "breslow"] = "auto",
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
        units = Units.of(rankings)
        n_items = rankings.shape[1]
        self._pairs = compare_pairs(units) if n_items <= MOST_PAIRED else None
        self.method_: Method = self._choose_method(rankings)
        if self.method_ in ("copeland", "kemeny") and n_items > MOST_PAIRED:
            raise InputError(
                f"looks at all pairs of items, too many for {n_items:,} items",
                parameter="method",
                remedy=["use ", Setting("method", "strengths"), " or leave rare items out"],
            )
        self._items = rankings.items
        self.n_features_in_ = n_items
        self.n_people_, self.n_effective_ = units.n_people, units.n_effective
        # Products of narrow matrices: further threads would mostly wait.
        with _libraries().limit(limits=1, user_api="blas"):
            outcome = self._find(rankings, units, resampling)
            self.agreement_ = agree(units, self.confidence)
        self.scores_ = outcome.scores
        self.ranking_ = outcome.ranking
        self.rank_intervals_ = outcome.intervals
        self.winner_shares_ = outcome.first
        self.optimal_ = outcome.kemeny is None or outcome.kemeny.optimal
        if outcome.kemeny is not None:
            self.objective_, self.bound_ = outcome.kemeny.value, outcome.kemeny.bound
        self.clear_ = outcome.sure
        self.tiers_ = None if outcome.sure is None else self._named(_tiers(outcome))
        self._say_what_matters(units)
        return self

    def _choose_method(self, rankings: Rankings) -> Method:
        """The method that "auto" stands for.

        If unranked items may be anywhere, who meets whom matters, and strengths allow for it. With
        an item graph, strengths use it. Otherwise, and if nobody compares two items, it is Borda's.
        """
        if self.method != "auto":
            return self.method
        compared = self._pairs is None or bool(self._pairs.made.any())
        wanted = rankings.unranked == "anywhere" or self.graph is not None
        return "strengths" if wanted and compared else "borda"

    def _find(self, rankings: Rankings, units: Units, resampling: Resampling) -> Outcome:
        if self.method_ == "strengths":
            self.strengths_: Strengths = self._fit_strengths(rankings, units)
            return by_strengths(units, self.strengths_, resampling)
        if self.method_ in ("borda", "graph"):
            return self._by_means(rankings, units, resampling)
        assert self._pairs is not None
        return by_majorities(units, self._pairs, self.method_, resampling, self.time_limit)

    def _by_means(self, rankings: Rankings, units: Units, resampling: Resampling) -> Outcome:
        """The order of mean vectors, which is the ranking most similar to all."""
        n_items = units.n_items
        extremes = np.full(n_items, n_items - 1.0)
        weights = None
        graph = self._fit_graph(rankings) if self.method_ == "graph" else None
        if graph is not None:
            extremes = graph.degrees
            if units.unranked != "anywhere":
                return by_vectors(units, graph_vectors(graph), resampling, extremes)
            weights = graph.to_dense() if self._pairs is not None else None
        if units.unranked != "anywhere":
            return by_vectors(units, borda_vectors, resampling, extremes)
        if self._pairs is None:
            return by_vectors(units, ratio_vectors(units), resampling, extremes)
        asked = self._pairs.listings() * (units.n_people / self._pairs.mass)
        return by_vectors(units, self._pairs.item_vectors(weights), resampling, extremes, asked)

    def _fit_graph(self, rankings: Rankings) -> "ItemGraph | None":
        if self.graph is None:
            return None
        # Imported here, because most answers need no graph, and start sooner without it.
        from rankcut.graphs.item_graph import fit_graph

        return fit_graph(self.graph, rankings)

    def _fit_strengths(self, rankings: Rankings, units: Units) -> "Strengths":
        from rankcut.strengths import fit_strengths

        graph = self._fit_graph(rankings)
        # Sorted rankings add up to the same bits in any order of the rows.
        return fit_strengths(units.as_rankings(), graph=graph, prior=self.prior, ties=self.ties)

    @property
    def pairwise_(self) -> Floats:
        """The share that prefers i, of those who compare i and j."""
        return self._all_pairs("pairwise_").shares()

    @property
    def pairwise_counts_(self) -> Floats:
        """How many people compare i and j."""
        return self._all_pairs("pairwise_counts_").counts()

    @property
    def mean_ranks_(self) -> Floats:
        """The mean rank of each item: 1 plus how many others are expected before it.

        Shares of people are added up; for strengths, the probabilities of the model.
        """
        before = self._all_pairs("mean_ranks_").shares().T
        if self.method_ == "strengths":
            before = expit(self.scores_ - self.scores_[:, None])
        np.fill_diagonal(before, 0.0)
        # A pair that nobody compares may be in either order.
        return np.asarray(1 + np.where(np.isnan(before), 0.5, before).sum(axis=1))

    def _all_pairs(self, name: str) -> Comparisons:
        if not hasattr(self, "ranking_"):
            raise AttributeError(f"{name}: call fit first")
        if self._pairs is None:
            raise AttributeError(
                f"{name} has an entry for each pair of items, and is not computed for more than "
                f"{MOST_PAIRED:,} items; there are {self.n_features_in_:,}"
            )
        pairs: Comparisons = self._pairs
        return pairs

    def _check_parameters(self) -> Resampling:
        check_choice(self.method, get_args(Method), "method")
        check_choice(self.prior, ("evidence", "none"), "prior")
        check_choice(self.ties, ("auto", "davidson", "exact", "efron", "breslow"), "ties")
        if self.graph is not None and self.method not in ("auto", "graph", "strengths"):
            raise InputError(
                f'is used by method="strengths" and "graph" only; got method={self.method!r}',
                parameter="graph",
            )
        check_share(self.confidence, "confidence")
        check_count(self.n_bootstraps, "n_bootstraps", least=0)
        least = int(np.ceil(self.confidence / (1 - self.confidence)))
        if 0 < self.n_bootstraps < least:
            raise InputError(
                f"is {self.n_bootstraps}, too few for a confidence of {self.confidence}",
                parameter="n_bootstraps",
                remedy=f"use {least} or more, or 0 for no intervals",
            )
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

    def _say_what_matters(self, units: Units) -> None:
        """The pairwise winner and what is unusual, in sentences."""
        names = self._names()
        self.notes_: list[str] = []
        self.pairwise_winner_: Hashable | None = None
        self.cycle_: list[Hashable] = []
        listed = np.flatnonzero(units.listed)
        if self._pairs is not None:
            margins = self._pairs.margins()[np.ix_(listed, listed)]
            winner = pairwise_winner(margins)
            self.pairwise_winner_ = None if winner is None else names[listed[winner]]
            self.cycle_ = [names[listed[i]] for i in shortest_cycle(margins)]
            clear = self._pairs.clear()[np.ix_(listed, listed)]
            self.notes_.append(majority_sentence(margins, [names[i] for i in listed], clear))
            self.notes_ += self._exposure_notes(self._pairs, listed)
        if round(self.n_effective_) < self.n_people_:
            self.notes_.append(
                "Some count more than others, by their weights or number of rankings: "
                f"{self.n_people_:,} say as much as {self.n_effective_:,.0f} who count alike "
                f"(design effect {self.n_people_ / self.n_effective_:.2f})."
            )
        if not self.optimal_:
            self.notes_.append(
                f"The order is not proven best: it gains {self.objective_:.6g}, and no order gains "
                f"more than {self.bound_:.6g}."
            )
        if self.agreement_.kendall_w is None:
            self.notes_.append("Each ranking ties all its items, so nothing orders them.")
        if self.method_ == "strengths":
            self.notes_ += self._strength_notes(units)
        missing = np.flatnonzero(~units.listed)
        if missing.size:
            where = "placed last, though any place is possible"
            if self.method_ == "strengths" and self.ranking_[missing].max() <= len(listed):
                where = "placed by the item graph alone"
            note = f"Nobody ranks {self._some(missing)}: {where}."
            self.notes_.append(note)
            warnings.warn(note, UserWarning, stacklevel=4)

    def _exposure_notes(self, pairs: Comparisons, listed: NDArray[np.int64]) -> list[str]:
        """What uneven comparisons of items do to the method."""
        if not pairs.ratios or len(listed) < 2:
            return []
        names = self._names()
        counts = pairs.counts()[np.ix_(listed, listed)]
        one, other = np.triu_indices(len(listed), 1)
        made = counts[one, other]
        never = np.flatnonzero(made == 0)
        notes = []
        if len(never):
            pair = (names[listed[one[never[0]]]], names[listed[other[never[0]]]])
            more = f", nor {amount(len(never) - 1, 'other pair')}" if len(never) > 1 else ""
            notes.append(f"Nobody puts {pair[0]!r} and {pair[1]!r} in order{more}.")
        uneven = len(never) > 0 or made.max() > _UNEVEN * made.min()
        if uneven and self.method_ != "strengths":
            notes.append(
                "Some pairs of items are compared far more often than others, and whoever meets "
                'weak opponents looks strong; method "strengths" allows for it.'
            )
        return notes

    def _strength_notes(self, units: Units) -> list[str]:
        """What strengths hang on."""
        fit, notes = self.strengths_, []
        apart = np.flatnonzero(~fit.connected & units.listed)
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

    def _some(self, chosen: NDArray[np.int64]) -> str:
        names = self._names()
        shown = ", ".join(repr(names[i]) for i in chosen[:3])
        return shown + (f" and {chosen.size - 3:,} more" if chosen.size > 3 else "")

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
