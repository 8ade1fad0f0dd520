"""Vectors of short lists, to find people with similar tastes."""

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.estimators.base import TakesRankings
from rankcut.estimators.views import like_items_graph, listing_view, order_view
from rankcut.features.graph_cut import fit_graph
from rankcut.features.smoothing import Smoother
from rankcut.graphs.learned import check_counts
from rankcut.parameters import check_number

# From here on only the direction of what lists have in common is left of it.
_MOST_IN_THE_MIDDLE = 1000.0


class TasteFeatures(OneToOneFeatureMixin, TransformerMixin, TakesRankings):
    """Who agrees with whom, from short lists that hardly overlap.

    A list becomes the vector z = o·p(L) + w·c. The first part is the person's own taste: the
    order of the items, smoothed over the item graph so that lists can be compared even if they
    share no item. The second is the taste that everyone shares: c is the mean position of each
    item in the fitted lists, smoothed in the same way, and shrunk more for items in few lists.
    The inner product ⟨z, z'⟩ estimates how much two people agree on items that neither listed:
    the less a list says, the more the common taste counts. Compare these vectors by inner
    products, not by cosines.

    Parameters
    ----------
    graph : graph or recipe, default=None
        The item graph, which connects similar items, as for :class:`~rankcut.GraphCutFeatures`;
        None learns an :class:`~rankcut.AgreementGraph` from the fitted lists.
    smoothing : float, default=1.0
        Steps of a lazy random walk; see :class:`~rankcut.estimators.GraphSmoothing`.
    consensus : float, default=3.0
        w, the length of the common part; the other has length 1. With 0, people match who share
        what others do not; with a large value, everyone matches the most typical people.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.

    Attributes
    ----------
    graph_ : ItemGraph
        The graph, its items in the order of the columns.
    consensus_ : ndarray of shape (n_features_in_,)
        c, of unit length.
    n_features_in_ : int
        Number of items.

    See Also
    --------
    SimilarRankings : Searches them: ``SimilarRankings(TasteFeatures(), normalize=False)``.
    RankingClassifier : The recommended model if there are labels.

    Notes
    -----
    Vectors are dense even for sparse rankings: fitting takes about three times the memory of a
    dense array of all rankings and items.

    Examples
    --------
    Three lists, of which no two share an item but the last two; the first two items are alike.

    >>> import numpy as np
    >>> from rankcut import SimilarRankings
    >>> from rankcut.estimators import TasteFeatures
    >>> graph = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> nan = np.nan
    >>> lists = np.array([[1, nan, 2, nan], [nan, 1, nan, 2], [nan, 2, nan, 1]])
    >>> search = SimilarRankings(TasteFeatures(graph), normalize=False).fit(lists)
    >>> agreement, people = search.kneighbors(n_neighbors=1)
    >>> people.ravel()
    array([1, 0, 0])
    """

    def __init__(
        self,
        graph: Any = None,
        *,
        smoothing: float = 1.0,
        consensus: float = 3.0,
        items: Sequence[Hashable] | None = None,
    ) -> None:
        self.graph = graph
        self.smoothing = smoothing
        self.consensus = consensus
        self.items = items

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn the common taste.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        y : None
            Ignored.
        sample_weight : array of shape (n_rankings,) or None
            How often each list counts: 3 is the same as the row three times.

        Returns
        -------
        self
        """
        check_number(self.consensus, "consensus")
        rankings = self._read(X, reset=True)
        weights = check_counts(sample_weight, rankings.shape[0])
        self.graph_ = fit_graph(
            like_items_graph(self.graph), rankings, None if sample_weight is None else weights
        )
        self._smoother: Smoother = Smoother(self.graph_, self.smoothing)
        order = order_view(rankings)
        n_lists = weights @ (listing_view(rankings) > 0)
        sums = np.vstack([weights @ order, n_lists])
        self._smoother.smooth(sums)
        mean = sums[0] / (sums[1] + _lists_in_the_middle(order, n_lists, weights))
        self.consensus_: Floats = normalize(mean[None])[0]
        return self

    def transform(self, X: Any) -> Floats:
        """Vectors whose inner products estimate how much two people agree.

        Parameters
        ----------
        X : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrix.
        """
        check_is_fitted(self)
        return self._vectors(order_view(self._read(X, reset=False)))

    def _vectors(self, order: Floats) -> Floats:
        smoothed = order.copy()
        self._smoother.smooth(smoothed, normalize=True)
        return np.asarray(smoothed + self.consensus * self.consensus_)


def _lists_in_the_middle(order: Floats, n_lists: Floats, weights: Floats) -> float:
    """How many further lists, with the item in the middle, its mean position is shrunk by.

    A position is the mean of its item plus what is the list's own; the best guess of a mean of
    m positions is their sum over m + own variance / variance of the means. The latter is the mean
    of the products of two lists' positions of the same item.
    """
    pairs = float((n_lists * (n_lists - 1.0)).sum())
    squares = weights @ order**2
    products = float(((weights @ order) ** 2 - squares).sum())
    total = float(squares.sum()) / max(float(n_lists.sum()), 1.0)
    shared = products / max(pairs, 1.0)
    if shared * _MOST_IN_THE_MIDDLE <= total:
        return _MOST_IN_THE_MIDDLE
    return float(max(total / shared - 1.0, 1.0 / _MOST_IN_THE_MIDDLE))
