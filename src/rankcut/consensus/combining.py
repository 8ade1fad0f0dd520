"""One ranking from many: the whole answer, from rankings that were read.

It does not need scikit-learn, which takes longer to import than most rankings take to combine.
"""

import warnings
from collections.abc import Hashable
from functools import cache
from typing import Any, Self, get_args

import numpy as np
from threadpoolctl import ThreadpoolController

from rankcut._loops.types import Floats
from rankcut.consensus import (
    MOST_PAIRED,
    Comparisons,
    Method,
    Outcome,
    Resampling,
    Units,
    agree,
    by_majorities,
    by_vectors,
    compare_pairs,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.consensus.kemeny import Progress
from rankcut.consensus.means import Vectors, borda_vectors, graph_vectors
from rankcut.errors import InputError, Setting
from rankcut.parameters import check_choice, check_count, check_share, is_real, seed_from
from rankcut.rankings import Rankings, Unranked


class CombinesRankings:
    """Parameters and results of :class:`rankcut.Consensus`, and the way from one to the other."""

    n_features_in_: int

    def __init__(
        self,
        method: Method = "borda",
        *,
        graph: Any = None,
        unranked: Unranked = "error",
        confidence: float = 0.95,
        n_bootstraps: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
        time_limit: float = 60.0,
    ) -> None:
        self.method = method
        self.graph = graph
        self.unranked = unranked
        self.confidence = confidence
        self.n_bootstraps = n_bootstraps
        self.random_state = random_state
        self.time_limit = time_limit

    def _combine(self, rankings: Rankings, progress: Progress | None = None) -> Self:
        """Set the attributes that end with an underscore."""
        resampling = self._check_parameters()
        units = Units.of(rankings)
        n_items = rankings.shape[1]
        if self.method in ("copeland", "kemeny") and n_items > MOST_PAIRED:
            raise InputError(
                f"looks at all pairs of items, too many for {n_items:,} items",
                parameter="method",
                remedy=["use ", Setting("method", "borda"), " or leave rare items out"],
            )
        self._items = rankings.items
        self.n_features_in_ = n_items
        self.n_people_ = units.n_people
        # Products of narrow matrices: further threads would mostly wait.
        with _libraries().limit(limits=1, user_api="blas"):
            self._pairs = compare_pairs(units) if n_items <= MOST_PAIRED else None
            outcome = self._find(rankings, units, resampling, progress)
            self.agreement_ = agree(units, self._pairs, self.confidence)
        self.scores_ = outcome.scores
        self.ranking_ = outcome.ranking
        self.rank_intervals_ = outcome.intervals
        self.winner_shares_ = outcome.first
        self.optimal_ = outcome.kemeny is None or outcome.kemeny.optimal
        if outcome.kemeny is not None:
            self.objective_, self.bound_ = outcome.kemeny.value, outcome.kemeny.bound
        self.tied_groups_ = self._tied_groups()
        self._say_what_matters(units)
        return self

    def _find(
        self,
        rankings: Rankings,
        units: Units,
        resampling: Resampling,
        progress: Progress | None,
    ) -> Outcome:
        if self.method in ("borda", "graph"):
            return by_vectors(units, self._vectors(rankings), resampling)
        assert self._pairs is not None
        return by_majorities(units, self._pairs, self.method, resampling, self.time_limit, progress)

    @property
    def pairwise_(self) -> Floats:
        """The share that prefers i, of those who compare i and j."""
        return self._all_pairs("pairwise_").shares()

    @property
    def pairwise_counts_(self) -> Floats:
        """How many people compare i and j."""
        return self._all_pairs("pairwise_counts_").counts()

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
        if self.graph is not None and self.method != "graph":
            raise InputError(
                f'is used by method="graph" only; got method={self.method!r}', parameter="graph"
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

    def _vectors(self, rankings: Rankings) -> Vectors:
        """Vectors before pooling; the order of their mean is the ranking most similar to all."""
        if self.method == "borda" or self.graph is None:
            return borda_vectors
        # Imported here, because most answers need no graph, and start sooner without its module.
        from rankcut.graphs.item_graph import fit_graph

        return graph_vectors(fit_graph(self.graph, rankings))

    def _tied_groups(self) -> list[list[Hashable]]:
        names = self._names()
        groups = (np.flatnonzero(self.ranking_ == rank) for rank in np.unique(self.ranking_))
        return [[names[i] for i in group.tolist()] for group in groups if len(group) > 1]

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
            said = majority_sentence(margins, [names[i] for i in listed])
            # Unlisted items that may be anywhere count in margins, and not in shares.
            shares = self._pairs.shares()[np.ix_(listed, listed)]
            other = pairwise_winner(np.nan_to_num(2 * shares - 1))
            if other != winner:
                whom = "no item does" if other is None else f"it is {names[listed[other]]!r}"
                said += f" Counting only those who list both items, {whom}."
            self.notes_.append(said)
        if not self.optimal_:
            self.notes_.append(
                f"The order is not proven best: it gains {self.objective_:.6g}, and no order gains "
                f"more than {self.bound_:.6g}."
            )
        if self.agreement_.kendall_w is None:
            self.notes_.append("Each ranking ties all its items, so nothing orders them.")
        missing = np.flatnonzero(~units.listed)
        if missing.size:
            shown = ", ".join(repr(names[i]) for i in missing[:3])
            more = f" and {missing.size - 3} more" if missing.size > 3 else ""
            note = f"Nobody ranks {shown}{more}: placed last, though any place is possible."
            self.notes_.append(note)
            warnings.warn(note, UserWarning, stacklevel=4)

    def _names(self) -> tuple[Hashable, ...]:
        names: tuple[Hashable, ...] | None = self._items
        return tuple(range(self.n_features_in_)) if names is None else names


def combine(
    rankings: Rankings, *, progress: Progress | None = None, **parameters: Any
) -> CombinesRankings:
    """The consensus of rankings, with the parameters and attributes of :class:`rankcut.Consensus`.

    >>> from rankcut.rankings import read_rankings
    >>> combine(read_rankings([[1, 2, 3], [2, 1, 3], [1, 3, 2]])).ranking_
    array([1, 2, 3])
    """
    return CombinesRankings(**parameters)._combine(rankings, progress)


@cache
def _libraries() -> ThreadpoolController:
    """The libraries whose threads are limited; finding them takes as long as a small fit."""
    return ThreadpoolController()
