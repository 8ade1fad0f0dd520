"""Orders: lists of labels, best first, in which a nested group is tied."""

from collections.abc import Hashable, Iterable, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from rankcut.errors import InputError, Setting
from rankcut.rankings import read_rankings


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
    columns: dict[Hashable, int] = {}
    if items is not None:
        for label in items:
            if label in columns:
                raise InputError(
                    f"lists {label!r} twice; each item needs its own column", parameter="items"
                )
            columns[label] = len(columns)
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
                        raise InputError(
                            "is not among the items",
                            row=row,
                            item=label,
                            remedy=[
                                "add it to ",
                                Setting("items"),
                                ", or leave that out to take all that occur",
                            ],
                        )
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
    return LabelledRanks(ranks if sparse else spread(ranks), list(columns))


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


def spread(ranks: sp.csr_array) -> NDArray[np.float64]:
    """The dense form of a sparse rank matrix: NaN where there is no entry."""
    dense = np.full(ranks.shape, np.nan)
    rows = np.repeat(np.arange(ranks.shape[0]), np.diff(ranks.indptr))
    dense[rows, ranks.indices] = ranks.data
    return dense


def parse_order(text: str) -> list[tuple[str, ...]]:
    """The groups of an order in text, best first.

    >>> parse_order("Ann > Bob = Cy")
    [('Ann',), ('Bob', 'Cy')]
    """
    groups = (group.split("=") for group in text.split(">"))
    return [tuple(label.strip() for label in group) for group in groups]
