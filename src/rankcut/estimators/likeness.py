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
# which items are listed says much by itself, so smoothing is weaker, and the coordinates of items
# count somewhat more than the factors.
_STEPS = {True: 0.75, False: 2.0}
_ITEM_SHARE = {True: 0.6, False: 0.5}
_MOST_FACTORS = 20
# An item's mean place is shrunk as if this many more lists had it in the middle.
_SHRINKAGE = 5.0
# Penalty of factors; if unlisted items say nothing, relative to the largest singular value.
_PENALTY = {True: 1.0, False: 0.2}
# The first item of a list counts this much more than an unlisted one, the last once.
_CONFIDENCE = 10.0


class LikenessFeatures(TransformerMixin, TakesRankings):
    """Vectors whose inner products say how alike the tastes of two people are.

    A vector has two parts that count about the same. The first has a coordinate for each item: how
    high the list places it, minus its mean place, smoothed over the item graph, so that lists
    without a common item can be compared. With ``unranked="last"``, listing an item counts too, and
    more for an item that few list. The second part is a short vector from a low-rank model of all
    fitted lists (:mod:`rankcut.features.latent`). Means are removed, so two people are alike if
    they share what others do not. Vectors have unit length.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`.
        None learns it from the fitted lists: a :class:`~rankcut.CoListingGraph` with
        ``unranked="last"``, otherwise an :class:`~rankcut.AgreementGraph`.
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item: it is an error; the person prefers all ranked items to it; or
        it says nothing.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns.
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
        graph: Any = CoListingGraph() if self._top else AgreementGraph()
        if self.graph is not None:
            graph = joining_like_items(self.graph)
        self.graph_ = fit_graph(graph, rankings, None if sample_weight is None else counts)
        self._smoother = Smoother(self.graph_, _STEPS[self._top])
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
        values, weights = self._places(listed, positions)
        penalty = _PENALTY[self._top]
        if not self._top:
            roots = np.sqrt(of_entries)
            scaled = sparse.csr_array(
                (roots * values.data, values.indices, values.indptr), values.shape
            )
            penalty = max(penalty * _largest_singular_value(scaled), 1e-9)
        self._factors = LatentFactors(
            values,
            weights,
            float(self._top),
            rank=max(1, min(_MOST_FACTORS, n_items // 2)),
            penalty=penalty,
            counts=None if sample_weight is None else counts,
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
        latent = self._latent(listed, positions)
        own = self._own(listed, positions)
        if rankings.sparse is not None and self._smoother.keeps_sparse:
            smoothed = self._smoother.smooth_sparse(own)
            lengths = np.sqrt(np.asarray(smoothed.multiply(smoothed).sum(axis=1)).ravel())
            known = lengths > 0
            items, factors = self._shares(known, latent)
            scale = items / np.where(known, lengths, 1.0)
            smoothed.data *= np.repeat(scale, np.diff(smoothed.indptr))
            return JoinedRows(smoothed, latent * factors[:, None])
        filled = own.toarray()
        self._smoother.smooth(filled, normalize=True)
        items, factors = self._shares((filled != 0).any(axis=1), latent)
        return np.hstack([filled * items[:, None], latent * factors[:, None]])

    def _shares(self, known: NDArray[np.bool_], latent: Floats) -> tuple[Floats, Floats]:
        """Lengths of both parts, so that vectors have unit length even if one part is 0."""
        items = np.where(known, _ITEM_SHARE[self._top], 0.0)
        factors = np.where((latent != 0).any(axis=1), 1.0 - _ITEM_SHARE[self._top], 0.0)
        total = np.where(items + factors > 0, items + factors, 1.0)
        return np.sqrt(items / total), np.sqrt(factors / total)

    def _own(self, listed: sparse.csr_array, positions: Floats) -> sparse.csr_array:
        """Places minus their means, and which items are listed, with less weight on common ones."""
        entries = _unit_positions(listed, positions) - self._unit_mean[listed.indices]
        if self._top:
            sizes = np.diff(listed.indptr)
            rare = 1.0 - self._share[listed.indices]
            entries = entries + rare / np.sqrt(np.repeat(sizes, sizes))
        return sparse.csr_array((entries, listed.indices, listed.indptr), shape=listed.shape)

    def _places(
        self, listed: sparse.csr_array, positions: Floats
    ) -> tuple[sparse.csr_array, Floats]:
        """Values and weights for the low-rank model."""
        values, weights = positions - self._mean[listed.indices], np.ones(listed.nnz)
        if self._top:
            values, weights = weights, 1.0 + _CONFIDENCE * (1.0 + positions) / 2.0
        return sparse.csr_array((values, listed.indices, listed.indptr), listed.shape), weights

    def _latent(self, listed: sparse.csr_array, positions: Floats) -> Floats:
        """The factors of each list, of unit length."""
        values, weights = self._places(listed, positions)
        people = self._factors.people(values, weights)
        if not self._top:
            # As long as the values that they stand for.
            inner = self._factors.items.T @ self._factors.items
            people = np.einsum("rf,fg->rg", people, np.linalg.cholesky(inner + _tiny(inner)))
        # What is left of nothing is rounding.
        people[np.diff(listed.indptr) == 0] = 0.0
        return unit_rows(people)

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
        names += [f"factor{i}" for i in range(self._factors.items.shape[1])]
        found = np.empty(len(names), dtype=object)
        found[:] = names
        return found


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
