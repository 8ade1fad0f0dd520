"""From a table of item features to the points whose distances make a graph."""

from collections.abc import Hashable, Iterable, Mapping
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_array

from rankcut.errors import InputError
from rankcut.graphs.distances import scaled_to_one
from rankcut.rankings import as_frame


class FeatureRecipe(BaseEstimator):
    """A recipe with a table of item features, which any file can hold.

    A pickled or saved recipe has the columns of a frame as a dict: other programs that load it
    need not have the library that made the frame.
    """

    features: Any
    items: str | None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        frame = as_frame(self.features)
        if frame is not None:
            labels = _labels(frame, self.items)
            columns = {column.name: column.to_list() for column in frame.iter_columns()}
            if self.items is None and labels is not None:
                state["items"] = "item" if "item" not in columns else "the item's label"
                columns[state["items"]] = np.array(labels).tolist()
            state["features"] = columns
        return state


def item_points(
    features: Any, label: str | None, scale: bool, one_hot: bool
) -> tuple[NDArray[np.float64], tuple[Hashable, ...] | None]:
    """One point for each item, and the items' labels if the table has them.

    An array is taken as it is. In a frame or a dict of columns, numeric columns are scaled to
    mean 0 and variance 1 and the others are one-hot encoded, unless the caller turns that off.
    """
    if features is None:
        raise ValueError("the graph needs item features: one row for each item")
    if isinstance(features, Mapping):
        return _points_of_columns(features, label, scale, one_hot)
    frame = as_frame(features)
    if frame is None:
        if label is not None:
            raise ValueError(
                f"items={label!r} names a column, but the item features are an array, which has "
                "no named columns"
            )
        if sparse.issparse(features):
            raise InputError(
                "the item features are sparse, and this graph compares all pairs of items",
                remedy='NeighborGraph(features, metric="cosine") keeps them sparse',
            )
        try:
            return check_array(features, dtype=np.float64, input_name="the item features"), None
        except OverflowError:
            raise InputError(
                "an item feature is too large for a float", remedy="take its logarithm, or scale it"
            ) from None
    items = _labels(frame, label)
    if label is not None:
        frame = frame.drop(label)
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise ValueError(f"the item features have shape {frame.shape}; they need items and columns")
    # Not frame[name]: the columns of a pandas frame may be called 0, 1, …
    blocks = [_column(column, items, scale, one_hot) for column in frame.iter_columns()]
    return np.hstack(blocks), items


def _labels(frame: nw.DataFrame[Any], label: str | None) -> tuple[Hashable, ...] | None:
    if label is None:
        index = nw.maybe_get_index(frame)
        names = None if index is None else tuple(index)
        items = None if names == tuple(range(frame.shape[0])) else names
    elif label in frame.columns:
        items = tuple(frame[label].to_list())
    else:
        raise _no_such_column(label, frame.columns)
    return None if items is None else _distinct(items)


def _no_such_column(label: str, columns: Iterable[str]) -> ValueError:
    return ValueError(
        f"items={label!r} should name the column with the items' labels; the columns are "
        f"{', '.join(map(repr, columns))}"
    )


def _distinct(items: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    if len(set(items)) < len(items):
        twice = next(name for i, name in enumerate(items) if name in items[:i])
        raise ValueError(f"item {twice!r} has two rows of features; each item needs one")
    return items


def _points_of_columns(
    columns: Mapping[str, Any], label: str | None, scale: bool, one_hot: bool
) -> tuple[NDArray[np.float64], tuple[Hashable, ...] | None]:
    if label is not None and label not in columns:
        raise _no_such_column(label, columns)
    items = None if label is None else _distinct(tuple(columns[label]))
    kept = {name: values for name, values in columns.items() if name != label}
    if not kept or len({len(values) for values in columns.values()}) > 1:
        raise InputError("the columns of the item features need a value for each item")
    return np.hstack(
        [_coordinates(name, _array(kept[name]), items, scale, one_hot) for name in kept]
    ), items


def _array(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    return array if array.dtype.kind in "biuf" else np.array(list(values), dtype=object)


def _column(
    column: nw.Series[Any], items: tuple[Hashable, ...] | None, scale: bool, one_hot: bool
) -> NDArray[np.float64]:
    if column.dtype.is_temporal() or column.dtype.is_nested():
        raise ValueError(
            f"column {column.name!r} of the item features holds {column.dtype}, neither numbers "
            "nor categories; make it numbers, or drop it"
        )
    numeric = column.dtype.is_numeric() or column.dtype == nw.Boolean
    if numeric and not column.is_null().any():
        values = column.to_numpy()
    else:
        values = np.array(column.to_list(), dtype=object)
    return _coordinates(column.name, values, items, scale, one_hot)


def _coordinates(
    name: Hashable,
    values: NDArray[Any],
    items: tuple[Hashable, ...] | None,
    scale: bool,
    one_hot: bool,
) -> NDArray[np.float64]:
    """The coordinates of a column, in which every item has a value."""
    missing = [value is None or value != value for value in values.tolist()]
    if any(missing):
        row = missing.index(True)
        raise ValueError(
            f"item {row if items is None else items[row]!r} has no value in column "
            f"{name!r}; fill it in or drop the column"
        )
    if values.dtype == object:
        numbers = _as_numbers(name, values.tolist(), items)
        if numbers is None and not one_hot:
            raise ValueError(
                f"column {name!r} of the item features holds {values[0]!r}, not numbers; "
                "one_hot=True encodes it, or drop it"
            )
        if numbers is None:
            return encoded(values, scale)
        values = numbers
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(
            f"item {row if items is None else items[row]!r} has the value {values[row]} in "
            f"column {name!r}; item features are finite"
        )
    return encoded(values, scale)


def _as_numbers(
    name: Hashable, values: list[Any], items: tuple[Hashable, ...] | None
) -> NDArray[np.float64] | None:
    """A column of Python numbers, which a frame keeps as objects if one has very many digits."""
    if not all(isinstance(value, Real) for value in values):
        return None
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = float(value)
        except OverflowError:
            raise InputError(
                f"has a number in column {name!r} that is too large for a float",
                item=row if items is None else items[row],
                remedy="take its logarithm, or scale the column",
            ) from None
    return numbers


def encoded(values: NDArray[Any], scale: bool = True) -> NDArray[np.float64]:
    """The coordinates that a feature adds: numbers scaled to variance 1, anything else one-hot.

    >>> encoded(np.array(["roll", "nigiri", "roll"], dtype=object))
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    """
    column = values.reshape(-1, 1)
    if values.dtype.kind in "fiub":
        if not scale:
            return np.asarray(column)
        # Squares of numbers of any size are floats after division by a power of 2.
        return np.asarray(StandardScaler().fit_transform(scaled_to_one(column.astype(np.float64))))
    return np.asarray(OneHotEncoder(sparse_output=False).fit_transform(column))
