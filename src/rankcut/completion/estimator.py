"""Predict what people would say about items they did not list."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from rankcut._loops.types import Floats, Longs
from rankcut.completion.lists import Lists, most_listed_first, read_lists, with_unlisted
from rankcut.completion.presence import best_unlisted, hide_listed, listed_items, ndcg
from rankcut.completion.recipe import Progress, learn_population
from rankcut.errors import InputError, Setting
from rankcut.estimators import NamesItems, TakesRankings, as_matrices, pair_columns
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.recipes import joining_like_items
from rankcut.parameters import check_choice, check_count, seed_from
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.rankings import Unranked, object_array
from rankcut.rankings.orders import to_ranking
from rankcut.rankings.partitions import block_rows
from rankcut.results import EstimatorResult, Table
from rankcut.results.words import name_some
from rankcut.saved_arrays import Saved

Listing: TypeAlias = Literal["random", "taste"]


class RankingCompleter(EstimatorResult, NamesItems, TransformerMixin, TakesRankings):
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
    listing : {"random", "taste"} or None, default=None
        With ``unranked="anywhere"``, why people list what they list: by chance, or because they
        were asked ("random"); or because they like it ("taste"). Then not listing an item says that
        it is liked less, by as much as ``listing_`` says. None is "random", with a warning if
        listing and liking go together.
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
    listing_ : float
        How much people list what they like: the correlation, from 0 to 1, of a person's readiness
        to list an item with its utility; 1 with ``unranked="last"``.
    prior_strength_ : float
        How many people the prior of Σ counts for; 0 with factors, which have none.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    Notes
    -----
    Places become normal scores: the item at place r of k has the score Φ⁻¹((k − r + ½)/k), plus an
    unknown level for each list. For lists of more than 40 items, and catalogues of more than 500,
    Σ has up to 32 factors, as many as the data support. The graph should then be sparse.

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

    consensus_: Annotated[Floats, Saved("items")]
    _columns: Annotated[Longs, Saved("items", dtype=np.int64)]  #: in the order of the population

    def __init__(
        self,
        graph: Any = None,
        *,
        items: Sequence[Hashable] | None = None,
        unranked: Unranked = "error",
        listing: Listing | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.graph = graph
        self.items = items
        self.unranked = unranked
        self.listing = listing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn the population from rankings.

        Warns if listing and liking go together, and ``listing`` does not say why.

        Parameters
        ----------
        X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
            Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times.
        progress : callable or None
            Called with a few words about each step, such as ``print``.
        """
        if self.listing is not None:
            check_choice(self.listing, get_args(Listing), "listing")
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        graph = None
        if self.graph is not None:
            graph = fit_graph(joining_like_items(self.graph), rankings)
        by_taste = self.listing == "taste" and not self._last
        self._columns = most_listed_first(rankings)
        if graph is not None:
            graph = graph.among(self._columns)
        rankings = rankings.among(self._columns)
        lists = read_lists(rankings, float(self._last)).distinct()
        if (lists.scores == lists.scores[lists.starts[lists.owners]]).all():
            n_items = rankings.shape[1]
            size = f"found {n_items} feature(s)" if n_items == 1 else f"of {n_items:,} items"
            raise InputError(f"no ranking orders two items, so there is nothing to learn: {size}")
        # Many small products: threads of linear algebra would mostly wait for each other.
        with threadpool_limits(1, user_api="blas"):
            rng = np.random.default_rng(seed_from(self.random_state))
            learned = learn_population(
                lists, graph, rng, by_taste=by_taste, n_jobs=self.n_jobs, progress=progress
            )
        fitted = learned.fitted
        self._population = fitted.population
        self._sharpness = learned.sharpness
        self._presence = learned.presence
        self._used = learned.listing if by_taste or self._last else 0.0
        self.consensus_: Floats = fitted.population.mean[self._places]
        self.graph_share_ = fitted.graph_share
        self.prior_strength_ = fitted.strength
        self.listing_ = learned.listing
        # From this correlation on, probabilities of unlisted items are off by several hundredths.
        if self.listing is None and not self._last and self.listing_ >= 0.3:
            warnings.warn(
                f"items that people like are listed more often (the correlation is "
                f"{self.listing_:.2f}). If people choose what they list, unlisted items are liked "
                'less than this model says: pass listing="taste". If they were asked, pass '
                'listing="random"',
                UserWarning,
                stacklevel=2,
            )
        return self

    def transform(self, X: Any) -> Floats:
        """Expected utilities of all items, larger = preferred; listed items keep their order.

        A row of the rank matrix without any rank has the utilities of the population.
        """
        return np.asarray(self._utilities(self._lists(X))[:, self._places])

    def complete(self, X: Any) -> Longs:
        """Full rankings: 1 is best, and items with the same utility share the best of their places.

        Listed items of ``X`` keep their order, and with ``unranked="last"`` their places.
        """
        lists = self._lists(X)
        utilities = self._utilities(lists)
        if self._last:
            # All listed items are better than the best of the others.
            span = np.ptp(utilities, axis=1, keepdims=True) + 1.0
            utilities = utilities + span * listed_items(lists)
        return to_ranking(utilities[:, self._places])

    def predict_pairs(
        self, X: Any, pairs: Sequence[tuple[Hashable, Hashable]] | None = None
    ) -> Floats:
        """The probability that each person prefers one item to another; listed ones are certain.

        ``pairs`` of items, by label or by column, have a column each. None is all pairs: then
        ``[r, i, j]`` is the probability that person r prefers i to j, one half on the diagonal.

        Examples
        --------
        >>> from rankcut import RankingCompleter, make_food
        >>> food = make_food(300, kind="incomplete", random_state=0)
        >>> completer = RankingCompleter(unranked="anywhere").fit(food.ranks)
        >>> completer.predict_pairs(food.ranks[:3], [[0, 1], [1, 0]]).sum(axis=1)
        array([1., 1., 1.])
        """
        lists, n_items = self._lists(X), self.n_features_in_
        if pairs is None:
            columns = np.stack(np.triu_indices(n_items, 1), axis=1)
        else:
            columns = pair_columns(pairs, self._items, n_items)
        compared, places = np.unique(self._places[columns], return_inverse=True)
        one, other = places.reshape(columns.shape).T
        utilities = self._utilities(lists)[:, compared]
        probabilities = np.empty((len(lists), len(columns)))
        for person in range(len(lists)):
            entries = lists.span(person, person + 1)
            posterior = self._population.posterior(entries, compared)
            spread = np.diag(posterior)
            variance = spread[one] + spread[other] - 2.0 * posterior[one, other]
            ranked = entries.listed()
            listed = np.isin(compared, ranked.items)
            n_listed = listed[one].astype(int) + listed[other]
            margins = self._sharpness * (utilities[person, one] - utilities[person, other])
            with np.errstate(divide="ignore", invalid="ignore"):
                row = ndtr(margins / np.sqrt(np.maximum(variance, 0.0)))
            certain = np.zeros(n_items)
            certain[ranked.items] = ranked.scores
            gaps = np.sign(certain[compared[one]] - certain[compared[other]])
            row = np.where(n_listed == 2, 0.5 + 0.5 * gaps, row)
            if self._last:
                row = np.where(n_listed == 1, listed[one].astype(float), row)
            probabilities[person] = np.where(one == other, 0.5, row)
        return as_matrices(probabilities, n_items) if pairs is None else probabilities

    def recommend(
        self, X: Any, n: int = 10, *, return_scores: bool = False
    ) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
        """The ``n`` items that each person did not list and would like best.

        With ``unranked="last"`` people list what they choose. Then items are recommended that
        people with such lists list too, by EASE
        (:mod:`rankcut.completion.presence`), unless utilities recovered more of what was hidden
        from held-out people while fitting.

        Returns
        -------
        items : ndarray of shape (n_rankings, n)
            Labels of items, best first, and None where fewer are unlisted; columns and −1 if items
            have no labels.
        scores : ndarray of shape (n_rankings, n)
            With ``return_scores``, how much each is recommended: its expected utility, or a number
            that is about 1 for what all such people list and 0 for what none of them lists. NaN
            where there is no item.
        """
        check_count(n, "n")
        lists = self._lists(X)
        best = np.empty((len(lists), min(int(n), self.n_features_in_)), dtype=np.int64)
        scores = np.empty(best.shape)
        size = block_rows(self.n_features_in_)
        for start in range(0, len(lists), size):
            block = slice(start, start + size)
            some = lists.span(start, min(start + size, len(lists)))
            worth = self._worth(some)
            top = best_unlisted(worth, listed_items(some), best.shape[1])
            scores[block] = np.take_along_axis(worth, top, axis=1)
            best[block] = np.where(top < 0, -1, self._columns[top])
        items = best
        if self._items is not None:
            items = np.asarray(object_array([*self._items, None])[best])
        return (items, np.where(best < 0, np.nan, scores)) if return_scores else items

    def score(self, X: Any, y: ArrayLike | None = None) -> float:
        """How early hidden items of these lists are recommended, from 0 to 1.

        Three in ten listed items are hidden. The score is their normalised discounted cumulative
        gain (NDCG) among all unlisted items, with gains from 1½ for the first item of a list to ½
        for the last; for :func:`sklearn.model_selection.cross_val_score`. Rankings that are
        counted, or weigh more, count so often.
        """
        lists = self._lists(X).listed().distinct()
        visible, gains = hide_listed(lists, np.random.default_rng(0))
        extended = with_unlisted(visible, self._used) if self._used > 0 else visible
        return ndcg(self._worth(extended), visible, gains)

    def sentences(self) -> list[str]:
        """What the population likes, how listing and liking go together, and the graph's share."""
        check_is_fitted(self)
        best = [str(name) for name in self.tables()["items"]["item"]]
        named = name_some(best[: max(1, min(3, len(best) // 2))])
        sentences = [f"Without a list, people are expected to like {named} best."]
        if not self._last:
            sentences.append(
                f"The correlation of listing an item with liking it is {self.listing_:.2f}."
            )
        if self.graph is not None:
            sentences.append(
                f"The item graph supplies {100 * self.graph_share_:.0f} % of what is assumed "
                "beforehand."
            )
        return sentences

    def tables(self) -> dict[str, Table]:
        """The items with the utilities that are expected of a person without a list, best first."""
        check_is_fitted(self)
        order = np.argsort(-self.consensus_, kind="stable")
        labels = range(self.n_features_in_) if self._items is None else self._items
        utilities = self.consensus_[order]
        places = to_ranking(utilities[None])[0]
        columns = {"place": places, "item": [labels[i] for i in order], "utility": utilities}
        return {"items": Table(columns)}

    def facts(self) -> dict[str, Any]:
        """What was learned about listing and about the graph."""
        return {
            "listing": self.listing_,
            "graph_share": self.graph_share_,
            "prior_strength": self.prior_strength_,
        }

    def picture(self) -> Picture:
        """The utilities that are expected of a person without a list."""
        return dot_chart(
            "What people like",
            "Dots: utilities that are expected of a person without a list.",
            [Row(str(r["item"]), [Dot(r["utility"], colour(0))]) for r in self.tables()["items"]],
            "expected utility (standard deviations of a list)",
        )

    def _worth(self, lists: Lists) -> Floats:
        """What recommendations go by; without a list, what the population likes."""
        if self._presence is None:
            return self._utilities(lists)
        worth = self._presence.worth(lists)
        worth[lists.lengths == 0] = self.consensus_[self._columns]
        return worth

    @property
    def _last(self) -> bool:
        return self._meaning == "last"

    @property
    def _places(self) -> Longs:
        """Where each item stands in the order of the population."""
        return np.argsort(self._columns)

    def _lists(self, X: Any) -> Lists:
        """The lists of rankings of the items that were fitted, in the order of the population."""
        rankings = self._read(X, reset=False)
        if rankings.unranked == "last" and not self._last:
            raise InputError(
                "unlisted items come last, which those that were fitted do not say",
                remedy=["fit with ", Setting("unranked", "last")],
            )
        return read_lists(rankings.among(self._columns), self._used)

    def _utilities(self, lists: Lists) -> Floats:
        return self._population.utilities(lists, self.n_jobs)
