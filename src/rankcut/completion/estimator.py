"""Predict what people would say about items they did not list."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats, Longs
from rankcut.completion.lists import Lists, read_lists
from rankcut.completion.prediction import (
    best_unlisted,
    complete_top,
    deviations,
    listed_items,
    pair_probabilities,
)
from rankcut.completion.recipe import learn_population
from rankcut.errors import InputError
from rankcut.estimators import NamesItems, TakesRankings, check_items
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.item_graph import fit_graph
from rankcut.parameters import check_count, seed_from
from rankcut.rankings import Unranked, object_array
from rankcut.rankings.orders import to_ranking
from rankcut.rankings.value import block_rows


class RankingCompleter(NamesItems, TransformerMixin, TakesRankings):
    """Predict the places of all items from those of a few.

    Each person has a utility for each item, drawn from a population u ~ N(μ, Σ + s·I); a ranking
    shows the order of some of them. Fitting learns μ, Σ and s from many rankings. The utilities of
    one person are then predicted from that person's list: items that the same people like move
    together. An item graph lets similar items move together even before many lists show it. How
    much the graph counts is learned too, so there is nothing to tune.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns only from the rankings.
    items : sequence or None, default=None
        Labels of the columns of arrays; frames have their own.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: its place is unknown ("anywhere"), or it comes after all ranked
        ones ("last", a top-k list), in an order to be predicted.
    random_state : int, RandomState or None, default=0
        Seed for choosing the people held out while fitting.
    n_jobs : int or None, default=None
        Number of threads. The results are the same for any number.

    Attributes
    ----------
    consensus_ : ndarray of shape (n_items,)
        μ: the expected utilities of a person without a list.
    graph_share_ : float
        Share of the graph in the prior of Σ, from 0 to 1; 0 without a graph.
    prior_strength_ : float
        How many people the prior of Σ counts for; 0 in large catalogues, which have none.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    Consensus : One ranking from many.

    Notes
    -----
    Places become normal scores: the item at place r of k has the score Φ⁻¹((k − r + ½)/k), plus an
    unknown level for each list. If nearly all lists have no ties and at most 40 items, the model is
    refined by the exact likelihood of their order, by expectation propagation. In catalogues of
    more than 500 items (200 with ``unranked="last"``) Σ has up to 32 factors, as many as the data
    support, and a top-k list is completed by a random sample of the unlisted items. The graph
    should then be sparse.

    Examples
    --------
    Lists that name four to seven of eight dishes each:

    >>> from rankcut import RankingCompleter, SimilarityGraph, make_food
    >>> food = make_food(300, kind="incomplete", random_state=0)
    >>> graph = SimilarityGraph(food.item_features)
    >>> completer = RankingCompleter(graph, unranked="anywhere").fit(food.ranks)
    >>> completer.complete(food.ranks[:2]).shape
    (2, 8)
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        items: Sequence[Hashable] | None = None,
        unranked: Unranked = "error",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.items = items
        self.unranked = unranked
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn the population from rankings.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        graph = None
        if self.graph is not None:
            graph = fit_graph(joining_like_items(self.graph), rankings)
        self._seed = seed_from(self.random_state)
        lists = read_lists(rankings, self._seed).distinct()
        if not len(lists):
            n_items = rankings.shape[1]
            known = f"found {n_items} feature(s)" if n_items == 1 else f"of {n_items:,} items"
            raise InputError(f"no ranking orders two items, so there is nothing to learn: {known}")
        # Many small products: threads of linear algebra would mostly wait for each other.
        with threadpool_limits(1, user_api="blas"):
            rng = np.random.default_rng(self._seed)
            learned = learn_population(lists, graph, rng, n_jobs=self.n_jobs)
        self._items = rankings.items
        self._population = learned.population
        self._sharpness = learned.sharpness
        self._presence = learned.presence
        self.consensus_: Floats = learned.population.mean
        self.graph_share_ = learned.graph_share
        self.prior_strength_ = learned.strength
        return self

    def transform(self, X: Any, *, keep_listed: bool = True) -> Floats:
        """Expected utilities of all items, larger = preferred.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix. A row without any rank has the utilities of the population.
        keep_listed : bool, default=True
            Keep the order of the listed items. Otherwise their places count as noisy evidence,
            and the utilities are what the person would be expected to say if asked again.

        Returns
        -------
        ndarray of shape (n_rankings, n_items)
        """
        lists = self._lists(X)
        return self._utilities(lists, keep_listed)

    def standard_errors(self, X: Any) -> Floats:
        """The posterior standard deviation of each utility of :meth:`transform`.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray of shape (n_rankings, n_items)
            Smaller for listed items, whose order is known but not how far apart they are.
        """
        lists = self._lists(X)
        return deviations(self._population, lists)

    def complete(self, X: Any, *, keep_listed: bool = True) -> Longs:
        """Full rankings: 1 is best, and items with the same utility share the best of their places.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix.
        keep_listed : bool, default=True
            Keep the order of the listed items, and with ``unranked="last"`` their places too.

        Returns
        -------
        ndarray of int64, shape (n_rankings, n_items)
        """
        lists = self._lists(X)
        utilities = self._utilities(lists, keep_listed)
        if self._last and keep_listed:
            return complete_top(utilities, listed_items(lists))
        return to_ranking(utilities)

    def predict_pairs(
        self, X: Any, pairs: ArrayLike | None = None, *, keep_listed: bool = True
    ) -> Floats:
        """The probability that each person prefers one item to another.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix.
        pairs : array of shape (n_pairs, 2) or None
            Pairs of items, by label or by column; None is all pairs.
        keep_listed : bool, default=True
            Whether listed items are certain to stay in their order.

        Returns
        -------
        ndarray of shape (n_rankings, n_pairs) or (n_rankings, n_items, n_items)
            For all pairs, ``[r, i, j]`` is the probability that person r prefers i to j; one half
            on the diagonal.

        Examples
        --------
        >>> from rankcut import RankingCompleter, make_food
        >>> food = make_food(300, kind="incomplete", random_state=0)
        >>> completer = RankingCompleter(unranked="anywhere").fit(food.ranks)
        >>> completer.predict_pairs(food.ranks[:3], [[0, 1], [1, 0]]).sum(axis=1)
        array([1., 1., 1.])
        """
        lists = self._lists(X)
        n_items = self.n_features_in_
        if pairs is None:
            chosen = np.stack(np.triu_indices(n_items, 1), axis=1)
        else:
            chosen = self._columns(pairs)
        found = pair_probabilities(
            self._population,
            self._sharpness,
            lists,
            chosen,
            keep=keep_listed,
            last=self._last,
        )
        if pairs is not None:
            return found
        matrices = np.full((len(lists), n_items, n_items), 0.5)
        matrices[:, chosen[:, 0], chosen[:, 1]] = found
        matrices[:, chosen[:, 1], chosen[:, 0]] = 1.0 - found
        return matrices

    def recommend(self, X: Any, n: int = 10) -> NDArray[Any]:
        """The items that each person did not list and would like best.

        With ``unranked="last"`` people list what they choose. So an item is recommended if they
        would list it and like it, to the extent that this recovered more of what was hidden from
        held-out people while fitting.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix.
        n : int, default=10
            How many.

        Returns
        -------
        ndarray of shape (n_rankings, n)
            Labels of items, best first, and None where fewer are unlisted; columns and −1 if items
            have no labels.
        """
        check_count(n, "n")
        lists = self._lists(X)
        best = np.empty((len(lists), min(int(n), self.n_features_in_)), dtype=np.int64)
        size = block_rows(self.n_features_in_)
        for start in range(0, len(lists), size):
            some = lists.span(start, min(start + size, len(lists)))
            worth = self._utilities(some, True)
            if self._presence is not None:
                worth = self._presence.worth(some, worth)
            best[start : start + size] = best_unlisted(worth, listed_items(some), best.shape[1])
        if self._items is None:
            return best
        labels = object_array([*self._items, None])
        return np.asarray(labels[best])

    @property
    def _last(self) -> bool:
        return self.unranked == "last"

    def _lists(self, X: Any) -> Lists:
        """The lists of rankings of the items that were fitted."""
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        return read_lists(rankings, self._seed)

    def _utilities(self, lists: Lists, keep: bool) -> Floats:
        return self._population.utilities(lists, keep=keep, n_jobs=self.n_jobs)

    def _columns(self, pairs: ArrayLike) -> Longs:
        """Pairs of items as pairs of columns."""
        given = np.asarray(pairs)
        if given.ndim != 2 or given.shape[1] != 2:
            raise InputError(
                f"must have two columns, the items of each pair; got shape {given.shape}",
                parameter="pairs",
            )
        known: dict[Hashable, int] = {}
        if self._items is not None:
            known = {label: column for column, label in enumerate(self._items)}
        columns = np.empty(given.shape, dtype=np.int64)
        for place, item in np.ndenumerate(given):
            plain = item.item() if isinstance(item, np.generic) else item
            column = known.get(plain, plain)
            if not (isinstance(column, int) and 0 <= column < self.n_features_in_):
                raise InputError("is not an item of the model", item=plain)
            columns[place] = column
        return columns

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
