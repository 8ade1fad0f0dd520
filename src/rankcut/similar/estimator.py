"""Nearest rankings: of any, and of each ranking of a set as an answer."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from rankcut.cuts.offset_rows import JoinedRows, OffsetRows, check_centred, filled, largest_entry
from rankcut.errors import InputError, Setting, amount
from rankcut.kernels.graph_cut import GraphCutVectors
from rankcut.kernels.nearest import InvertedLists, Nearest, nearest_of
from rankcut.parameters import EQUAL_WITHIN, check_choice, check_count, check_size
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.orders import order_texts
from rankcut.results import Result, Table
from rankcut.similar.likeness import LikenessFeatures


class SimilarRankings(BaseEstimator):
    """Find people of similar taste by their rankings, like scikit-learn's NearestNeighbors.

    By default, rankings become the vectors of :class:`~rankcut.similar.LikenessFeatures`, for
    which only the item graph and the meaning of unranked items are chosen. Any other transformer
    can turn rankings into vectors instead. The kernel is their inner product. The search compares
    each ranking with all others, a block at a time, and keeps no Gram matrix; if vectors are
    sparse, as those of CSR lists are, it uses inverted lists instead, and looks only at rankings
    that can be among the nearest. None is missed.

    Parameters
    ----------
    features : transformer or None, default=None
        From rankings to vectors; None is :class:`~rankcut.similar.LikenessFeatures`. If it has a
        method ``compact``, sparse rankings stay small.
    graph, item_features, unranked
        Parameters of :class:`~rankcut.similar.LikenessFeatures`, if ``features`` is None.
    n_neighbors : int, default=10
        How many rankings to find by default.
    normalize : bool, default=True
        Scale vectors to unit length, so that kernel values are from −1 to 1.
    n_jobs : int or None, default=None
        Number of threads that search. The results are the same for any number.

    Attributes
    ----------
    features_ : transformer
        The transformer, fitted.
    n_features_in_ : int
        Number of items.

    Examples
    --------
    >>> from rankcut import make_food
    >>> food = make_food(n_rankings=200, random_state=0)
    >>> search = SimilarRankings(n_neighbors=3).fit(food.ranks)
    >>> values, rows = search.kneighbors(food.ranks[:2])
    >>> rows[:, 0]
    array([0, 1])
    """

    def __init__(
        self,
        features: Any = None,
        *,
        graph: Any = None,
        item_features: Any = None,
        unranked: Unranked = "error",
        n_neighbors: int = 10,
        normalize: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.graph = graph
        self.item_features = item_features
        self.unranked = unranked
        self.n_neighbors = n_neighbors
        self.normalize = normalize
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: ArrayLike | None = None, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Store the rankings of a rank matrix ``X``; ``y`` is ignored.

        ``sample_weight`` says how often each counts for what the transformer learns from all of
        them, such as a graph. Each row is found once, however often it counts.
        """
        check_choice(self.unranked, get_args(Unranked), "unranked")
        check_count(self.n_neighbors, "n_neighbors")
        for_default = (
            self.graph is not None or self.item_features is not None or self.unranked != "error"
        )
        if self.features is not None and for_default:
            raise InputError(
                "graph, item_features and unranked belong to the default features",
                remedy=["give them to ", Setting("features")],
            )
        self.features_ = clone(self._transformer())
        # Without weights, our own features take the counts of a RankingSet themselves.
        if sample_weight is not None and has_fit_parameter(self.features_, "sample_weight"):
            self.features_.fit(X, sample_weight=sample_weight)
        else:
            self.features_.fit(X)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.features_, name):
                setattr(self, name, getattr(self.features_, name))
        self._alone = self._unconnected(X, fitted=True)
        vectors = self._encoded(X)
        self._filled = isinstance(vectors, np.ndarray) or _better_filled(vectors)
        self._vectors = filled(vectors) if self._filled else vectors
        self._lists = None
        if not isinstance(self._vectors, np.ndarray):
            self._lists = InvertedLists(self._vectors, normalize=self.normalize)
        return self

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None) -> Nearest:
        """The ``n_neighbors`` fitted rankings most like each of a rank matrix ``X``.

        None is the fitted rankings, each without itself, and the constructor's ``n_neighbors``.

        Returns
        -------
        values : ndarray of shape (n_rankings, n_neighbors)
            Values of the kernel, the largest first.
        rows : ndarray of shape (n_rankings, n_neighbors)
            Rows of the rankings that were fitted; of equal values the first rows come first.

        Warns
        -----
        UserWarning
            If a ranking has nothing in common with any other, so that its neighbours are arbitrary.
        """
        check_is_fitted(self)
        k = check_count(self.n_neighbors if n_neighbors is None else n_neighbors, "n_neighbors")
        there = self._vectors.shape[0] - (X is None)
        if k > there:
            raise InputError(
                f"is {k}, with {amount(there, 'ranking')} to choose from", parameter="n_neighbors"
            )
        vectors = self._vectors
        if X is not None:
            queries = self._encoded(X)
            vectors = filled(queries) if self._filled else queries
        if self._lists is not None:
            values, rows = self._lists.nearest(None if X is None else vectors, k, self.n_jobs)
        else:
            values, rows = nearest_of(
                GraphCutVectors(vectors),
                None if X is None else GraphCutVectors(self._vectors),
                k=k,
                normalize=self.normalize,
                n_jobs=self.n_jobs,
            )
        unconnected = self._alone if X is None else self._unconnected(X, fitted=False)
        alone = np.flatnonzero(unconnected | (np.abs(values).max(axis=1) <= EQUAL_WITHIN))
        if alone.size:
            warnings.warn(
                f"{alone.size} of {len(values)} rankings, the first of them row {alone[0]}, have "
                "nothing in common with any other: their neighbours are arbitrary. An item graph "
                "may connect what they list",
                UserWarning,
                stacklevel=2,
            )
        return Nearest(values, rows)

    def _encoded(self, X: Any) -> Any:
        vectors = getattr(self.features_, "compact", self.features_.transform)(X)
        check_centred(vectors)
        check_size(np.array([largest_entry(vectors)]), "the vectors")
        if sparse.issparse(vectors) or isinstance(vectors, OffsetRows | JoinedRows):
            return vectors
        return np.asarray(vectors, dtype=np.float64)

    def _unconnected(self, X: Any, *, fitted: bool) -> NDArray[np.bool_] | bool:
        """Rankings of which the transformer knows that nothing connects them with others."""
        knows = isinstance(self.features_, LikenessFeatures)
        return knows and ~self.features_.connected(X, fitted=fitted)

    def _transformer(self) -> Any:
        if self.features is not None:
            return self.features
        return LikenessFeatures(
            self.graph, item_features=self.item_features, unranked=self.unranked
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._transformer()).input_tags
        return tags


def _better_filled(vectors: Any) -> bool:
    """Whether comparing all dense vectors is faster than inverted lists, and takes 2 GB at most.

    Lists compare each pair of rows that have an entry in the same column.
    """
    stored = vectors if sparse.issparse(vectors) else vectors.sparse
    n_rows, width = map(int, stored.shape)
    pairs = float((np.bincount(stored.indices, minlength=width).astype(float) ** 2).sum())
    # Meeting a row in a list takes as long as some 200 products of a dense search.
    return 200 * pairs > float(n_rows) ** 2 * width and n_rows * width <= 1 << 28


@dataclass(frozen=True, eq=False, repr=False)
class SimilarPairs(Result):
    """Rankings, each with those most like it; made by :func:`find_similar`."""

    pairs: Table  #: a row for each ranking and one similar to it, the most similar first
    n_rankings: int  #: how many were compared

    def _names(self, row: dict[str, Any]) -> tuple[str, str]:
        if "ranking" in row:
            return str(row["ranking"]), str(row["similar ranking"])
        return f"row {row['row']}", f"row {row['similar']}"

    def sentences(self) -> list[str]:
        """Which two rankings are most alike, and how many were compared."""
        closest = max(self.pairs, key=lambda row: row["similarity"])
        one, other = self._names(closest)
        n_asked = len(dict.fromkeys(self.pairs["row"]))
        return [
            f"Most alike: {one} and {other} (similarity {closest['similarity']:.2f}).",
            f"{amount(n_asked, 'ranking')} compared with {self.n_rankings:,}; 1 is the same "
            "ranking, 0 has nothing in common.",
        ]

    def tables(self) -> dict[str, Table]:
        """A row for each pair, with the order of the similar ranking."""
        return {"pairs": self.pairs}

    def picture(self) -> Picture:
        """How similar each pair is."""
        rows = [
            Row(" – ".join(self._names(row)), [Dot(row["similarity"], colour(0))])
            for row in self.pairs
        ]
        return dot_chart("Similar rankings", "Dots: similarity.", rows, "similarity (1 = the same)")


def find_similar(
    X: Any,
    rows: Sequence[int] | None = None,
    *,
    n: int = 10,
    unranked: Unranked = "error",
    features: Any = None,
) -> SimilarPairs:
    """The rankings most like each of some.

    Parameters
    ----------
    X : array, frame, CSR array or RankingSet of shape (n_rankings, n_items)
        Those to search.
    rows : sequence of int or None
        Whose neighbours to find; None: of each ranking.
    n : int, default=10
        How many for each.
    unranked, features
        As for :class:`~rankcut.SimilarRankings`.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> find_similar(load_lunch(), [0], n=2).sentences()[0]
    'Most alike: g01 and g38 (similarity 0.97).'
    """
    search = SimilarRankings(features, unranked=unranked)
    rankings = read_rankings(X, unranked=unranked if features is None else "anywhere")
    n_rows = rankings.shape[0]
    counts = rankings.counts.astype(int) if rankings.counted else np.ones(n_rows, dtype=int)
    if counts.sum() == 1:
        raise InputError("there is one ranking, and no other to compare it with")
    rows = [*range(n_rows)] if rows is None else list(rows)
    # One more, since a ranking finds itself, unless as many others are the same.
    found = search.fit(X).kneighbors(rankings.rows(rows), min(n + 1, n_rows))
    lines: list[tuple[int, int, float]] = []
    for row, values, others in zip(rows, *(each.tolist() for each in found), strict=True):
        # A row that counts several rankings is nearest to itself: they are equal.
        near = [(row, row, 1.0)] if counts[row] > 1 else []
        near += [
            (row, other, round(value, 4) + 0.0)
            for other, value in zip(others, values, strict=True)
            if other != row
        ]
        lines += near[:n]
    first, second, similarity = (list(column) for column in zip(*lines, strict=True))
    columns: dict[str, Any] = {"row": first, "similar": second}
    ids = X.ids if hasattr(X, "__rankings__") else None
    if ids is not None:
        columns["ranking"] = [ids[row] for row in first]
        columns["similar ranking"] = [ids[row] for row in second]
    columns["similarity"] = similarity
    if hasattr(X, "__rankings__") and X.counted:
        columns["count"] = counts[first].tolist()
        # A ranking is not compared with itself.
        columns["similar count"] = (counts[second] - np.equal(first, second)).tolist()
    names = [str(rankings.item(column)) for column in range(rankings.shape[1])]
    columns["order"] = order_texts(rankings.rows(second), names)
    return SimilarPairs(Table(columns), int(counts.sum()))
