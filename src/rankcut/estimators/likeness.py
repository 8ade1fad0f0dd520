"""Vectors of rankings for finding people of similar taste."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.estimators.base import TakesRankings, check_items
from rankcut.features.graph_cut import fit_graph
from rankcut.features.latent import LatentFactors
from rankcut.features.offset_rows import JoinedRows
from rankcut.features.smoothing import Smoother, unit_rows
from rankcut.graphs import AgreementGraph, CoListingGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.learned import list_positions, listed_ranks
from rankcut.parameters import check_counts
from rankcut.rankings import Unranked

# Chosen by benchmarks/quality_alike.py, on other data than it reports. With unranked items last,
# which items are listed says much by itself, so smoothing is weaker.
_STEPS = {True: 0.75, False: 2.0}
# With unranked items last: how much more listing an item counts than its place, and the weight of
# items next to the listed ones.
_LISTED = 4.0
_NEARBY = 0.5
# Weight of the unsmoothed places, if unranked items say nothing.
_PLAIN = 0.5
# How much each part counts: coordinates of items, factors of order, factors of listing.
_SHARES = {True: (0.55, 0.1, 0.35), False: (0.5, 0.5, 0.0)}
_MOST_FACTORS = 20
# An item's mean place is shrunk as if this many more lists had it in the middle.
_SHRINKAGE = 5.0
# Penalty of the factors of listing, and of those of order relative to the largest singular value.
_LISTING_PENALTY = 1.0
_ORDER_PENALTY = 0.2
# The first item of a list counts this much more than an unlisted one, the last once.
_CONFIDENCE = 10.0


class LikenessFeatures(TransformerMixin, TakesRankings):
    """Vectors whose inner products say how alike the tastes of two people are.

    A vector has two parts that count about the same. The first has a coordinate for each item: how
    high the list places it, minus its mean place, both as it is and smoothed over similar items, so
    that lists without a common item can be compared. With ``unranked="last"``, listing an item
    counts too, more for an item that few list, and so does listing similar items. Which items
    are similar is learned from the lists, and a graph adds what it says. The second part is a short
    vector from low-rank models of all fitted lists (:mod:`rankcut.features.latent`): of their
    order, and with ``unranked="last"`` of which items they list. Means are removed, so two people
    are alike if they share what others do not. Vectors have unit length.

    Parameters
    ----------
    graph : graph or recipe, default=None
        An item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`.
        It counts as much as the graph that is learned from the fitted lists in any case: a
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
    grow with the number of listed items and their neighbours.

    Examples
    --------
    Three lists; the first two share no item, but their items are alike.

    >>> import numpy as np
    >>> from rankcut.estimators import LikenessFeatures
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
        """Learn mean places, the low-rank model, and the graph if none is given.

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
        rankings = self._read(X, reset=True)
        counts = check_counts(sample_weight, rankings.shape[0])
        listed = listed_ranks(rankings)
        self._items = rankings.items
        self._top = self.unranked == "last" and listed.nnz < listed.shape[0] * listed.shape[1]
        recipes: list[Any] = [CoListingGraph() if self._top else AgreementGraph()]
        if self.graph is not None:
            recipes.append(joining_like_items(self.graph))
        counted = None if sample_weight is None else counts
        graphs = [fit_graph(recipe, rankings, counted) for recipe in recipes]
        self.graph_ = graphs[-1]
        self._smoothers = [Smoother(graph, _STEPS[self._top]) for graph in graphs]
        self._walkers = [Smoother(graph, 1.0) for graph in graphs]
        n_items = listed.shape[1]
        of_entries = np.repeat(counts, np.diff(listed.indptr))
        n_lists = np.bincount(listed.indices, of_entries, minlength=n_items)
        positions = list_positions(listed)
        totals = np.bincount(listed.indices, of_entries * positions, minlength=n_items)
        self._mean: Floats = totals / (n_lists + _SHRINKAGE)
        unit = _unit_positions(listed, positions)
        units = np.bincount(listed.indices, of_entries * unit, minlength=n_items)
        self._unit_mean: Floats = units / (n_lists + _SHRINKAGE)
        self._share: Floats = n_lists / counts.sum()
        rank = max(1, min(_MOST_FACTORS, n_items // 2))
        places = self._places(listed, positions)
        scaled = _like(listed, np.sqrt(of_entries) * places.data)
        self._order = LatentFactors(
            places,
            np.ones(listed.nnz),
            0.0,
            rank=rank,
            penalty=max(_ORDER_PENALTY * _largest_singular_value(scaled), 1e-9),
            counts=counted,
        )
        self._listing = None
        if self._top:
            self._listing = LatentFactors(
                _like(listed, np.ones(listed.nnz)),
                _confidence(positions),
                1.0,
                rank=rank,
                penalty=_LISTING_PENALTY,
                counts=counted,
            )
        return self

    def transform(self, X: Any) -> Any:
        """Vectors of rankings of the fitted items.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.

        Returns
        -------
        ndarray or csr_array of shape (n_rankings, n_items + number of factors)
        """
        vectors = self.compact(X)
        return vectors if isinstance(vectors, np.ndarray) else vectors.tocsr()

    def compact(self, X: Any) -> NDArray[Any] | JoinedRows:
        """The same vectors in the smallest form, for what compares them.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        check_is_fitted(self)
        rankings = self._read(X, reset=False)
        check_items(rankings, self._items)
        listed = listed_ranks(rankings)
        positions = list_positions(listed)
        factors = self._factors(listed, positions)
        order = _like(listed, _unit_positions(listed, positions) - self._unit_mean[listed.indices])
        sizes = np.diff(listed.indptr)
        rare = _like(listed, (1.0 - self._share[listed.indices]) / np.sqrt(np.repeat(sizes, sizes)))
        keeps_sparse = all(smoother.keeps_sparse for smoother in self._smoothers)
        if rankings.sparse is not None and keeps_sparse:
            stored = self._of_items(order, rare)
            known = np.diff(stored.indptr) > 0
            scales = self._scales([known, *((part != 0).any(axis=1) for part in factors)])
            stored.data *= np.repeat(scales[0], np.diff(stored.indptr))
            return JoinedRows(stored, _beside(factors, scales[1:]))
        filled = self._of_items(order.toarray(), rare.toarray())
        parts = [filled, *factors]
        return _beside(parts, self._scales([(part != 0).any(axis=1) for part in parts]))

    def _of_items(self, order: Any, rare: Any) -> Any:
        """The coordinates of items, of unit length: arrays from arrays, sparse from sparse."""
        if not self._top:
            smoothed = _unit(_mean_of([_smoothed(each, order) for each in self._smoothers]))
            return _unit(_PLAIN * _unit(order) + smoothed)
        own = _unit(_mean_of([_smoothed(each, order + _LISTED * rare) for each in self._smoothers]))
        # A step of the lazy walk is half a step of one that never stays.
        nearby = _mean_of([2.0 * _smoothed(each, rare) - rare for each in self._walkers])
        return _unit(own + _NEARBY * _unit(nearby))

    def _scales(self, known: list[NDArray[np.bool_]]) -> list[Floats]:
        """Lengths of all parts, so that vectors have unit length even if a part is 0."""
        shares = [
            np.where(there, share, 0.0)
            for there, share in zip(known, _SHARES[self._top], strict=False)
        ]
        total = np.sum(shares, axis=0)
        return [np.sqrt(share / np.where(total > 0, total, 1.0)) for share in shares]

    def _places(self, listed: sparse.csr_array, positions: Floats) -> sparse.csr_array:
        """Places minus their means."""
        return _like(listed, positions - self._mean[listed.indices])

    def _factors(self, listed: sparse.csr_array, positions: Floats) -> list[Floats]:
        """The factors of each list, of unit length: of its order, and of which items it lists."""
        people = self._order.people(self._places(listed, positions), np.ones(listed.nnz))
        # As long as the values that they stand for.
        inner = self._order.items.T @ self._order.items
        found = [np.einsum("rf,fg->rg", people, np.linalg.cholesky(inner + _tiny(inner)))]
        if self._listing is not None:
            ones = _like(listed, np.ones(listed.nnz))
            found.append(self._listing.people(ones, _confidence(positions)))
        for people in found:
            # What is left of nothing is rounding.
            people[np.diff(listed.indptr) == 0] = 0.0
        return [unit_rows(people) for people in found]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, …, and then factor0, factor1, ….

        Parameters
        ----------
        input_features : None
            Ignored.
        """
        check_is_fitted(self)
        n_items = self.n_features_in_
        names = [f"x{i}" for i in range(n_items)] if self._items is None else list(self._items)
        models = [self._order] if self._listing is None else [self._order, self._listing]
        n_factors = sum(model.items.shape[1] for model in models)
        names += [f"factor{i}" for i in range(n_factors)]
        found = np.empty(len(names), dtype=object)
        found[:] = names
        return found


def _like(listed: sparse.csr_array, entries: Floats) -> sparse.csr_array:
    """The same places with other numbers."""
    return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)


def _confidence(positions: Floats) -> Floats:
    """How much a listed item counts compared with an unlisted one."""
    return 1.0 + _CONFIDENCE * (1.0 + positions) / 2.0


def _smoothed(smoother: Smoother, rows: Any) -> Any:
    if sparse.issparse(rows):
        return smoother.smooth_sparse(rows)
    smoothed = rows.copy()
    smoother.smooth(smoothed)
    return smoothed


def _mean_of(parts: list[Any]) -> Any:
    return sum(parts[1:], parts[0]) / len(parts)


def _unit(rows: Any) -> Any:
    """Rows of unit length; zeros stay zeros."""
    if not sparse.issparse(rows):
        return unit_rows(rows)
    stored = sparse.csr_array(rows)
    stored.eliminate_zeros()
    lengths = np.sqrt(np.asarray(stored.multiply(stored).sum(axis=1)).ravel())
    stored.data /= np.repeat(lengths, np.diff(stored.indptr))
    return stored


def _beside(parts: list[Any], scales: list[Floats]) -> Floats:
    """Parts of vectors side by side, each row of a part with its length."""
    return np.hstack([part * scale[:, None] for part, scale in zip(parts, scales, strict=True)])


def _unit_positions(listed: sparse.csr_array, positions: Floats) -> Floats:
    """Positions of each list, scaled to unit length."""
    rows = np.repeat(np.arange(listed.shape[0]), np.diff(listed.indptr))
    lengths = np.sqrt(np.bincount(rows, positions**2, minlength=listed.shape[0]))
    return np.asarray(positions / np.where(lengths > 0, lengths, 1.0)[rows])


def _tiny(matrix: Floats) -> Floats:
    """A multiple of the identity that rounding needs to factor a matrix."""
    return np.eye(len(matrix)) * (1e-12 * max(float(np.trace(matrix)), 1e-300))


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
