"""Features of what was shown: a value for each item of each ranking, from tables and arrays."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from rankcut._loops.types import Floats
from rankcut.errors import InputError
from rankcut.files.columns import read_columns
from rankcut.rankings import as_frame

#: From the places where items were shown to a value for each.
PlaceValues = Callable[[Floats], Any]


def read_shown(
    shown: Any,
    shape: tuple[int, int],
    items: tuple[Hashable, ...] | None,
    places: Floats | None,
) -> dict[str, Floats]:
    """Features by name, each of shape (n_rankings, n_items); NaN where it is not known.

    ``shown`` is a mapping of names to arrays of that shape, of (n_rankings, n_items, n_features),
    or to functions of the place in which items were shown; or a table with a row for each ranking
    and item: their numbers or labels, then features.

    >>> features = read_shown({"first": lambda place: place == 0}, (1, 2), None,
    ...                       np.array([[1.0, 0.0]]))
    >>> features["first"].tolist()
    [[0.0, 1.0]]
    """
    if shown is None:
        return {}
    if as_frame(shown) is not None:
        return _from_table(shown, shape, items)
    if not isinstance(shown, Mapping):
        shown = {"feature": shown}
    features: dict[str, Floats] = {}
    for name, values in shown.items():
        if callable(values):
            values = _by_place(values, name, places)
        array = np.asarray(values, dtype=np.float64)
        if array.shape == shape:
            features[str(name)] = array
        elif array.ndim == 3 and array.shape[:2] == shape:
            features |= {f"{name}{k}": array[:, :, k] for k in range(array.shape[2])}
        else:
            raise InputError(
                f"feature {name!r} has the shape {array.shape}, and the rankings {shape}",
                parameter="shown",
                remedy="give a row for each ranking, and a column for each item",
            )
    return features


def _by_place(values: PlaceValues, name: str, places: Floats | None) -> Any:
    if places is None:
        raise InputError(
            f"feature {name!r} is a function of the place in which items were shown, which is not "
            "known",
            parameter="shown",
            remedy="pass the places as positions, with a row for each ranking",
        )
    at = values(places)
    return np.where(np.isnan(places), np.nan, at)


def _from_table(
    table: Any, shape: tuple[int, int], items: tuple[Hashable, ...] | None
) -> dict[str, Floats]:
    """From a row for each ranking and item."""
    columns = read_columns(table)
    names = list(columns)
    if len(names) < 3:
        raise InputError(
            f"has the columns {', '.join(map(repr, names))}",
            parameter="shown",
            remedy="give the number of the ranking, the item, and a feature or more",
        )
    rows = columns[names[0]]
    if not rows.is_numeric:
        raise InputError(f"column {names[0]!r} must have the numbers of rankings, from 0")
    number = rows.numbers.astype(np.int64)
    codes, labels = columns[names[1]].coded
    place = {label: column for column, label in enumerate(items or range(shape[1]))}
    unknown = [label for label in labels if label not in place]
    if unknown:
        raise InputError("is in the table of features, but not ranked", item=unknown[0])
    if len(number) and not (number.min() >= 0 and number.max() < shape[0]):
        raise InputError(
            f"column {names[0]!r} has numbers from {number.min()} to {number.max()}; rankings are "
            f"0 to {shape[0] - 1}"
        )
    item = np.array([place[label] for label in labels], dtype=np.int64)[codes]
    features = {}
    for name in names[2:]:
        column = columns[name]
        if not column.is_numeric:
            raise InputError(f"column {name!r} is text; a feature is a number")
        features[name] = np.full(shape, np.nan)
        features[name][number, item] = column.numbers
    return features
