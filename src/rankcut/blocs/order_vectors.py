"""The vectors that blocs are found by: by default those of the order of listed items.

They do not say which items are listed. Up to 32 items there is a coordinate for
each pair: the sign, minus its mean over all rankings that list both, and 0 where a ranking does not
list both. With more items there is a coordinate for each item: its lead (listed worse minus listed
better items), minus its mean over the rankings that list the item, and 0 where it is not listed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.partitions import NOWHERE, close_rows
from rankcut._loops.signs import listed_leads
from rankcut._loops.types import Floats, Indices
from rankcut.consensus.means import comparisons
from rankcut.kernels.chosen_features import ChosenFeatures
from rankcut.parameters import MOST_PAIRED
from rankcut.rankings import Unranked
from rankcut.rankings.value import block_rows


@dataclass(frozen=True, eq=False)
class OrderVectors:
    """The vectors of rankings; ``means`` has the mean sign of each pair, or lead of each item."""

    means: Floats
    n_items: int
    unranked: Unranked

    def vectors(self, groups: Indices) -> Floats:
        """A vector for each row of groups, in which NOWHERE is unranked."""
        groups = closed(groups, self.unranked)
        if _paired(self.n_items):
            return np.where(_both_listed(groups), comparisons(groups) - self.means, 0.0)
        values = np.empty((len(groups), len(self.means)))
        listed_leads(groups, self.means, values)
        return values


def fit_order_vectors(groups: Indices, weights: Floats, unranked: Unranked) -> OrderVectors:
    """The vectors, centred at the mean of these rankings.

    >>> groups = np.array([[0, 1, NOWHERE], [1, 0, 2]], dtype=np.uint32)
    >>> fit_order_vectors(groups, np.ones(2), "anywhere").vectors(groups)
    array([[ 1.,  0.,  0.],
           [-1.,  0.,  0.]])
    """
    own = closed(groups, unranked)
    n_items = groups.shape[1]
    if _paired(n_items):
        sums, masses = np.zeros((2, n_items * (n_items - 1) // 2))
        step = block_rows(n_items)
        for start in range(0, len(own), step):
            rows = own[start : start + step]
            sums += weights[start : start + step] @ comparisons(rows)
            masses += weights[start : start + step] @ _both_listed(rows)
    else:
        leads = np.empty(own.shape)
        listed_leads(own, np.zeros(n_items), leads)
        sums, masses = weights @ leads, weights @ (own != NOWHERE)
    means = np.divide(sums, masses, out=np.zeros_like(sums), where=masses > 0)
    return OrderVectors(means, n_items, unranked)


@dataclass(frozen=True, eq=False)
class Encoder:
    """From the groups of a ranking to the vector that blocs are found by."""

    base: OrderVectors | ChosenFeatures
    unit: bool

    @property
    def has_means(self) -> bool:
        """Whether means of vectors stand for blocs; otherwise medoids do."""
        return isinstance(self.base, OrderVectors) or self.base.is_small

    def vectors(self, groups: Indices) -> Floats:
        """A vector for each ranking, scaled to unit length if asked."""
        if isinstance(self.base, OrderVectors):
            values = self.base.vectors(groups)
        else:
            values = self.base.vectors(ranks_of(groups))
        if self.unit:
            lengths = np.sqrt((values**2).sum(axis=1, keepdims=True))
            values = np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)
        return np.ascontiguousarray(values)


def ranks_of(groups: Indices) -> Floats:
    """Groups as ranks: 1 = best, NaN = unranked."""
    return np.where(groups == NOWHERE, np.nan, groups.astype(np.float64) + 1.0)


def _both_listed(groups: Indices) -> NDArray[np.bool_]:
    """Whether a ranking lists both items, for each pair i < j."""
    first, second = np.triu_indices(groups.shape[1], 1)
    listed = groups != NOWHERE
    return np.asarray(listed[:, first] & listed[:, second])


def _paired(n_items: int) -> bool:
    """Whether there is a coordinate for each pair; a single item makes no pair."""
    return 2 <= n_items <= MOST_PAIRED


def closed(groups: Indices, unranked: Unranked) -> Indices:
    """With unranked items tied last, if that is what they mean."""
    groups = np.ascontiguousarray(groups)
    if unranked == "last" and (groups == NOWHERE).any():
        groups = groups.copy()
        close_rows(groups)
    return groups
