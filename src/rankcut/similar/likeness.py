"""Vectors of rankings for finding people of similar taste."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.completion.population import SHRINKAGE
from rankcut.cuts.offset_rows import JoinedRows, row_squares
from rankcut.cuts.smoothing import Smoother, unit_rows
from rankcut.directions import leading_directions
from rankcut.estimators import TakesRankings
from rankcut.graphs import AgreementGraph, CoListingGraph, NeighborGraph
from rankcut.graphs.item_features import FeatureRecipe, aligned_points
from rankcut.graphs.item_graph import fit_graph
from rankcut.graphs.learned import list_positions, listed_ranks, with_entries
from rankcut.graphs.recipes import joining_like_items
from rankcut.rankings import Unranked, object_array

# Steps of smoothing. A graph learned from the lists knows no more than they do, so that neighbours
# alone are compared. Over a given graph, as many steps as those of RankingClassifier.
_STEPS_LEARNED, _STEPS_GIVEN = 1.0, 4.0


class LikenessFeatures(TransformerMixin, TakesRankings):
    """Vectors whose inner products say how alike the tastes of two people are.

    A vector has parts of unit length side by side. The first has a coordinate for each item, x,
    smoothed over the item graph; without one, over items that the same people list
    (:class:`~rankcut.CoListingGraph`) or prefer (:class:`~rankcut.AgreementGraph`). With
    ``unranked="last"``, x is the TF-IDF of what is listed, in which items of few lists count more,
    times 1½ for the first item to ½ for the last; else it is the places of the items, from 1 to −1,
    less their means.

    The others, of equal weight, are a few directions: with ``unranked="last"``, latent semantic
    analysis, x·V·diag(s²/(s² + λ)), V and s the first singular vectors and values of all fitted x,
    and λ the mean of s²; and the mean of given item features.

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
        Whether two people are alike in what sets them apart from others, or in all: then what
        everybody likes counts too, and means are not subtracted.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns; without one, that learned from the lists.
    n_features_in_, feature_names_in_ : int and ndarray
        Number of items, and their labels, if they are strings given by a frame.

    Examples
    --------
    Two lists that share no item, but each an item with the same list, and one of other items:

    >>> from rankcut import from_orders
    >>> from rankcut.similar import LikenessFeatures
    >>> orders = [["toro", "ika"], ["ika", "maguro"], ["maguro", "tako"], ["ebi", "uni"]]
    >>> vectors = LikenessFeatures(unranked="last").fit_transform(from_orders(orders)[0])
    >>> (vectors @ vectors.T).round(1)[0]
    array([ 1. ,  0.4, -0.2, -0.2])
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
        self, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from a rank matrix; a ``sample_weight`` of 3 is the same as the row three times."""
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        listed, counts = listed_ranks(rankings), rankings.counts
        self._top = rankings.unranked == "last" and listed.nnz < np.prod(listed.shape)
        if self.graph is None:
            learned = CoListingGraph() if self._top else AgreementGraph()
            self.graph_, steps = fit_graph(learned, rankings), _STEPS_LEARNED
        else:
            self.graph_, steps = fit_graph(joining_like_items(self.graph), rankings), _STEPS_GIVEN
        self._smoother = Smoother(self.graph_, steps)
        totals = self._totals = np.asarray(with_entries(listed, np.ones(listed.nnz)).T @ counts)
        self._rarity = np.log((1.0 + counts.sum()) / (1.0 + totals)) + 1.0
        places = with_entries(listed, list_positions(listed)).T @ counts
        self._means = np.asarray(places / (totals + SHRINKAGE) * self.centered)
        rows = self._rows(listed)
        main = {"listing factors": _main_directions(rows, counts)} if self._top else {}
        self._profiles: dict[str, Floats] = main
        if self.item_features is not None:
            features = self.item_features
            recipe = features if isinstance(features, FeatureRecipe) else NeighborGraph(features)
            self._profiles["features"] = aligned_points(recipe, rankings.items)
        share = counts / counts.sum() * (self.centered and self._top)
        self._centres = {
            name: share @ unit_rows(rows @ profile) for name, profile in self._profiles.items()
        }
        return self

    def transform(self, X: Any) -> Any:
        """Vectors of rankings of the fitted items, a CSR array if ``X`` is one."""
        vectors = self.compact(X)
        return vectors if isinstance(vectors, np.ndarray) else vectors.tocsr()

    def connected(self, X: Any, *, fitted: bool = False) -> NDArray[np.bool_]:
        """Which rankings list an item that others list too, or that a given graph connects."""
        listed = listed_ranks(self._read(X, reset=False))
        common = (self._totals > int(fitted)) | (self.graph_.degrees > 0) & (self.graph is not None)
        return np.asarray(with_entries(listed, common[listed.indices] * 1.0).sum(axis=1) > 0)

    def compact(self, X: Any) -> NDArray[Any] | JoinedRows:
        """Vectors of rankings in the smallest form, for comparing them."""
        rankings = self._read(X, reset=False)
        listed = listed_ranks(rankings)
        rows = self._rows(listed)
        # An empty list is nowhere, and not opposite to the centre.
        there = np.diff(listed.indptr)[:, None] > 0
        directions = [
            there * unit_rows(unit_rows(rows @ profile) - self._centres[name])
            for name, profile in self._profiles.items()
        ]
        smooth = sparse.csr_array(normalize(self._smoother.smooth_sparse(rows)))
        joined = JoinedRows(smooth, np.hstack([np.zeros((len(there), 0)), *directions])).unit()
        return joined if rankings.sparse is not None else joined.toarray()

    def _rows(self, listed: sparse.csr_array) -> sparse.csr_array:
        """x: what is listed, its first items more than its last; or places less their means."""
        places = list_positions(listed)
        if not self._top:
            return with_entries(listed, places - self._means[listed.indices])
        weighted = with_entries(listed, (1.0 + 0.5 * places) * self._rarity[listed.indices])
        return sparse.csr_array(normalize(weighted))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """For each item its label, as in "order of toro"; then numbered directions."""
        check_is_fitted(self)
        items = self._items or [f"x{i}" for i in range(self.n_features_in_)]
        names = [f"{'listing' if self._top else 'order'} of {item}" for item in items]
        widths = [(name, profile.shape[1]) for name, profile in self._profiles.items()]
        for name, width in widths:
            names += [f"{name} {i}" for i in range(width)]
        return object_array(names)


def _main_directions(rows: sparse.csr_array, counts: Floats) -> Floats:
    """V·diag(s²/(s² + λ)) of rows of unit length, each of which counts so often."""
    weighted = sparse.diags_array(np.sqrt(counts)) @ rows
    # Of directions beyond the first fifty, singular values are small.
    number = min(50, *rows.shape)
    sizes, right = leading_directions(weighted, number, seed=0)
    squares = sizes**2
    mean = row_squares(weighted).sum() / min(counts.sum(), rows.shape[1])
    return np.asarray(right.T * (squares / np.maximum(squares + mean, np.finfo(float).tiny)))
