"""Labels, numbers and weights, one for each ranking, as the user passes them."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Longs
from rankcut.errors import InputError
from rankcut.parameters import check_count, seed_from
from rankcut.rankings import EXACT, as_frame


class Codes(NamedTuple):
    """Labels as numbers: row r has the label ``values[codes[r]]``, or none if its code is −1."""

    codes: Longs
    values: tuple[Hashable, ...]


def read_codes(labels: Any, n_rows: int, parameter: str) -> Codes:
    """Number the labels in their order; None, NaN and blank text are missing.

    >>> read_codes(["west", None, "east", "west"], 4, "groups")
    Codes(codes=array([ 1, -1,  0,  1]), values=('east', 'west'))
    >>> read_codes([2019.0, float("nan"), 2023.0], 3, "groups").values
    (2019, 2023)
    """
    return _numbered(column_of(labels, n_rows, parameter))


def read_complete(labels: Any, kept: Longs, n_rows: int, parameter: str) -> Codes:
    """The labels of the rows that are kept, none of which may be missing."""
    found = _numbered(column_of(labels, n_rows, parameter)[kept])
    missing = np.flatnonzero(found.codes < 0)
    if missing.size:
        raise InputError(
            "has no value",
            remedy="give one for each ranking, or leave such rankings out",
            row=int(kept[missing[0]]),
            parameter=parameter,
        )
    return found


def read_weights(weights: Any, kept: Longs, n_rows: int) -> NDArray[np.float64]:
    """The weights of the rows that are kept: none negative, at least one positive."""
    column = column_of(weights, n_rows, "sample_weight")[kept]
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("must be numbers", parameter="sample_weight") from None
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if bad.size:
        raise InputError(
            f"the weight is {numbers[bad[0]]}",
            remedy="weights must be finite numbers, 0 or more",
            row=int(kept[bad[0]]),
        )
    if not numbers.any():
        raise InputError("is 0 for all rankings", parameter="sample_weight")
    if numbers.sum() > EXACT:
        raise InputError(
            "adds up to more than 2**53",
            parameter="sample_weight",
            remedy="divide all by one number",
        )
    return numbers


def is_missing(label: Any) -> bool:
    """Whether a value is None, NaN, NA or blank.

    >>> [is_missing(label) for label in (None, float("nan"), " ", 0, "west")]
    [True, True, True, False, False]
    """
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(label, str):
        return not label.strip()
    return bool(isinstance(label, float) and label != label)


def check_options(n_permutations: Any, random_state: Any) -> int:
    """Check the number of permutations, and return the seed."""
    check_count(n_permutations, "n_permutations")
    return seed_from(random_state)


def column_of(values: Any, n_rows: int, parameter: str) -> NDArray[Any]:
    """One value for each ranking, as an array."""
    if as_frame(values) is not None:
        frame = nw.from_native(values, eager_only=True)
        if frame.shape[1] != 1:
            raise InputError(
                f"has {frame.shape[1]} columns", parameter=parameter, remedy="give one column"
            )
        values = frame[frame.columns[0]]
    if hasattr(values, "to_numpy"):
        column = np.asarray(values.to_numpy())
    elif isinstance(values, np.ndarray):
        column = values
    else:
        column = np.fromiter(values, dtype=object, count=len(values))
    if column.ndim != 1 or len(column) != n_rows:
        raise InputError(
            f"has shape {column.shape}, but there are {n_rows} rankings",
            parameter=parameter,
            remedy="give one value for each ranking",
        )
    return column


def _numbered(column: NDArray[Any]) -> Codes:
    if column.dtype.kind in "iub":
        values, codes = np.unique(column, return_inverse=True)
        return Codes(codes.astype(np.int64), tuple(values.tolist()))
    listed = column.tolist()
    known = _in_order({label for label in dict.fromkeys(listed) if not is_missing(label)})
    numbers = {label: code for code, label in enumerate(known)}
    codes = np.fromiter((numbers.get(label, -1) for label in listed), np.int64, len(listed))
    # Whole numbers with gaps are stored as floats: 2019.0 means 2019.
    whole = (isinstance(label, float) and label.is_integer() for label in known)
    return Codes(
        codes, tuple(int(label) if w else label for label, w in zip(known, whole, strict=True))
    )


def _in_order(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))
