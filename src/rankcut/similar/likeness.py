"""Vectors of rankings for finding people of similar taste."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.completion.factors import first_factors, learn_factors
from rankcut.completion.lists import read_lists
from rankcut.completion.population import SHRINKAGE
from rankcut.cuts.offset_rows import JoinedRows, row_squares
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

    A vector has parts of unit length side by side. With ``unranked="last"``, what a person lists is
    compared by TF-IDF, in which items of few lists count more: item by item, smoothed over those
    that the same people list (:class:`~rankcut.CoListingGraph`); and by its main directions (latent
    semantic analysis), x·V·diag(s²/(s² + λ)), V and s the first singular vectors and values of all
    fitted lists, and λ the mean of s².

    The order of what is listed is compared too, and alone with other ``unranked``: by the place of
    each item, smoothed over those that the same people prefer (:class:`~rankcut.AgreementGraph`) or
    list; and by the factors of a model of utilities (:mod:`rankcut.completion.factors`).

    A graph adds what is listed or preferred, smoothed widely over it; item features add the mean
    features of what is listed or preferred. All parts count alike, but places count o times: o is
    the share of a list's items that is on another one, Σp²/Σp if a share p of the lists has each
    item. With ``unranked="last"`` both parts of order count o/2 times. Vectors have unit length.

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
        """Learn from a rank matrix; a ``sample_weight`` of 3 is the same as the row three times."""
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        listed, counts = listed_ranks(rankings), rankings.counts
        n_items = listed.shape[1]
        self._items = rankings.items
        self._top = self.unranked == "last" and listed.nnz < listed.shape[0] * n_items
        self.graph_ = fit_graph(CoListingGraph() if self._top else AgreementGraph(), rankings)
        self._smoother = Smoother(self.graph_, _STEPS)
        self._n_lists = np.bincount(listed.indices, minlength=n_items)
        totals = np.asarray(_like(listed, 1.0).T @ counts)
        self._rarity = np.log((1.0 + counts.sum()) / (1.0 + totals)) + 1.0
        places = np.asarray(_like(listed, _positions(listed)).T @ counts)
        self._means = places / (totals + SHRINKAGE) * self.centered
        overlap = totals @ totals / (counts.sum() * totals.sum()) if listed.nnz else 1.0
        self._order_counts = float(overlap) / (2.0 if self._top else 1.0)
        self._profiles: dict[str, Floats] = {}
        if self._top:
            self._profiles["listing factors"] = _main_directions(self._listing(listed), counts)
        lists, self._factors = read_lists(rankings).distinct(), None
        if len(lists):
            start = first_factors(lists, np.random.default_rng(0), _ORDERED)
            self._factors = learn_factors(lists, start, None)[0]
        if self.graph is not None:
            self.graph_ = fit_graph(joining_like_items(self.graph), rankings)
            self._profiles["graph"] = _regions(self.graph_)
        if self.item_features is not None:
            given = self.item_features
            recipe = given if isinstance(given, FeatureRecipe) else NeighborGraph(given)
            self._profiles["features"] = aligned_points(recipe, rankings.items)
        share = counts / counts.sum() * (self.centered and self._top)
        self._centres = {name: share @ rows for name, rows in self._profiled(listed).items()}
        return self

    def transform(self, X: Any) -> Any:
        """Vectors of rankings of the fitted items, a CSR array if ``X`` is one."""
        vectors = self.compact(X)
        return vectors if isinstance(vectors, np.ndarray) else vectors.tocsr()

    def connected(self, X: Any, *, fitted: bool = False) -> NDArray[np.bool_]:
        """Which rankings list an item that another one lists, or that a given graph connects.

        The vectors of the others say nothing about whom they are like. ``fitted`` rankings do not
        count as others of themselves.
        """
        check_is_fitted(self)
        listed = listed_ranks(self._read(X, reset=False))
        common = self._n_lists > int(fitted)
        if self.graph is not None:
            common |= self.graph_.degrees > 0
        return np.asarray(_like(listed, common[listed.indices].astype(float)).sum(axis=1) > 0)

    def compact(self, X: Any) -> NDArray[Any] | JoinedRows:
        """The same vectors in the smallest form, for comparing them."""
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        listed = listed_ranks(rankings)
        nothing = np.diff(listed.indptr)[:, None] == 0
        order = np.sqrt(self._order_counts)
        long = [order * normalize(self._smoother.smooth_sparse(self._order(listed)))]
        if self._top:
            long.insert(0, normalize(self._smoother.smooth_sparse(self._listing(listed))))
        short = [
            np.where(nothing, 0.0, unit_rows(rows - self._centres[name]))
            for name, rows in self._profiled(listed).items()
        ]
        if self._factors is not None:
            tastes = unit_rows(self._factors.tastes(read_lists(rankings)))
            # Factors that the lists do not need are 0.
            tastes = np.pad(tastes, ((0, 0), (0, _ORDERED - tastes.shape[1])))
            short.append(order * tastes if self._top else tastes)
        left, right = sparse.hstack(long, "csr"), np.hstack([np.zeros((len(nothing), 0)), *short])
        lengths = np.sqrt(row_squares(left) + row_squares(right))
        scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        left = sparse.csr_array(sparse.diags_array(scales) @ left)
        joined = JoinedRows(left, right * scales[:, None])
        return joined if rankings.sparse is not None else joined.toarray()

    def _listing(self, listed: sparse.csr_array) -> sparse.csr_array:
        """TF-IDF of what is listed."""
        return sparse.csr_array(normalize(_like(listed, self._rarity[listed.indices])))

    def _order(self, listed: sparse.csr_array) -> sparse.csr_array:
        """Places minus their means."""
        return _like(listed, _positions(listed) - self._means[listed.indices])

    def _profiled(self, listed: sparse.csr_array) -> dict[str, Floats]:
        """What is listed, or its order, times each profile of the items; of unit length."""
        rows = self._listing(listed) if self._top else self._order(listed)
        return {name: unit_rows(rows @ profile) for name, profile in self._profiles.items()}

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """For each part and item its label, as in "order of toro"; then numbered directions."""
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
    return np.asarray(list_positions(listed) * np.repeat((sizes - 1) / (sizes + 1), sizes))


def _main_directions(rows: sparse.csr_array, counts: Floats) -> Floats:
    """V·diag(s²/(s² + λ)) of what is listed; the largest entry of each direction is positive."""
    rank, width = min(_LISTED, *rows.shape), min(_LISTED, rows.shape[1])
    mean = counts @ row_squares(rows) / min(counts.sum(), rows.shape[1])
    _, sizes, directions = randomized_svd(
        sparse.diags_array(np.sqrt(counts)) @ rows, rank, random_state=0
    )
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.sign(directions[np.arange(rank), largest])[:, None]
    shrunk = directions.T * (sizes**2 / np.maximum(sizes**2 + mean, np.finfo(float).tiny))
    return np.pad(shrunk, ((0, 0), (0, width - rank)))


def _regions(graph: ItemGraph) -> Floats:
    """A few columns that widely smoothed rows differ in: the range of the smoother, smoothed."""
    rank = min(_LISTED, graph.n_items)
    rows = np.random.default_rng(0).standard_normal((rank, graph.n_items))
    smoother = Smoother(graph, _FAR)
    smoother.smooth(rows)
    rows = np.ascontiguousarray(np.linalg.qr(rows.T)[0].T)
    smoother.smooth(rows)
    return np.ascontiguousarray(rows.T)


def _like(listed: sparse.csr_array, entries: Any) -> sparse.csr_array:
    """The same places with other numbers."""
    entries = np.broadcast_to(entries, listed.nnz)
    return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)
