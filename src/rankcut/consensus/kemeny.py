"""Kemeny's consensus: the order that agrees most with the pairwise margins, and a proof of it.

An order gains Σ_{i before j} margins_ij. To find the best one is NP-hard, and easy in practice:

1. items split into sets that beat each other in circles; the order of the sets is forced;
2. a set of up to 12 items is solved by dynamic programming over its subsets;
3. a larger one by a linear program over which item comes first of each pair, to which a circle of
   three is forbidden when the solution has it (:mod:`rankcut.consensus.linear_program`). Its
   solution mostly is an order; if not, a mixed-integer program goes on from there;
4. when time is up, the best order found is returned with the best bound.
"""

from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.linear_orders import best_order, improve_order, unavoidable_loss
from rankcut._loops.types import Floats, Longs
from rankcut.consensus.linear_program import Progress, solve_program
from rankcut.consensus.majority import ROUNDING, beats, components

# Dynamic programming takes a few milliseconds for this many items; each more doubles it.
_MOST_BY_SUBSETS = 12

# With more items the linear program itself takes longer than anyone would wait.
_MOST_BY_PROGRAM = 250

# Orders whose gains differ by less than this share of the largest margin are equally good: the
# mixed-integer solver stops within half of it.
_TOLERANCE = 2e-6


@dataclass(frozen=True, eq=False)
class KemenyOrder:
    """An order, what it gains, and what no order can exceed.

    Attributes
    ----------
    order : ndarray of int64
        The items, best first.
    ranks : ndarray of int64
        The rank of each item; neighbours are tied where all margins between them are 0.
    value : float
        Σ_{i before j} margins_ij of the order.
    bound : float
        A proven upper bound for each order; equal to ``value`` if the order is proven best.
    optimal : bool
        Whether it is proven that no order gains more, but for 2 millionths of the largest margin.
    """

    order: NDArray[np.int64]
    ranks: NDArray[np.int64]
    value: float
    bound: float
    optimal: bool


def kemeny_order(
    margins: Floats,
    *,
    step: float = 0.0,
    time_limit: float = 60.0,
    progress: Progress | None = None,
) -> KemenyOrder:
    """The order of largest gain, proven best if time allows.

    Parameters
    ----------
    margins : array of shape (n_items, n_items)
        Antisymmetric; ``margins[i, j]`` is gained by an order that places i before j.
    step : float
        What gains are multiples of, up to a constant; 0 if unknown. A bound that is less than a
        step away proves an order best.
    time_limit : float
        Seconds after which the best order so far is returned.
    progress : callable or None
        Called as ``progress(value, bound)`` with what is known of the set of items at hand.

    Examples
    --------
    >>> circle = np.array([[0.0, 3.0, -1.0], [-3.0, 0.0, 2.0], [1.0, -2.0, 0.0]])
    >>> found = kemeny_order(circle)
    >>> found.order, found.value, found.optimal
    (array([0, 1, 2]), 4.0, True)
    """
    end = monotonic() + time_limit
    gains = np.where(beats(np.abs(margins)), margins, 0.0)
    scores = gains.sum(axis=1)
    order: list[int] = []
    lost, proven_loss = 0.0, 0.0
    optimal = True
    for items in components(gains > 0, scores):
        inner = np.ascontiguousarray(gains[np.ix_(items, items)])
        found, best, proven = _order_set(inner, step, end, progress)
        order.extend(items[found].tolist())
        most = np.abs(inner).sum() / 2
        lost += most - _value(inner, found)
        proven_loss += most - best
        optimal = optimal and proven
    # Pairs of different sets gain all they can.
    most = float(np.abs(gains).sum() / 2)
    value = most - float(lost)
    places = np.array(order, dtype=np.int64)
    return KemenyOrder(
        places,
        _ranks(gains, places),
        value,
        value if optimal else max(value, most - float(proven_loss)),
        optimal,
    )


def heuristic_order(margins: Floats) -> Longs:
    """A good order, quickly: by row sums, then single items moved to their best places."""
    order = np.argsort(-margins.sum(axis=1), kind="stable")
    improve_order(margins, order)
    return order


def _order_set(
    gains: Floats, step: float, end: float, progress: Progress | None
) -> tuple[Longs, float, bool]:
    """The best order of items that beat each other in circles, an upper bound, whether proven."""
    n_items = len(gains)
    if n_items == 1:
        return np.zeros(1, dtype=np.int64), 0.0, True
    if n_items <= _MOST_BY_SUBSETS:
        order = np.empty(n_items, dtype=np.int64)
        best_order(gains, order)
        return order, _value(gains, order), True
    order = heuristic_order(gains)
    most = float(np.abs(gains).sum() / 2)
    slack = max(_TOLERANCE * float(gains.max()), step * (1 - 1e-6))

    def is_proven(value: float, bound: float) -> bool:
        return bool(bound - value < slack)

    bound = most - 2 * unavoidable_loss(gains)
    value = _value(gains, order)
    if not is_proven(value, bound) and n_items <= _MOST_BY_PROGRAM:
        order, bound = solve_program(gains, order, bound, is_proven, end, progress)
        value = _value(gains, order)
    return order, bound, is_proven(value, bound)


def _value(gains: Floats, order: Longs) -> float:
    return float(np.triu(gains[np.ix_(order, order)], 1).sum())


def _ranks(gains: Floats, order: Longs) -> NDArray[np.int64]:
    """Ranks along an order; a run of items is tied while all margins within it are 0."""
    ranks = np.empty(len(order), dtype=np.int64)
    first = 0
    for place, item in enumerate(order):
        if np.abs(gains[item, order[first:place]]).max(initial=0.0) > ROUNDING:
            first = place
        ranks[item] = first + 1
    return ranks
