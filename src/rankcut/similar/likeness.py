"""Vectors of rankings for finding people of similar taste."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.completion.factors import first_factors, learn_factors
from rankcut.completion.lists import read_lists
from rankcut.completion.population import SHRINKAGE
from rankcut.completion.presence import PENALTY
from rankcut.cuts.offset_rows import JoinedRows
from rankcut.cuts.smoothing import Smoother, unit_rows
from rankcut.estimators import TakesRankings, check_items
from rankcut.graphs import AgreementGraph, CoListingGraph, ItemGraph, NeighborGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.item_features import FeatureRecipe, aligned_points
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.rankings import Unranked, object_array

# These were chosen on development people by what benchmarks/quality_alike.py measures.
# Steps of smoothing over items that are listed or liked together, and over a given graph: people
# with short lists of many items are compared by regions of the graph.
_STEPS, _FAR = 1.0, 16.0
# Directions in which people differ by what they list, and by how they order it.
_LISTED, _ORDERED = 50, 8


class LikenessFeatures(TransformerMixin, TakesRankings):
    """Vectors whose inner products say how alike the tastes of two people are.

    A vector has several parts side by side, each of unit length. With ``unranked="last"``, what a
    person lists is compared:

    - by its items, smoothed over those that the same people list
      (:class:`~rankcut.CoListingGraph`), so that lists without a common item can be compared;
    - by its main directions: x·V·diag(s²/(s² + λ)), with x the indicator of what is listed, and V
      and s the first singular vectors and values of all fitted lists, and λ = 100;

    and otherwise the order of what they list:

    - the place of each item, smoothed over those that the same people prefer
      (:class:`~rankcut.AgreementGraph`);
    - the expected factors of a low-rank model of utilities (:mod:`rankcut.completion.factors`).

    A graph adds what is listed or preferred, smoothed widely over it; item features add the mean
    features of what is listed or preferred. All parts count alike, except places, which count o
    times: o is the share of a list's items that is on another one, Σp²/Σp if a share p of the
    lists has each item. With ``unranked="last"`` the two parts of order are there as well, and
    count o/2 times each. Vectors have unit length.

    Parameters
    ----------
    graph : graph or recipe, default=None
        An item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`.
    item_features : array, frame, recipe or None, default=None
        Features of the items, or a recipe that has them, such as ``NeighborGraph(table)``.
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item: it is an error; the person prefers all ranked items to it; or
        it says nothing.
    centered : bool, default=True
        Whether two people are alike in what sets them apart from others. Otherwise they are alike
        in all, and what everybody likes counts too: means are not subtracted.
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
        item_features: Any = None,
        unranked: Unranked = "error",
        centered: bool = True,
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.item_features = item_features
        self.unranked = unranked
        self.centered = centered
        self.items = items

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn mean places, main directions and the graph of similar items.

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
        listed = listed_ranks(rankings)
        n_items, counts = listed.shape[1], rankings.counts
        self._items = rankings.items
        self._top = self.unranked == "last" and listed.nnz < listed.shape[0] * n_items
        self.graph_ = fit_graph(CoListingGraph() if self._top else AgreementGraph(), rankings)
        self._smoother = Smoother(self.graph_, _STEPS)
        self._n_lists = np.bincount(listed.indices, minlength=n_items)
        self._linked = np.zeros(n_items, dtype=bool)
        totals = np.asarray(_like(listed, np.ones(listed.nnz)).T @ counts)
        places = _like(listed, _positions(listed))
        self._means = np.asarray(places.T @ counts) / (totals + SHRINKAGE) * self.centered
        share = totals / counts.sum()
        self._overlap = float(share @ share / share.sum()) if listed.nnz else 1.0
        self._profiles: dict[str, Floats] = {}
        self._factors = None
        if self._top:
            self._profiles["listing factors"] = _main_directions(listed, counts)
        lists = read_lists(rankings).distinct()
        if len(lists):
            start = first_factors(lists, np.random.default_rng(0), _ORDERED)
            self._factors = learn_factors(lists, start, None)[0]
        if self.graph is not None:
            self.graph_ = fit_graph(joining_like_items(self.graph), rankings)
            self._linked = self.graph_.degrees > 0
            self._profiles["graph"] = _regions(self.graph_)
        if self.item_features is not None:
            given = self.item_features
            recipe = given if isinstance(given, FeatureRecipe) else NeighborGraph(given)
            self._profiles["features"] = aligned_points(recipe, rankings.items)
        self._centres = dict.fromkeys(self._profiles, 0.0)
        if self.centered and self._top:
            shown = self._profiled(listed)
            self._centres = {name: counts @ shown[name] / counts.sum() for name in shown}
        return self

    def transform(self, X: Any) -> Any:
        """Vectors of rankings of the fitted items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray or csr_array of shape (n_rankings, n_features_out)
            CSR if the rankings are.
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
        return np.asarray(_like(listed, common[listed.indices].astype(float)).sum(axis=1) > 0)

    def compact(self, X: Any) -> NDArray[Any] | JoinedRows:
        """The same vectors in the smallest form, for comparing them.

        ``X`` is a rank matrix, as in :meth:`fit`.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        listed = listed_ranks(rankings)
        long = {"order": self._order(listed)}
        if self._top:
            long = {"listing": _like(listed, np.ones(listed.nnz)), **long}
        parts = {name: _unit(self._smoother.smooth_sparse(rows)) for name, rows in long.items()}
        nothing = np.diff(listed.indptr) == 0
        for name, rows in self._profiled(listed).items():
            parts[name] = np.where(nothing[:, None], 0.0, unit_rows(rows - self._centres[name]))
        if self._factors is not None:
            tastes = unit_rows(self._factors.tastes(read_lists(rankings)))
            # Factors that the lists do not need are 0.
            parts["order factors"] = np.pad(tastes, ((0, 0), (0, _ORDERED - tastes.shape[1])))
        weights = dict.fromkeys(parts, 1.0) | {"order": self._overlap}
        if self._top:
            weights |= {"order": self._overlap / 2.0, "order factors": self._overlap / 2.0}
        lengths = sum(weights[name] * _squares(parts[name]) for name in parts)
        scales = 1.0 / np.sqrt(np.where(lengths > 0, lengths, 1.0))
        scaled = {name: _scaled(parts[name], np.sqrt(weights[name]) * scales) for name in parts}
        rows = sparse.csr_array(sparse.hstack([scaled.pop(name) for name in long], "csr"))
        joined = JoinedRows(rows, np.hstack([np.zeros((len(nothing), 0)), *scaled.values()]))
        return joined if rankings.sparse is not None else joined.toarray()

    def _order(self, listed: sparse.csr_array) -> sparse.csr_array:
        """Places minus their means."""
        return _like(listed, _positions(listed) - self._means[listed.indices])

    def _profiled(self, listed: sparse.csr_array) -> dict[str, Floats]:
        """What is listed, or its order, times each profile of the items; of unit length."""
        rows = _like(listed, np.ones(listed.nnz)) if self._top else self._order(listed)
        return {name: unit_rows(rows @ profile) for name, profile in self._profiles.items()}

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """For each part and item its label, as in "order of toro"; then numbered directions.

        Parameters
        ----------
        input_features : None
            Ignored.
        """
        check_is_fitted(self)
        items = self._items or [f"x{i}" for i in range(self.n_features_in_)]
        parts = ["listing", "order"] if self._top else ["order"]
        names = [f"{part} of {item}" for part in parts for item in items]
        widths = {name: profile.shape[1] for name, profile in self._profiles.items()}
        if self._factors is not None:
            widths["order factors"] = _ORDERED
        names += [f"{name} {i}" for name, width in widths.items() for i in range(width)]
        return object_array(names)


def _positions(listed: sparse.csr_array) -> Floats:
    """(k + 1 − 2·rank)/(k + 1) for each of k listed items."""
    sizes = np.diff(listed.indptr)
    # These go from 1 to −1, however short a list is.
    return np.asarray(list_positions(listed) * np.repeat((sizes - 1) / (sizes + 1), sizes))


def _main_directions(listed: sparse.csr_array, counts: Floats) -> Floats:
    """The first right singular vectors of what is listed, shrunk by a ridge penalty."""
    rows = _like(listed, np.repeat(np.sqrt(counts), np.diff(listed.indptr)))
    rank = min(_LISTED, *rows.shape)
    _, sizes, directions = randomized_svd(rows, rank, random_state=0)
    # The largest entry of each is positive, however often rows are repeated.
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.sign(directions[np.arange(rank), largest])[:, None]
    found = np.zeros((rows.shape[1], min(_LISTED, rows.shape[1])))
    found[:, :rank] = directions.T * (sizes**2 / (sizes**2 + PENALTY))
    return found


def _regions(graph: ItemGraph) -> Floats:
    """A few columns that widely smoothed rows differ in: the range of the smoother, smoothed."""
    rank = min(_LISTED, graph.n_items)
    rows = np.random.default_rng(0).standard_normal((rank, graph.n_items))
    smoother = Smoother(graph, _FAR)
    smoother.smooth(rows)
    rows = np.ascontiguousarray(np.linalg.qr(rows.T)[0].T)
    smoother.smooth(rows)
    return np.ascontiguousarray(rows.T)


def _like(listed: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The same places with other numbers."""
    return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)


def _squares(rows: Any) -> Floats:
    """The square of each row's length."""
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1))
    return np.asarray(np.einsum("rf,rf->r", rows, rows))


def _scaled(rows: Any, scales: Floats) -> Any:
    """Each row times a number."""
    if not sparse.issparse(rows):
        return rows * scales[:, None]
    return _like(rows, rows.data * np.repeat(scales, np.diff(rows.indptr)))


def _unit(rows: sparse.csr_array) -> sparse.csr_array:
    """Rows of unit length; zeros stay zeros."""
    lengths = np.sqrt(_squares(rows))
    return _scaled(rows, np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))
