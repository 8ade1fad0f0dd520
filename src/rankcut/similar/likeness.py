"""Vectors of rankings for finding people of similar taste."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.cuts.offset_rows import JoinedRows
from rankcut.cuts.smoothing import Smoother, unit_rows
from rankcut.estimators import TakesRankings, check_items
from rankcut.graphs import AgreementGraph, CoListingGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.item_features import aligned_points
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.rankings import Rankings, Unranked
from rankcut.similar.latent import LatentFactors, square_root

# All of these were chosen on development people by what benchmarks/quality_alike.py measures.
# How much each part of a vector counts: with unranked items last, if lists have at most half of
# the items, and without unranked items; _shares has what lies between, and large catalogues.
_OF_SHORT = {"listing": 1.0, "order": 0.5, "order factors": 0.25, "listing factors": 0.5}
_OF_WHOLE = {"order": 0.25, "order factors": 1.0}
# The same for item features, and for a graph with or without them.
_OF_FEATURES, _OF_GRAPH_TOO, _OF_GRAPH = 0.5, 0.25, 0.5
_STEPS = 2.0
# The last item of a long list has this weight, and the first almost 2 more.
_LAST_ITEM = 0.2
# Items in at least this share of the lists also count where they are not listed.
_COMMON = 0.05
_MOST_FACTORS = 20
# An item's mean place is shrunk as if this many more lists had it in the middle.
_SHRINKAGE = 5.0
# Penalty of the factors of listing, and of those of order relative to the largest singular value.
_LISTING_PENALTY = 1.0
_ORDER_PENALTY = 0.25
# How much the noise seen in the fitted lists is trusted; they fit better than others.
_TRUST = 0.5
# The first item of a list counts this much more than an unlisted one, the last once.
_CONFIDENCE = 10.0
# Lists whose mean is taken at once.
_BLOCK = 4096


class LikenessFeatures(TransformerMixin, TakesRankings):
    """Vectors whose inner products say how alike the tastes of two people are.

    A vector has several parts side by side, each of unit length times its weight:

    - how high the list places each item, minus the item's mean place, smoothed over similar items,
      so that lists without a common item can be compared;
    - with ``unranked="last"``, which items it lists, the first ones more than the last, smoothed in
      the same way, minus the mean of all lists;
    - a few numbers from low-rank models of all fitted lists (:mod:`rankcut.similar.latent`): of
      their order, and with ``unranked="last"`` of which items they list;
    - what a given graph adds: the vector smoothed over it, and if it is made from item features,
      the mean features of the items that a person lists or prefers.

    Which items are similar is learned from the lists. Means are removed, so two people are alike if
    they share what others do not. What is listed counts less if lists have more than half of the
    items, and order counts less if two lists hardly overlap. Vectors have unit length.

    Parameters
    ----------
    graph : graph or recipe, default=None
        An item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        preferably the recipe itself, such as ``NeighborGraph(features)``, which knows the item
        features. It adds to the graph that is always learned from the fitted lists: a
        :class:`~rankcut.CoListingGraph` with ``unranked="last"``, otherwise an
        :class:`~rankcut.AgreementGraph`.
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item: it is an error; the person prefers all ranked items to it; or
        it says nothing.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns; without one, the learned graph.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    SimilarRankings : Searches these vectors.
    RankingClassifier : The recommended model if there are labels.

    Notes
    -----
    CSR rankings give CSR vectors if the graph is sparse, as a learned one is. Time and memory then
    grow with the number of items within two steps of the listed ones.

    Examples
    --------
    Three lists; the first two share no item, but their items are alike.

    >>> import numpy as np
    >>> from rankcut.similar import LikenessFeatures
    >>> graph = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> nan = np.nan
    >>> lists = np.array([[1, nan, 2, nan], [nan, 1, nan, 2], [nan, 2, nan, 1]])
    >>> vectors = LikenessFeatures(graph, unranked="anywhere").fit_transform(lists)
    >>> likeness = vectors @ vectors.T
    >>> bool(likeness[0, 1] > likeness[0, 2])
    True
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        unranked: Unranked = "error",
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.unranked = unranked
        self.items = items

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn mean places, the low-rank models and the graph of similar items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each ranking counts: 3 is the same as the row three times.

        Returns
        -------
        self
        """
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        counts = rankings.counts
        lists = _PlacedLists.of(rankings)
        listed = lists.ranks
        n_items = listed.shape[1]
        self._items = rankings.items
        self._top = self.unranked == "last" and listed.nnz < listed.shape[0] * n_items
        learned = CoListingGraph() if self._top else AgreementGraph()
        self.graph_ = fit_graph(learned, rankings)
        self._smoother = Smoother(self.graph_, _STEPS)
        self._given: Smoother | None = None
        self._points: Floats | None = None
        if self.graph is not None:
            recipe = joining_like_items(self.graph)
            self.graph_ = fit_graph(recipe, rankings)
            self._given = Smoother(self.graph_, 1.0 if self._top else _STEPS)
            self._points = aligned_points(recipe, rankings.items)
        self._n_lists = np.bincount(listed.indices, minlength=n_items)
        self._linked = self.graph_.degrees > 0 if self._given else np.zeros(n_items, dtype=bool)
        of_entries = np.repeat(counts, lists.sizes)
        n_lists = np.bincount(listed.indices, of_entries, minlength=n_items)

        def mean(entries: Floats) -> Floats:
            totals = np.bincount(listed.indices, of_entries * entries, minlength=n_items)
            return np.asarray(totals / (n_lists + _SHRINKAGE))

        self._mean = mean(lists.positions)
        self._unit_mean = mean(lists.unit_positions())
        self._share: Floats = n_lists / counts.sum()
        self._shares = _shares(self._share if self._top else np.ones(n_items))
        self._fit_factors(lists, of_entries, counts, rankings.weights)
        self._centres: dict[str, Floats] = {}
        if self._top:
            self._centres = self._means(listed, counts)
        return self

    def _fit_factors(
        self, lists: "_PlacedLists", of_entries: Floats, counts: Floats, counted: Floats | None
    ) -> None:
        n_items = lists.ranks.shape[1]
        places = self._places(lists)
        ones = np.ones(places.nnz)
        scaled = _like(places, np.sqrt(of_entries) * places.data)
        self._order = LatentFactors(
            places,
            ones,
            0.0,
            rank=max(1, min(_MOST_FACTORS, n_items - 1)),
            penalty=max(_ORDER_PENALTY * _largest_singular_value(scaled), 1e-9),
            counts=counted,
        )
        self._order.as_distribution(places, ones, counts, _TRUST)
        # From coordinates of factors to those of the places they stand for.
        self._lengths = square_root(self._order.items.T @ self._order.items)
        self._listing: LatentFactors | None = None
        if self._top:
            self._listing = LatentFactors(
                _like(places, ones),
                lists.confidence(),
                1.0,
                rank=max(1, min(_MOST_FACTORS, n_items // 2)),
                penalty=_LISTING_PENALTY,
                counts=counted,
            )

    def _means(self, listed: sparse.csr_array, counts: Floats) -> dict[str, Floats]:
        """The means that are subtracted, for the parts that have them."""
        totals: dict[str, Floats] = {}
        for start in range(0, listed.shape[0], _BLOCK):
            some = slice(start, start + _BLOCK)
            for name, part in self._uncentred(_PlacedLists.of_ranks(listed[some]), stored=True):
                if name not in _OF_ORDER:
                    total = np.asarray(part.T @ counts[some]).ravel()
                    totals[name] = totals.get(name, 0.0) + total
        return {name: total / counts.sum() for name, total in totals.items()}

    def transform(self, X: Any) -> Any:
        """Vectors of rankings of the fitted items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray or csr_array of shape (n_rankings, n_features_out)
        """
        vectors = self.compact(X)
        return vectors if isinstance(vectors, np.ndarray) else vectors.tocsr()

    def connected(self, X: Any, *, fitted: bool = False) -> NDArray[np.bool_]:
        """Which rankings list an item that another one lists, or that a given graph connects.

        The vectors of the others say nothing about whom they are like.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        fitted : bool
            Whether these are the fitted rankings, which do not count as others of themselves.

        Returns
        -------
        array of bool, shape (n_rankings,)
        """
        check_is_fitted(self)
        listed = listed_ranks(self._read(X, reset=False))
        common = (self._n_lists > int(fitted)) | self._linked
        rows = np.repeat(np.arange(listed.shape[0]), np.diff(listed.indptr))
        return np.bincount(rows, common[listed.indices], minlength=listed.shape[0]) > 0

    def compact(self, X: Any) -> NDArray[Any] | JoinedRows:
        """The same vectors in the smallest form, for comparing them.

        ``X`` is a rank matrix, as in :meth:`fit`.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        lists = _PlacedLists.of(rankings)
        given = self._given is None or self._given.keeps_sparse
        stored = rankings.sparse is not None and self._smoother.keeps_sparse and given
        empty = lists.sizes == 0
        parts = dict(self._centred_parts(lists, stored))
        if self._points is None:
            added = {"graph": _OF_GRAPH}
        else:
            added = {"graph": _OF_GRAPH_TOO, "features": _OF_FEATURES}
        shares = {**self._shares, **added}
        weights = {name: np.where(empty | _zero(parts[name]), 0.0, shares[name]) for name in parts}
        total = np.sum(list(weights.values()), axis=0)
        total[total == 0] = 1.0
        long = [_scaled(parts[n], np.sqrt(weights[n] / total)) for n in parts if n in _OF_ITEMS]
        short = [
            _scaled(parts[n], np.sqrt(weights[n] / total)) for n in parts if n not in _OF_ITEMS
        ]
        if stored:
            return JoinedRows(sparse.csr_array(sparse.hstack(long, "csr")), np.hstack(short))
        return np.hstack(long + short)

    def _centred_parts(self, lists: "_PlacedLists", stored: bool) -> Iterator[tuple[str, Any]]:
        """The parts of all vectors, each row of unit length."""
        for name, part in self._uncentred(lists, stored):
            if name not in self._centres:
                yield name, part
            elif name in _OF_ITEMS:
                yield name, _unit(_less(part, self._centres[name], self._share >= _COMMON))
            else:
                yield name, unit_rows(part - self._centres[name])

    def _uncentred(self, lists: "_PlacedLists", stored: bool) -> Iterator[tuple[str, Any]]:
        """The parts before means of lists are subtracted; item coordinates first."""
        listed = lists.ranks
        order = _like(listed, lists.unit_positions() - self._unit_mean[listed.indices])
        rare = _like(listed, (1.0 - self._share[listed.indices]) / np.sqrt(lists.of_entries()))

        def kept(rows: sparse.csr_array) -> Any:
            return rows if stored else rows.toarray()

        if self._top:
            first = _unit(_like(listed, 1.0 + _LAST_ITEM + lists.positions))
            yield "listing", _unit(_smoothed(self._smoother, kept(first)))
        yield "order", _unit(_smoothed(self._smoother, kept(order)))
        if self._given is not None and self._top:
            # A step of the lazy walk is half a step of one that never stays.
            rows = kept(rare)
            yield "graph", _unit(2.0 * _smoothed(self._given, rows) - rows)
        elif self._given is not None:
            yield "graph", _unit(_smoothed(self._given, kept(order)))
        factors = self._order.people(self._places(lists), np.ones(listed.nnz))
        yield "order factors", unit_rows(_product(factors, self._lengths))
        if self._listing is not None:
            ones = _like(listed, np.ones(listed.nnz))
            yield "listing factors", unit_rows(self._listing.people(ones, lists.confidence()))
        if self._points is not None:
            entries = np.ones(listed.nnz) if self._top else order.data
            yield "features", unit_rows(np.asarray(_like(listed, entries) @ self._points))

    def _places(self, lists: "_PlacedLists") -> sparse.csr_array:
        """Places minus their means."""
        return _like(lists.ranks, lists.positions - self._mean[lists.ranks.indices])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """For each part and item its label, as in "order of toro"; then factors and features.

        Parameters
        ----------
        input_features : None
            Ignored.
        """
        check_is_fitted(self)
        n_items = self.n_features_in_
        items = [f"x{i}" for i in range(n_items)] if self._items is None else list(self._items)
        parts = ["order"] if self._given is None else ["order", "graph"]
        names = [f"{part} of {item}" for part in ["listing"] * self._top + parts for item in items]
        names += [f"order factor {i}" for i in range(self._order.items.shape[1])]
        if self._listing is not None:
            names += [f"listing factor {i}" for i in range(self._listing.items.shape[1])]
        if self._points is not None:
            names += [f"feature {i}" for i in range(self._points.shape[1])]
        found = np.empty(len(names), dtype=object)
        found[:] = names
        return found


# Parts with a coordinate for each item, and those whose items have had their means subtracted.
_OF_ITEMS = ("listing", "order", "graph")
_OF_ORDER = ("order", "order factors")


def _shares(listed: Floats) -> dict[str, float]:
    """How much each part counts if items are in these shares of the lists.

    What is listed counts the more, the more is not listed, up to half of the items. Two lists have
    Σ p² items in common on average. If these are a quarter of a list, or five items, its order
    counts in full, and otherwise in proportion: with less, there is little order to compare.

    >>> _shares(np.ones(4)) == {**_OF_WHOLE, "listing": 0, "listing factors": 0}
    True
    >>> _shares(np.full(4, 0.75))["listing"], _shares(np.full(4, 0.25)) == _OF_SHORT
    (0.5, True)
    >>> [round(_shares(np.full(n_items, 0.05))["order"], 3) for n_items in (100, 1000, 2000)]
    [0.1, 0.25, 0.5]
    """
    total = float(listed.sum())
    short = min(1.0, 2.0 * (1.0 - float(listed.mean())))
    common = float(listed @ listed)
    shared = min(1.0, max(4.0 * common / total, common / 5.0)) if total else 1.0
    return {
        part: (short * share + (1.0 - short) * _OF_WHOLE.get(part, 0.0))
        * (shared if part.startswith("order") else 1.0)
        for part, share in _OF_SHORT.items()
    }


class _PlacedLists(NamedTuple):
    """Lists as sparse ranks, and (k + 1 − 2·rank)/(k + 1) for each of k listed items."""

    ranks: sparse.csr_array
    positions: Floats

    @classmethod
    def of(cls, rankings: Rankings) -> "_PlacedLists":
        return cls.of_ranks(listed_ranks(rankings))

    @classmethod
    def of_ranks(cls, ranks: sparse.csr_array) -> "_PlacedLists":
        sizes = np.diff(ranks.indptr)
        # These go from 1 to −1, however short a list is.
        return cls(ranks, list_positions(ranks) * np.repeat((sizes - 1) / (sizes + 1), sizes))

    @property
    def sizes(self) -> NDArray[Any]:
        """The number of items of each list."""
        return np.diff(self.ranks.indptr)

    def of_entries(self) -> NDArray[Any]:
        """For each entry, the number of items of its list."""
        return np.repeat(self.sizes, self.sizes)

    def unit_positions(self) -> Floats:
        """Positions of each list, scaled to unit length."""
        rows = np.repeat(np.arange(self.ranks.shape[0]), self.sizes)
        lengths = np.sqrt(np.bincount(rows, self.positions**2, minlength=self.ranks.shape[0]))
        return np.asarray(self.positions / np.where(lengths > 0, lengths, 1.0)[rows])

    def confidence(self) -> Floats:
        """How much a listed item counts, compared with an unlisted one."""
        return 1.0 + _CONFIDENCE * (1.0 + self.positions) / 2.0


def _like(listed: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The same places with other numbers."""
    return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)


def _smoothed(smoother: Smoother, rows: Any) -> Any:
    if sparse.issparse(rows):
        return smoother.smooth_sparse(rows)
    smoothed = rows.copy()
    smoother.smooth(smoothed)
    return smoothed


def _less(rows: Any, mean: Floats, common: NDArray[np.bool_]) -> Any:
    """Rows minus the mean, at common items and wherever a row is not 0: sparse rows stay sparse."""
    if not sparse.issparse(rows):
        return np.where(common | (rows != 0), rows - mean, 0.0)
    columns = np.flatnonzero(common)
    filled = rows[:, columns].toarray() - mean[columns]
    others = rows.copy()
    others.data = np.where(common[others.indices], 0.0, others.data - mean[others.indices])
    others.eliminate_zeros()
    starts = np.arange(0, filled.size + 1, max(len(columns), 1))[: rows.shape[0] + 1]
    if not len(columns):
        return others
    places = np.tile(columns, rows.shape[0])
    return others + sparse.csr_array((filled.ravel(), places, starts), shape=rows.shape)


def _unit(rows: Any) -> Any:
    """Rows of unit length; zeros stay zeros."""
    if not sparse.issparse(rows):
        return unit_rows(rows)
    stored = sparse.csr_array(rows)
    stored.eliminate_zeros()
    lengths = np.sqrt(np.asarray(stored.multiply(stored).sum(axis=1)).ravel())
    return _scaled(stored, np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))


def _zero(rows: Any) -> NDArray[np.bool_]:
    """Which rows are 0."""
    if sparse.issparse(rows):
        return np.asarray(np.diff(rows.indptr) == 0)
    return np.asarray(~(rows != 0).any(axis=1))


def _scaled(rows: Any, scales: Floats) -> Any:
    """Each row times a number."""
    if not sparse.issparse(rows):
        return rows * scales[:, None]
    return _like(rows, rows.data * np.repeat(scales, np.diff(rows.indptr)))


def _product(people: Floats, matrix: Floats) -> Floats:
    """Row by row, so that a row does not depend on the others."""
    return np.asarray(np.einsum("rf,fg->rg", people, matrix))


def _largest_singular_value(values: sparse.csr_array, n_steps: int = 30) -> float:
    """By the power method, to a few digits."""
    vector = np.random.default_rng(0).standard_normal(values.shape[1])
    length = 0.0
    for _ in range(n_steps):
        norm = float(np.linalg.norm(vector))
        if norm == 0:
            return 0.0
        image = values @ (vector / norm)
        length = float(np.linalg.norm(image))
        vector = values.T @ image
    return length
