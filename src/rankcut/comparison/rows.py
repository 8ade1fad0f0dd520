"""What is compared: rows with their group, stratum, person and weight, and units of rows.

A *unit* is what is permuted: a ranking, or a person with all of their rankings. Labels are
exchanged among the units of a *stratum*. Units of a stratum with equal rankings and weights are a
*cell*, stored once.
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
from rankcut.parameters import check_counts
from rankcut.rankings import Rankings, Unranked, as_frame, merge_rankings, read_rankings
from rankcut.rankings.ranking_set import RankingSet


class Codes(NamedTuple):
    """Labels as numbers: row r has the label ``values[codes[r]]``, or none if its code is −1."""

    codes: Longs
    values: tuple[Hashable, ...]


class Weighted(NamedTuple):
    """Rankings, how many each row stands for, and the survey weight of each of these."""

    rankings: Rankings
    counts: Longs
    weights: Floats


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
    count : (n_rows,)
        How many rankings the row stands for.
    weight : (n_rows,)
        The survey weight of each of them.
    """

    rankings: Rankings
    index: Longs
    group: Longs
    stratum: Longs
    person: Longs | None
    count: Longs
    weight: Floats

    @property
    def partial(self) -> bool:
        """Whether a ranking leaves out an item, and may."""
        return self.rankings.unranked != "error" and not self.listed().all()

    def listed(self) -> NDArray[np.bool_]:
        """Which items each different ranking lists."""
        return np.asarray(self.rankings.groups(close=False) != NOWHERE)

    def seen(self, n_groups: int) -> Longs:
        """How many lists of each group have each item, of shape (n_groups, n_items)."""
        shape = (n_groups, self.rankings.shape[0])
        table = csr_array((self.count, (self.group, self.index)), shape=shape)
        return np.asarray(table @ self.listed().astype(np.int64))

    def shared(self, n_groups: int) -> Longs:
        """Items that two groups or more compare with others of them: lists of one say nothing."""
        listed = self.listed()
        table = np.zeros((n_groups, len(listed)), dtype=bool)
        table[self.group, self.index] = True
        while True:
            compared = listed & (listed.sum(axis=1) > 1)[:, np.newaxis]
            by_several = (table.astype(np.int64) @ compared > 0).sum(axis=0) > 1
            if (listed <= by_several).all():
                return np.flatnonzero(by_several)
            listed = listed & by_several

    def of_groups(self, some: Longs) -> "ComparedRows":
        """The rows of some groups."""
        return self.take(np.flatnonzero(np.isin(self.group, some)))

    def take(self, rows: NDArray[Any]) -> "ComparedRows":
        """Some of the rows."""
        person = None if self.person is None else self.person[rows]
        names = ("index", "group", "stratum", "count", "weight")
        some: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        return replace(self, person=person, **some)

    def sizes(self, n_groups: int) -> list[int]:
        """Number of rankings of each group."""
        return [int(n) for n in np.bincount(self.group, self.count, minlength=n_groups)]


def read_weighted(X: Any, items: Any, unranked: Unranked, weights: Any, counts: Any) -> Weighted:
    """Rankings with counts and weights, from what a user has.

    Counts and weights differ. A row with the count 100 is 100 people. A person with the weight 100
    is one person who was drawn with a small chance: 100 times as important as another, but no more
    evidence. A weight or count of 0 leaves the row out.
    """
    if isinstance(X, RankingSet) and X.weights is not None:
        weights = X.weights if weights is None else weights
        X = replace(X, weights=None)
    rankings = read_rankings(X, items, unranked=unranked, counts=counts)
    n_rows = rankings.shape[0]
    if weights is None and not rankings.counted:
        weights = rankings.counts
    count = rankings.counts if rankings.counted else np.ones(n_rows)
    weight = check_counts(weights, n_rows)
    return Weighted(rankings, np.where(weight > 0, count, 0).astype(np.int64), weight)


def read_rows(
    weighted: Weighted, kept: Longs, labels: Longs, strata: Any, people: Any
) -> tuple[ComparedRows, list[str]]:
    """The rows that are kept, with these labels as groups; and what a reader should know.

    Rankings of a person move together if the person has one label. If labels vary within a
    person, they are exchanged among the rankings of each person.
    """
    rankings, count, weight = weighted
    n_rows = rankings.shape[0]
    people = rankings.people if people is None else people
    counts = count[kept] > 0
    kept, labels = kept[counts], labels[counts]
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
    # Merged as they were given: lists that end in a tie differ from shorter ones.
    some = replace(rankings.rows(kept), unranked="anywhere", weights=None)
    different, index = merge_rankings(some)
    different = replace(different, unranked=rankings.unranked)
    often = np.bincount(index, count[kept].astype(np.float64), different.shape[0])
    items = _order_of_items(different, often)
    order = np.lexsort(different.groups(close=False)[:, items].T[::-1])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    rows = ComparedRows(
        different.rows(order), places[index], labels, stratum, person, count[kept], weight[kept]
    )
    return rows, notes


def _order_of_items(rankings: Rankings, often: NDArray[Any]) -> Longs:
    """An order of the items by what is said of them, so that random numbers fall to the same rows.

    Otherwise p-values would depend on the order of the columns as they do on the seed. Items with
    equal means of places, squares and cubes are told apart by the rankings that each place is in.
    """
    groups = rankings.groups(close=False).astype(np.uint64) + np.uint64(1)
    groups[groups > rankings.shape[1]] = 0
    colours = np.zeros(rankings.shape[1], dtype=np.uint64)
    for _ in range(2):
        of_rows = _mixed(_mixed(colours) + groups).sum(axis=1, keepdims=True)
        colours = often.astype(np.uint64) @ _mixed(_mixed(of_rows) + groups)
    places = groups.astype(np.float64)
    return np.lexsort([colours, *(often @ places**power for power in (3, 2, 1))])


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """x(2x + 1), one to one and soon anywhere in 64 bits."""
    return np.asarray(numbers * (numbers + numbers + np.uint64(1)))


@dataclass(frozen=True)
class Design:
    """Cells in the order of their strata.

    Attributes
    ----------
    table : (n_cells, n_groups) int64
        How many units of each cell are in each group.
    starts : (n_strata + 1,)
        Where the cells of each stratum begin.
    members : (n_cells, n_distinct) sparse
        The weight of each different ranking in a unit of the cell.
    survey : (n_cells,)
        The survey weight of a unit: the mean of those of its rankings.
    """

    table: Longs
    starts: Longs
    members: csr_array
    survey: Floats

    @cached_property
    def counts(self) -> Longs:
        """Units of each cell."""
        return np.asarray(self.table.sum(axis=1), dtype=np.int64)

    @cached_property
    def weight(self) -> Floats:
        """The weight of a unit of each cell."""
        return np.asarray(self.members.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def weighted(self) -> bool:
        """Whether units differ in weight."""
        return bool((self.weight != self.weight[0]).any())

    @cached_property
    def sizes(self) -> Longs:
        """Units of each group in each stratum."""
        return np.asarray(np.add.reduceat(self.table, self.starts[:-1], axis=0), dtype=np.int64)

    @cached_property
    def strata(self) -> Longs:
        """The stratum of each cell."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def make_design(rows: ComparedRows) -> Design:
    """The cells of these rows; neither their order nor the names of groups decide the order."""
    n_groups, n_distinct = int(rows.group.max()) + 1, rows.rankings.shape[0]
    first, cell = cells_of(rows)
    if rows.person is None:
        count, members = rows.count, (rows.weight[first], (cell[first], rows.index[first]))
        survey = rows.weight[first]
    else:
        count = np.isin(np.arange(len(cell)), first).astype(np.int64)
        members = (rows.count * rows.weight, (cell, rows.index))
        survey = np.bincount(cell, rows.count * rows.weight) / np.bincount(cell, rows.count)
    table = np.bincount(cell * n_groups + rows.group, count, len(first) * n_groups)
    starts = starts_of(rows.stratum[first])
    shape = (len(first), n_distinct)
    table = table.reshape(-1, n_groups).astype(np.int64)
    return Design(table, starts, csr_array(members, shape=shape), survey)


def cells_of(rows: ComparedRows) -> tuple[Longs, Longs]:
    """The first row of each cell, and the cell of each row."""
    keys = [rows.index, rows.weight] if rows.person is None else [rows.person]
    keys = [rows.stratum, *keys]
    order = np.lexsort(keys[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    cell = np.empty(len(order), dtype=np.int64)
    cell[order] = np.cumsum(new) - 1
    return order[new], cell


def starts_of(sorted_codes: Longs) -> Longs:
    """Where each code begins, and the end."""
    changes = np.flatnonzero(np.diff(sorted_codes)) + 1
    return np.concatenate([[0], changes, [len(sorted_codes)]]).astype(np.int64)


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
    known = [label for label in dict.fromkeys(listed) if not is_missing(label)]
    try:
        known.sort()
    except TypeError:
        known.sort(key=lambda label: (type(label).__name__, str(label)))
    numbers = {label: code for code, label in enumerate(known)}
    codes = np.fromiter((numbers.get(label, -1) for label in listed), np.int64, len(listed))
    # Whole numbers with gaps are stored as floats: 2019.0 means 2019.
    whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in known)
    return Codes(codes, tuple(whole))


def _varies_within(codes: Longs, person: Longs) -> bool:
    """Whether a person has rows with different codes."""
    first = np.unique(person, return_index=True)[1]
    return bool((codes != codes[first[person]]).any())
