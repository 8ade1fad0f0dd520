"""What estimators of rankings share: reading and checking them, and naming their items."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.plain_estimators import ReadsRankings
from rankcut.rankings import Rankings, as_frame, object_array


def take_rows(X: Any, rows: Any) -> Any:
    """Some rows, a slice or their numbers, of an array, frame, sparse matrix or RankingSet."""
    frame = as_frame(X)
    if frame is None:
        return X[rows]
    return frame[rows if isinstance(rows, slice) else rows.tolist()].to_native()


def pair_columns(pairs: Any, items: tuple[Hashable, ...] | None, n_items: int) -> NDArray[np.int64]:
    """Pairs of items, by label or by column, as pairs of columns.

    >>> pair_columns([("b", "a"), ("a", 1)], ("a", "b"), 2).tolist()
    [[1, 0], [0, 1]]
    """
    places = {label: column for column, label in enumerate(items or ())}
    columns = []
    for pair in np.asarray(pairs, dtype=object).tolist():
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError("must have two columns, the items of each pair", parameter="pairs")
        for item in pair:
            column = places.get(item, item)
            if not (isinstance(column, int) and 0 <= column < n_items):
                such = f", such as {items[0]!r}" if items else ""
                raise InputError(
                    f"is not among the {n_items} items that were fitted{such}", item=item
                )
            columns.append(column)
    return np.array(columns, dtype=np.int64).reshape(-1, 2)


def as_matrices(pairs: Floats, n_items: int) -> Floats:
    """Probabilities of pairs i < j as matrices p_ij, with p_ji = 1 − p_ij and ½ on the diagonal.

    >>> as_matrices(np.array([[0.9]]), 2).tolist()
    [[[0.5, 0.9], [0.09999999999999998, 0.5]]]
    """
    first, second = np.triu_indices(n_items, 1)
    matrices = np.full((len(pairs), n_items, n_items), 0.5)
    matrices[:, first, second] = pairs
    matrices[:, second, first] = 1.0 - pairs
    return matrices


def of_pairs(
    matrices: Floats,
    pairs: Sequence[tuple[Hashable, Hashable]] | None,
    items: tuple[Hashable, ...] | None,
) -> Floats:
    """What matrices of all items say of some pairs, by label or column; None means all."""
    if pairs is None:
        return matrices
    first, second = pair_columns(pairs, items, matrices.shape[-1]).T
    return np.asarray(matrices[:, first, second])


class TakesRankings(ReadsRankings, BaseEstimator):
    """What reads and checks rankings and is scikit-learn's estimator."""

    def _read_counted(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Rankings, NDArray[np.intp]]:
        """The rankings to fit, which count more often than 0 times, and their rows in X and y."""
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        check_consistent_length(X, y)
        rows = np.flatnonzero(rankings.counts)
        return rankings if rankings.weights is None else rankings.rows(rows), rows


class NamesItems:
    """The columns of what a transformer returns are the items, under their labels."""

    _items: tuple[Hashable, ...] | None
    n_features_in_: int

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, … where they have none.

        ``input_features`` are names for items that have none, checked against those that have.
        """
        check_is_fitted(self)
        fitted = getattr(self, "feature_names_in_", None)
        if input_features is None:
            if fitted is not None:
                return np.asarray(fitted, dtype=object)
            return object_array(self._items or [f"x{i}" for i in range(self.n_features_in_)])
        names = np.asarray(input_features, dtype=object)
        if fitted is not None and not np.array_equal(fitted, names):
            raise InputError("is not equal to feature_names_in_", parameter="input_features")
        if len(names) != self.n_features_in_:
            raise InputError(
                "should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}",
                parameter="input_features",
            )
        return names
