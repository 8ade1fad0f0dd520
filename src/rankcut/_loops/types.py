"""The array types that compiled loops take.

Array indices are unsigned: for signed ones, Numba adds a test for negative values, which doubles
the time of a loop over edges.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.uint32]
Words: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


class Chains(NamedTuple):
    """Ordered partitions: row r lists its items, best first, and group t ends at ``ends[r, t]``.

    Items in no group come after the last end. Both arrays may have a spare column.
    """

    order: Indices
    ends: Ints
    n_groups: Ints


class Links(NamedTuple):
    """A sparse graph: the neighbours of item i are at ``starts[i]:starts[i + 1]``."""

    starts: Indices
    neighbours: Indices
    weights: Floats


class Entries(NamedTuple):
    """Vectors of which most coordinates are alike.

    Row r has ``values`` at ``items``, up to ``ends[r]`` in both; all others are ``constants[r]``.
    """

    items: Indices
    values: Floats
    ends: Indices
    constants: Floats


class ListedChoices(NamedTuple):
    """Rankings as choices from the top: ``items[starts[r]:starts[r + 1]]`` are those of ranking r.

    The first ``n_listed[r]`` of them are chosen, and ``joined`` says that an item is tied with the
    one before it. If ``others`` stay, unlisted items are at choice too, and are never chosen.
    """

    starts: Longs
    items: Indices
    joined: Flags
    n_listed: Longs
    others: bool


class TieModel(NamedTuple):
    """How ties are read, the sizes of groups that may be chosen, and log δ of each size."""

    kind: int
    orders: Longs
    log_delta: Floats


class ScoredLists(NamedTuple):
    """The items of person p, their scores and blurs are at ``starts[p]:starts[p + 1]``."""

    starts: Longs
    items: Indices
    scores: Floats
    blurs: Floats
