"""What is compared: rows with their group, stratum, person and weight, and units of rows.

A *unit* is what is permuted: a ranking, or a person with all of their rankings. Labels are
exchanged among the units of a *stratum*. Units of a stratum with equal rankings are a *cell*,
counted once.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError
from rankcut.rankings import Rankings, as_frame, merge_rankings


class Codes(NamedTuple):
    """Labels as numbers: row r has the label ``values[codes[r]]``, or none if its code is −1."""

    codes: Longs
    values: tuple[Hashable, ...]


@dataclass(frozen=True)
class ComparedRows:
    """The rankings that count, one row each.

    Attributes
    ----------
    rankings : Rankings
        The different rankings.
    index : (n_rows,)
        Which of them each row is.
    group, stratum : (n_rows,)
        Codes, from 0.
    person : (n_rows,) or None
        Whose ranking it is, if the rankings of a person are permuted together.
    weight : (n_rows,)
        How often the row counts.
    counted : bool
        Whether a weight of c means c rankings, rather than one ranking of that importance.
    """

    rankings: Rankings
    index: Longs
    group: Longs
    stratum: Longs
    person: Longs | None
    weight: Floats
    counted: bool

    @property
    def partial(self) -> bool:
        """Whether a ranking leaves out an item, and may."""
        return self.rankings.unranked != "error" and not self.listed().all()

    def listed(self) -> NDArray[np.bool_]:
        """Which items each different ranking lists."""
        return np.asarray(self.rankings.groups(close=False) != NOWHERE)

    def ranking_weights(self) -> Floats:
        """The weight of each different ranking."""
        sums = np.bincount(self.index, self.weight, self.rankings.shape[0])
        return sums.astype(np.float64)

    def take(self, rows: NDArray[Any]) -> "ComparedRows":
        """Some of the rows, or rows several times; groups are numbered again."""
        group = np.unique(self.group[rows], return_inverse=True)[1]
        return replace(
            self,
            index=self.index[rows],
            group=group.astype(np.int64),
            stratum=self.stratum[rows],
            person=None if self.person is None else self.person[rows],
            weight=self.weight[rows],
        )


def read_rows(
    rankings: Rankings, kept: Longs, labels: Longs, strata: Any, people: Any
) -> tuple[ComparedRows, list[str]]:
    """The rows that are kept, with these labels as groups; and what a reader should know.

    Rankings of a person move together if the person has one label. If labels vary within a
    person, they are exchanged among the rankings of each person.
    """
    n_rows = rankings.shape[0]
    stratum = np.zeros(len(kept), dtype=np.int64)
    if strata is not None:
        stratum = _read_complete(strata, kept, n_rows, "strata")
    person, notes = None, []
    if people is not None:
        person = _read_complete(people, kept, n_rows, "people")
        if _varies_within(labels, person):
            both = stratum * (int(person.max()) + 1) + person
            stratum = np.unique(both, return_inverse=True)[1].astype(np.int64)
            within = "each person" if strata is None else "each person and stratum"
            notes.append(
                f"Some people are in several groups: labels are exchanged within {within}."
            )
            person = None
        elif _varies_within(stratum, person):
            raise InputError(
                "has people in several strata, whose rankings cannot be permuted together",
                parameter="people",
                remedy="give each person one stratum",
            )
    some = rankings.rows(kept)
    # Merged as they were given: lists that end in a tie differ from shorter ones.
    different, index = merge_rankings(replace(some, unranked="anywhere"))
    order = np.lexsort(different.groups().T[::-1])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    different = replace(different.rows(order), unranked=rankings.unranked)
    return (
        ComparedRows(different, places[index], labels, stratum, person, some.counts, some.counted),
        notes,
    )


@dataclass(frozen=True)
class Design:
    """Cells in the order of their strata.

    Attributes
    ----------
    table : (n_cells, n_groups) int64
        How many units of each cell are in each group.
    starts : (n_strata + 1,)
        Where the cells of each stratum begin.
    members : (n_cells, n_distinct) sparse, or None
        The weight of each different ranking in a unit of the cell; None: only ``ranking``.
    ranking : (n_cells,)
        The different ranking of each cell, if ``members`` is None.
    weight : (n_cells,)
        The weight of a unit.
    n_distinct : int
        Number of different rankings.
    """

    table: Longs
    starts: Longs
    members: csr_array | None
    ranking: Longs
    weight: Floats
    n_distinct: int

    @cached_property
    def counts(self) -> Longs:
        """Units of each cell."""
        return np.asarray(self.table.sum(axis=1), dtype=np.int64)

    @cached_property
    def sizes(self) -> Longs:
        """Units of each group in each stratum."""
        return np.asarray(np.add.reduceat(self.table, self.starts[:-1], axis=0), dtype=np.int64)

    @cached_property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.table.sum())

    @cached_property
    def strata(self) -> Longs:
        """The stratum of each cell."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def make_design(rows: ComparedRows, refine: Longs | None = None) -> Design:
    """The cells of these rows; ``refine`` splits strata further where units are single rows."""
    n_groups = int(rows.group.max()) + 1
    n_distinct = rows.rankings.shape[0]
    stratum = rows.stratum
    if refine is not None and rows.person is None:
        stratum = stratum * (int(refine.max()) + 1) + refine
    if rows.person is None and rows.counted:
        keys, cell = np.unique(stratum * n_distinct + rows.index, return_inverse=True)
        table = np.bincount(
            cell * n_groups + rows.group, rows.weight, minlength=len(keys) * n_groups
        )
        return Design(
            np.rint(table).astype(np.int64).reshape(-1, n_groups),
            _starts(keys // n_distinct),
            None,
            keys % n_distinct,
            np.ones(len(keys)),
            n_distinct,
        )
    if rows.person is None:
        # So that results do not depend on the order of rows.
        order = np.lexsort((rows.group, rows.weight, rows.index, stratum))
        unit = np.empty(len(order), dtype=np.int64)
        unit[order] = np.arange(len(order))
    else:
        keys, unit = np.unique(
            stratum * (int(rows.person.max()) + 1) + rows.person, return_inverse=True
        )
    n_units = int(unit.max()) + 1
    members = csr_array((rows.weight, (unit, rows.index)), shape=(n_units, n_distinct))
    table = np.zeros((n_units, n_groups), dtype=np.int64)
    table[unit, rows.group] = 1
    strata = np.empty(n_units, dtype=np.int64)
    strata[unit] = stratum
    weight = np.asarray(members.sum(axis=1)).ravel()
    return Design(table, _starts(strata), members, np.empty(0, np.int64), weight, n_distinct)


def _starts(strata: Longs) -> Longs:
    """Where each stratum begins, and where the last one ends."""
    changes = np.flatnonzero(np.diff(strata)) + 1
    return np.concatenate([[0], changes, [len(strata)]]).astype(np.int64)


def kinds_of_lists(listed: NDArray[np.bool_], weight: Floats) -> tuple[Longs, str]:
    """Which rankings list the same items, or equally many.

    The same items, if there are twenty rankings or more for each set of them.
    """
    packed = np.packbits(listed, axis=1)
    sets = np.unique(packed, axis=0, return_inverse=True)[1].ravel()
    if weight.sum() >= 20 * (int(sets.max()) + 1):
        return sets.astype(np.int64), "lists of the same items"
    lengths = np.unique(listed.sum(axis=1), return_inverse=True)[1]
    return lengths.astype(np.int64), "lists of the same length"


def read_codes(labels: Any, n_rows: int, parameter: str) -> Codes:
    """Number the labels in their order; None, NaN and blank text are missing.

    >>> read_codes(["west", None, "east", "west"], 4, "groups")
    Codes(codes=array([ 1, -1,  0,  1]), values=('east', 'west'))
    >>> read_codes([2019.0, float("nan"), 2023.0], 3, "groups").values
    (2019, 2023)
    """
    return _numbered(column_of(labels, n_rows, parameter))


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


def _read_complete(labels: Any, kept: Longs, n_rows: int, parameter: str) -> Longs:
    """Codes of the labels of the rows that are kept, none of which may be missing."""
    codes = _numbered(column_of(labels, n_rows, parameter)[kept]).codes
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        raise InputError(
            "has no value",
            remedy="give one for each ranking, or leave such rankings out",
            row=int(kept[missing[0]]),
            parameter=parameter,
        )
    return codes


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


def _varies_within(codes: Longs, person: Longs) -> bool:
    """Whether a person has rows with different codes."""
    first = np.unique(person, return_index=True)[1]
    return bool((codes != codes[first[person]]).any())
