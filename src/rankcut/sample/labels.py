"""The labels of rankings: whose group, stratum or person each is, as numbers."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Longs
from rankcut.errors import InputError, amount
from rankcut.rankings import as_frame

REFUSALS = frozenset(
    {
        *("prefer not to say", "prefer not to answer", "prefer not to disclose"),
        *("i prefer not to say", "i'd rather not say", "rather not say", "keine angabe"),
        "refused",
    }
)
"""Answers in a survey that name no group, in lower case."""


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
    column = column_of(labels, n_rows, parameter)
    if column.dtype.kind in "iub":
        numbers, codes = np.unique(column, return_inverse=True)
        return Codes(codes.astype(np.int64), tuple(numbers.tolist()))
    rows = column.tolist()
    values = [label for label in dict.fromkeys(rows) if not is_missing(label)]
    try:
        values.sort()
    except TypeError:
        values.sort(key=lambda label: (type(label).__name__, str(label)))
    places = {label: code for code, label in enumerate(values)}
    codes = np.fromiter((places.get(label, -1) for label in rows), np.int64, len(rows))
    # Whole numbers with gaps are stored as floats: 2019.0 means 2019.
    names = (int(v) if isinstance(v, float) and v.is_integer() else v for v in values)
    return Codes(codes, tuple(names))


class Groups(NamedTuple):
    """The group of each row, −1 where there is none, and what people should know of them."""

    codes: Longs
    names: tuple[Hashable, ...]
    notes: list[str]

    @property
    def texts(self) -> list[str]:
        """The names as text."""
        return [f"{name:g}" if isinstance(name, float) else str(name) for name in self.names]


def read_groups(
    labels: Any, n_rows: int, parameter: str, counts: NDArray[Any] | None = None
) -> Groups:
    """Groups of rankings, of which row r stands for ``counts[r]``.

    Groups that differ by blanks or case alone are one, under the usual spelling. Who refuses to
    say is in none, and is counted by that name.

    >>> groups = read_groups(["male", "Male ", "male", "refused", None], 5, "groups")
    >>> groups.names, groups.codes
    (('male',), array([ 0,  0,  0, -1, -1]))
    >>> groups.notes
    ["Joined with group 'male': 'Male '.", "2 rankings without a group left out: 'refused' (1)."]
    """
    codes, values = read_codes(labels, n_rows, parameter)
    sizes = np.bincount(codes + 1, counts, len(values) + 1)[1:].astype(np.int64)
    spellings: dict[Hashable, list[int]] = {}
    for code, value in enumerate(values):
        plain = " ".join(value.split()).casefold() if isinstance(value, str) else value
        spellings.setdefault(plain, []).append(code)
    number, names = np.full(len(values) + 1, -1), list[Hashable]()
    refused, notes = list[str](), list[str]()
    for plain, alike in spellings.items():
        usual = max(alike, key=lambda code: sizes[code])
        if plain in REFUSALS:
            refused.append(f"{values[usual]!r} ({sizes[alike].sum():,})")
            continue
        number[alike] = len(names)
        names.append(values[usual])
        others = name_groups(values, [code for code in alike if code != usual])
        notes += [f"Joined with group {values[usual]!r}: {others}."] if others else []
    joined = number[codes]
    n_without = int((joined < 0).sum() if counts is None else np.sum(counts[joined < 0]))
    if n_without:
        by_name = f": {', '.join(refused)}" if refused else ""
        notes.append(f"{amount(n_without, 'ranking')} without a group left out{by_name}.")
    return Groups(joined, tuple(names), notes)


def read_complete(labels: Any, rows: Longs, n_rows: int, parameter: str) -> Longs:
    """Codes of the labels of some rows, none of which may be missing."""
    column = column_of(labels, n_rows, parameter)[rows]
    codes = read_codes(column, len(rows), parameter).codes
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        raise InputError(
            "has no value",
            remedy="give one for each ranking, or leave such rankings out",
            row=int(rows[missing[0]]),
            parameter=parameter,
        )
    return codes


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


def varies_within(codes: Longs, person: Longs) -> bool:
    """Whether a person has rows with different codes."""
    first = np.unique(person, return_index=True)[1]
    return bool((codes != codes[first[person]]).any())


def name_groups(values: Sequence[Hashable], which: Sequence[int]) -> str:
    """Some of the groups by name.

    >>> name_groups(("east", "west"), [1])
    "'west'"
    """
    return ", ".join(repr(values[code]) for code in which)
