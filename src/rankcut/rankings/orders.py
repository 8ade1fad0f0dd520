"""Orders: lists of labels, best first, in which a nested group is tied; and those of vectors.

For the slopes before pooling φ°(σ) of any item graph, ⟨s, φ°(σ)⟩ = Σ_{i before j} W_ij·(s_i − s_j).
Sorting by s makes each term as large as it can be, so no ranking has a larger inner product with
s than the order of s itself. With pooled features this is nearly true: see ``docs/consensus.md``.
"""

from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse as sp

from rankcut.errors import InputError, Setting, Text
from rankcut.parameters import EQUAL_WITHIN, within_floats
from rankcut.rankings import read_rankings
from rankcut.rankings.stored import dense_ranks

# What is wrong with an item that a user does not list, and what helps.
NOT_AMONG = "is not among the items"
LEAVE_OUT: Text = ["add it to ", Setting("items"), ", or leave that out to take all that occur"]


class LabelledRanks(NamedTuple):
    """A rank matrix, and the labels of its columns."""

    ranks: Any
    items: list[Hashable]


def from_orders(
    orders: Iterable[Iterable[Any]],
    items: Sequence[Hashable] | None = None,
    *,
    sparse: bool = False,
) -> LabelledRanks:
    """A rank matrix from lists of items, best first.

    Parameters
    ----------
    orders : iterable of iterables
        Each lists labels, best first. A nested list, tuple or set is a group of tied items.
        Labels are any hashable objects; one that is itself a tuple must be inside a group.
    items : sequence or None
        The items that become columns; None takes those that occur, in order of appearance.
    sparse : bool
        Return a CSR array, in which items not listed are absent, instead of a dense array, in
        which they are NaN.

    Returns
    -------
    ranks : ndarray or csr_array of shape (n_orders, n_items)
        The items of the t-th group have rank t.
    items : list
        The labels of the columns.

    Examples
    --------
    >>> ranks, items = from_orders([["toro", ("uni", "ika"), "ebi"], ["ebi", "toro"]])
    >>> items
    ['toro', 'uni', 'ika', 'ebi']
    >>> ranks
    array([[ 1.,  2.,  2.,  3.],
           [ 2., nan, nan,  1.]])
    """
    columns = columns_of(items)
    starts, indices, stored = [0], list[int](), list[float]()
    for row, order in enumerate(orders):
        if isinstance(order, str | bytes | Set) or not isinstance(order, Iterable):
            raise InputError(f"an order is a list of items, best first, not {order!r}", row=row)
        for rank, group in enumerate(order, start=1):
            tied = group if isinstance(group, list | tuple | set | frozenset) else (group,)
            if not tied:
                raise InputError(f"group {rank} is empty", row=row, remedy="leave it out")
            for label in tied:
                try:
                    column = columns.get(label, -1)
                except TypeError:
                    raise InputError(
                        f"{label!r} in group {rank} cannot be a label, because it is not hashable",
                        row=row,
                        remedy="a group holds labels, not further groups",
                    ) from None
                if column < 0:
                    if items is not None:
                        raise InputError(NOT_AMONG, row=row, item=label, remedy=LEAVE_OUT)
                    column = columns[label] = len(columns)
                indices.append(column)
                stored.append(float(rank))
        listed = indices[starts[-1] :]
        if len(set(listed)) < len(listed):
            labels = list(columns)
            twice = next(column for i, column in enumerate(listed) if column in listed[:i])
            raise InputError(
                "appears twice; an order lists each item once", row=row, item=labels[twice]
            )
        starts.append(len(indices))
    if len(starts) == 1 or not columns:
        raise InputError("no order lists any item; a rank matrix needs at least one item")
    ranks = sp.csr_array(
        (np.array(stored), np.array(indices, dtype=np.int64), np.array(starts)),
        shape=(len(starts) - 1, len(columns)),
    )
    ranks.sort_indices()
    return LabelledRanks(ranks if sparse else dense_ranks(ranks), list(columns))


def columns_of(items: Sequence[Hashable] | None) -> dict[Hashable, int]:
    """The column of each item that a user lists."""
    columns: dict[Hashable, int] = {}
    for label in items or ():
        if label in columns:
            raise InputError(
                f"lists {label!r} twice; each item needs its own column", parameter="items"
            )
        columns[label] = len(columns)
    return columns


def to_orders(X: Any, items: Sequence[Hashable] | None = None) -> list[list[Any]]:
    """Orders from a rank matrix: the inverse of :func:`from_orders`.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix. Items that a ranking does not rank are left out of its order.
    items : sequence or None
        Labels of the columns; None takes those of a frame, or else counts from 0.

    Returns
    -------
    list of lists
        Tied items are in a tuple, and so is a label that is a tuple or frozenset itself.

    Examples
    --------
    >>> to_orders([[2, 1, 2], [1, float("nan"), 2]], items=["uni", "toro", "ika"])
    [['toro', ('uni', 'ika')], ['uni', 'ika']]
    """
    rankings = read_rankings(X, items, unranked="anywhere")
    n_rows, n_items = rankings.shape
    labels = range(n_items) if rankings.items is None else rankings.items
    orders = []
    for _, block in rankings.blocks(0, n_rows, close=False):
        for r in range(len(block)):
            ends = [0, *block.ends[r, : block.n_groups[r]].tolist()]
            listed = [labels[item] for item in block.order[r, : ends[-1]]]
            groups = [tuple(listed[a:b]) for a, b in pairwise(ends)]
            orders.append([_group(tied) for tied in groups])
    return orders


def _group(tied: tuple[Any, ...]) -> Any:
    alone = len(tied) == 1 and not isinstance(tied[0], tuple | frozenset)
    return tied[0] if alone else tied


def to_ranking(vectors: ArrayLike, *, tolerance: float | None = None) -> NDArray[np.int64]:
    """The ranking most similar to a vector: 1 for the largest coordinate, and so on.

    Parameters
    ----------
    vectors : array of shape (n_items,) or (n_vectors, n_items)
        One or more vectors with a coordinate for each item, larger = more preferred.
    tolerance : float or None
        Neighbours in the order are tied if they differ by at most this. None only allows for
        rounding: 1e-9 of the largest coordinate.

    Returns
    -------
    ndarray of int64, of the same shape
        Ranks: 1 is best, and tied items share the best of their places (1, 2, 2, 4).

    Examples
    --------
    >>> to_ranking([0.5, 2.0, -1.0, 0.5])
    array([2, 1, 4, 2])
    >>> to_ranking([[3.0, 2.9, 1.0], [1.0, 2.0, 3.0]], tolerance=0.2)
    array([[1, 1, 3],
           [3, 2, 1]])
    """
    with within_floats("vectors"):
        rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim not in (1, 2):
        raise InputError(f"must have one or two dimensions; got {rows.ndim}", parameter="vectors")
    shape, rows = rows.shape, np.atleast_2d(rows)
    if not np.isfinite(rows).all():
        row, item = divmod(int(np.argmin(np.isfinite(rows))), rows.shape[1])
        raise InputError(
            f"has the coordinate {rows[row, item]}; only finite numbers can be ordered",
            row=row,
            item=item,
        )
    if tolerance is not None and not tolerance >= 0:
        raise InputError(f"must be 0 or more; got {tolerance}", parameter="tolerance")
    n_rows, n_items = rows.shape
    if n_items == 0:
        return np.empty(shape, dtype=np.int64)
    order = np.argsort(-rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    slack = (
        EQUAL_WITHIN * np.abs(rows).max(axis=1, keepdims=True) if tolerance is None else tolerance
    )
    starts = np.ones((n_rows, n_items), dtype=bool)
    starts[:, 1:] = ordered[:, :-1] - ordered[:, 1:] > slack
    places = np.maximum.accumulate(np.where(starts, np.arange(1, n_items + 1), 0), axis=1)
    ranks = np.empty((n_rows, n_items), dtype=np.int64)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks.reshape(shape)


def order_texts(X: Any, items: Sequence[Any]) -> list[str]:
    """Each ranking as text: the inverse of :func:`parse_order`.

    >>> order_texts([[2, 1, 1]], ["toro", "uni", "ika"])
    ['uni = ika > toro']
    """
    orders = to_orders(X, [str(item) for item in items])
    return [
        " > ".join(" = ".join(tied) if isinstance(tied, tuple) else tied for tied in order)
        for order in orders
    ]


def parse_order(text: str) -> list[tuple[str, ...]]:
    """The groups of an order in text, best first.

    >>> parse_order("Ann > Bob = Cy")
    [('Ann',), ('Bob', 'Cy')]
    """
    groups = (group.split("=") for group in text.split(">"))
    return [tuple(label.strip() for label in group) for group in groups]
