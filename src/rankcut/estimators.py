"""What estimators of rankings share: reading and checking them, and naming their items."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.graphs.item_graph import plain_graph
from rankcut.rankings import (
    Rankings,
    Unranked,
    as_frame,
    labels_beside,
    object_array,
    read_rankings,
)


def check_items(rankings: Rankings, known: tuple[Hashable, ...] | None) -> None:
    """Refuse rankings of items other than those that were fitted, where both have labels."""
    fitted = labels_beside(known, rankings.items)
    given = labels_beside(rankings.items, known)
    if None not in (fitted, given) and fitted != given:
        raise InputError(
            "the columns of these rankings are not the items that were fitted, in their "
            f"order: {given} is not {fitted}"
        )


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
    known = {label: column for column, label in enumerate(items or ())}
    found = []
    for pair in np.asarray(pairs, dtype=object).tolist():
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError("must have two columns, the items of each pair", parameter="pairs")
        for item in pair:
            column = known.get(item, item)
            if not (isinstance(column, int) and 0 <= column < n_items):
                such = f", such as {items[0]!r}" if items else ""
                raise InputError(
                    f"is not among the {n_items} items that were fitted{such}", item=item
                )
            found.append(column)
    return np.array(found, dtype=np.int64).reshape(-1, 2)


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


class TakesRankings(BaseEstimator):
    """Reads and checks rankings, and tells scikit-learn what they may be.

    ``unranked`` is a parameter of some; with the others an item that is not ranked may be anywhere.
    """

    items: Sequence[Hashable] | None
    unranked: Unranked = "anywhere"

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {"graph": plain_graph(state["graph"])} if "graph" in state else state

    def _read(self, X: Any, *, reset: bool, **options: Any) -> Rankings:
        rankings = read_rankings(X, self.items, unranked=self.unranked, **options)
        # For arrays of as many columns as were fitted, without names, there is nothing to check.
        plain = type(X) is np.ndarray and not hasattr(self, "feature_names_in_")
        if reset or not plain or rankings.shape[1] != self.n_features_in_:
            validate_data(self, X, reset=reset, skip_check_array=True)
        return rankings

    def _read_counted(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Rankings, NDArray[np.intp]]:
        """The rankings to fit, which count more often than 0 times, and their rows in X and y."""
        rankings = self._read(X, reset=True, sample_weight=sample_weight)
        check_consistent_length(X, y)
        rows = np.flatnonzero(rankings.counts)
        return rankings if rankings.weights is None else rankings.rows(rows), rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # NaN and absent entries are unranked items: allowed if the user says what they mean.
        tags.input_tags.allow_nan = self.unranked != "error"
        tags.input_tags.sparse = self.unranked != "error"
        return tags


class NamesItems:
    """The columns of what a transformer returns are the items, under their labels."""

    _items: tuple[Hashable, ...] | None
    n_features_in_: int

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The items' labels, or x0, x1, … where they have none.

        ``input_features`` are names for items that have none, checked against those that have.
        """
        check_is_fitted(self)
        labels = self._labels()
        own = getattr(self, "feature_names_in_", None)
        if input_features is None:
            if own is not None:
                return np.asarray(own, dtype=object)
            return object_array(labels or [f"x{i}" for i in range(self.n_features_in_)])
        names = np.asarray(input_features, dtype=object)
        if own is not None and not np.array_equal(own, names):
            raise InputError("is not equal to feature_names_in_", parameter="input_features")
        if len(names) != self.n_features_in_:
            raise InputError(
                "should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}",
                parameter="input_features",
            )
        return names

    def _labels(self) -> tuple[Hashable, ...] | None:
        """The items' labels, if they have any."""
        return self._items
