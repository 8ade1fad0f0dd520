"""Rankings with everything a file says about them, for readers, loaders and writers."""

import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from rankcut.errors import InputError, amount
from rankcut.parameters import EXACT, as_floats
from rankcut.rankings.partitions import BLOCK
from rankcut.rankings.stored import dense_ranks
from rankcut.rankings.value import Unranked


@dataclass(frozen=True, eq=False)
class RankingSet:
    """Rankings, the items they rank, and what else is known.

    Attributes
    ----------
    ranks : ndarray or csr_array of shape (n_rows, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    items : tuple
        The labels of the columns.
    counts : ndarray of int64
        How many rankings each row stands for; 1 for each unless given.
    ids : tuple or None
        The rankings' own names, if they have any.
    columns : dict of ndarrays
        Columns that describe the rankings: numbers as float64, anything else as objects,
        where None is unknown.
    title : str
        What the file calls itself.
    metadata : dict of str
        What else its header says.
    notes : tuple of str
        Oddities that a reader found, and how it read them.
    weights : ndarray or None
        How much each ranking of a row counts; None if all count alike.
    people : ndarray or None
        Whose ranking each row is, if the file says that people rank more than once.
    unranked : {"error", "last", "anywhere"}
        What the file means by items that a ranking leaves out; "error" if it does not say.
    asked_ties : bool
        Whether people said that tied items are equal. False: they have an order that nobody asked
        for, like the items of a best–worst task that are neither.
    counted : bool
        Whether a table of these rankings has a column of counts: True where a count is not 1, and
        in the parts of a whole that has counts.
    target : ndarray or None
        The class of each ranking, in a data set that has classes.
    target_names : sequence of str
        The names of the classes.
    item_features : dict of ndarrays, ndarray or None
        What describes each item.
    file : str or None
        The file that the rankings were read from.
    lines : ndarray or None
        The line of that file on which each row stands, if it stands on one.
    details : dict
        What else a data set has: ``data["centers"]`` is ``data.details["centers"]``.

    Examples
    --------
    >>> votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"), counts=[3, 1])
    >>> votes
    RankingSet(2 rows, 4 rankings, 2 items)
    >>> votes.expanded()
    RankingSet(4 rows, 4 rankings, 2 items)
    """

    ranks: Any
    items: tuple[Hashable, ...]
    counts: Any = None
    ids: tuple[Hashable, ...] | None = None
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    title: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    weights: Any = None
    people: Any = None
    unranked: Unranked = "error"
    asked_ties: bool = True
    counted: bool = False
    target: Any = None
    target_names: Sequence[str] = ()
    item_features: Any = None
    file: str | None = None
    lines: Any = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        n_rows, n_items = self.ranks.shape
        counts = np.ones(n_rows, np.int64) if self.counts is None else _whole(self.counts)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "counted", self.counted or bool((counts != 1).any()))
        if self.weights is not None:
            weights = as_floats(self.weights, "weights")
            good = np.isfinite(weights) & (weights >= 0)
            if not good.all():
                row = int(np.argmin(good))
                raise InputError(
                    f"weights is {weights[row]:g}; a weight is a finite number, 0 or more", row=row
                )
            object.__setattr__(self, "weights", weights)
        of_rows: dict[str, Any] = {"counts": counts, "ids": self.ids, "targets": self.target}
        of_rows |= {"weights": self.weights, "people": self.people, "lines": self.lines}
        of_rows |= {f"values of {name!r}": values for name, values in self.columns.items()}
        for what, values, expected in (
            ("labels", self.items, n_items),
            ("different labels", set(self.items), n_items),
            *((what, values, n_rows) for what, values in of_rows.items()),
        ):
            if values is not None and len(values) != expected:
                raise InputError(f"expected {expected} {what}; got {len(values)}")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, number of items."""
        n_rows, n_items = self.ranks.shape
        return int(n_rows), int(n_items)

    @property
    def item_names(self) -> list[Any]:
        """The items as a list."""
        return list(self.items)

    @property
    def item_points(self) -> Any:
        """The features of items as numbers, in a data set that has them."""
        return self["item_points"]

    @property
    def feature_names(self) -> Sequence[str]:
        """What the features of items are called, in a data set that has them."""
        return self["feature_names"]  # type: ignore[no-any-return]

    @property
    def row_names(self) -> Sequence[Hashable]:
        """The name of each row, or its number, from 0, if rows have no names."""
        return range(len(self)) if self.ids is None else self.ids

    def __getitem__(self, key: Any) -> Any:
        """A field or a column by its name, or some of the rows as a set of their own."""
        if isinstance(key, str):
            if key in self.columns:
                return self.columns[key]
            if key in self.details:
                return self.details[key]
            if key in ("item_names", *self.__dataclass_fields__):
                return getattr(self, key)
            raise KeyError(key)
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]
        if isinstance(key, int | np.integer):
            key = [key]
        return self.rows(key)

    def __len__(self) -> int:
        return int(self.ranks.shape[0])

    def __repr__(self) -> str:
        n_rows, n_items = self.shape
        sizes = ((n_rows, "row"), (self.n_rankings, "ranking"), (n_items, "item"))
        return f"RankingSet({', '.join(amount(number, what) for number, what in sizes)})"

    def _repr_html_(self) -> str:
        """What notebooks show: the sizes, and the first rankings as orders."""
        from rankcut.rankings.orders import order_texts

        orders = order_texts(self.rows(range(min(len(self), 5))).ranks, self.items)
        lines = [repr(self), *orders, *(["…"] if len(self) > len(orders) else [])]
        short = (textwrap.shorten(line, 120, placeholder=" …") for line in lines)
        return "<br>".join(map(escape, short))

    @property
    def n_rankings(self) -> int:
        """The sum of the counts, exact however large."""
        return sum(self.counts.tolist())

    def __rankings__(self) -> tuple[Any, tuple[Hashable, ...] | None, Any]:
        """Ranks, labels and counts, for :func:`rankcut.rankings.read_rankings`."""
        counts = self.counts.astype(float) if self.counted else None
        if self.weights is not None:
            counts = self.counts * np.asarray(self.weights, dtype=float)
        return self.ranks, self.labels(), counts

    def without_weights(self) -> "RankingSet":
        """The rankings, each of which weighs the same; those that stand for several still do."""
        return replace(self, weights=None)

    def plain(self) -> "RankingSet":
        """The rankings, each of which counts once and is someone else's."""
        return replace(self, counts=None, counted=False, weights=None, people=None)

    def meaning(self, unranked: Unranked, *, asked_ties: bool | None = None) -> "RankingSet":
        """The rankings with another meaning of unranked items, and of ties unless None."""
        meant_ties = self.asked_ties if asked_ties is None else asked_ties
        return replace(self, unranked=unranked, asked_ties=meant_ties)

    def with_counts(self, counts: Any, weights: Any = None) -> "RankingSet":
        """The rankings with how many each row stands for, and how much each of those counts."""
        return replace(self, counts=counts, counted=counts is not None, weights=weights)

    def having(self, **fields: Any) -> "RankingSet":
        """The rankings with other fields: their ranks, title, classes, features of items, …"""
        return replace(self, **fields)

    def with_people(self, people: Any) -> "RankingSet":
        """The rankings with whose each row is; None: each is someone else's."""
        return replace(self, people=people)

    def with_metadata(self, **metadata: str) -> "RankingSet":
        """The rankings with more, or newer, metadata."""
        return replace(self, metadata={**self.metadata, **metadata})

    def with_notes(self, *notes: str) -> "RankingSet":
        """The rankings with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def with_details(self, **details: Any) -> "RankingSet":
        """The rankings with more, or newer, details."""
        return replace(self, details={**self.details, **details})

    def dense(self) -> NDArray[np.float64]:
        """The ranks as an array, NaN where an item is not ranked."""
        if sp.issparse(self.ranks):
            return dense_ranks(self.ranks)
        return np.asarray(self.ranks, dtype=np.float64)

    def sparse(self) -> sp.csr_array:
        """The ranks as a CSR array, whose entries are the items that are ranked."""
        if sp.issparse(self.ranks):
            return self.ranks
        dense = self.dense()
        places = np.nonzero(~np.isnan(dense))
        return sp.csr_array((dense[places], places), shape=dense.shape)

    def n_ranked(self) -> NDArray[np.int64]:
        """How many items each row ranks."""
        if sp.issparse(self.ranks):
            return np.asarray(np.diff(self.ranks.indptr), dtype=np.int64)
        return np.asarray(np.count_nonzero(~np.isnan(self.dense()), axis=1), dtype=np.int64)

    def rows(self, which: Any) -> "RankingSet":
        """Some of the rows: a mask, a slice, or their numbers, which may repeat."""
        numbers = np.arange(len(self))[which]
        ids = None if self.ids is None else tuple(self.ids[i] for i in numbers.tolist())
        return replace(
            self,
            ranks=self.ranks[numbers],
            target=None if self.target is None else self.target[numbers],
            weights=None if self.weights is None else self.weights[numbers],
            people=None if self.people is None else self.people[numbers],
            lines=None if self.lines is None else self.lines[numbers],
            counts=self.counts[numbers],
            ids=ids,
            columns={name: values[numbers] for name, values in self.columns.items()},
        )

    def labels(self) -> tuple[Hashable, ...] | None:
        """The items' names; None if they have none and are numbered from 0 instead."""
        return None if self.items == tuple(range(len(self.items))) else self.items

    def among(self, columns: Sequence[int]) -> "RankingSet":
        """What they say of some of the items, which are named by their columns."""
        items = tuple(self.items[column] for column in columns)
        return replace(
            self, ranks=self.ranks[:, columns], items=items, item_features=None, details={}
        )

    def with_items(self, items: Sequence[Hashable]) -> "RankingSet":
        """The rankings with these items as columns; new ones are ranked by nobody."""
        place = {item: i for i, item in enumerate(items)}
        unknown = [item for item in self.items if item not in place]
        if unknown:
            raise InputError(
                f"is not among the {len(items)} known ones, such as {next(iter(place))!r}",
                item=unknown[0],
            )
        matrix = self.sparse()
        columns = np.array([place[item] for item in self.items])[matrix.indices]
        entries = (matrix.data, columns, matrix.indptr)
        moved = sp.csr_array(entries, shape=(len(self), len(items)))
        ranks = fitting_ranks(moved, sp.issparse(self.ranks))
        return replace(self, ranks=ranks, items=tuple(items), item_features=None, details={})

    def expanded(self) -> "RankingSet":
        """The rankings with a row for each: a row with count 3 is repeated three times.

        Its id, if it has one, is numbered, so that each row keeps one of its own.
        """
        if (self.counts == 1).all():
            return self
        if self.n_rankings > 10_000_000:
            raise InputError(
                f"the counts add up to {self.n_rankings:,} rankings, too many for a row each",
                remedy="keep them as counts",
            )
        once = self.rows(np.repeat(np.arange(len(self)), self.counts))
        ids = None if self.ids is None else _numbered(self.ids, self.counts.tolist())
        return replace(once, counts=np.ones(len(once), np.int64), ids=ids, counted=False)


def _whole(counts: Any) -> NDArray[np.int64]:
    """Counts as whole numbers; an error names the first row whose count is not one."""
    try:
        numbers = np.asarray(counts)
        if numbers.dtype.kind not in "iu":
            numbers = numbers.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"counts must be whole numbers from 1 to {EXACT:,}") from None
    good = (numbers >= 1) & (numbers <= EXACT) & (numbers == np.floor(numbers))
    if not good.all():
        row = int(np.argmin(good))
        raise InputError(
            f"a count is a whole number from 1 to {EXACT:,}; got {numbers[row]}", row=row
        )
    return numbers.astype(np.int64)


def _numbered(ids: Sequence[Hashable], counts: Sequence[int]) -> tuple[Hashable, ...]:
    """An id for each ranking; a row that stands for several gives numbered ones, from 1.

    >>> _numbered(["x", "y"], [2, 1])
    ('x-1', 'x-2', 'y')
    """
    labels = {str(name) for name in ids}
    each: list[Hashable] = []
    for name, count in zip(ids, counts, strict=True):
        if count == 1:
            each.append(name)
            continue
        for number in range(1, count + 1):
            label = f"{name}-{number}"
            while label in labels:
                label += "'"
            labels.add(label)
            each.append(label)
    return tuple(each)


def fitting_ranks(ranks: sp.csr_array, sparse: bool | None = None) -> Any:
    """A rank matrix as an array, unless ``sparse``, or by default unless too empty for that."""
    n_rows, n_items = ranks.shape
    if sparse is None:
        # So that its size stays in proportion to the file's.
        sparse = n_rows * n_items > max(2 * BLOCK, 8 * ranks.nnz)
    # A copy, because the entries may belong to another matrix.
    return ranks.sorted_indices() if sparse else dense_ranks(ranks)


def distinct_labels(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Distinct labels, and notes of those that were changed to make them so.

    >>> distinct_labels(["uni", "ika", "uni"])
    (('uni', 'ika', 'uni (3)'), ("item 3 has the name of another one, 'uni': read as 'uni (3)'",))
    """
    labels: dict[str, None] = {}
    every = set(names)
    notes = []
    for number, name in enumerate(names, start=1):
        label = name
        if label in labels:
            label = f"{name} ({number})"
            while label in every:
                label += "'"
            every.add(label)
            notes.append(f"item {number} has the name of another one, {name!r}: read as {label!r}")
        labels[label] = None
    return tuple(labels), tuple(notes)
